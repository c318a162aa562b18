import { join } from "node:path";
import { limits } from "../../../config/limits.ts";
import { openMade, writeNew } from "../../fence/own-folders.ts";
import type { MediaLayout, PlacedPicture } from "../../film-page/plan.ts";
import { outputTo } from "../../programs/media-tools.ts";
import { encoderArgs } from "../encode/encoding.ts";
import { passMs } from "../inputs/media-files.ts";
import {
  oneThread,
  type ShownVideo,
  type Span,
  sourceEnd,
  sourceTime,
  videoFilters,
  videoInput,
  warnOfShortSource,
} from "../videos/video-decoding.ts";
import type { FilmCapture } from "./film-capture.ts";
import type { Samples } from "./samples.ts";

/**
 * Whether every video is one that ffmpeg can lay over others, and there in its first frame. All of
 * them are open at once, so there may not be many.
 */
export function isComposable({ pictures }: MediaLayout, { setup }: FilmCapture): boolean {
  const { fps, width, height } = setup.timeline;
  return (
    pictures.length <= limits.capture.picturesMax &&
    width % 2 === 0 &&
    height % 2 === 0 &&
    setup.videos.every((video) => {
      const picture = pictures.find(({ key }) => key === video.clip.key);
      if (picture === undefined) return true;
      const span = { first: picture.from, end: picture.to, fps };
      const last = sourceEnd(video) - 1 / fps;
      const { look } = video.media;
      return look?.hasAlpha !== true && sourceTime(video, span) < last && beginsAgain(video);
    })
  );
}

/** A looped source can only be opened again at its own begin. */
function beginsAgain({ clip }: ShownVideo): boolean {
  const { isLooped = false, start = 0 } = clip.media ?? {};
  return !isLooped || (start === 0 && clip.start >= 0);
}

/**
 * A film that is nothing but pictures in boxes, by one ffmpeg: no page paints its frames. The
 * sampled frames come from the same pass, before they are encoded.
 */
export async function composeFrames(
  layout: MediaLayout,
  samples: Samples,
  capture: FilmCapture,
): Promise<readonly string[]> {
  const { stage, frames, setup } = capture;
  const { fps, width, height } = setup.timeline;
  const { folder, tools, context } = stage;
  const groundPath = join(folder, "ground.yuv");
  await writeNew(groundPath, groundPlanes(layout.ground, width * height));
  const layers: Layer[] = [];
  for (const picture of layout.pictures) {
    const layer = await layerOf(picture, capture);
    if (layer !== undefined) layers.push(layer);
  }
  const ground = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", `${width}x${height}`];
  const [path, samplesPath] = [join(folder, "segment-0.mp4"), join(folder, "samples.yuv")];
  const asked = samples.frames.map((frame) => `eq(n\\,${frame})`).join("+");
  const graph = [
    `[0:v]loop=loop=-1:size=1,setpts=round(N/${fps}/TB),trim=end_frame=${frames}[g0]`,
    ...layers.flatMap((layer, at) => overlay(layer, at, fps)),
    `[g${layers.length}]split[film][looked]`,
    `[looked]select='${asked}'[samples]`,
  ].join(";");
  const args = [
    ...ground,
    ...["-framerate", `${fps}`, "-i", `file:${groundPath}`],
    ...layers.flatMap(({ input }) => input),
    ...["-filter_complex", graph, "-map", "[film]", "-frames:v", `${frames}`],
    ...encoderArgs(stage.input.quality ?? "standard", fps, threads),
    ...outputTo(path),
    ...["-map", "[samples]", "-vsync", "passthrough", "-f", "rawvideo", ...outputTo(samplesPath)],
  ];
  await tools.media.ffmpeg(args, {
    signal: context.signal,
    timeoutMs: passMs,
    fault: "The film could not be put together.",
    onSeconds: (seconds) => context.reportProgress(Math.min(0.97, (0.97 * seconds * fps) / frames)),
  });
  const made = await openMade(samplesPath);
  const bytes = await made.readFile().finally(() => made.close());
  const length = bytes.length / samples.frames.length;
  for (const [at, frame] of samples.frames.entries()) {
    const picture = bytes.subarray(at * length, (at + 1) * length);
    samples.add(frame, { picture });
  }
  capture.onMade?.({ index: 0, from: 0, to: frames }, path);
  return [path];
}

