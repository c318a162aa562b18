import type { Clip } from "../../actors/timeline/model.ts";
import { frameFrom } from "../../actors/timeline/model.ts";
import { limits } from "../../config/limits.ts";
import type { MediaTools } from "../media-tools.ts";
import { type MediaFile, mediaInput, passMs } from "./media-files.ts";
import { mediaFault, type Warnings } from "./render-fault.ts";

/**
 * The pictures of the film's videos, decoded by one ffmpeg a clip in the order of time while the
 * film goes by; nothing of them touches the disk. A picture is the source's last one whose time is
 * not after the frame's.
 */
export interface ShownVideo {
  readonly clip: Clip;
  readonly media: MediaFile;
  /** A .cube file that changes its colours. */
  readonly cubePath: string | undefined;
}

interface Playing {
  readonly video: ShownVideo;
  readonly from: number;
  readonly to: number;
  pictures: AsyncGenerator<Buffer> | undefined;
  /** Frame that `picture` belongs to. */
  at: number;
  picture: Buffer | undefined;
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

  /** Pictures by the clip's key; the same buffer while nothing changes. Frames only go forward. */
  async at(frame: number): Promise<ReadonlyMap<string, Buffer>> {
    const pictures = new Map<string, Buffer>();
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

  async #pictureAt(playing: Playing, frame: number): Promise<Buffer | undefined> {
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
        const same = playing.picture !== undefined && value.equals(playing.picture);
        if (!same) playing.picture = value;
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
): AsyncGenerator<Buffer> {
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
  const args = [...mediaInput(media, before), ...output, ...coded(media)];
  const call = { signal, timeoutMs: passMs, fault: "it cannot be decoded" };
  yield* split(tools.stream(args, call), media.look?.hasAlpha === true);
}

/** How far before the first frame decoding begins, to find the picture that is shown then. */
const leadSeconds = 1;

async function lastPicture(
  video: ShownVideo,
  { tools, signal }: FramesSetup,
): Promise<Buffer | undefined> {
  const length = video.media.recording.durationSeconds;
  const before = ["-ss", Math.max(0, length - 2).toFixed(3)];
  const shown = ["-map", "0:v:0", "-vf", colors(video).join(","), ...coded(video.media)];
  const call = { signal, fault: "a video cannot be decoded" };
  let last: Buffer | undefined;
  const stream = tools.stream([...mediaInput(video.media, before), ...shown], call);
  for await (const picture of split(stream, video.media.look?.hasAlpha === true)) last = picture;
  return last;
}

/** JPEG and PNG hold full range; JPEG's matrix is that of BT.601. */
function colors({ media, cubePath }: ShownVideo): readonly string[] {
  const { look } = media;
  const edge = limits.capture.stillWidthMax;
  const fit = `scale=w='min(iw,${edge})':h='min(ih,${edge})':force_original_aspect_ratio=decrease`;
  const from = `in_color_matrix=${look?.matrix ?? "bt709"}`;
  const grade = cubePath === undefined ? [] : [`${fit}:${from}`, "format=rgba", lut(cubePath)];
  if (look?.hasAlpha === true) return [...grade, `${fit}:${from}`, "format=rgba"];
  const into = grade.length > 0 ? "" : `:${from}`;
  const fine = "out_color_matrix=bt601:out_range=full:flags=accurate_rnd+bilinear";
  return [...grade, `${fit}${into}:${fine}`, "format=yuvj444p"];
}

function lut(path: string): string {
  return `lut3d=file=${path}:interp=tetrahedral`;
}

function coded({ look }: MediaFile): readonly string[] {
  const pictures = look?.hasAlpha === true ? ["-c:v", "png", "-compression_level", "1"] : jpeg;
  return [...pictures, "-f", "image2pipe", "-"];
}

const jpeg = ["-c:v", "mjpeg", "-q:v", "2", "-huffman", "default"];

/** Cuts a stream of pictures where each ends. */
export async function* split(
  chunks: AsyncIterable<Buffer>,
  isPng: boolean,
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = endOf(rest, isPng); end > 0; end = endOf(rest, isPng)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end);
    }
  }
}

function endOf(bytes: Buffer, isPng: boolean): number {
  return isPng ? endOfPng(bytes) : endOfJpeg(bytes);
}

function endOfPng(bytes: Buffer): number {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (bytes.toString("latin1", at + 4, at + 8) === "IEND") return end <= bytes.length ? end : 0;
    at = end;
  }
  return 0;
}

/** Segments say their length up to the scan, in which every 0xff byte is followed by a zero. */
function endOfJpeg(bytes: Buffer): number {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at + 1] !== 0xda) at += 2 + bytes.readUInt16BE(at + 2);
  if (at + 4 > bytes.length) return 0;
  const end = bytes.indexOf(endOfImage, at);
  return end < 0 ? 0 : end + 2;
}

const endOfImage = Buffer.from([0xff, 0xd9]);
