import type { TextClip } from "../model.ts";
import { type EditText, editFps, type PictureClip, type TextPicture } from "./edit-list.ts";
import type { ExportSource } from "./export-source.ts";
import type { MeasuredText } from "./measurement.ts";
import { createNumberedPath, getSlug } from "./names.ts";
import type { Notes } from "./notes.ts";
import { placeText } from "./placing.ts";
import { getSourceLength } from "./spans.ts";
import type { Laid } from "./tracks.ts";

export interface LaidTexts {
  readonly clips: readonly Laid<PictureClip>[];
  readonly texts: readonly EditText[];
}

/** Lays the edits' texts above everything else, in the order of the list. */
export function layTexts({ timeline, measurement }: ExportSource, notes: Notes): LaidTexts {
  const clips: Laid<PictureClip>[] = [];
  const texts: EditText[] = [];
  const length = getSourceLength(timeline, measurement) ?? Number.POSITIVE_INFINITY;
  for (const [index, text] of timeline.texts.entries()) {
    const start = Math.round(Math.max(0, text.start) * editFps);
    const end = Math.round(Math.min(text.end, length) * editFps);
    if (end <= start) {
      notes.add(`text#${text.id.slice(0, 80)} is shown at no time of the film and is left out`);
      continue;
    }
    const measured = measurement?.texts.find(({ id }) => id === text.id);
    if (measured === undefined)
      notes.add(
        `text#${text.id.slice(0, 80)} could not be laid out: its place and size are a guess`,
      );
    const [red, green, blue, alpha] = measured?.color ?? hexColor(text.color);
    const made = buildEditText(text, index + 1, measured, [red / 255, green / 255, blue / 255]);
    texts.push(made);
    const clip: PictureClip = {
      key: `text/${text.id}`,
      name: `text#${text.id.slice(0, 80)}`,
      start,
      end,
      isEnabled: text.isShown,
      content: { kind: "text", text: made },
      from: 0,
      rate: 1,
      heldFrom: undefined,
      // The alpha of the text's colour is in its picture already.
      pose: placeText(
        text,
        made.box,
        made.picture === undefined ? alpha : 1,
        (end - start) / editFps,
      ),
      crop: undefined,
      mask: undefined,
      lut: undefined,
      hasAlpha: true,
      dissolvesUntil: undefined,
    };
    const lane = ` ${text.trackIndex}`;
    clips.push({ clip, start, end, lane, dissolvesFrom: undefined });
  }
  return { clips, texts };
}

function buildEditText(
  text: TextClip,
  number: number,
  measured: MeasuredText | undefined,
  color: EditText["color"],
): EditText {
  const { id, fontFamily, fontSize, fontWeight, align } = text;
  const lines = measured?.lines ?? text.text.split("\n");
  const longest = Math.max(1, ...lines.map((line) => line.length));
  const guessed = {
    width: text.width ?? longest * fontSize * 0.5,
    height: lines.length * fontSize * 1.2,
  };
  return {
    id,
    text: text.text,
    lines,
    fontFamily,
    fontSize,
    isBold: fontWeight === "bold" || (typeof fontWeight === "number" && fontWeight >= 600),
    align,
    color,
    box: measured?.box ?? guessed,
    baseline: measured?.baseline ?? fontSize * 0.95,
    picture: measured && getPicture(measured, number),
  };
}

function getPicture(measured: MeasuredText, number: number): TextPicture | undefined {
  const { picture, id } = measured;
  if (picture === undefined) return undefined;
  // The first chunk of a PNG has its size (PNG, "11.2.1 IHDR Image header").
  const header = Buffer.from(picture.slice(0, 48), "base64");
  if (header.length < 24) return undefined;
  return {
    path: createNumberedPath("text", number, getSlug(id, "text"), "png"),
    base64: picture,
    width: header.readUInt32BE(16),
    height: header.readUInt32BE(20),
  };
}

/** Reads a colour that no page computed; other notations are white. */
function hexColor(text: string): MeasuredText["color"] {
  const [, digits = ""] = /^#([0-9a-f]{3,8})$/i.exec(text.trim()) ?? [];
  const pairs = digits.length < 6 ? [...digits].map((one) => one + one) : digits.match(/../g);
  const [red = 255, green = 255, blue = 255, alpha = 255] = (pairs ?? []).map((pair) =>
    Number.parseInt(pair, 16),
  );
  return [red, green, blue, alpha / 255];
}
