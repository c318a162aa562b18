import { join } from "node:path";
import { limits } from "../../config/limits.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { inspectRecording, type MovingPicture, type Recording } from "../media/recordings.ts";
import { fetchSource, type LocalFile, type Source } from "../node/workspace.ts";
import { getInput, type MediaTools } from "../programs/media-tools.ts";

/** A client's video that a model works on, frame by frame. */
export interface EditedVideo {
  readonly file: LocalFile;
  readonly recording: Recording;
  readonly picture: MovingPicture;
}

/** Fetches and checks the video. Throws `PortError` when it is no video or is too large to edit. */
export async function openVideo(
  tools: MediaTools,
  objects: Objects,
  source: Source,
  folder: string,
  signal: AbortSignal,
): Promise<EditedVideo> {
  const file = await fetchSource(objects, source, join(folder, "source"), signal);
  if (!file.mimeType.startsWith("video/")) throw new PortError("The source is not a video.", false);
  const recording = await inspectRecording(tools, file, signal);
  const { picture, durationSeconds } = recording;
  const { editedSecondsMax, editedPixelsMax } = limits.media;
  if (picture === undefined) throw new PortError("The source is not a video.", false);
  if (durationSeconds > editedSecondsMax)
    throw new PortError(`The video is longer than ${editedSecondsMax} seconds.`, false);
  if (picture.width * picture.height > editedPixelsMax)
    throw new PortError("The video's frames are larger than 3840x2160.", false);
  return { file, recording, picture };
}

/** Arguments that open the video. Of the decoders for VP9 only libvpx reads transparency. */
export function videoInput({ file, picture }: EditedVideo): string[] {
  const decoder = picture.codec === "vp9" ? ["-c:v", "libvpx-vp9"] : [];
  return getInput(file.path, file.mimeType, decoder);
}

export type Container = "webm" | "mov" | "mp4";

const taken: Readonly<Record<Container, RegExp>> = {
  webm: /^(opus|vorbis)$/,
  mov: /^(aac|mp3|alac|ac3|pcm_(s16|s24|s32|f32)le)$/,
  mp4: /^(aac|mp3|alac|ac3|eac3)$/,
};

/** Copies the sound if the container takes its codec, else encodes it in the container's own. */
export function getSoundArguments(
  { audioCodec }: Recording,
  container: Container,
): readonly string[] {
  if (audioCodec === undefined) return ["-an"];
  const map = ["-map", "0:a:0"];
  if (taken[container].test(audioCodec)) return [...map, "-c:a", "copy"];
  const codec = container === "webm" ? "libopus" : "aac";
  return [...map, "-c:a", codec, "-b:a", "192k"];
}
