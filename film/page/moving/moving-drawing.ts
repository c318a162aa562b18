/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { isApart } from "../own-address.ts";
import type { MovingPicture } from "./moving-picture.ts";

/**
 * An SVG file that moves by itself. A hidden copy of it lives in the page, without scripts as in an
 * image, where it can be put at any time; what it then shows is written down without its
 * animations: CSS ones stand at that time, SVG's own are replaced by the values they have.
 */
export async function openDrawing(text: string): Promise<MovingPicture> {
  const live = isApart() ? copyInRoot(text) : await copyInFrame(text);
  if (live === undefined) throw new Error("it is no drawing");
  const targets = new Set<Element>();
  const urls = new Map<string, string>();
  return {
    async urlAt(ms) {
      const still = standingAt(live, Math.max(0, ms), targets);
      const url = urls.get(still) ?? URL.createObjectURL(new Blob([still], { type }));
      urls.set(still, url);
      const [[oldText, oldUrl] = ["", ""]] = urls;
      if (urls.size > urlsMax) {
        urls.delete(oldText);
        URL.revokeObjectURL(oldUrl);
      }
      return url;
    },
  };
}

const type = "image/svg+xml";
const hidden =
  "all:initial;position:absolute;left:0;top:0;width:300px;height:150px;border:0;visibility:hidden";

async function copyInFrame(text: string): Promise<SVGSVGElement | undefined> {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-same-origin");
  frame.style.cssText = hidden;
  frame.src = URL.createObjectURL(new Blob([text], { type }));
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.documentElement.append(frame);
  await loaded;
  const live = frame.contentDocument?.documentElement;
  return live !== undefined && isDrawing(live) ? live : undefined;
}

/** For pages that cannot look into frames: like an image, the copy runs and embeds nothing. */
function copyInRoot(text: string): SVGSVGElement | undefined {
  const { documentElement: live } = new DOMParser().parseFromString(text, type);
  if (!isDrawing(live)) return undefined;
  for (const element of [live, ...live.querySelectorAll("*")]) {
    if (/^(script|iframe|object|embed)$/i.test(element.localName)) element.remove();
    for (const name of element.getAttributeNames())
      if (name.startsWith("on")) element.removeAttribute(name);
  }
  const host = document.createElement("div");
  host.style.cssText = hidden;
  host.attachShadow({ mode: "closed" }).append(document.adoptNode(live));
  document.documentElement.append(host);
  return live;
}

/** URLs that are kept, because pictures of earlier frames may still be painted. */
const urlsMax = 500;

/** Also true for a node of a page in a frame, which has a class of its own. */
function isRoot(node: Node): node is Document | ShadowRoot {
  return "getAnimations" in node;
}

function isDrawing(element: Element): element is SVGSVGElement {
  return "setCurrentTime" in element;
}

function standingAt(live: SVGSVGElement, ms: number, targets: Set<Element>): string {
  live.pauseAnimations();
  live.setCurrentTime(ms / 1_000);
  const still = document.importNode(live, true);
  const pairs = new Map<Element, Element>();
  const copies = [still, ...still.querySelectorAll("*")];
  for (const [at, element] of [live, ...live.querySelectorAll("*")].entries()) {
    const copy = copies[at];
    if (copy !== undefined) pairs.set(element, copy);
  }
  holdStyles(live, ms, pairs, targets);
  holdOwn(live, pairs);
  for (const animation of still.querySelectorAll(own)) animation.remove();
  return new XMLSerializer().serializeToString(still);
}

const own = "animate,animateTransform,animateMotion,animateColor,set";

type Pairs = ReadonlyMap<Element, Element>;

/** CSS animations are held by reducing their delays by the time, even those that have ended. */
function holdStyles(live: Element, ms: number, pairs: Pairs, targets: Set<Element>): void {
  const root = live.getRootNode();
  if (!isRoot(root)) return;
  for (const { effect } of root.getAnimations())
    if (effect !== null && "target" in effect)
      targets.add((effect as KeyframeEffect).target as Element);
  for (const target of targets) {
    const style = pairs.get(target)?.getAttribute("style") ?? "";
    const delays = getComputedStyle(target).animationDelay.split(/,\s*/);
    const moved = delays.map((delay) => `calc(${delay} - ${ms}ms)`).join(",");
    const held = `animation-delay:${moved}!important;animation-play-state:paused!important`;
    pairs.get(target)?.setAttribute("style", `${style};${held}`);
  }
}

