import type { FigmaTextLayer } from "../../contract/figma.ts";
import type { FigmaNode } from "./figma-node.ts";

/** Line height of an added text, in font sizes (`added-texts.ts` of the film page). */
export const addedLineHeight = 1.2;

/** Lists, in words, what a composition's added text cannot hold of a design's text. */
export function overlayObstacles(
  { text, fills, hasStrokes, hasEffects, isBlended }: FigmaNode,
  layer: Pick<
    FigmaTextLayer,
    | "rotation"
    | "letter_spacing"
    | "italic"
    | "text_align"
    | "text_align_vertical"
    | "text_case"
    | "line_height_px"
    | "font_size"
    | "height"
  >,
  grows: "width" | "height" | "none",
): readonly string[] {
  const { line_height_px: lineHeight, font_size: fontSize } = layer;
  const style = text?.style;
  const isSeveralLines = layer.height > 1.6 * Math.max(lineHeight, fontSize);
  const isLoose = Math.abs(lineHeight / fontSize - addedLineHeight) > 0.03;
  const obstacles: readonly (readonly [boolean, string])[] = [
    [Math.abs(layer.rotation) > 0.01, "rotation"],
    [Math.abs(layer.letter_spacing) > 0.01, "letter spacing"],
    [isSeveralLines && isLoose, "line height"],
    [isSeveralLines && (style?.number("paragraphSpacing", 0) ?? 0) > 0, "paragraph spacing"],
    [layer.italic, "italic letters"],
    [layer.text_align === "justified", "justified lines"],
    [grows === "none" && layer.text_align_vertical !== "top", "vertical alignment"],
    [layer.text_case.startsWith("small_caps"), "small capitals"],
    [(style?.text("textDecoration", "NONE") ?? "NONE") !== "NONE", "decoration"],
    [(style?.text("textTruncation", "DISABLED") ?? "DISABLED") !== "DISABLED", "truncation"],
    [text?.isMixed === true, "several styles"],
    [text?.hasLists === true, "lists"],
    [fills.length !== 1 || fills[0]?.color === undefined, "its fill"],
    [hasStrokes, "a stroke"],
    [hasEffects, "effects"],
    [isBlended, "blend mode"],
  ];
  return obstacles.flatMap(([isThere, what]) => (isThere ? [what] : []));
}