/** Whether the last picture is held for a frame or more. */
function isShort(video: ShownVideo, span: Span): boolean {
  const { isLooped = false, rate = 1 } = video.clip.media ?? {};
  const end = sourceTime(video, span) + ((span.end - span.first) * rate) / span.fps;
  return !isLooped && end > video.media.recording.durationSeconds + rate / span.fps;
}

/** The encoder's alone; they change the bytes, so they do not depend on the machine. */
const threads = 3;

interface Layer {
  readonly input: readonly string[];
  /** From the source to its place's size. */
  readonly filters: readonly string[];
  readonly picture: PlacedPicture;
}

async function layerOf(picture: PlacedPicture, capture: FilmCapture): Promise<Layer | undefined> {
  const { setup, frames, stage } = capture;
  const { fps } = setup.timeline;
  const to = Math.min(picture.to, frames);
  const { width, height } = picture.whole;
  if (picture.from >= to) return undefined;
  const video = setup.videos.find(({ clip }) => clip.key === picture.key);
  if (video !== undefined) {
    const span = { first: picture.from, end: to, fps };
    if (isShort(video, span)) warnOfShortSource(video, stage.warnings);
    const filters = videoFilters(video, span, picture.whole);
    const cut = `trim=end_frame=${to - picture.from}`;
    const loop = video.clip.media?.isLooped === true ? ["-stream_loop", "-1"] : [];
    return {
      input: [...oneThread, ...loop, ...videoInput(video, span)],
      filters: [...filters, cut],
      picture: { ...picture, to },
    };
  }
  const clip = setup.timeline.clips.find(({ key }) => key === picture.key);
  const source = clip?.media?.source && stage.bundle.sourceOf(clip.media.source);
  if (source === undefined) return undefined;
  const path = join(stage.folder, `picture-${picture.key.replaceAll("/", "-")}.png`);
  await writeNew(path, await stage.tools.pictures.png(await stage.bundle.bytes(source)));
  const into = "out_color_matrix=bt709:out_range=limited:flags=accurate_rnd+bilinear";
  const scaled = [`scale=w=${width}:h=${height}:${into}`, "format=yuv420p"];
  const filters = [...scaled, `fps=fps=${fps}`, "trim=end_frame=1"];
  const fences = ["-protocol_whitelist", "file", "-max_pixels", `${limits.media.pixelsMax}`];
  const input = [...fences, "-f", "png_pipe", "-i", `file:${path}`];
  return { input, filters, picture: { ...picture, to } };
}

function overlay({ picture, filters }: Layer, at: number, fps: number): string[] {
  const { whole, shown, from, to } = picture;
  const { width, height } = shown;
  const isCut = width !== whole.width || height !== whole.height;
  const cut = `crop=${width}:${height}:${shown.x - whole.x}:${shown.y - whole.y}`;
  // One tick is one frame here; what is not whole would be cut off, and with it a frame.
  const time = `setpts=N+${from}`;
  const chain = [...filters, ...(isCut ? [cut] : []), time].join(",");
  // Between two frames, where rounding changes nothing; the filter's count of frames runs ahead.
  const when = `enable='between(t,${(from - 0.5) / fps},${(to - 0.5) / fps})'`;
  return [
    `[${at + 1}:v]${chain}[p${at}]`,
    `[g${at}][p${at}]overlay=x=${shown.x}:y=${shown.y}:eof_action=repeat:${when}[g${at + 1}]`,
  ];
}

/** One colour as planes (I420, BT.709, limited range) of so many pixels. */
function groundPlanes([red, green, blue]: MediaLayout["ground"], pixels: number): Buffer {
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const planes = Buffer.alloc(pixels * 1.5, Math.round(16 + (219 * luma) / 255));
  planes.fill(Math.round(128 + (224 * (blue - luma)) / 1.8556 / 255), pixels, pixels * 1.25);
  planes.fill(Math.round(128 + (224 * (red - luma)) / 1.5748 / 255), pixels * 1.25);
  return planes;
}
