import { join } from "node:path";
import { ownParts, type Parts } from "../../node/task-parts.ts";
import { outputTo } from "../../programs/media-tools.ts";
import { pictureChunk, repetition, streamHead } from "../encode/avi-stream.ts";
import { type FrameFormat, segmentArgs } from "../encode/encoding.ts";
import { passMs } from "../inputs/media-files.ts";
import type { Painter } from "../page/painters.ts";
import type { FilmCapture } from "./film-capture.ts";
import type { Sample, Samples } from "./samples.ts";
import { SegmentFrames } from "./segment-frames.ts";
import { type Cuttable, planSegments, type Segment } from "./segments.ts";
import type { SharedFilm } from "./shared-segments.ts";

/** Makes segments one after the other, in ascending order of time. */
export interface SegmentRecorder {
  film(segment: Segment, onFrame: OnFrame): Take;
  close(): Promise<void>;
}

/** A segment that is being recorded. */
export interface Take {
  /** Resolves when the encoder has all frames of the segment and the recorder is free. */
  readonly filmed: Promise<void>;
  /** Resolves to the path of the segment's file when it is complete. */
  readonly path: Promise<string>;
}

type OnFrame = (frame: number, shown: Sample) => void;

/** Lets each recorder take the next free segment; resolves when all are made, here or elsewhere. */
export async function recordSegments(
  recorders: readonly SegmentRecorder[],
  samples: Samples,
  { stage, setup, frames, shared, onMade }: FilmCapture,
): Promise<readonly string[]> {
  const segments = planSegments(frames, setup);
  const parts = shared?.parts ?? ownParts(segments.length);
  const paths: string[] = [];
  let done = 0;
  const progress = (more: number): void => {
    done += more;
    stage.context.reportProgress((0.97 * done) / frames);
  };
  const onFrame: OnFrame = (frame, shown) => {
    progress(1);
    samples.add(frame, shown);
  };
  const keep = (segment: Segment, path: string): void => {
    paths[segment.index] = path;
    onMade?.(segment, path);
  };
  const fetching: Promise<void>[] = [];
  const fetchMade = async (film: SharedFilm, index: number, report: unknown): Promise<void> => {
    const segment = segmentAt(segments, index);
    const { path, pictures } = await film.fetch(segment, report);
    keep(segment, path);
    for (const [frame, picture] of pictures) samples.add(frame, { picture });
    progress(segment.to - segment.from);
  };
  shared?.parts.onMade((index, report) => {
    const fetched = fetchMade(shared, index, report);
    fetched.catch((failure: unknown) => samples.end(failure));
    fetching.push(fetched);
  });
  const work = recorders.map((recorder) =>
    takeByTake(segmentsIn(parts, frames, setup), (segment) => {
      const { filmed, path } = recorder.film(segment, onFrame);
      const kept = path.then((made) => {
        keep(segment, made);
        parts.storePart(segment.index, {});
      });
      return { filmed, kept };
    }).finally(() => recorder.close()),
  );
  try {
    await Promise.all(work);
    await Promise.all(fetching);
  } catch (failure) {
    samples.end(failure);
    throw failure;
  }
  return paths;
}

/** Begins a segment while the one before is being encoded to its end and stored. */
export function takeByTake(
  segments: AsyncIterable<Segment>,
  begin: (segment: Segment) => { readonly filmed: Promise<void>; readonly kept: Promise<void> },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const all = async (): Promise<void> => {
      let before: Promise<void> | undefined;
      for await (const segment of segments) {
        const { filmed, kept } = begin(segment);
        // The error is handled when the next segment is done, which awaits this one too.
        kept.catch(reject);
        await filmed;
        await before;
        before = kept;
      }
      await before;
    };
    all().then(resolve, reject);
  });
}

/** Yields the segments of the parts that this node takes. */
export async function* segmentsIn(
  parts: Parts,
  frames: number,
  film: Cuttable,
): AsyncGenerator<Segment> {
  const segments = planSegments(frames, film);
  for (let next = await parts.take(); next !== undefined; next = await parts.take())
    yield segmentAt(segments, next);
}

function segmentAt(segments: readonly Segment[], index: number): Segment {
  const segment = segments[index];
  if (segment === undefined) throw new Error(`the film has no segment ${index}`);
  return segment;
}

/** Encodes a page's pictures with ffmpeg. A frame that equals the last one repeats it. */
export function recorder(
  painter: Painter,
  format: FrameFormat,
  capture: FilmCapture,
): SegmentRecorder {
  const { stage, setup, frames } = capture;
  const { fps } = setup.timeline;
  const quality = stage.input.quality ?? "standard";
  const threads = planSegments(frames, setup).length === 1 ? 2 : 1;
  const args = segmentArgs(quality, format, fps, threads);
  const segmentFrames = new SegmentFrames(capture);
  let last: Buffer | undefined;
  async function* pictures(segment: Segment, onFrame: OnFrame): AsyncGenerator<Buffer> {
    yield streamHead(format, fps);
    const ends = [segment.from, segment.to - 1];
    for await (const [frame, painting, videos] of ahead(paint(segment, painter, segmentFrames))) {
      last = (await painting?.picture) ?? last;
      if (last === undefined) throw new Error("a page painted nothing");
      onFrame(frame, { picture: last, videos });
      if (painting === undefined && !ends.includes(frame)) yield repetition;
      else yield* pictureChunk(last);
    }
  }
  const film = (segment: Segment, onFrame: OnFrame): Take => {
    const path = join(stage.folder, `segment-${segment.index}.mp4`);
    let isFilmed = (): void => undefined;
    const filmed = new Promise<void>((resolve) => {
      isFilmed = resolve;
    });
    async function* all(): AsyncGenerator<Buffer> {
      yield* pictures(segment, onFrame);
      isFilmed();
    }
    const encoded = stage.tools.media.ffmpeg([...args, ...outputTo(path)], {
      signal: stage.context.signal,
      timeoutMs: passMs,
      fault: "The frames could not be encoded.",
      stdin: all(),
    });
    return { filmed, path: encoded.then(() => path) };
  };
  return { film, close: () => segmentFrames.close() };
}

async function* paint(segment: Segment, painter: Painter, frames: SegmentFrames) {
  const all = ahead(place(segment, painter, frames));
  for await (const [{ frame, videos, places }, next] of pairs(all))
    yield [frame, await painter.paint(frame, places, next?.places), videos] as const;
}

async function* place(segment: Segment, painter: Painter, frames: SegmentFrames) {
  for await (const [frame, videos] of frames.of(segment))
    yield { frame, videos, places: await painter.place(videos) };
}

/** Yields each item together with the one after it. */
async function* pairs<T>(items: AsyncGenerator<T>): AsyncGenerator<readonly [T, T?]> {
  let before: readonly [T] | undefined;
  for await (const item of items) {
    if (before !== undefined) yield [...before, item];
    before = [item];
  }
  if (before !== undefined) yield before;
}

/** Yields the same items, but requests each while the one before is being used. */
async function* ahead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = items.next();
  try {
    for (let item = await next; item.done !== true; item = await next) {
      next = items.next();
      // The error is handled by the consumer when it requests this item.
      next.catch(() => undefined);
      yield item.value;
    }
  } finally {
    await next.catch(() => undefined);
    await items.return(undefined);
  }
}
