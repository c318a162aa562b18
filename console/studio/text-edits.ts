/** Texts that are added by hand; they lie above all clips, in the order of the list. */
import { type AddedText, bounds, type Edits, isLocked } from "./edits-document.ts";
import { clamp, tidy } from "./placement.ts";

/** The service's defaults for members that a text does not have. */
export const textDefaults = {
  x: 0,
  y: 0,
  font_size: 64,
  font_weight: 400,
  color: "#ffffff",
  align: "left",
} as const;

interface NewText {
  readonly id: string;
  readonly start: number;
  readonly duration: number;
  readonly lane: number;
  /** Size of the film. */
  readonly width: number;
  readonly height: number;
}

/** Places the text in the lower third, across the middle four fifths of the film. */
export function addText(edits: Edits, made: NewText): Edits {
  const { texts = [] } = edits;
  const { id, start, duration, lane, width, height } = made;
  if (isLocked(edits, lane) || texts.length >= bounds.texts) return edits;
  const text: AddedText = {
    id,
    text: "New text",
    start,
    duration,
    track_index: lane,
    x: Math.round(width / 10),
    y: Math.round(height * 0.7),
    width: Math.round(width * 0.8),
    font_size: Math.max(12, Math.round(height / 12)),
    font_weight: 600,
    align: "center",
  };
  return { ...edits, texts: [...texts, text] };
}

/** Returns `text-1`, or the next such id that is not taken. */
export function newTextId(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) if (!taken.has(`text-${number}`)) return `text-${number}`;
}

export function findText({ texts = [] }: Edits, id: string): AddedText | undefined {
  return texts.find((text) => text.id === id);
}

export function changeText(edits: Edits, id: string, change: Partial<AddedText>): Edits {
  const before = findText(edits, id);
  if (before === undefined || isLocked(edits, before.track_index ?? 0)) return edits;
  const members = within(change);
  const isSame = Object.entries(members).every(([name, value]) => before[name] === value);
  if (isSame) return edits;
  const texts = edits.texts?.map((text) => (text === before ? { ...text, ...members } : text));
  return { ...edits, ...(texts && { texts }) };
}

/** Clamps to the service's bounds. An undefined width is left out when the document is written. */
function within(change: Partial<AddedText>): Partial<AddedText> {
  const { text, x, y, width, font_size: size, font_weight: weight, color } = change;
  const { pixels, textWidth, fontSize, fontWeight, textLength, colorLength } = bounds;
  return {
    ...change,
    ...(text !== undefined && { text: text.slice(0, textLength) }),
    ...(x !== undefined && { x: clamp(tidy(x), -pixels, pixels) }),
    ...(y !== undefined && { y: clamp(tidy(y), -pixels, pixels) }),
    ...(width !== undefined && { width: clamp(tidy(width), 1, textWidth) }),
    ...(size !== undefined && { font_size: clamp(tidy(size), 1, fontSize) }),
    ...(typeof weight === "number" && { font_weight: clamp(Math.round(weight), 1, fontWeight) }),
    ...(color !== undefined && { color: color.slice(0, colorLength) }),
  };
}
