/**
 * The layers of a design's frame, back to front: each text is one, and each child without a text in
 * it is one picture. A child with a text in it is replaced by its own children.
 */
import { limits } from "../../config/limits.ts";
import type { FigmaImageLayer, FigmaImport, FigmaTextLayer } from "../../contract/figma.ts";
import {
  type Box,
  Fields,
  type FigmaNode,
  readNode,
  roundValue,
  TooManyNodes,
} from "./figma-node.ts";
import { overlayObstacles } from "./overlay-obstacles.ts";

type Times = "start" | "duration_seconds";

export interface TextDraft {
  readonly kind: "text";
  readonly layer: Omit<FigmaTextLayer, Times>;
  /** How the text's box grows: with its lines, with its words, or not at all. */
  readonly grows: "width" | "height" | "none";
  /** What a composition's added text cannot hold of this text. */
  readonly obstacles: readonly string[];
  /** Opacity of the surrounding groups; the text's own opacity is in its picture. */
  readonly groupOpacity: number;
}

export interface ImageDraft {
  readonly kind: "image";
  readonly layer: Omit<FigmaImageLayer, Times | "asset_id">;
  readonly groupOpacity: number;
}

export type LayerDraft = TextDraft | ImageDraft;

export type FigmaFrame =
  | {
      readonly kind: "frame";
      readonly frame: FigmaImport["frame"];
      readonly layers: readonly LayerDraft[];
      readonly warnings: readonly string[];
    }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly detail: string };

export interface FrameTask {
  /** Body of the answer to `GET /v1/files/{key}/nodes`. */
  readonly answer: Uint8Array;
  readonly nodeId: string;
  readonly includesHidden: boolean;
}

/** Reads a frame's layers. Throws `SyntaxError` for an answer that is not JSON. */
export function readFrame({ answer, nodeId, includesHidden }: FrameTask): FigmaFrame {
  const value: unknown = JSON.parse(Buffer.from(answer).toString("utf8"));
  const found = new Fields(value).fields("nodes")?.fields(nodeId);
  if (found === undefined) return { kind: "missing" };
  try {
    return getFrame(readNode(found.value("document")), includesHidden);
  } catch (error) {
    if (error instanceof TooManyNodes)
      return { kind: "unusable", detail: "has more nodes than can be imported" };
    throw error;
  }
}

function getFrame(node: FigmaNode, includesHidden: boolean): FigmaFrame {
  const { box, id, name } = node;
  if (box === undefined) return { kind: "unusable", detail: "has no size" };
  const reader = new LayerReader(box, includesHidden);
  reader.addAll(node);
  const { layers, warnings } = reader;
  if (layers.length > limits.figma.layersMax) {
    const detail = `has ${layers.length} layers; at most ${limits.figma.layersMax} are imported`;
    return { kind: "unusable", detail };
  }
  const [fill] = node.fills;
  const background_color = fill?.color ?? null;
  const size = { width: roundValue(box.width), height: roundValue(box.height) };
  const frame = { node_id: id, name, ...size, background_color };
  return { kind: "frame", frame, layers, warnings };
}

class LayerReader {
  readonly layers: LayerDraft[] = [];
  readonly warnings: string[] = [];
  private readonly frame: Box;
  private readonly includesHidden: boolean;

  constructor(frame: Box, includesHidden: boolean) {
    this.frame = frame;
    this.includesHidden = includesHidden;
  }

  /** Adds all layers of a frame; a frame without any becomes one picture. */
  addAll(frame: FigmaNode): void {
    if (frame.text !== undefined) this.add(frame, 1);
    else for (const child of frame.children) this.add(child, 1);
    if (this.layers.length === 0) this.addImage(frame, 1);
  }

  /** `groupOpacity` is the opacity of the groups around the node. */
  private add(node: FigmaNode, groupOpacity: number): void {
    if (!this.isShown(node)) return;
    if (node.text !== undefined) this.addText(node, groupOpacity);
    else if (this.holdsText(node)) this.addInside(node, groupOpacity);
    else this.addImage(node, groupOpacity);
  }

