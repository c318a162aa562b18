import type { Clip } from "../../actors/timeline/model.ts";
import { frameFrom } from "../../actors/timeline/model.ts";
import { limits } from "../../config/limits.ts";
import type { ChildOutput } from "../child-output.ts";
import type { MediaTools } from "../media-tools.ts";
import { type MediaFile, mediaInput, passMs } from "./media-files.ts";
import { mediaFault, type Warnings } from "./render-fault.ts";

/**
 * The pictures of the film's videos, decoded by one ffmpeg a clip in the order of time while the
 * film goes by. A picture is the source's last one whose time is
 * not after the frame's.
 */
export interface ShownVideo {
  readonly clip: Clip;
  readonly media: MediaFile;
  /** A .cube file that changes its colours. */
  readonly cubePath: string | undefined;
}

/** One picture as planes (I420 or I420A, BT.709, limited range) of even sizes. */
export interface VideoPicture {
  readonly planes: Buffer;
  /** Of what is to be seen. */
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
}

export function planesLength({ width, height, hasAlpha }: Omit<VideoPicture, "planes">): number {
  return (width + (width % 2)) * (height + (height % 2)) * (hasAlpha ? 2.5 : 1.5);
}

interface Playing {
  readonly video: ShownVideo;
  readonly from: number;
  readonly to: number;
  pictures: AsyncGenerator<VideoPicture> | undefined;
  /** Frame that `picture` belongs to. */
  at: number;
  picture: VideoPicture | undefined;
  isOver: boolean;
}

export interface FramesSetup {
  readonly tools: MediaTools;
  readonly signal: AbortSignal;
  readonly fps: number;
  /** Frames of the film, or one more than the only frame that is wanted. */
  readonly frames: number;
  readonly first: number;
  readonly warnings: Warnings;
}

export class VideoFrames {
  readonly #setup: FramesSetup;
  readonly #playing: readonly Playing[];

  constructor(videos: readonly ShownVideo[], setup: FramesSetup) {
    this.#setup = setup;
    this.#playing = videos.map((video) => ({
      video,
      from: Math.max(setup.first, frameFrom(video.clip.start, setup.fps)),
      to: Math.min(setup.frames, frameFrom(video.clip.end ?? Number.MAX_VALUE, setup.fps)),
      pictures: undefined,
      at: -1,
      picture: undefined,
      isOver: false,
    }));
  }

  /** Pictures by the clip's key; the same object while nothing changes. Frames only go forward. */
  async at(frame: number): Promise<ReadonlyMap<string, VideoPicture>> {
    const pictures = new Map<string, VideoPicture>();
    await Promise.all(
      this.#playing.map(async (playing) => {
        if (frame < playing.from || frame >= playing.to) return this.#stop(playing, frame);
        const picture = await this.#pictureAt(playing, frame);
        if (picture !== undefined) pictures.set(playing.video.clip.key, picture);
      }),
    );
    return pictures;
  }

  async close(): Promise<void> {
    await Promise.all(this.#playing.map(({ pictures }) => pictures?.return(undefined)));
  }

  async #stop(playing: Playing, frame: number): Promise<void> {
    if (frame < playing.to || playing.pictures === undefined) return;
    await playing.pictures.return(undefined);
    playing.picture = undefined;
  }

  async #pictureAt(playing: Playing, frame: number): Promise<VideoPicture | undefined> {
    if (playing.pictures === undefined) {
      playing.pictures = pictures(playing.video, frame, playing.to, this.#setup);
      playing.at = frame - 1;
    }
    while (playing.at < frame && !playing.isOver) {
      const { value, done } = await playing.pictures.next().catch((failure: unknown) => {
        throw mediaFault(nameOf(playing.video), failure);
      });
      if (done === true) {
        playing.isOver = true;
        const seconds = playing.video.media.recording.durationSeconds;
        this.#setup.warnings.add(
          `${nameOf(playing.video)}: its source of ${seconds} s is shorter than its slot; the last frame is held`,
        );
        playing.picture ??= await lastPicture(playing.video, this.#setup);
      } else {
        playing.picture = value;
        playing.at += 1;
      }
    }
    return playing.picture;
  }
}

function nameOf({ clip }: ShownVideo): string {
  return clip.id === "" ? "a video" : `video#${clip.id}`;
}

