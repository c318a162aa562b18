import { join } from "node:path";
import { check, type Static, Type } from "../../config/schema.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import type { SceneBrowser, ScenePage } from "../browser/browser.ts";
import { writeNew } from "../fence/own-folders.ts";
import { deliverRecording } from "../media/delivery.ts";
import { refuseInput, type TaskContext, type TaskWorker } from "../node/task-loop.ts";
import { fetchSource, Source, type Workspace, type Workspaces } from "../node/workspace.ts";
import { outputTo } from "../programs/media-tools.ts";
import { playInThread } from "./sound-thread.ts";
import { undrawnWarnings } from "./studio-image/undrawn.ts";
import { rate, toPcm } from "./studio-sound/track.ts";
import { cameraMotions } from "./studio-video/camera.ts";
import type { FilmRequest } from "./studio-video/film.ts";

/**
 * The model `studio-video`: the procedural scene of `studio-image` with a moving camera, moving
 * water, clouds, weather and creatures; or a film from a first and a last picture.
 *
 * Frames are pure functions of their number. Two pages paint every other frame each and ffmpeg
 * encodes them as they come; no frame touches the disk.
 */
const edge = Type.Integer({ minimum: 64, maximum: 1_920, multipleOf: 2 });
const VideoInput = Type.Object(
  {
    prompt: Type.String({ maxLength: 10_000 }),
    seed: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
    width: edge,
    height: edge,
    fps: Type.Integer({ minimum: 12, maximum: 60 }),
    durationSeconds: Type.Number({ minimum: 0.1, maximum: 10 }),
    audio: Type.Boolean(),
    cameraMotion: Type.Optional(Type.Enum([...cameraMotions])),
    firstFrame: Type.Optional(Source),
    lastFrame: Type.Optional(Source),
  },
  { additionalProperties: false },
);
type VideoInput = Static<typeof VideoInput>;
const isVideoInput = check<VideoInput>(VideoInput);

const pageModule = "studio-video/film.js";
/** Number of frames painted ahead of the encoder, by both pages together. */
const framesAhead = 4;

export interface VideoTools {
  readonly browser: SceneBrowser;
  readonly workspaces: Workspaces;
}

export function studioVideo(tools: VideoTools, objects: Objects, timeoutMs: number): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isVideoInput(input)) return refuseInput("video", isVideoInput.faults(input));
      const { browser, workspaces } = tools;
      return workspaces.use((workspace) =>
        film(workspace, browser, objects, input, context, timeoutMs),
      );
    },
  };
}

async function film(
  workspace: Workspace,
  browser: SceneBrowser,
  objects: Objects,
  input: VideoInput,
  context: TaskContext,
  timeoutMs: number,
): Promise<TaskOutcome> {
  const { signal, outputPrefix } = context;
  const { folder, media } = workspace;
  const request = await buildRequest(workspace, objects, input, signal);
  const path = join(folder, "film.mp4");
  const sound = input.audio ? await soundIn(input, request, join(folder, "sound.pcm"), signal) : [];
  await browser.withPage(signal, (even) =>
    browser.withPage(signal, async (odd) => {
      const pages = [even, odd] as const;
      await Promise.all(pages.map((page) => page.call(pageModule, "open", request)));
      const inputs = [...framesIn(input), ...sound, ...listConversionArguments(input)];
      await media.ffmpeg([...inputs, ...encoded, ...outputTo(path)], {
        signal,
        timeoutMs,
        fault: "The frames could not be encoded.",
        stdin: frames(pages, request, context),
      });
      await Promise.all(pages.map((page) => page.call(pageModule, "close", null)));
    }),
  );
  const stem = `${outputPrefix}/0`;
  const output = await deliverRecording({ tools: media, objects, signal, stem }, path, "video/mp4");
  return { kind: "succeeded", outputs: [output], warnings: undrawnWarnings(input.prompt ?? "") };
}

/** Yields the frames in order, while the pages paint ahead. */
async function* frames(
  pages: readonly [ScenePage, ScenePage],
  { frames: count }: FilmRequest,
  { reportProgress }: TaskContext,
): AsyncGenerator<Uint8Array> {
  const ahead: Promise<unknown>[] = [];
  const paint = (index: number): void => {
    const painted = pages[index % 2 === 0 ? 0 : 1].call(pageModule, "frame", index);
    // A frame may fail after the film was given up; its error is not needed then.
    painted.catch(() => undefined);
    ahead.push(painted);
  };
  for (let index = 0; index < Math.min(framesAhead, count); index++) paint(index);
  for (let index = 0; index < count; index++) {
    const text = await ahead.shift();
    if (index + framesAhead < count) paint(index + framesAhead);
    invariant(typeof text === "string", "a frame is text");
    yield Buffer.from(text, "base64");
    reportProgress((0.97 * (index + 1)) / count);
  }
}

const tags = ["-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709"];

/** Makes a background sound that fits the prompt, as long as the frames last. */
async function soundIn(
  { prompt, seed, fps }: VideoInput,
  { frames: count }: FilmRequest,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wanted = { kind: "ambience", prompt, seconds: count / fps, seed } as const;
  await writeNew(path, toPcm(await playInThread(wanted, signal)));
  return ["-f", "f32le", "-ar", `${rate}`, "-ac", "2", "-i", `file:${path}`];
}

function framesIn({ fps }: VideoInput): readonly string[] {
  return ["-f", "image2pipe", "-c:v", "mjpeg", "-framerate", `${fps}`, "-i", "pipe:0"];
}

/** JPEG frames are BT.601 in full range; the output is BT.709 in limited range. */
function listConversionArguments({ fps }: VideoInput): readonly string[] {
  const matrices = "in_color_matrix=bt601:out_color_matrix=bt709";
  const ranges = "in_range=full:out_range=limited";
  const convert = `scale=${matrices}:${ranges}:flags=accurate_rnd+bilinear,format=yuv420p`;
  return ["-vf", convert, "-r", `${fps}`];
}

/** Always two threads, whatever the machine has, so that equal frames give equal files. */
const encoded = [
  ...["-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-profile:v", "high"],
  ...["-pix_fmt", "yuv420p", "-threads", "2", ...tags, "-color_trc", "bt709"],
  ...["-c:a", "aac", "-b:a", "160k", "-flags:a", "+bitexact"],
  ...["-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-f", "mp4"],
];

async function buildRequest(
  { folder, pictures }: Workspace,
  objects: Objects,
  input: VideoInput,
  signal: AbortSignal,
): Promise<FilmRequest> {
  const { prompt, seed, width, height, fps, cameraMotion } = input;
  const picture = async (source: Source | undefined, name: string): Promise<string | undefined> => {
    if (source === undefined) return undefined;
    const file = await fetchSource(objects, source, join(folder, name), signal);
    if (!file.mimeType.startsWith("image/"))
      throw new PortError(`The ${name} frame is not a picture.`, false);
    return (await pictures.cover(file.path, { width, height })).toString("base64");
  };
  const firstFrame = await picture(input.firstFrame, "first");
  const lastFrame = await picture(input.lastFrame, "last");
  return {
    prompt,
    seed,
    width,
    height,
    fps,
    frames: Math.max(1, Math.round(input.durationSeconds * fps)),
    camera: cameraMotion ?? "push_in",
    ...(firstFrame !== undefined && { firstFrame }),
    ...(lastFrame !== undefined && { lastFrame }),
  };
}
