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
  thumbnail?: Promise<Thumbnail>,
): Promise<TaskOutput> {
  const file = { path, mimeType };
  const objectKey = `${stem}.${extensions[mimeType] ?? "bin"}`;
  const delivery = { tools, objects, signal, stem };
  const describing = describe(tools, file, signal);
  const ownThumbnail = async (): Promise<Thumbnail> =>
    recordingThumbnail(delivery, file, await describing);
  const [recording, stored, thumbnailKey] = await Promise.all([
    describing,
    storeFile(objects, objectKey, path),
    storeThumbnail(delivery, thumbnail ?? ownThumbnail()),
  ]);
  return { objectKey, mimeType, ...stored, ...measuresOf(recording), thumbnailKey };
}

export interface Thumbnail {
  readonly extension: "jpg" | "png";
  readonly bytes: Buffer;
}

/** Of moving pictures the frame at a tenth, of sound its wave. */
export async function recordingThumbnail(
  { tools, signal }: Pick<Delivery, "tools" | "signal">,
  file: { readonly path: string; readonly mimeType: string },
  { picture, durationSeconds }: Pick<Recording, "picture" | "durationSeconds">,
): Promise<Thumbnail> {
  if (picture === undefined)
    return { extension: "png", bytes: await waveThumbnail(tools, file, signal) };
  const bytes = await frameThumbnail(tools, file, durationSeconds / 10, signal);
  return { extension: "jpg", bytes };
}

export async function storeThumbnail(
  { objects, stem }: Pick<Delivery, "objects" | "stem">,
  thumbnail: Promise<Thumbnail>,
): Promise<string> {
  const { extension, bytes } = await thumbnail;
  const key = `${stem}.thumb.${extension}`;
  await objects.put(key, [bytes]);
  return key;
}

/** The members of an output that a recording fills. */
export function measuresOf({ picture, durationSeconds, hasAudio }: Recording): Partial<TaskOutput> {
  if (picture === undefined) return { durationSeconds, hasAudio };
  const { width, height, frameRate } = picture;
  return { width, height, durationSeconds, hasAudio, frameRate };
}
