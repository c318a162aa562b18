/**
 * Reads and writes `klieg-edits.json` (specification, "Edits overlay"). A document is never changed
 * in place, and unknown members are kept as they are.
 */
export interface Edits extends Unknown {
  readonly version: 1;
  readonly tracks?: Readonly<Record<string, TrackEdit>>;
  readonly clips?: Readonly<Record<string, ClipEdit>>;
  readonly texts?: readonly AddedText[];
  /** Ids of deleted elements. */
  readonly deleted?: readonly string[];
}

interface Unknown {
  readonly [member: string]: unknown;
}

export interface TrackEdit extends Unknown {
  readonly enabled?: boolean;
  readonly muted?: boolean;
  readonly locked?: boolean;
}

/** Changes of a clip, in seconds; an undefined member leaves what the author wrote. */
export interface ClipEdit extends Unknown {
  readonly start?: number;
  readonly duration?: number;
  readonly media_start?: number;
  readonly track_index?: number;
  readonly playback_rate?: number;
  readonly volume?: number;
  readonly hidden?: boolean;
}

export interface AddedText extends Unknown {
  readonly id: string;
  readonly text: string;
  readonly start: number;
  readonly duration: number;
  readonly track_index?: number;
  /** Position in pixels of the film, from its top left. */
  readonly x?: number;
  readonly y?: number;
  readonly width?: number | undefined;
  readonly font_size?: number;
  readonly font_weight?: number | "normal" | "bold";
  readonly color?: string;
  readonly align?: "left" | "center" | "right";
}

/** The service's bounds for the members that are written here. */
export const bounds = {
  seconds: 86_400,
  lane: 1_000,
  playbackRate: { min: 0.1, max: 5 },
  pixels: 1_000_000,
  textWidth: 100_000,
  fontSize: 10_000,
  fontWeight: 1_000,
  textLength: 10_000,
  colorLength: 100,
  texts: 1_000,
  deleted: 10_000,
} as const;

export const noEdits: Edits = { version: 1 };

/** The edits of the file, or a sentence that says why it cannot be used. */
export type ReadEdits = { readonly edits: Edits } | { readonly fault: string };

/** Parses the file's text. A file that cannot be parsed must not be overwritten. */
export function readEdits(text: string | undefined): ReadEdits {
  if (text === undefined) return { edits: noEdits };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: "klieg-edits.json is not valid JSON." };
  }
  if (isEdits(value)) return { edits: value };
  return { fault: `klieg-edits.json is invalid: ${wrongMember(value)} is wrong.` };
}

export function writeEdits(edits: Edits): string {
  return `${JSON.stringify(edits, null, 2)}\n`;
}

const shapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  version: (value) => value === 1,
  tracks: (value) => value === undefined || isRecordWith(value, isObject),
  clips: (value) => value === undefined || isRecordWith(value, isClipEdit),
  texts: (value) => value === undefined || (Array.isArray(value) && value.every(isAddedText)),
  deleted: (value) =>
    value === undefined || (Array.isArray(value) && value.every((id) => typeof id === "string")),
};

function isEdits(value: unknown): value is Edits {
  return wrongMember(value) === undefined;
}

function wrongMember(value: unknown): string | undefined {
  if (!isObject(value)) return "the whole";
  return Object.keys(shapes).find((name) => shapes[name]?.(value[name]) === false);
}

function isObject(value: unknown): value is Unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRecordWith(value: unknown, is: (member: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(is);
}

const numbers = ["start", "duration", "media_start", "track_index", "playback_rate", "volume"];

function isClipEdit(value: unknown): boolean {
  return isObject(value) && numbers.every((name) => isNumber(value[name] ?? 0));
}

function isAddedText(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, text, start, duration } = value;
  return [id, text].every((one) => typeof one === "string") && [start, duration].every(isNumber);
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

export function clipEdit({ clips = {} }: Edits, id: string): ClipEdit {
  return (Object.hasOwn(clips, id) ? clips[id] : undefined) ?? {};
}

export function trackEdit({ tracks = {} }: Edits, lane: number): TrackEdit {
  return tracks[lane] ?? {};
}

export function isLocked(edits: Edits, lane: number): boolean {
  return trackEdit(edits, lane).locked === true;
}
