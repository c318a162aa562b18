import { limits } from "../../../config/limits.ts";
import type { MediaLayout, PlacedPicture } from "../../../film/page/plan.ts";
import { frameFrom } from "../../../timeline/model.ts";
import { type ShownVideo, sourceEnd, sourceTime } from "../videos/video-decoding.ts";
import type { FilmCapture } from "./film-capture.ts";
import type { Segment } from "./segments.ts";

/**
 * The film cut into parts that are composed side by side, none with more pictures than can be open
 * at once. `undefined` where ffmpeg cannot lay every picture over the others from a part's first
 * frame on. The cuts depend on nothing but the film, so the joined film has the same bytes
 * everywhere.
 */
export function composableRuns(
  { pictures }: MediaLayout,
  { setup, frames }: FilmCapture,
): readonly Segment[] | undefined {
  const { width, height, fps } = setup.timeline;
  if (width % 2 !== 0 || height % 2 !== 0) return undefined;
  const videos = setup.videos.flatMap((video) => {
    const picture = pictures.find(({ key }) => key === video.clip.key);
    return picture === undefined ? [] : [{ video, picture }];
  });
  if (videos.some(({ video }) => video.media.look?.hasAlpha === true)) return undefined;
  const areThere = (frame: number): boolean =>
    videos
      .filter(({ picture }) => picture.from < frame && frame < picture.to)
      .every(({ video }) => isThereFrom(frame, video, fps));
  if (!videos.every(({ video, picture }) => isThereFrom(picture.from, video, fps)))
    return undefined;
  const cuts = evenCuts(frames, fps, pictures).filter(areThere);
  const runs = cutFilm(frames, pictures, cuts);
  const areComposable = runs.every(
    (run) => areThere(run.from) && countIn(run, pictures) <= limits.capture.picturesMax,
  );
  return areComposable ? runs : undefined;
}

/** Even shares for two parallel workers, moved to where a picture begins if one is near. */
function evenCuts(
  frames: number,
  fps: number,
  pictures: readonly PlacedPicture[],
): readonly number[] {
  const shares = 2 * Math.ceil(frames / (2 * secondsMax * fps));
  const length = frames / shares;
  if (length < secondsMin * fps) return [];
  return Array.from({ length: shares - 1 }, (_, at) => {
    const even = Math.round((at + 1) * length);
    const distance = (frame: number): number => Math.abs(frame - even);
    const begins = pictures.map(({ from }) => from).filter((from) => distance(from) < length / 4);
    return begins.sort((one, other) => distance(one) - distance(other))[0] ?? even;
  });
}

/** Parts shorter than `secondsMin` cost more to start than they save. */
const secondsMin = 2;
const secondsMax = 30;

/** Cuts the film at `cuts`, and where a further picture would exceed the bound. */
function cutFilm(
  frames: number,
  pictures: readonly PlacedPicture[],
  cuts: readonly number[],
): readonly Segment[] {
  const begins = pictures.map(({ from }) => from).filter((from) => from > 0 && from < frames);
  const ends = [...new Set([...begins, ...cuts, frames])].sort((one, other) => one - other);
  const runs: Segment[] = [];
  let [from, to] = [0, 0];
  const close = (): void => {
    runs.push({ index: runs.length, from, to });
    from = to;
  };
  for (const end of ends) {
    const isFull = countIn({ from, to: end }, pictures) > limits.capture.picturesMax;
    if (isFull && to > from) close();
    to = end;
    if (cuts.includes(end) || end === frames) close();
  }
  return runs;
}

type Frames = Pick<Segment, "from" | "to">;

function countIn(run: Frames, pictures: readonly PlacedPicture[]): number {
  return pictures.filter((picture) => overlaps(picture, run)).length;
}

export function overlaps(one: Frames, other: Frames): boolean {
  return one.from < other.to && other.from < one.to;
}

/** Whether the run can start here: a looped source can only be opened at its own beginning. */
function isThereFrom(first: number, video: ShownVideo, fps: number): boolean {
  const { isLooped = false, start = 0 } = video.clip.media ?? {};
  const isEntered = start !== 0 || video.clip.start < 0 || first > frameFrom(video.clip.start, fps);
  if (isLooped && isEntered) return false;
  return sourceTime(video, { first, end: first + 1, fps }) < sourceEnd(video) - 1 / fps;
}
