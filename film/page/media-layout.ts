/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { isClear } from "./drawing.ts";
import { boxAttribute } from "./film-videos.ts";
import { fitObject } from "./object-fit.ts";
import type { FilmPlan, MediaLayout, PlacedPicture, Rectangle } from "./plan.ts";
import type { ShownClip } from "./shown-clips.ts";

/**
 * Describes the page as boxes with pictures in them, when it is nothing else: no script, no
 * animation, no text, no decoration, and no edge between two pixels.
 */
export function mediaLayout(clips: readonly ShownClip[], plan: FilmPlan): MediaLayout | null {
  if (document.scripts.length > 0 || document.getAnimations().length > 0) return null;
  const mediaByElement = new Map<Element, ShownClip>(
    clips.filter(isPicture).map((clip) => [clip.element, clip]),
  );
  const all = [...document.body.querySelectorAll("*")].filter(isPainted);
  if (!all.every((element) => isPlain(element, mediaByElement.has(element)))) return null;
  const ground = getGround(plan);
  if (ground === undefined) return null;
  const pictures: PlacedPicture[] = [];
  for (const element of all) {
    const clip = mediaByElement.get(element);
    if (clip === undefined || !clip.plan.isShown) continue;
    const picture = placeMedia(clip, clips, plan);
    if (picture === undefined) return null;
    if (picture !== "nowhere") pictures.push(picture);
  }
  return { ground, pictures };
}

function isPicture({ plan, element }: ShownClip): boolean {
  return /^(video|image)$/.test(plan.kind) && /^(VIDEO|IMG)$/.test(element.tagName);
}

/** Whether the element paints and is not one of our own. */
function isPainted(element: Element): boolean {
  return (
    element.closest(`[${boxAttribute}]`) === null &&
    !/^(STYLE|TEMPLATE|AUDIO|SOURCE|TRACK|META|LINK|TITLE)$/.test(element.tagName)
  );
}

const holders = /^(DIV|SECTION|MAIN|ARTICLE|FIGURE|SPAN)$/;

/** The value that each style must have. */
const plainStyles: Readonly<Record<string, RegExp>> = {
  opacity: /^1$/,
  transform: /^none$/,
  translate: /^none$/,
  rotate: /^none$/,
  scale: /^none$/,
  perspective: /^none$/,
  filter: /^none$/,
  "backdrop-filter": /^none$/,
  "clip-path": /^none$/,
  "mask-image": /^none$/,
  "mix-blend-mode": /^normal$/,
  "box-shadow": /^none$/,
  "border-top-width": /^0px$/,
  "border-right-width": /^0px$/,
  "border-bottom-width": /^0px$/,
  "border-left-width": /^0px$/,
  "border-top-left-radius": /^0px$/,
  "border-top-right-radius": /^0px$/,
  "border-bottom-left-radius": /^0px$/,
  "border-bottom-right-radius": /^0px$/,
  "outline-style": /^none$/,
  "background-image": /^none$/,
  "z-index": /^auto$/,
  display: /^(block|inline|inline-block|flex|grid|flow-root)$/,
};

function isPlain(element: Element, isMedia: boolean): boolean {
  if (!isMedia && !holders.test(element.tagName)) return false;
  const style = getComputedStyle(element);
  const isStyled = Object.entries(plainStyles).some(
    ([name, plain]) => !plain.test(style.getPropertyValue(name)),
  );
  // Positioned pictures are painted in the order of the document, all others before them.
  if (isStyled || (isMedia && style.position !== "absolute" && style.position !== "fixed"))
    return false;
  const isRoot = element.hasAttribute("data-composition-id") && element.closest("body > *");
  if (!isClear(style.backgroundColor) && !isRoot) return false;
  const isWritten = [...element.childNodes].some(
    (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim() !== "",
  );
  const isAdorned = ["::before", "::after"].some(
    (name) => !/^(none|normal)$/.test(getComputedStyle(element, name).content),
  );
  return !isWritten && !isAdorned;
}

/** The only colour behind everything. */
function getGround({ width, height }: FilmPlan): MediaLayout["ground"] | undefined {
  const root = document.querySelector("[data-composition-id]");
  const { body, documentElement } = document;
  for (const element of [root, body, documentElement]) {
    if (element === null) return undefined;
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    if (backgroundImage !== "none") return undefined;
    if (isClear(backgroundColor)) continue;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const isWhole = left <= 0 && top <= 0 && right >= width && bottom >= height;
    if (element === root && !isWhole) return undefined;
    const [, ...parts] = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(backgroundColor) ?? [];
    const [red, green, blue] = parts.map(Number);
    if (red === undefined || green === undefined || blue === undefined) return undefined;
    return [red, green, blue];
  }
  return undefined;
}

/** `undefined` when its edges are not on even pixels: two pixels share a chroma sample. */
function placeMedia(
  { plan, element }: ShownClip,
  clips: readonly ShownClip[],
  { width, height }: FilmPlan,
): PlacedPicture | "nowhere" | undefined {
  const size =
    element instanceof HTMLImageElement
      ? { width: element.naturalWidth, height: element.naturalHeight }
      : plan.size;
  if (size === undefined || size.width === 0) return undefined;
  const box = element.getBoundingClientRect();
  const fit = fitObject(element, size);
  const whole = {
    x: box.left + fit.x,
    y: box.top + fit.y,
    width: size.width * fit.scaleX,
    height: size.height * fit.scaleY,
  };
  const holding = [...clips].filter((clip) => clip.element.contains(element));
  const from = Math.max(0, ...holding.map((clip) => clip.plan.from));
  const to = Math.min(...holding.map((clip) => clip.plan.to));
  let shown = common(whole, { x: box.left, y: box.top, width: box.width, height: box.height });
  shown = common(shown, { x: 0, y: 0, width, height });
  for (let at = element.parentElement; at !== null; at = at.parentElement)
    if (at !== document.body && getComputedStyle(at).overflow !== "visible") {
      const { left, top, width: wide, height: high } = at.getBoundingClientRect();
      shown = common(shown, { x: left, y: top, width: wide, height: high });
    }
  const isHidden = holding.some((clip) => !clip.plan.isShown);
  if (shown.width <= 0 || shown.height <= 0 || from >= to || isHidden) return "nowhere";
  if (![whole, shown].every(isEven)) return undefined;
  return { key: plan.key, from, to, whole: round(whole), shown: round(shown) };
}

function common(one: Rectangle, other: Rectangle): Rectangle {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  const right = Math.min(one.x + one.width, other.x + other.width);
  const bottom = Math.min(one.y + one.height, other.y + other.height);
  return { x, y, width: right - x, height: bottom - y };
}

function isEven({ x, y, width, height }: Rectangle): boolean {
  return [x, y, width, height].every((value) => Math.abs(value / 2 - Math.round(value / 2)) < 0.02);
}

function round({ x, y, width, height }: Rectangle): Rectangle {
  const [left, top] = [Math.round(x), Math.round(y)];
  return { x: left, y: top, width: Math.round(width), height: Math.round(height) };
}
