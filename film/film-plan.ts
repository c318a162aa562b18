import { frameFrom, type Timeline } from "../timeline/model.ts";
import type { FilmPlan, PlannedClip } from "./page/plan.ts";

export interface PlanDetails {
  readonly isTransparent: boolean;
  /** How long the page waits for timelines that have not registered, in milliseconds. */
  readonly timelineMs: number;
  /** Intrinsic sizes of the videos, by clip key, as far as they are known. */
  readonly sizes: ReadonlyMap<string, NonNullable<PlannedClip["size"]>>;
  /** By clip key, URLs of the images that are not where their `src` says. */
  readonly imageUrls: ReadonlyMap<string, string>;
}

/** Derives what a page must know of its film from the effective timeline. */
export function planFilm(timeline: Timeline, details: PlanDetails): FilmPlan {
  const { fps, width, height, compositions, deleted, texts } = timeline;
  const { isTransparent, timelineMs, sizes, imageUrls } = details;
  const clips: PlannedClip[] = [];
  for (const clip of timeline.clips) {
    if (clip.kind === "audio") continue;
    const { key, kind, composition, isShown, transform, motion, mask, start, end } = clip;
    clips.push({
      key,
      kind,
      composition,
      isShown,
      transform,
      motion,
      mask,
      start,
      from: frameFrom(start, fps),
      to: end === undefined ? Number.MAX_SAFE_INTEGER : frameFrom(end, fps),
      size: sizes.get(key),
      imageUrl: imageUrls.get(key),
    });
  }
  return {
    fps,
    width,
    height,
    isTransparent,
    timelineMs,
    isSelfCaptured: false,
    isUnfilmed: false,
    mark: "",
    compositions,
    clips,
    deleted,
    texts,
  };
}