async function* pictures(
  video: ShownVideo,
  first: number,
  end: number,
  { tools, signal, fps }: FramesSetup,
): AsyncGenerator<VideoPicture> {
  const { clip, media } = video;
  const source = clip.media;
  if (source === undefined) return;
  const from = source.start + (first / fps - clip.start) * source.rate;
  const length = media.recording.durationSeconds;
  const into = source.isLooped && length > 0 ? from % length : from;
  const seek = Math.max(0, into - leadSeconds);
  const loop = source.isLooped ? ["-stream_loop", "-1"] : [];
  const before = [...loop, ...(seek > 0 ? ["-ss", seek.toFixed(6)] : [])];
  // A picture's time counts a hair early, so that rounding cannot make it a frame late.
  const when = `setpts=(PTS*TB-${(into - seek).toFixed(6)})/${source.rate}/TB-0.0005/TB`;
  const rate = `fps=fps=${fps}:round=up:start_time=0`;
  const filters = [when, rate, ...colors(video)].join(",");
  const output = ["-map", "0:v:0", "-vf", filters, "-frames:v", `${end - first}`];
  const args = [...mediaInput(media, [...oneThread, ...before]), ...output, ...asPlanes];
  const call = { signal, timeoutMs: passMs, fault: "it cannot be decoded" };
  yield* picturesIn(await tools.output(args, call), lookOf(video));
}

/** How far before the first frame decoding begins, to find the picture that is shown then. */
const leadSeconds = 1;

async function lastPicture(
  video: ShownVideo,
  { tools, signal }: FramesSetup,
): Promise<VideoPicture | undefined> {
  const length = video.media.recording.durationSeconds;
  const before = ["-ss", Math.max(0, length - 2).toFixed(3)];
  const shown = ["-map", "0:v:0", "-vf", colors(video).join(","), ...asPlanes];
  const call = { signal, fault: "a video cannot be decoded" };
  let last: VideoPicture | undefined;
  const output = await tools.output([...mediaInput(video.media, before), ...shown], call);
  for await (const picture of picturesIn(output, lookOf(video))) last = picture;
  return last;
}

/** The size at which a video is shown to the page: its own, unless that is larger than any film. */
function lookOf({ media }: ShownVideo): Omit<VideoPicture, "planes"> {
  const { width, height } = media.recording.picture ?? { width: 2, height: 2 };
  const factor = Math.min(1, limits.capture.stillWidthMax / Math.max(width, height));
  const scaled = (edge: number): number => Math.max(1, Math.round(edge * factor));
  return {
    width: scaled(width),
    height: scaled(height),
    hasAlpha: media.look?.hasAlpha === true,
  };
}

/** Planes hold BT.709 in limited range, whatever the source does. */
function colors(video: ShownVideo): readonly string[] {
  const { media, cubePath } = video;
  const { width, height, hasAlpha } = lookOf(video);
  const from = `in_color_matrix=${media.look?.matrix ?? "bt709"}`;
  const into = "out_color_matrix=bt709:out_range=limited:flags=accurate_rnd+bilinear";
  const fit = `scale=w=${width}:h=${height}`;
  const grade = cubePath === undefined ? [] : [`${fit}:${from}`, "format=rgba", lut(cubePath)];
  const converted = grade.length > 0 ? `scale=${into}` : `${fit}:${from}:${into}`;
  const format = `format=${hasAlpha ? "yuva420p" : "yuv420p"}`;
  const isOdd = width % 2 === 1 || height % 2 === 1;
  const even = isOdd ? ["pad=w=ceil(iw/2)*2:h=ceil(ih/2)*2"] : [];
  return [...grade, converted, format, ...even];
}

function lut(path: string): string {
  return `lut3d=file=${path}:interp=tetrahedral`;
}

/** Several decode side by side already, and each thread keeps pictures. */
const oneThread = ["-threads", "1"];
const asPlanes = ["-f", "rawvideo", "-"];

/**
 * Pictures as they come; one that looks like the one before is that one. A picture is good until
 * the third one after it comes.
 */
async function* picturesIn(
  output: ChildOutput,
  look: Omit<VideoPicture, "planes">,
): AsyncGenerator<VideoPicture> {
  const buffers = Array.from({ length: 4 }, () => Buffer.alloc(planesLength(look)));
  let last: VideoPicture | undefined;
  try {
    for (let turn = 0; ; ) {
      const planes = buffers[turn % buffers.length];
      if (planes === undefined || !(await output.fill(planes))) return;
      if (last?.planes.equals(planes) !== true) {
        last = { planes, ...look };
        turn += 1;
      }
      yield last;
    }
  } finally {
    await output.close();
  }
}
