import { frameFrom } from "../../../actors/timeline/model.ts";
import { limits } from "../../../config/limits.ts";
import type { MediaLayout, PlacedPicture } from "../../film-page/plan.ts";
import { type ShownVideo, sourceEnd, sourceTime } from "../videos/video-decoding.ts";
import type { FilmCapture } from "./film-capture.ts";
import type { Segment } from "./segments.ts";

/**
 * The film cut into as few parts as have no more pictures than can be open at once. `undefined`
 * where ffmpeg cannot lay every picture over the others from a part's first frame on.
 */
export function composableRuns(
  { pictures }: MediaLayout,
  { setup, frames }: FilmCapture,
): readonly Segment[] | undefined {
  const { width, height, fps } = setup.timeline;
  if (width % 2 !== 0 || height % 2 !== 0) return undefined;
  const runs = cutByPictures(pictures, frames);
  const areThere = setup.videos.every((video) => {
    const picture = pictures.find(({ key }) => key === video.clip.key);
    if (picture === undefined) return true;
    if (video.media.look?.hasAlpha === true) return false;
    return runs
      .filter((run) => overlaps(picture, run))
      .every((run) => isThereFrom(Math.max(run.from, picture.from), video, fps));
  });
  const areFew = runs.every((run) => countIn(run, pictures) <= limits.capture.picturesMax);
  return areThere && areFew ? runs : undefined;
}

/** Cuts are where pictures begin. */
function cutByPictures(pictures: readonly PlacedPicture[], frames: number): readonly Segment[] {
  const begins = new Set(pictures.map(({ from }) => from).filter((from) => from < frames));
  const ends = [...begins].sort((one, other) => one - other).filter((from) => from > 0);
  const runs: Segment[] = [];
  let [from, to] = [0, 0];
  for (const end of [...ends, frames]) {
    const isFull = countIn({ from, to: end }, pictures) > limits.capture.picturesMax;
    if (isFull && to > from) {
      runs.push({ index: runs.length, from, to });
      from = to;
    }
    to = end;
  }
  return [...runs, { index: runs.length, from, to }];
}

type Frames = Pick<Segment, "from" | "to">;

function countIn(run: Frames, pictures: readonly PlacedPicture[]): number {
  return pictures.filter((picture) => overlaps(picture, run)).length;
}

export function overlaps(one: Frames, other: Frames): boolean {
  return one.from < other.to && other.from < one.to;
}

/** A looped source can only be opened again at its own begin. */
function isThereFrom(first: number, video: ShownVideo, fps: number): boolean {
  const { isLooped = false, start = 0 } = video.clip.media ?? {};
  const isCut = start !== 0 || video.clip.start < 0 || first > frameFrom(video.clip.start, fps);
  if (isLooped && isCut) return false;
  return sourceTime(video, { first, end: first + 1, fps }) < sourceEnd(video) - 1 / fps;
}
