import { join } from "node:path";
import { limits } from "../../../config/limits.ts";
import { PortError } from "../../../engine/ports/port-error.ts";
import type { MediaLayout, PlacedPicture } from "../../../film/page/plan.ts";
import { openMade, writeNew } from "../../fence/own-folders.ts";
import { outputTo } from "../../programs/media-tools.ts";
import { encoderArgs } from "../encode/encoding.ts";
import { passMs } from "../inputs/media-files.ts";
import type { RenderStage } from "../render-stage.ts";
import {
  oneThread,
  type ShownVideo,
  type Span,
  sourceTime,
  videoFilters,
  videoInput,
  warnOfShortSource,
} from "../videos/video-decoding.ts";
import { overlaps } from "./composable-runs.ts";
import type { FilmCapture } from "./film-capture.ts";
import type { Samples } from "./samples.ts";
import type { Segment } from "./segments.ts";

/**
 * Composes a film that consists only of pictures in boxes, with one ffmpeg process per run and no
 * page painting its frames. The sampled frames come from the same pass, before they are encoded.
 */
export async function composeFrames(
  layout: MediaLayout,
  runs: readonly Segment[],
  images: ImagePaths,
  samples: Samples,
  capture: FilmCapture,
): Promise<readonly string[]> {
  const { width, height } = capture.setup.timeline;
  const groundPath = join(capture.stage.folder, "ground.yuv");
  await writeNew(groundPath, groundPlanes(layout.ground, width * height));
  const paths: string[] = [];
  const madeByRun = runs.map(() => 0);
  const compose = async (run: Segment): Promise<void> => {
    const layers: Layer[] = [];
    for (const picture of layout.pictures) {
      if (!overlaps(picture, run)) continue;
      const layer = makeLayer(picture, run, images, capture);
      if (layer !== undefined) layers.push(layer);
    }
    const onFrame = (frame: number): void => {
      madeByRun[run.index] = frame;
      const made = madeByRun.reduce((sum, one) => sum + one, 0);
      capture.stage.context.reportProgress(Math.min(0.97, (0.97 * made) / capture.frames));
    };
    const parts = { groundPath, layers, samples, threads: encoderThreads(runs.length), onFrame };
    const path = await composeRun(run, parts, capture);
    capture.onMade?.(run, path);
    paths[run.index] = path;
  };
  await runSideBySide(runs, compose, capture.stage.tools.pages);
  return paths;
}

/** Paths of decoded images by clip key. */
type ImagePaths = ReadonlyMap<string, string>;

/**
 * Decodes the film's images; returns undefined when one has a format or size that only Chromium
 * reads.
 */
export async function decodeImages(
  { pictures }: MediaLayout,
  { setup, stage }: FilmCapture,
): Promise<ImagePaths | undefined> {
  const paths = new Map<string, string>();
  for (const { key } of pictures) {
    const clip = setup.timeline.clips.find((one) => one.kind === "image" && one.key === key);
    const source = clip?.media?.source && stage.bundle.findSource(clip.media.source);
    if (source === undefined) continue;
    const path = join(stage.folder, `picture-${key.replaceAll("/", "-")}.png`);
    const png = await decodeImage(await stage.bundle.bytes(source), stage);
    if (png === undefined) return undefined;
    await writeNew(path, png);
    paths.set(key, path);
  }
  return paths;
}

async function decodeImage(bytes: Buffer, { tools }: RenderStage): Promise<Buffer | undefined> {
  try {
    return await tools.pictures.png(bytes);
  } catch (failure) {
    if (failure instanceof PortError && !failure.retryable) return undefined;
    throw failure;
  }
}

/** Throws the first failure only after all started runs have ended. */
async function runSideBySide(
  runs: readonly Segment[],
  compose: (run: Segment) => Promise<void>,
  atOnce: number,
): Promise<void> {
  const waiting = [...runs];
  const lane = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift())
      await compose(run).catch((failure: unknown) => {
        waiting.length = 0;
        throw failure;
      });
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, lane));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

interface RunParts {
  readonly groundPath: string;
  /** Layers in the order in which they are painted. */
  readonly layers: readonly Layer[];
  readonly samples: Samples;
  /** Number of encoder threads. */
  readonly threads: number;
  /** Receives the number of frames made so far. */
  readonly onFrame: (frame: number) => void;
}

