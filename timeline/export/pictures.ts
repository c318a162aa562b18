import type { Clip } from "../model.ts";
import { type EditMedia, editFps, type PictureClip } from "./edit-list.ts";
import type { ExportSource } from "./export-source.ts";
import type { LutBook } from "./luts.ts";
import type { Place } from "./measurement.ts";
import { getName } from "./names.ts";
import type { Notes } from "./notes.ts";
import { centreClip, type Placing, placeClip } from "./placing.ts";
import type { Sources } from "./sources.ts";
import { computeSpan, getLane, getSourceLength } from "./spans.ts";
import type { Laid } from "./tracks.ts";

/** Lays out the pictures of a timeline in the order of painting. */
export function layPictures(
  source: ExportSource,
  sources: Sources,
  luts: LutBook,
  notes: Notes,
): readonly Laid<PictureClip>[] {
  const { timeline, measurement } = source;
  const length = getSourceLength(timeline, measurement);
  const shown = timeline.clips
    .map((clip, index) => ({
      clip,
      order: measurement?.places[clip.key]?.paintOrder ?? [0, index],
    }))
    .filter(({ clip }) => clip.kind === "video" || clip.kind === "image")
    .sort((one, other) => comparePainting(one.order, other.order));
  const laid: (Laid<PictureClip> & { readonly of: Clip })[] = [];
  for (const { clip } of shown) {
    const media = findMedia(clip, sources, notes);
    const span = media && computeSpan(clip, media, length);
    if (media === undefined || span === undefined) continue;
    const place = measurement?.places[clip.key];
    const seconds = (span.end - span.start) / editFps;
    const { pose, crop, mask } = placePicture(clip, media, place, seconds, source, notes);
    const { start, end, from, rate, heldFrom } = span;
    const dissolved = laid.find((before) => isDissolve(before, clip, { start, end }));
    noteMedia(clip, notes);
    const name = getName(clip);
    const made: PictureClip = {
      key: clip.key,
      name,
      start,
      end,
      isEnabled: clip.isShown,
      content: { kind: "media", media },
      from,
      rate,
      heldFrom,
      pose,
      crop,
      mask,
      lut: clip.grade && luts.lutFor(clip.grade, name),
      hasAlpha: /\.(png|webp|gif)$/.test(media.path),
      dissolvesUntil: dissolved?.end,
    };
    const lane = getLane(clip);
    laid.push({ clip: made, of: clip, start, end, lane, dissolvesFrom: dissolved?.clip });
  }
  return laid;
}

/** Compares z-index and order in the document, from the outermost layer inwards. */
function comparePainting(one: readonly number[], other: readonly number[]): number {
  for (const [at, value] of one.entries()) {
    const difference = value - (other[at] ?? Number.NEGATIVE_INFINITY);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Finds a clip's media, and notes those that do not exist. */
export function findMedia(clip: Clip, sources: Sources, notes: Notes): EditMedia | undefined {
  const source = clip.media?.source;
  if (source === undefined) {
    notes.add(`${getName(clip)} plays no file of the composition and no asset, and is left out`);
    return undefined;
  }
  const media = sources.find(source, clip.kind === "image" ? "image" : "video");
  if (media === undefined) {
    const what = source.kind === "file" ? source.path : `the asset ${source.assetId}`;
    notes.add(`${getName(clip)} is left out: ${what.slice(0, 200)} does not exist`);
  }
  return media;
}

function placePicture(
  clip: Clip,
  media: EditMedia,
  place: Place | undefined,
  seconds: number,
  { timeline }: ExportSource,
  notes: Notes,
): Pick<Placing, "pose" | "crop" | "mask"> {
  const placed = place && placeClip(clip, place, seconds);
  const name = getName(clip);
  if (placed !== undefined) {
    for (const lack of placed.lacks) notes.add(`${name} ${lack}`);
    return placed;
  }
  notes.add(
    `${name} stands in the middle of the frame: its page could not be laid out to find its place`,
  );
  if (clip.mask !== undefined)
    notes.add(`${name} has a mask, which is left out for the same reason`);
  const { width = timeline.width, height = timeline.height } = media;
  const pose = centreClip(clip, timeline, { width, height }, seconds);
  return { pose, crop: undefined, mask: undefined };
}

function noteMedia({ media, kind, id, key }: Clip, notes: Notes): void {
  if (media?.isLooped === true)
    notes.add(`${getName({ kind, id, key })} plays in a loop; the export plays it once`);
}

/** Whether the later clip of a lane fades in over exactly the time that both are shown. */
function isDissolve(
  before: Laid<PictureClip> & { readonly of: Clip },
  clip: Clip,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const isOverlap = before.start < start && start < before.end && before.end < end;
  const isAlike = before.lane === getLane(clip) && before.clip.isEnabled === clip.isShown;
  if (!isOverlap || !isAlike || before.clip.heldFrom !== undefined) return false;
  const fades = clip.motion.filter(({ opacity }) => opacity !== undefined);
  const [from, to, more] = fades;
  if (from === undefined || to === undefined || more !== undefined) return false;
  const isLinear = (from.ease ?? "linear") === "linear";
  const isWhole = from.opacity === 0 && to.opacity === 1;
  const framesAt = (seconds: number): number => Math.round(seconds * editFps);
  return isLinear && isWhole && framesAt(from.t) === 0 && framesAt(to.t) === before.end - start;
}
