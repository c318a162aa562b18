import { even, frameFrom } from "../../../timeline/model.ts";
import type { ChildOutput } from "../../programs/child-output.ts";
import type { MediaTools } from "../../programs/media-tools.ts";
import { mediaInput, passMs } from "../inputs/media-files.ts";
import { mediaFault, type Warnings } from "../render-error.ts";
import {
  chooseLook,
  cutAt,
  getName,
  listEntry,
  oneThread,
  roundEnd,
  type ShownVideo,
  type Span,
  sourceEnd,
  type VideoLook,
  videoColors,
  videoFilters,
  videoInput,
  warnOfShortSource,
} from "./video-decoding.ts";

/**
 * Pictures of the film's videos, decoded by one ffmpeg process per clip in ascending order of time.
 * The picture of a frame is the source's last one whose time is not later than the frame's.
 */

/** One picture as planes (I420 or I420A, BT.709, limited range) of even sizes. */
export interface VideoPicture extends VideoLook {
  readonly planes: Buffer;
}

export function planesLength({ width, height, hasAlpha }: VideoLook): number {
  return even(width) * even(height) * (hasAlpha ? 2.5 : 1.5);
}

interface Playing {
  readonly video: ShownVideo;
  readonly from: number;
  readonly to: number;
  pictures: AsyncGenerator<VideoPicture> | undefined;
  /** Number of the frame to which `picture` belongs. */
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
  private readonly setup: FramesSetup;
  private readonly playing: readonly Playing[];

  constructor(videos: readonly ShownVideo[], setup: FramesSetup) {
    this.setup = setup;
    this.playing = videos.map((video) => ({
      video,
      from: Math.max(setup.first, frameFrom(video.clip.start, setup.fps)),
      to: Math.min(setup.frames, frameFrom(video.clip.end ?? Number.MAX_VALUE, setup.fps)),
      pictures: undefined,
      at: -1,
      picture: undefined,
      isOver: false,
    }));
  }

  /** Returns pictures by clip key; the same object while unchanged. Frames must not go back. */
  async at(frame: number): Promise<ReadonlyMap<string, VideoPicture>> {
    const pictures = new Map<string, VideoPicture>();
    await Promise.all(
      this.playing.map(async (playing) => {
        if (frame < playing.from || frame >= playing.to) return this.stop(playing, frame);
        const picture = await this.pictureAt(playing, frame);
        if (picture !== undefined) pictures.set(playing.video.clip.key, picture);
      }),
    );
    return pictures;
  }

  async close(): Promise<void> {
    await Promise.all(this.playing.map(({ pictures }) => pictures?.return(undefined)));
  }

  private async stop(playing: Playing, frame: number): Promise<void> {
    if (frame < playing.to || playing.pictures === undefined) return;
    await playing.pictures.return(undefined);
    playing.picture = undefined;
  }

  private async pictureAt(playing: Playing, frame: number): Promise<VideoPicture | undefined> {
    if (playing.pictures === undefined) {
      playing.pictures = pictures(playing.video, frame, playing.to, this.setup);
      playing.at = frame - 1;
    }
    while (playing.at < frame && !playing.isOver) {
      const { value, done } = await playing.pictures.next().catch((failure: unknown) => {
        throw mediaFault(getName(playing.video), failure);
      });
      if (done === true) {
        playing.isOver = true;
        warnOfShortSource(playing.video, this.setup.warnings);
        playing.picture ??= await lastPicture(playing.video, this.setup);
      } else {
        playing.picture = value;
        playing.at += 1;
      }
    }
    return playing.picture;
  }
}

/** Yields a picture for each frame until the source ends; a looped source never does. */
async function* pictures(
  video: ShownVideo,
  first: number,
  end: number,
  setup: FramesSetup,
): AsyncGenerator<VideoPicture> {
  const { fps } = setup;
  for (let frame = first; frame < end; ) {
    const span = { first: frame, end: roundEnd(video, { first: frame, end, fps }), fps };
    let shown: VideoPicture | undefined;
    for await (const picture of decode(video, span, setup)) {
      shown = picture;
      frame += 1;
      yield picture;
    }
    if (video.clip.media?.isLooped !== true) return;
    // A round is as long as the source, which may be longer than its pictures last.
    for (; frame < span.end; frame++) {
      shown ??= await lastPicture(video, setup);
      if (shown === undefined) return;
      yield shown;
    }
  }
}

async function* decode(
  video: ShownVideo,
  span: Span,
  { tools, signal }: FramesSetup,
): AsyncGenerator<VideoPicture> {
  const look = chooseLook(video);
  const count = span.end - span.first;
  const filters = videoFilters(video, span, look).join(",");
  const output = ["-map", "0:v:0", "-vf", filters, "-frames:v", `${count}`];
  // Long runs use one thread and leave the rest to others; a single picture is waited for.
  const threads = count > 1 ? oneThread : [];
  const args = [...threads, ...videoInput(video, span), ...output, ...asPlanes];
  const call = { signal, timeoutMs: passMs, fault: "it cannot be decoded" };
  yield* picturesIn(await tools.output(args, call), look);
}

async function lastPicture(
  video: ShownVideo,
  { tools, signal }: FramesSetup,
): Promise<VideoPicture | undefined> {
  const from = Math.max(0, sourceEnd(video) - 2);
  const before = listEntry(from);
  const filters = [...cutAt(video, from), ...videoColors(video, chooseLook(video))];
  const shown = ["-map", "0:v:0", "-vf", filters.join(","), ...asPlanes];
  const call = { signal, fault: "a video cannot be decoded" };
  let last: VideoPicture | undefined;
  const output = await tools.output([...mediaInput(video.media, before), ...shown], call);
  for await (const picture of picturesIn(output, chooseLook(video))) last = picture;
  return last;
}

const asPlanes = ["-f", "rawvideo", "-"];

const buffersMax = 5;

/**
 * Yields pictures as they come; the same object again when one equals the last. A picture is valid
 * until the fourth one after it comes.
 */
async function* picturesIn(output: ChildOutput, look: VideoLook): AsyncGenerator<VideoPicture> {
  const buffers: Buffer[] = [];
  let last: VideoPicture | undefined;
  try {
    for (let turn = 0; ; ) {
      const planes = buffers[turn % buffersMax] ?? Buffer.allocUnsafeSlow(planesLength(look));
      buffers[turn % buffersMax] = planes;
      if (!(await output.fill(planes))) return;
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