  private isShown({ isVisible, type }: FigmaNode): boolean {
    return (isVisible || this.includesHidden) && type !== "SLICE";
  }

  private holdsText(node: FigmaNode): boolean {
    return node.children.some(
      (child) => this.isShown(child) && (child.text !== undefined || this.holdsText(child)),
    );
  }

  private addInside(node: FigmaNode, groupOpacity: number): void {
    const { fills, hasStrokes, hasEffects, isBlended } = node;
    const own = [
      ...(fills.length > 0 ? ["fill"] : []),
      ...(hasStrokes ? ["stroke"] : []),
      ...(hasEffects ? ["effects"] : []),
      ...(isBlended ? ["blend mode"] : []),
    ];
    if (own.length > 0)
      this.warn(node, `its own ${own.join(", ")} left out, because it has text in it`);
    for (const child of node.children) this.add(child, groupOpacity * node.opacity);
  }

  private addText(node: FigmaNode, groupOpacity: number): void {
    const { text, box } = node;
    if (text === undefined || text.characters.trim() === "") return;
    if (box === undefined) {
      this.warn(node, "is not on the canvas and is left out");
      return;
    }
    const { style } = text;
    const color = node.fills.findLast(({ color: solid }) => solid !== undefined)?.color;
    if (color === undefined) this.warn(node, "has no plain colour; it is described as black");
    const layer = {
      kind: "text" as const,
      ...this.place(node, box, groupOpacity),
      text: text.characters,
      rotation: node.rotation,
      font_family: style.text("fontFamily", "sans-serif"),
      font_postscript_name: style.text("fontPostScriptName", "") || null,
      font_weight: style.number("fontWeight", 400),
      italic: style.flag("italic", false),
      font_size: style.number("fontSize", 16),
      line_height_px: roundValue(style.number("lineHeightPx", 1.2 * style.number("fontSize", 16))),
      letter_spacing: roundValue(style.number("letterSpacing", 0)),
      text_align: parseWord(style.text("textAlignHorizontal", ""), aligns, "left"),
      text_align_vertical: parseWord(style.text("textAlignVertical", ""), verticals, "top"),
      text_case: parseWord(style.text("textCase", ""), cases, "original"),
      color: color ?? "#000000",
    };
    const resize = style.text("textAutoResize", "NONE");
    const grows = resize === "WIDTH_AND_HEIGHT" ? "width" : resize === "HEIGHT" ? "height" : "none";
    const obstacles = overlayObstacles(node, layer, grows);
    this.layers.push({ kind: "text", layer, grows, obstacles, groupOpacity });
  }

  private addImage(node: FigmaNode, groupOpacity: number): void {
    if (node.box === undefined) {
      this.warn(node, "is not on the canvas and is left out");
      return;
    }
    const place = this.place(node, node.box, groupOpacity);
    this.layers.push({ kind: "image", layer: { kind: "image", ...place }, groupOpacity });
  }

  private place({ id, name, opacity }: FigmaNode, box: Box, groupOpacity: number) {
    return {
      node_id: id,
      name,
      x: roundValue(box.x - this.frame.x),
      y: roundValue(box.y - this.frame.y),
      width: roundValue(box.width),
      height: roundValue(box.height),
      opacity: Math.round(groupOpacity * opacity * 1e4) / 1e4,
    };
  }

  private warn({ name, id }: FigmaNode, says: string): void {
    if (this.warnings.length < limits.figma.warningsMax)
      this.warnings.push(`${name || id} (${id}): ${says}`);
  }
}

const aligns = ["left", "center", "right", "justified"] as const;
const verticals = ["top", "center", "bottom"] as const;
const cases = ["original", "upper", "lower", "title", "small_caps", "small_caps_forced"] as const;

function parseWord<T extends string>(word: string, words: readonly T[], otherwise: T): T {
  return words.find((known) => known === word.toLowerCase()) ?? otherwise;
}
