/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { poseAt } from "../../timeline/motion.ts";
import type { PlannedClip } from "./plan.ts";

/**
 * Applies which clips are shown at a frame, and the transforms and masks of the edits. What the
 * author's scripts wrote on an element is restored before they run again (`undress`).
 */
export interface ShownClip {
  readonly plan: PlannedClip;
  readonly element: HTMLElement;
}

export const offAttribute = "data-klieg-off";
export const awayAttribute = "data-klieg-away";

/**
 * Makes timed elements visible for their time, whatever styles say; those in the flow take no space
 * for the rest of it. Returns the elements that take space from this frame on.
 */
export function showAt(clips: readonly ShownClip[], frame: number): ReadonlySet<Element> {
  const arrived = new Set<Element>();
  for (const { plan, element } of clips) {
    const isOn = isShownAt(plan, frame);
    const isTimed = element.dataset["start"] !== undefined;
    if (isOn && isTimed && element.style.visibility !== "visible")
      element.style.visibility = "visible";
    element.toggleAttribute(offAttribute, !isOn);
    if (!isTimed || !isInFlow(element)) continue;
    if (isOn && element.hasAttribute(awayAttribute)) arrived.add(element);
    element.toggleAttribute(awayAttribute, !isOn);
  }
  return arrived;
}

const inFlow = new WeakMap<Element, boolean>();

/** By its first layout. An element that contains timed ones keeps its space for them. */
function isInFlow(element: HTMLElement): boolean {
  const known = inFlow.get(element);
  if (known !== undefined) return known;
  const { position } = getComputedStyle(element);
  const found =
    /^(static|relative|sticky)$/.test(position) && element.querySelector("[data-start]") === null;
  inFlow.set(element, found);
  return found;
}

export function isShownAt({ isShown, from, to }: PlannedClip, frame: number): boolean {
  return isShown && frame >= from && frame < to;
}

const worn = ["transform", "transform-origin", "translate", "rotate", "scale", "opacity"] as const;

interface Dress {
  readonly element: HTMLElement;
  readonly before: readonly (readonly [name: string, value: string, priority: string])[];
}

let dressed: Dress[] = [];

export function undress(): void {
  for (const { element, before } of dressed)
    for (const [name, value, priority] of before)
      if (value === "") element.style.removeProperty(name);
      else element.style.setProperty(name, value, priority);
  dressed = [];
}

export function dressAt(clips: readonly ShownClip[], frame: number, seconds: number): void {
  for (const clip of clips)
    if (clip.plan.transform !== undefined || clip.plan.motion.length > 0)
      if (isShownAt(clip.plan, frame)) dress(clip, seconds);
}

/** Applies the edits' transform about their anchor, outside the author's about its origin. */
function dress({ plan, element }: ShownClip, seconds: number): void {
  const pose = poseAt(plan.transform, plan.motion, seconds - plan.start);
  const style = getComputedStyle(element);
  const anchorX = (plan.transform?.anchor_x ?? 0.5) * element.offsetWidth;
  const anchorY = (plan.transform?.anchor_y ?? 0.5) * element.offsetHeight;
  const matrix = new DOMMatrix()
    .translateSelf(pose.x + anchorX, pose.y + anchorY)
    .rotateSelf(pose.rotation)
    .scaleSelf(pose.scale)
    .translateSelf(-anchorX, -anchorY)
    .multiplySelf(getAuthoredMatrix(style));
  const opacity = Number(style.opacity) * pose.opacity;
  const before = worn.map(
    (name) =>
      [
        name,
        element.style.getPropertyValue(name),
        element.style.getPropertyPriority(name),
      ] as const,
  );
  dressed.push({ element, before });
  const wear = (name: string, value: string) => element.style.setProperty(name, value, "important");
  wear("transform-origin", "0 0");
  wear("transform", matrix.toString());
  for (const name of ["translate", "rotate", "scale"]) wear(name, "none");
  wear("opacity", String(opacity));
}

/** Returns the element's own transform, relative to its surroundings. */
export function getAuthoredMatrix(style: CSSStyleDeclaration): DOMMatrix {
  const [originX = 0, originY = 0] = style.transformOrigin.split(" ").map(Number.parseFloat);
  const [moveX = 0, moveY = 0] = numbers(style.translate);
  const [scaleX = 1, scaleY = scaleX] = numbers(style.scale);
  const [turn = 0] = numbers(style.rotate);
  const own = style.transform === "none" ? new DOMMatrix() : new DOMMatrix(style.transform);
  return new DOMMatrix()
    .translateSelf(moveX + originX, moveY + originY)
    .rotateSelf(turn)
    .scaleSelf(scaleX, scaleY)
    .multiplySelf(own)
    .translateSelf(-originX, -originY);
}

function numbers(text: string): readonly number[] {
  return text === "none" ? [] : text.split(" ").map(Number.parseFloat);
}

/** Draws a mask of the edits in canvas pixels, at the element's place without transforms. */
export function maskClip({ plan, element }: ShownClip, width: number, height: number): string {
  const { mask } = plan;
  if (mask === undefined) return "";
  const [left, top] = measurePlace(element);
  const points = mask.points as readonly (readonly [number, number])[];
  const whole = `M0 0H${width}V${height}H0Z`;
  const shape = mask.shape === "ellipse" ? ellipse(points) : outline(mask.shape, points);
  const path = mask.inverted === true ? `${whole}${shape}` : shape;
  const blur = (mask.feather ?? 0) / 2;
  const margin = Math.ceil(blur * 3);
  const filter =
    `<filter id="f" filterUnits="userSpaceOnUse" x="${-margin}" y="${-margin}" ` +
    `width="${width + 2 * margin}" height="${height + 2 * margin}">` +
    `<feGaussianBlur stdDeviation="${blur}"/></filter>`;
  const drawing =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `${blur > 0 ? filter : ""}<path fill="#fff" fill-rule="evenodd" d="${path}"` +
    `${blur > 0 ? ' filter="url(#f)"' : ""}/></svg>`;
  const address = `data:image/svg+xml,${encodeURIComponent(drawing)}`;
  const { style } = element;
  style.setProperty("mask-image", `url("${address}")`, "important");
  style.setProperty("mask-repeat", "no-repeat", "important");
  style.setProperty("mask-origin", "border-box", "important");
  style.setProperty("mask-clip", "no-clip", "important");
  style.setProperty("mask-size", `${width}px ${height}px`, "important");
  style.setProperty("mask-position", `${-left}px ${-top}px`, "important");
  return address;
}

function outline(shape: "rect" | "path", points: readonly (readonly [number, number])[]): string {
  const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = points;
  if (shape === "rect") return `M${x1} ${y1}H${x2}V${y2}H${x1}Z`;
  return `M${points.map(([x, y]) => `${x} ${y}`).join("L")}Z`;
}

function ellipse([[x1, y1] = [0, 0], [x2, y2] = [0, 0]]: readonly (readonly [number, number])[]) {
  const [rx, ry] = [Math.abs(x2 - x1) / 2, Math.abs(y2 - y1) / 2];
  const y = (y1 + y2) / 2;
  const left = Math.min(x1, x2);
  return `M${left} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0Z`;
}

function measurePlace(element: HTMLElement): readonly [left: number, top: number] {
  let left = 0;
  let top = 0;
  for (let at: Element | null = element; at instanceof HTMLElement; at = at.offsetParent) {
    left += at.offsetLeft + (at === element ? 0 : at.clientLeft);
    top += at.offsetTop + (at === element ? 0 : at.clientTop);
  }
  return [left, top];
}
