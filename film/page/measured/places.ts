/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Place } from "../../../timeline/export/measurement.ts";
import { fitObject } from "../object-fit.ts";
import { awayAttribute, getAuthoredMatrix, type ShownClip } from "../shown-clips.ts";

export interface MeasuredPage {
  /** The clips' places, by clip key. */
  readonly places: Readonly<Record<string, Place>>;
  /** Whether the places are the same at all times, because nothing in the page moves. */
  readonly isStill: boolean;
}

/** Measures where the page now has its pictures, for exports. */
export function measurePlaces(clips: readonly ShownClip[], keys: readonly string[]): MeasuredPage {
  const wanted = new Set(keys);
  const order = new Map<Element, number>();
  for (const [index, element] of [...document.querySelectorAll("*")].entries())
    order.set(element, index);
  const places = clips
    .filter(({ plan }) => wanted.has(plan.key))
    .map((clip) => [clip.plan.key, placeInTime(clip, order)] as const);
  const isStill = document.scripts.length === 0 && document.getAnimations().length === 0;
  return { places: Object.fromEntries(places), isStill };
}

/** Measures an element, after briefly laying it out if it takes no space at this time. */
function placeInTime(clip: ShownClip, order: ReadonlyMap<Element, number>): Place {
  const { element } = clip;
  const isAway = element.hasAttribute(awayAttribute);
  element.removeAttribute(awayAttribute);
  const place = measurePlace(clip, order);
  element.toggleAttribute(awayAttribute, isAway);
  return place;
}

function measurePlace({ plan, element }: ShownClip, order: ReadonlyMap<Element, number>): Place {
  const style = getComputedStyle(element);
  const picture =
    element instanceof HTMLImageElement
      ? { width: element.naturalWidth, height: element.naturalHeight }
      : (plan.size ?? { width: 0, height: 0 });
  const fitted = picture.width > 0 ? fitObject(element, picture) : noFit;
  const fit = {
    ...fitted,
    x: fitted.x + element.clientLeft,
    y: fitted.y + element.clientTop,
  };
  const { matrix, left, top } = measureSurroundings(element);
  const box = { width: element.offsetWidth, height: element.offsetHeight };
  return {
    around: listNumbers(matrix),
    authored: listNumbers(getAuthoredMatrix(style)),
    left,
    top,
    box,
    picture,
    fit,
    cut: measureCut(element, picture, fit),
    opacity: computeOpacity(element),
    paintOrder: getPaintOrder(element, order),
    styles: listStyles(element),
  };
}

const noFit = { x: 0, y: 0, scaleX: 0, scaleY: 0 };

function listNumbers({ a, b, c, d, e, f }: DOMMatrix): Place["around"] {
  return [a, b, c, d, e, f];
}

/** Measures the transforms around the element, without its own, and its position in them. */
function measureSurroundings(element: HTMLElement): {
  readonly matrix: DOMMatrix;
  readonly left: number;
  readonly top: number;
} {
  let matrix = new DOMMatrix();
  let [left, top] = [0, 0];
  for (let at: Element | null = element; at instanceof HTMLElement; ) {
    const parent: Element | null = at.offsetParent;
    const inner = parent instanceof HTMLElement ? parent : undefined;
    const x = at.offsetLeft + (inner?.clientLeft ?? 0);
    const y = at.offsetTop + (inner?.clientTop ?? 0);
    left += x;
    top += y;
    matrix = new DOMMatrix().translateSelf(x, y).multiplySelf(matrix);
    if (inner !== undefined)
      matrix = getAuthoredMatrix(getComputedStyle(inner)).multiplySelf(matrix);
    at = parent;
  }
  return { matrix, left, top };
}

/** Measures what its own box cuts off, and boxes around it unless turned or stretched. */
function measureCut(
  element: HTMLElement,
  picture: Place["picture"],
  fit: Place["fit"],
): Place["cut"] {
  const whole = { width: picture.width * fit.scaleX, height: picture.height * fit.scaleY };
  if (!(whole.width > 0 && whole.height > 0)) return { left: 0, top: 0, right: 0, bottom: 0 };
  const box = element.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = element;
  const isPlain = Math.abs(box.width - width) < 1 && Math.abs(box.height - height) < 1;
  // Edges of the visible part, relative to the element's corner.
  let [left, top, right, bottom] = [0, 0, width, height];
  for (let at = element.parentElement; isPlain && at !== null; at = at.parentElement) {
    // The frame's own edge is skipped: an editor cuts there too.
    const isFrame = at === document.body || at.hasAttribute("data-composition-id");
    if (isFrame || getComputedStyle(at).overflow === "visible") continue;
    const room = at.getBoundingClientRect();
    [left, top] = [Math.max(left, room.left - box.left), Math.max(top, room.top - box.top)];
    right = Math.min(right, room.right - box.left);
    bottom = Math.min(bottom, room.bottom - box.top);
  }
  const share = (pixels: number, of: number): number => Math.min(1, Math.max(0, pixels / of));
  return {
    left: share(left - fit.x, whole.width),
    top: share(top - fit.y, whole.height),
    right: share(fit.x + whole.width - right, whole.width),
    bottom: share(fit.y + whole.height - bottom, whole.height),
  };
}

function computeOpacity(element: Element): number {
  let opacity = 1;
  for (let at: Element | null = element; at !== null; at = at.parentElement)
    opacity *= Number(getComputedStyle(at).opacity);
  return opacity;
}

/** For each layer from the outermost: its z-index, and its position in the document. */
function getPaintOrder(element: Element, order: ReadonlyMap<Element, number>): number[] {
  const layers: number[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const { zIndex, position, opacity, transform } = getComputedStyle(at);
    const level = position === "static" ? 0 : Number.parseInt(zIndex, 10) || 0;
    const isLayer = zIndex !== "auto" || opacity !== "1" || transform !== "none";
    if (at === element || isLayer) layers.unshift(level, order.get(at) ?? 0);
  }
  return layers.slice(0, 200);
}

/** Lists styles of the element and its ancestors that an editor has no counterpart for. */
function listStyles(element: Element): string[] {
  const found = new Set<string>();
  for (
    let at: Element | null = element;
    at !== null && at !== document.body;
    at = at.parentElement
  ) {
    const style = getComputedStyle(at);
    for (const [name, plain] of Object.entries(plainStyles))
      if (!plain.test(style.getPropertyValue(name))) found.add(name);
  }
  return [...found].slice(0, 20);
}

const plainStyles: Readonly<Record<string, RegExp>> = {
  filter: /^none$/,
  "backdrop-filter": /^none$/,
  "clip-path": /^none$/,
  "mask-image": /^none$/,
  "mix-blend-mode": /^normal$/,
  "box-shadow": /^none$/,
  "border-top-left-radius": /^0(px|%)$/,
  "border-top-width": /^0px$/,
  perspective: /^none$/,
};
