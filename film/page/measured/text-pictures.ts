/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { MeasuredText } from "../../../timeline/export/measurement.ts";
import type { ShownClip } from "../shown-clips.ts";

/** An added text shown alone in the page, to be painted and measured for exports. */
export interface StagedText extends Omit<MeasuredText, "picture" | "id"> {
  /** Size of the page area that the picture takes, from the corner. */
  readonly width: number;
  readonly height: number;
}

/** Margin around a text for letters that reach beyond their box, as a share of their size. */
const marginShare = 0.3;

/** Shows one text in the page's corner, as in the film, and hides everything else. */
export function stageText(clips: readonly ShownClip[], id: string): StagedText | null {
  const found = clips.find(({ plan }) => plan.key === `text/${id}`);
  if (found === undefined) return null;
  const { element } = found;
  for (const child of document.body.children)
    if (child instanceof HTMLElement) child.style.setProperty("display", "none", "important");
  for (const around of [document.documentElement, document.body])
    around.style.setProperty("background", "none", "important");
  const style = getComputedStyle(element);
  const margin = Math.ceil(Number.parseFloat(style.fontSize) * marginShare);
  for (const [name, value] of Object.entries({
    display: "block",
    visibility: "visible",
    opacity: "1",
    transform: "none",
    left: `${margin}px`,
    top: `${margin}px`,
  }))
    element.style.setProperty(name, value, "important");
  const { width, height } = element.getBoundingClientRect();
  return {
    box: { width, height },
    baseline: measureBaseline(element),
    lines: measureLines(element),
    color: parseColor(style.color),
    margin,
    width: Math.ceil(width) + 2 * margin,
    height: Math.ceil(height) + 2 * margin,
  };
}

function measureBaseline(element: HTMLElement): number {
  const mark = document.createElement("span");
  mark.style.cssText = "display:inline-block;width:0;height:0";
  element.prepend(mark);
  const baseline = mark.getBoundingClientRect().bottom - element.getBoundingClientRect().top;
  mark.remove();
  return baseline;
}

/** Returns the text's lines as the browser breaks them. */
function measureLines(element: HTMLElement): string[] {
  const [node] = element.childNodes;
  if (!(node instanceof Text)) return [];
  const lines: string[] = [];
  const range = document.createRange();
  let [from, bottom] = [0, Number.NEGATIVE_INFINITY];
  const close = (to: number): void => {
    const line = node.data.slice(from, to).replace(/\n$/, "");
    lines.push(...line.split("\n").map((one) => one.trimEnd()));
    from = to;
  };
  for (let at = 0; at < node.length; at++) {
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const [box] = range.getClientRects();
    if (box === undefined || box.width === 0) continue;
    if (bottom !== Number.NEGATIVE_INFINITY && box.top >= bottom - 1) close(at);
    bottom = Math.max(bottom, box.bottom);
  }
  close(node.length);
  return lines;
}

function parseColor(text: string): StagedText["color"] {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (pen === null) return [255, 255, 255, 1];
  pen.fillStyle = text;
  pen.fillRect(0, 0, 1, 1);
  const [red = 255, green = 255, blue = 255, alpha = 255] = pen.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}
