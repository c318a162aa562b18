import { type Bundle, findTarget, type MediaSource } from "../../timeline/bundle.ts";
import type { Grade } from "../../timeline/grade.ts";
import type { Clip, Timeline } from "../../timeline/model.ts";
import { planFilm } from "../film-plan.ts";
import type { FilmPlan } from "../page/plan.ts";

/** A film as its preview gets it: the plan, and media that the browser itself plays. */
export interface PreviewFilm {
  readonly plan: FilmPlan;
  /** Length in seconds; null when only the page's own animation knows it. */
  readonly duration: number | null;
  readonly media: readonly PreviewMedia[];
  readonly grades: readonly PreviewGrade[];
}

/** How the page changes the colours of a clip's pictures. */
export interface PreviewGrade {
  readonly key: string;
  readonly name: string;
  readonly grade: Grade;
  /** URL of the grade's .cube file. */
  readonly tableUrl: string | undefined;
  /** URL of the image; undefined for videos, which are listed among the media. */
  readonly imageUrl: string | undefined;
}

/** A video or a sound that plays during `[start, end)` seconds of the film. */
export interface PreviewMedia {
  readonly key: string;
  /** Path of the file in the bundle, or id of the asset. */
  readonly name: string;
  readonly url: string;
  readonly isVideo: boolean;
  readonly isShown: boolean;
  readonly isAudible: boolean;
  readonly start: number;
  readonly end: number | null;
  /** Second of the source that plays at `start`. */
  readonly from: number;
  /** Second of the source from which on its last picture is held. */
  readonly until: number | null;
  readonly rate: number;
  readonly volume: number;
  readonly fadeIn: number;
  readonly fadeOut: number;
  readonly isLooped: boolean;
}

/** How long a page in a browser waits for timelines that have not registered, in milliseconds. */
const timelineMs = 3_000;

export const assetFolder = "asset/";
/** Marks the addresses of media that the preview itself plays. */
export const playedMark = "klieg-played";

/** `base` is the address of the bundle, with a slash at its end. */
export function previewFilm(timeline: Timeline, base: string): PreviewFilm {
  const imageUrls = new Map<string, string>();
  const media: PreviewMedia[] = [];
  const grades: PreviewGrade[] = [];
  for (const clip of timeline.clips) {
    const source = clip.media?.source;
    if (source?.kind === "asset" && clip.kind === "image")
      imageUrls.set(clip.key, `${base}.klieg/${assetFolder}${source.assetId}`);
    if (clip.kind === "video" || clip.kind === "audio") media.push(...listMedia(clip, base));
    grades.push(...gradesFor(clip, base));
  }
  const details = { isTransparent: false, timelineMs, sizes: new Map(), imageUrls };
  const plan = planFilm(timeline, details);
  return { plan, duration: timeline.duration ?? null, media, grades };
}

function gradesFor({ key, kind, grade, media, isShown }: Clip, base: string): PreviewGrade[] {
  const source = media?.source;
  if (grade === undefined || source === undefined || !isShown) return [];
  const name = source.kind === "asset" ? source.assetId : source.path;
  const tableUrl = grade.lutPath === undefined ? undefined : base + encodePath(grade.lutPath);
  const imageUrl = kind === "image" ? base + addressAt(source) : undefined;
  return [{ key, name, grade, tableUrl, imageUrl }];
}

/** Returns the address of a source, relative to the preview's base. */
function addressAt(source: MediaSource): string {
  return source.kind === "asset"
    ? `.klieg/${assetFolder}${source.assetId}`
    : encodePath(source.path);
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function listMedia(clip: Clip, base: string): readonly PreviewMedia[] {
  const { key, media, isShown, isAudible, start, end = null } = clip;
  if (media?.source === undefined) return [];
  const { source, start: from, end: until = null, rate, volume, fadeIn, fadeOut } = media;
  const url = `${base}${addressAt(source)}?${playedMark}`;
  const times = { start, end, from, until, rate };
  const sound = { isAudible: isAudible && !media.isMuted, volume, fadeIn, fadeOut };
  const isVideo = clip.kind === "video";
  const name = source.kind === "asset" ? source.assetId : source.path;
  return [{ key, name, url, isVideo, isShown, ...times, ...sound, isLooped: media.isLooped }];
}

/** Returns the bundle's file that a page requests by the address `written` in markup of `from`. */
export function findRequestedPath(
  bundle: Bundle,
  written: string,
  from: string,
): string | undefined {
  const target = findTarget(bundle, written, from);
  return target.kind === "file" && target.path !== "" ? target.path : undefined;
}
