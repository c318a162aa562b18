import type { Objects } from "../engine/ports/objects.ts";
import type { TaskOutput } from "../engine/ports/tasks.ts";
import type { MediaTools } from "./media-tools.ts";
import { describe, frameThumbnail, type Recording, waveThumbnail } from "./recordings.ts";
import { storeFile } from "./workspace.ts";

/** Where a finished recording goes. */
export interface Delivery {
  readonly tools: MediaTools;
  readonly objects: Objects;
  readonly signal: AbortSignal;
  /** Object key without its extension. */
  readonly stem: string;
}

const extensions: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
};

/** Stores a finished file and its thumbnail; what the output says of it comes from probing it. */
export async function deliverRecording(
  { tools, objects, signal, stem }: Delivery,
  path: string,
  mimeType: string,
): Promise<TaskOutput> {
  const file = { path, mimeType };
  const objectKey = `${stem}.${extensions[mimeType] ?? "bin"}`;
  const recording = await describe(tools, file, signal);
  const [stored, thumbnailKey] = await Promise.all([
    storeFile(objects, objectKey, path),
    storeThumbnail({ tools, objects, signal, stem }, file, recording),
  ]);
  return { objectKey, mimeType, ...stored, ...measuresOf(recording), thumbnailKey };
}

export async function storeThumbnail(
  { tools, objects, signal, stem }: Delivery,
  file: { readonly path: string; readonly mimeType: string },
  { picture, durationSeconds }: Recording,
): Promise<string> {
  const key = picture ? `${stem}.thumb.jpg` : `${stem}.thumb.png`;
  const bytes = picture
    ? await frameThumbnail(tools, file, durationSeconds, signal)
    : await waveThumbnail(tools, file, signal);
  await objects.put(key, [bytes]);
  return key;
}

/** The members of an output that a recording fills. */
export function measuresOf({ picture, durationSeconds, hasAudio }: Recording): Partial<TaskOutput> {
  if (picture === undefined) return { durationSeconds, hasAudio };
  const { width, height, frameRate } = picture;
  return { width, height, durationSeconds, hasAudio, frameRate };
}
