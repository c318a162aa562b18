/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Place } from "./held-animations.ts";

/** When each SVG came into the page, from which the time of its own animations counts. */
const births = new WeakMap<SVGSVGElement, number>();

export function holdDrawings(
  root: Document | ShadowRoot,
  nowMs: number,
  placeFor: (element: Element) => Place,
  isFirst: (element: Element) => boolean,
): void {
  for (const drawing of root.querySelectorAll("svg")) {
    if (drawing.ownerSVGElement !== null) continue;
    if (!births.has(drawing))
      births.set(drawing, isFirst(drawing) ? Number.NEGATIVE_INFINITY : nowMs);
    if (drawing.querySelector(moving) === null) continue;
    drawing.pauseAnimations();
    const { startMs, rate } = placeFor(drawing);
    const from = Math.max(births.get(drawing) ?? 0, startMs);
    drawing.setCurrentTime(Math.max(0, ((nowMs - from) * rate) / 1_000));
  }
}

const moving = "animate,animateTransform,animateMotion,set";
