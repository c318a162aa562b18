import { join } from "node:path";
import { PortError } from "../../../engine/ports/port-error.ts";
import { planFilm } from "../../../film/film-plan.ts";
import type { FilmPlan } from "../../../film/page/plan.ts";
import type { MediaSource } from "../../../timeline/bundle.ts";
import { bakeCube, parseCube } from "../../../timeline/cube.ts";
import type { Grade } from "../../../timeline/grade.ts";
import { type Clip, frameCount, type Timeline } from "../../../timeline/model.ts";
import { effectiveTimeline } from "../../../timeline/timeline.ts";
import { writeNew } from "../../fence/own-folders.ts";
import type { Size } from "../../pictures/orders.ts";
import type { Pictures } from "../../pictures/pictures.ts";
import { getInput, type MediaTools } from "../../programs/media-tools.ts";
import type { AudibleClip } from "../encode/audio-mix.ts";
import type { Patience } from "../page/film-page-session.ts";
import { mediaFault, RenderError, type Warnings } from "../render-error.ts";
import type { ShownVideo } from "../videos/video-decoding.ts";
import type { MediaFile, MediaFiles } from "./media-files.ts";
import type { PageFiles } from "./page-files.ts";
import type { StoredBundle } from "./stored-bundle.ts";

/** Everything a film needs besides its pages, made from the effective timeline. */
export interface FilmSetup {
  readonly timeline: Timeline;
  readonly plan: FilmPlan;
  readonly videos: readonly ShownVideo[];
  readonly sounds: readonly AudibleClip[];
}

export interface Workshop {
  readonly bundle: StoredBundle;
  readonly media: MediaFiles;
  readonly files: PageFiles;
  readonly tools: MediaTools;
  readonly pictures: Pictures;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly warnings: Warnings;
  readonly patience: Patience;
}

export interface Wanted {
  readonly isTransparent: boolean;
  readonly hasSound: boolean;
}

/** Prepares a film. Throws `RenderError` when it cannot be rendered. */
export async function setUpFilm(workshop: Workshop, wanted: Wanted): Promise<FilmSetup> {
  const { bundle, media, warnings } = workshop;
  const rough = effectiveTimeline(bundle.view(() => undefined));
  checkTimeline(rough);
  const needed = rough.clips.filter((clip) => isNeeded(clip, wanted.hasSound));
  // Two files at a time, because each is copied and then inspected by a program.
  const waiting = needed.values();
  const openSome = async (): Promise<void> => {
    for (const clip of waiting) await openMedia(clip, workshop);
  };
  await Promise.all([openSome(), openSome()]);
  const timeline = effectiveTimeline(bundle.view((source) => media.getSeconds(source)));
  checkTimeline(timeline);
  for (const { severity, code, message } of timeline.diagnostics)
    if (severity === "warning" && !(wanted.isTransparent && code === "no_background"))
      warnings.add(message);
  const grades = new Grades(workshop);
  const videos: ShownVideo[] = [];
  for (const clip of timeline.clips.filter(isShownVideo)) {
    const file = await openMedia(clip, workshop);
    if (file?.recording.picture === undefined) continue;
    if (file.look?.isHdr === true)
      warnings.add(`${getName(clip)}: its high dynamic range is shown as it is coded`);
    const cubePath = clip.grade && (await grades.cubePath(clip.grade));
    videos.push({ clip, media: file, cubePath });
  }
  const sounds: AudibleClip[] = [];
  for (const clip of wanted.hasSound ? timeline.clips.filter(isAudible) : []) {
    const file = await openMedia(clip, workshop);
    if (file?.recording.hasAudio === true) sounds.push({ clip, media: file });
  }
  const plan = await buildPlan(timeline, wanted.isTransparent, videos, grades, workshop);
  return { timeline, plan, videos, sounds };
}

function checkTimeline({ diagnostics }: Timeline): void {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const sentences = errors.slice(0, 5).map(({ message }) => message);
  throw new RenderError("invalid_composition", sentences.join("; "));
}

function isNeeded(clip: Clip, hasSound: boolean): boolean {
  return isShownVideo(clip) || isImage(clip) || (hasSound && isAudible(clip));
}

function isImage({ kind, isShown }: Clip): boolean {
  return kind === "image" && isShown;
}

function isShownVideo({ kind, isShown, start, end }: Clip): boolean {
  return kind === "video" && isShown && (end === undefined || end > Math.max(0, start));
}

function isAudible({ isAudible, start, end }: Clip): boolean {
  return isAudible && (end === undefined || end > Math.max(0, start));
}

/**
 * Returns the clip's file, or `undefined` when the clip names no file. Throws when it is missing or
 * cannot be read.
 */
async function openMedia(clip: Clip, { bundle, media }: Workshop): Promise<MediaFile | undefined> {
  const wanted = clip.media?.source;
  if (wanted === undefined) return undefined;
  const source = bundle.findSource(wanted);
  if (source === undefined) {
    const what = wanted.kind === "file" ? `${wanted.path} is` : `the asset ${wanted.assetId} is`;
    throw new RenderError("media_unavailable", `${getName(clip)}: ${what} not there`);
  }
  if (clip.kind === "image") return undefined;
  try {
    return await media.get(source);
  } catch (failure) {
    throw mediaFault(getName(clip), failure);
  }
}

