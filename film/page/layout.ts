/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { FilmPlan } from "./plan.ts";

/**
 * Lays out a root as HyperFrames does, whatever its author's styles leave open: as large as the
 * film and cut at its edges, with the timed elements directly below it stacked over each other.
 */
export function layOutRoot(root: HTMLElement, { width, height }: FilmPlan): void {
  const size = { width: `${width}px`, height: `${height}px` };
  for (const element of [document.documentElement, document.body, root])
    Object.assign(element.style, size);
  if (root.style.position === "") root.style.position = "relative";
  root.style.overflow = "hidden";
  root.style.setProperty("--comp-width", size.width);
  root.style.setProperty("--comp-height", size.height);
  for (const element of root.children)
    if (element instanceof HTMLElement && element.dataset["start"] !== undefined) layOver(element);
  for (const element of root.parentElement?.children ?? [])
    if (element !== root && element instanceof HTMLElement && holdsVideo(element))
      keepInSight(element);
}

function holdsVideo(element: HTMLElement): boolean {
  return element.matches(video) || element.querySelector(video) !== null;
}

const video = "video[data-start]";

/** An element taken out of the flow, with no position set, would begin where the root ends. */
function keepInSight(element: HTMLElement): void {
  const styles = element.computedStyleMap();
  const isAuto = (name: string): boolean => String(styles.get(name)) === "auto";
  if (!/^(absolute|fixed)$/.test(String(styles.get("position")))) return;
  if (isAuto("top") && isAuto("bottom")) element.style.top = "0";
}

function layOver(element: HTMLElement): void {
  // The live style, because an element out of the flow may no longer have a size.
  const style = getComputedStyle(element);
  if (style.position !== "absolute" && style.position !== "fixed")
    element.style.position = "absolute";
  if (element instanceof HTMLAudioElement) return;
  for (const edge of ["width", "height"] as const) {
    if (element.style[edge] !== "") continue;
    const asked = Number(element.dataset[edge]);
    if (asked > 0 && /^(auto|0px)$/.test(style[edge])) element.style[edge] = `${asked}px`;
    else if (style[edge] === "0px") element.style[edge] = "100%";
  }
}
