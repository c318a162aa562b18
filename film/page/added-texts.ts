/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

import type { TextClip } from "../../timeline/model.ts";
import type { PlannedClip } from "./plan.ts";
import type { ShownClip } from "./shown-clips.ts";

/** Adds the texts of the edits above everything else, in the order of the list. */
export function addTexts(
  texts: readonly TextClip[],
  frames: (text: TextClip) => Pick<PlannedClip, "from" | "to">,
): readonly ShownClip[] {
  return texts.map((text) => {
    const element = document.createElement("div");
    element.textContent = text.text;
    Object.assign(element.style, {
      position: "absolute",
      zIndex: "2147483647",
      margin: "0",
      padding: "0",
      left: `${text.x}px`,
      top: `${text.y}px`,
      width: text.width === undefined ? "max-content" : `${text.width}px`,
      whiteSpace: text.width === undefined ? "pre" : "pre-wrap",
      overflowWrap: "break-word",
      fontFamily: text.fontFamily,
      fontSize: `${text.fontSize}px`,
      fontWeight: String(text.fontWeight),
      fontStyle: "normal",
      lineHeight: "1.2",
      letterSpacing: "normal",
      textTransform: "none",
      color: text.color,
      textAlign: text.align,
    });
    document.body.append(element);
    const plan: PlannedClip = {
      key: `text/${text.id}`,
      kind: "element",
      composition: "",
      start: text.start,
      isShown: text.isShown,
      motion: text.motion,
      transform: undefined,
      mask: undefined,
      size: undefined,
      imageUrl: undefined,
      ...frames(text),
    };
    return { plan, element };
  });
}