function getName({ kind, id, key }: Clip): string {
  const tag = kind === "image" ? "img" : kind;
  return id === "" ? `${tag} at ${key}` : `${tag}#${id}`;
}

async function buildPlan(
  timeline: Timeline,
  isTransparent: boolean,
  videos: readonly ShownVideo[],
  grades: Grades,
  workshop: Workshop,
): Promise<FilmPlan> {
  const sizes = new Map<string, Size>();
  for (const { clip, media } of videos) {
    const { picture } = media.recording;
    if (picture !== undefined)
      sizes.set(clip.key, { width: picture.width, height: picture.height });
  }
  const imageUrls = new Map<string, string>();
  for (const clip of timeline.clips.filter(({ kind }) => kind === "image")) {
    const url = await imageUrl(clip, grades, workshop);
    if (url !== undefined) imageUrls.set(clip.key, url);
  }
  const { timelineMs } = workshop.patience;
  return planFilm(timeline, { isTransparent, timelineMs, sizes, imageUrls });
}

/** Returns the URL of a graded image or an asset, which the page cannot find at its `src`. */
async function imageUrl(
  { media, grade, key }: Clip,
  grades: Grades,
  { bundle, files, tools, pictures, signal }: Workshop,
): Promise<string | undefined> {
  const place = media?.source;
  if (place === undefined || (grade === undefined && place.kind === "file")) return undefined;
  const source = bundle.findSource(place);
  if (source === undefined) return undefined;
  const name = `image-${key.replaceAll("/", "-")}`;
  const cubePath = grade && (await grades.cubePath(grade));
  if (cubePath === undefined)
    return files.offer(name, { contentType: source.mimeType, bytes: () => bundle.bytes(source) });
  // Decoded before a page requests it, as a page would just omit an image it cannot decode.
  const png = await decodeGraded(place, pictures.png(await bundle.bytes(source)));
  const look = ["-vf", `format=rgba,lut3d=file=${cubePath}:interp=tetrahedral,format=rgba`];
  const input = ["-f", "png_pipe", "-i", "pipe:0"];
  const output = ["-frames:v", "1", "-c:v", "png", "-f", "image2pipe", "-"];
  const readGrades = (): Promise<Buffer> =>
    tools.ffmpeg([...input, ...look, ...output], {
      signal,
      fault: "a picture could not be graded",
      stdin: [png],
    });
  return files.offer(name, { contentType: "image/png", bytes: readGrades });
}

/** Throws `RenderError` that names the picture when the farm cannot decode it itself. */
async function decodeGraded(source: MediaSource, decoding: Promise<Buffer>): Promise<Buffer> {
  try {
    return await decoding;
  } catch (failure) {
    if (!(failure instanceof PortError) || failure.retryable) throw failure;
    const name = source.kind === "file" ? source.path : `the asset ${source.assetId}`;
    const why = "it is damaged, too large, or neither PNG, JPEG, WebP nor GIF";
    const sentence = `${name} cannot be graded: ${why}`;
    throw new RenderError("invalid_composition", sentence, false, failure);
  }
}

/** Bakes each colour grade into a look-up table once. */
class Grades {
  private readonly workshop: Workshop;
  private readonly pathsByGrade = new Map<string, Promise<string>>();

  constructor(workshop: Workshop) {
    this.workshop = workshop;
  }

  cubePath(grade: Grade): Promise<string> {
    const name = JSON.stringify(grade);
    const known = this.pathsByGrade.get(name);
    if (known !== undefined) return known;
    const path = this.bake(grade, this.pathsByGrade.size);
    this.pathsByGrade.set(name, path);
    return path;
  }

  private async bake(grade: Grade, index: number): Promise<string> {
    const { bundle, folder, warnings } = this.workshop;
    const { lutPath = "" } = grade;
    const source = bundle.findSource({ kind: "file", path: lutPath });
    const text = source && (await bundle.bytes(source)).toString("latin1");
    const table = text === undefined ? undefined : parseCube(text);
    if (text !== undefined && table === undefined)
      warnings.add(
        `${lutPath} is left out: it is not a three-dimensional table of size 64 or less`,
      );
    const path = join(folder, `grade-${index}.cube`);
    await writeNew(path, bakeCube(grade, table, "klieg"));
    return path;
  }
}

/** Number of frames; the duration is the timeline's or else that of the page's animation. */
export function countFrames({ duration, fps }: Timeline, said: number | undefined): number {
  const seconds = duration ?? said;
  if (seconds === undefined)
    throw new RenderError(
      "invalid_composition",
      "the film's length is not known; write data-duration on the root",
    );
  return frameCount(Math.min(seconds, 3_600), fps);
}

/** Arguments that open a sound which the farm wrote itself. */
export function ownSound(path: string): readonly string[] {
  return getInput(path, "audio/mp4");
}