/** Writes the values that SVG's own animations give at this time into the copy. */
function holdOwn(live: SVGSVGElement, pairs: Pairs): void {
  for (const animation of live.querySelectorAll<SVGAnimationElement>(own)) {
    const { targetElement } = animation;
    const copy = targetElement === null ? undefined : pairs.get(targetElement);
    if (targetElement === null || copy === undefined) continue;
    const name = animation.getAttribute("attributeName") ?? "";
    if (animation.tagName === "animateMotion") holdMotion(targetElement, copy);
    else if (name === "transform") holdTransform(targetElement, copy);
    else holdValue(targetElement, copy, name.replace(/^xlink:/, ""));
  }
}

/** Writes the element's transform within its parent, which includes a motion along a path. */
function holdMotion(element: Element, copy: Element): void {
  const { parentElement } = element;
  if (!isPlaced(element) || parentElement === null || !isPlaced(parentElement)) return;
  const place = element.getScreenCTM();
  const around = parentElement.getScreenCTM();
  if (place === null || around === null) return;
  setMatrix(copy, around.inverse().multiply(place));
}

function holdTransform(element: Element, copy: Element): void {
  const name = ["transform", "gradientTransform", "patternTransform"].find((one) => one in element);
  const list: unknown = name && Reflect.get(element, name);
  if (name === undefined || !isTransforms(list)) return;
  let matrix = new DOMMatrix();
  for (let at = 0; at < list.animVal.numberOfItems; at++) {
    const { a, b, c, d, e, f } = list.animVal.getItem(at).matrix;
    matrix = matrix.multiply(new DOMMatrix([a, b, c, d, e, f]));
  }
  setMatrix(copy, matrix, name);
}

function setMatrix(copy: Element, matrix: DOMMatrix, name = "transform"): void {
  const { a, b, c, d, e, f } = matrix;
  copy.setAttribute(name, `matrix(${[a, b, c, d, e, f].join(" ")})`);
}

function holdValue(element: Element, copy: Element, name: string): void {
  const value = getAnimatedValue(element, name);
  if (value !== undefined) copy.setAttribute(name, value);
  const computed = getComputedStyle(element).getPropertyValue(name);
  if (computed !== "" && (value === undefined || name === "d"))
    copy.setAttribute("style", `${copy.getAttribute("style") ?? ""};${name}:${computed}`);
}

/** Returns the value in the form of an attribute; `undefined` for what is only a style. */
function getAnimatedValue(element: Element, name: string): string | undefined {
  if (name === "points") return formatList(Reflect.get(element, "animatedPoints"));
  if (name === "stdDeviation")
    return ["stdDeviationX", "stdDeviationY"]
      .map((one) => getAnimatedValue(element, one))
      .join(" ");
  const property: unknown = Reflect.get(element, name === "class" ? "className" : name);
  if (typeof property !== "object" || property === null || !("animVal" in property))
    return undefined;
  const value: unknown = property.animVal;
  if (typeof value !== "object" || value === null) return String(value);
  if ("valueAsString" in value) return String(value.valueAsString);
  if ("numberOfItems" in value) return formatList(value);
  if ("width" in value && "x" in value)
    return ["x", "y", "width", "height"].map((one) => Reflect.get(value, one)).join(" ");
  return undefined;
}

interface ItemList {
  readonly numberOfItems: number;
  getItem(at: number): unknown;
}

function formatList(list: unknown): string | undefined {
  if (!isList(list)) return undefined;
  const items = Array.from({ length: list.numberOfItems }, (_, at) => list.getItem(at));
  return items
    .map((item) => {
      if (typeof item !== "object" || item === null) return String(item);
      if ("valueAsString" in item) return String(item.valueAsString);
      if ("value" in item) return String(item.value);
      return "x" in item && "y" in item ? `${item.x},${item.y}` : "";
    })
    .join(" ");
}

function isList(value: unknown): value is ItemList {
  return typeof value === "object" && value !== null && "numberOfItems" in value;
}

function isTransforms(value: unknown): value is SVGAnimatedTransformList {
  return typeof value === "object" && value !== null && "animVal" in value;
}

function isPlaced(element: Element): element is SVGGraphicsElement {
  return "getScreenCTM" in element;
}
