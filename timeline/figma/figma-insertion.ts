/**
 * Writes the layers of an import into a composition as its author would: pictures as clips of
 * `index.html`, texts as added texts of the edits. Pure.
 */
import type { FigmaImport, FigmaTextLayer } from "../../contract/figma.ts";
import { type AddedText, overlayPath, readOverlay } from "../overlay.ts";
import type { ImageDraft, LayerDraft, TextDraft } from "./figma-frame.ts";
import { addedLineHeight } from "./overlay-obstacles.ts";
import { freeId, insertIntoPage, type PageClip } from "./page-insertion.ts";

export interface InsertTask {
  /** The composition's files as they are; undefined where they do not exist. */
  readonly page: string | undefined;
  readonly edits: string | undefined;
  readonly frame: FigmaImport["frame"];
  /** Layers back to front: texts without obstacles, and pictures. */
  readonly layers: readonly PlacedDraft[];
  readonly start: number;
  readonly seconds: number;
}

export type PlacedDraft =
  | TextDraft
  | (Pick<ImageDraft, "kind" | "layer" | "groupOpacity"> & { readonly assetId: string });

export type Insertion =
  | {
      readonly kind: "inserted";
      /** The changed files; undefined where they stay as they are. */
      readonly page: string | undefined;
      readonly edits: string | undefined;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "refused"; readonly detail: string };

export function insertLayers(task: InsertTask): Insertion {
  const { page, edits, frame, layers, start, seconds } = task;
  const overlay = readEdits(edits);
  if ("fault" in overlay) return { kind: "refused", detail: `${overlayPath} ${overlay.fault}` };
  const clips = layers.flatMap((draft): PageClip[] =>
    "assetId" in draft ? [{ ...draft, id: getId(draft), start, seconds }] : [],
  );
  const inserted = insertIntoPage(page, frame, clips, start + seconds);
  if ("fault" in inserted) return { kind: "refused", detail: inserted.fault };
  const texts = layers.flatMap((draft) => (draft.kind === "text" ? [draft] : []));
  const used = new Set([...inserted.ids, ...overlay.texts.map(({ id }) => id)]);
  const added = texts.map((draft) =>
    createAddedText(draft, freeId(getId(draft), used), start, seconds),
  );
  return {
    kind: "inserted",
    page: inserted.page === page ? undefined : inserted.page,
    edits: added.length === 0 ? undefined : withTexts(overlay, added),
    warnings: [...inserted.warnings, ...orderWarnings(layers)],
  };
}

interface Edits {
  /** The whole file, with members that are not known here. */
  readonly whole: Readonly<Record<string, unknown>>;
  readonly texts: readonly AddedText[];
}

function readEdits(text: string | undefined): Edits | { readonly fault: string } {
  if (text === undefined) return { whole: { version: 1 }, texts: [] };
  const overlay = readOverlay(text);
  if ("fault" in overlay) return overlay;
  return { whole: JSON.parse(text) as Record<string, unknown>, texts: overlay.texts ?? [] };
}

function withTexts({ whole, texts }: Edits, added: readonly AddedText[]): string {
  return `${JSON.stringify({ ...whole, texts: [...texts, ...added] }, null, 2)}\n`;
}

function getId({ layer }: LayerDraft | PlacedDraft): string {
  return `figma-${layer.node_id.replaceAll(/[^0-9A-Za-z]+/g, "-")}`;
}

function createAddedText(
  { layer, grows }: TextDraft,
  id: string,
  start: number,
  seconds: number,
): AddedText {
  const { font_size: fontSize, line_height_px: lineHeight, font_family: family } = layer;
  const align = layer.text_align === "justified" ? "left" : layer.text_align;
  // Words stand in the middle of their line's height.
  const y = layer.y + (lineHeight - addedLineHeight * fontSize) / 2;
  return {
    id,
    text: applyCase(layer),
    start,
    duration: seconds,
    ...placeBox(layer, grows, align),
    y: Math.round(y * 100) / 100,
    font_family: `"${family.replaceAll(/["\\]/g, "")}", sans-serif`,
    font_size: fontSize,
    font_weight: layer.font_weight,
    color: fadeColor(layer.color, layer.opacity),
    align,
  };
}

/** Gives a box that grew with its words some room, so that a wider font does not wrap them. */
function placeBox(
  { x, width }: Pick<FigmaTextLayer, "x" | "width">,
  grows: TextDraft["grows"],
  align: "left" | "center" | "right",
): { readonly x: number; readonly width?: number } {
  if (grows !== "width") return { x, width };
  if (align === "left") return { x };
  const room = width / 10;
  return { x: x - (align === "center" ? room / 2 : room), width: width + room };
}

function applyCase({ text, text_case }: TextDraft["layer"]): string {
  if (text_case === "upper") return text.toUpperCase();
  if (text_case === "lower") return text.toLowerCase();
  if (text_case !== "title") return text;
  return text.replaceAll(/\p{L}[\p{L}\p{M}'’]*/gu, (word) => {
    const [first = ""] = word;
    return first.toUpperCase() + word.slice(first.length);
  });
}

function fadeColor(color: string, opacity: number): string {
  const alpha = Number.parseInt(color.slice(7, 9) || "ff", 16) * opacity;
  if (Math.round(alpha) === 255) return color.slice(0, 7);
  return color.slice(0, 7) + Math.round(alpha).toString(16).padStart(2, "0");
}

/** Warns of texts that lie below a picture in the design: added texts are above all clips. */
function orderWarnings(layers: readonly PlacedDraft[]): readonly string[] {
  return layers.flatMap((draft, at) => {
    if (draft.kind === "text") return [];
    const below = layers
      .slice(0, at)
      .find((one) => one.kind === "text" && areOverlapping(one.layer, draft.layer));
    if (below === undefined) return [];
    const [over, under] = [getName(draft), getName(below)];
    return [`${over}: is in front of the text ${under} in the design, and behind it here`];
  });
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function areOverlapping(one: Area, other: Area): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

function getName({ layer: { name, node_id: id } }: PlacedDraft): string {
  return `${name || id} (${id})`;
}