async function composeRun(
  { index, from, to }: Segment,
  { groundPath, layers, samples, threads, onFrame }: RunParts,
  { stage, setup }: FilmCapture,
): Promise<string> {
  const { fps, width, height } = setup.timeline;
  const { folder, tools, context } = stage;
  const ground = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", `${width}x${height}`];
  const path = join(folder, `segment-${index}.mp4`);
  const samplesPath = join(folder, `samples-${index}.yuv`);
  const sampled = samples.frames.filter((frame) => frame >= from && frame < to);
  const asked = sampled.map((frame) => `eq(n\\,${frame - from})`).join("+") || "0";
  const graph = [
    `[0:v]loop=loop=-1:size=1,setpts=round(N/${fps}/TB),trim=end_frame=${to - from}[g0]`,
    ...layers.flatMap((layer, at) => overlay(layer, at, fps)),
    `[g${layers.length}]split[film][looked]`,
    `[looked]select='${asked}'[samples]`,
  ].join(";");
  const args = [
    ...ground,
    ...["-framerate", `${fps}`, "-i", `file:${groundPath}`],
    ...layers.flatMap(({ input }) => input),
    ...["-filter_complex", graph, "-map", "[film]", "-frames:v", `${to - from}`],
    ...encoderArgs(stage.input.quality ?? "standard", fps, threads),
    ...outputTo(path),
    ...["-map", "[samples]", "-vsync", "passthrough", "-f", "rawvideo", ...outputTo(samplesPath)],
  ];
  await tools.media.ffmpeg(args, {
    signal: context.signal,
    timeoutMs: passMs,
    fault: "The film could not be assembled.",
    onSeconds: (seconds) => onFrame(seconds * fps),
  });
  const made = await openMade(samplesPath);
  const bytes = await made.readFile().finally(() => made.close());
  const length = bytes.length / sampled.length;
  for (const [at, frame] of sampled.entries()) {
    const picture = bytes.subarray(at * length, (at + 1) * length);
    samples.add(frame, { picture });
  }
  return path;
}

/** Whether the source is so short that its last picture is held for a frame or more. */
function isShort(video: ShownVideo, span: Span): boolean {
  const { isLooped = false, rate = 1 } = video.clip.media ?? {};
  const end = sourceTime(video, span) + ((span.end - span.first) * rate) / span.fps;
  return !isLooped && end > video.media.recording.durationSeconds + rate / span.fps;
}

/** The number of threads changes the bytes, so it must not depend on the machine. */
function encoderThreads(runs: number): number {
  return runs === 1 ? 3 : 1;
}

interface Layer {
  readonly input: readonly string[];
  /** Filters that scale the source to the size of its place. */
  readonly filters: readonly string[];
  readonly picture: PlacedPicture;
}

/** Builds a layer, whose times are relative to the run. */
function makeLayer(
  picture: PlacedPicture,
  run: Segment,
  images: ImagePaths,
  { setup, stage }: FilmCapture,
): Layer | undefined {
  const { fps } = setup.timeline;
  const span = { first: Math.max(run.from, picture.from), end: Math.min(run.to, picture.to), fps };
  const { width, height } = picture.whole;
  const placed = { ...picture, from: span.first - run.from, to: span.end - run.from };
  const video = setup.videos.find(({ clip }) => clip.key === picture.key);
  if (video !== undefined) {
    if (isShort(video, span)) warnOfShortSource(video, stage.warnings);
    const filters = videoFilters(video, span, picture.whole);
    const cut = `trim=end_frame=${span.end - span.first}`;
    const loop = video.clip.media?.isLooped === true ? ["-stream_loop", "-1"] : [];
    return {
      input: [...oneThread, ...loop, ...videoInput(video, span)],
      filters: [...filters, cut],
      picture: placed,
    };
  }
  const path = images.get(picture.key);
  if (path === undefined) return undefined;
  const into = "out_color_matrix=bt709:out_range=limited:flags=accurate_rnd+bilinear";
  const scaled = [`scale=w=${width}:h=${height}:${into}`, "format=yuv420p"];
  const filters = [...scaled, `fps=fps=${fps}`, "trim=end_frame=1"];
  const fences = ["-protocol_whitelist", "file", "-max_pixels", `${limits.media.pixelsMax}`];
  const input = [...fences, "-f", "png_pipe", "-i", `file:${path}`];
  return { input, filters, picture: placed };
}

function overlay({ picture, filters }: Layer, at: number, fps: number): string[] {
  const { whole, shown, from, to } = picture;
  const { width, height } = shown;
  const isCut = width !== whole.width || height !== whole.height;
  const cut = `crop=${width}:${height}:${shown.x - whole.x}:${shown.y - whole.y}`;
  // One tick is one frame here; fractional time stamps would be cut off and lose a frame.
  const time = `setpts=N+${from}`;
  const chain = [...filters, ...(isCut ? [cut] : []), time].join(",");
  // Switches half-way between frames, where rounding is harmless; the filter's `n` runs ahead.
  const when = `enable='between(t,${(from - 0.5) / fps},${(to - 0.5) / fps})'`;
  return [
    `[${at + 1}:v]${chain}[p${at}]`,
    `[g${at}][p${at}]overlay=x=${shown.x}:y=${shown.y}:eof_action=repeat:${when}[g${at + 1}]`,
  ];
}

/** Planes of a single colour (I420, BT.709, limited range) with `pixels` pixels. */
function groundPlanes([red, green, blue]: MediaLayout["ground"], pixels: number): Buffer {
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const planes = Buffer.alloc(pixels * 1.5, Math.round(16 + (219 * luma) / 255));
  planes.fill(Math.round(128 + (224 * (blue - luma)) / 1.8556 / 255), pixels, pixels * 1.25);
  planes.fill(Math.round(128 + (224 * (red - luma)) / 1.5748 / 255), pixels * 1.25);
  return planes;
}
