import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../config/limits.ts";
import { type Element, parseMarkup } from "../../timeline/markup.ts";

/**
 * Scripts that measure text find its fonts, as in HyperFrames: a gate script, placed before the
 * first one that can find the root, is answered only when the page has its fonts. Each page draws a
 * gate of its own, by the one number that the film's clock leaves to chance.
 */
export class FontGates {
  private readonly opened = new Map<string, () => void>();

  /** Answers requests below `gatePath`, which wait at a gate or open one. */
  async answer(path: string): Promise<Buffer> {
    const [id = "", isOpening] = path.split("/");
    if (isOpening !== undefined) this.opened.get(id)?.();
    else if (this.opened.size < limits.capture.fontGatesMax) {
      const late = new AbortController();
      const opened = new Promise<void>((resolve) => this.opened.set(id, resolve));
      const patience = pause(limits.capture.fontGateMs, undefined, { signal: late.signal }).catch(
        () => undefined,
      );
      await Promise.race([opened, patience]);
      late.abort();
      this.opened.delete(id);
    }
    return Buffer.from("document.currentScript.remove()");
  }
}

export const gatePath = "fonts/";

const gateAt = (ownFolder: string): string => `<script>{
  const gate = "${ownFolder}${gatePath}" + URL.createObjectURL(new Blob()).slice(-36);
  document.documentElement.offsetHeight;
  const isPrompt = ({ display, style, unicodeRange }) =>
    !/^(block|fallback)$/.test(display) ||
    (display === "block" && style === "normal" && /^U\\+0+-FF\\b/i.test(unicodeRange));
  const fonts = [...document.fonts].filter(isPrompt).slice(0, 300).map((font) => font.load());
  Promise.allSettled(fonts).then(() => fetch(gate + "/open"));
  document.currentScript.remove();
  document.write('<script src="' + gate + '"></' + "script>");
}</script>`;

/**
 * Returns the page with a gate before the first script that can find its root. The gate's requests
 * go below `ownFolder`.
 */
export function withFontGate(text: string, ownFolder: string): string {
  let isInRoot = false;
  const scriptBelow = (element: Element): Element | undefined => {
    isInRoot ||= element.attributes["data-composition-id"] !== undefined;
    if (isInRoot && element.tag === "script") return element;
    if (element.tag === "template") return undefined;
    for (const child of element.children) {
      const found = scriptBelow(child);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const script = scriptBelow(parseMarkup(text).html);
  const at = Number(script?.key ?? Number.NaN);
  return Number.isInteger(at) ? text.slice(0, at) + gateAt(ownFolder) + text.slice(at) : text;
}
