import { extensionByType } from "../../config/media-types.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { TaskOutput } from "../../engine/ports/tasks.ts";
import { storeFile } from "../node/workspace.ts";
import type { MediaTools } from "../programs/media-tools.ts";
import { describe, frameThumbnail, type Recording, waveThumbnail } from "./recordings.ts";

/** Where and how a finished recording is stored. */
export interface Delivery {
  readonly tools: MediaTools;
  readonly objects: Objects;
  readonly signal: AbortSignal;
  /** Object key of the recording, without its extension. */
  readonly stem: string;
}

/** Stores a finished file and its thumbnail; probing yields the output's size and duration. */
export async function deliverRecording(
  delivery: Delivery,
  path: string,
  mimeType: string,
): Promise<TaskOutput> {
  const file = { path, mimeType };
  const describing = describe(delivery.tools, file, delivery.signal);
  const thumbnail = describing.then((recording) => recordingThumbnail(delivery, file, recording));
  const [recording, stored] = await Promise.all([describing, store(delivery, file, thumbnail)]);
  return { ...stored, ...getMeasures(recording) };
}

/** Like `deliverRecording`, for a film whose size and duration are already known. */
export async function deliverFilm(
  delivery: Delivery,
  path: string,
  measures: Measures,
  thumbnail: Promise<Thumbnail>,
): Promise<TaskOutput> {
  return { ...(await store(delivery, { path, mimeType: "video/mp4" }, thumbnail)), ...measures };
}

async function store(
  delivery: Delivery,
  { path, mimeType }: { readonly path: string; readonly mimeType: string },
  thumbnail: Promise<Thumbnail>,
): Promise<TaskOutput> {
  const objectKey = `${delivery.stem}.${extensionByType[mimeType] ?? "bin"}`;
  const [stored, thumbnailKey] = await Promise.all([
    storeFile(delivery.objects, objectKey, path),
    storeThumbnail(delivery, thumbnail),
  ]);
  return { objectKey, mimeType, ...stored, thumbnailKey };
}

export interface Thumbnail {
  readonly extension: "jpg" | "png";
  readonly bytes: Buffer;
}

/** Returns the frame at a tenth of a video's duration, or the waveform of a sound. */
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

/** The members of an output that describe a recording. */
export type Measures = Pick<
  TaskOutput,
  "width" | "height" | "durationSeconds" | "hasAudio" | "frameRate"
>;

export function getMeasures({ picture, durationSeconds, hasAudio }: Recording): Measures {
  if (picture === undefined) return { durationSeconds, hasAudio };
  const { width, height, frameRate } = picture;
  return { width, height, durationSeconds, hasAudio, frameRate };
}
