import { join } from "node:path";
import { limits } from "../../../config/limits.ts";
import { type Clip, even, type Timeline } from "../../../timeline/model.ts";
import { writeNew } from "../../fence/own-folders.ts";
import { deliverFilm, type Thumbnail } from "../../media/delivery.ts";
import { frameThumbnail } from "../../media/recordings.ts";
import { outputTo } from "../../programs/media-tools.ts";
import { type AudibleClip, mixSound } from "../encode/audio-mix.ts";
import { joiningArgs, segmentList } from "../encode/encoding.ts";
import { countFrames, type FilmSetup, ownSound, setUpFilm } from "../inputs/film-setup.ts";
import { passMs } from "../inputs/media-files.ts";
import type { FilmSession } from "../page/film-page-session.ts";
import { openPagePool, type PagePool } from "../page/page-pool.ts";
import { RenderError } from "../render-error.ts";
import { checkAnimation, type Made, type RenderStage, warnOfBlackGround } from "../render-stage.ts";
import {
  captureComposed,
  captureFromCompositor,
  captureFromPages,
  type Footage,
  type Refusal,
} from "./capture.ts";
import type { FilmCapture } from "./film-capture.ts";
import type { Segment } from "./segments.ts";
import { type ShareableCapture, SharedFilm } from "./shared-segments.ts";

/** Makes a whole film: captures frames from the pages, mixes sound meanwhile, then joins both. */
export async function makeVideo(stage: RenderStage): Promise<Made> {
  const { input, tools, context, objects } = stage;
  const { signal } = context;
  const setup = await setUpVideo(stage);
  const { footage, capture, frames, sound, thumbnail, refusals } = await film(setup, stage);
  const captureReason = refusals.length === 0 ? null : refusals.join("; ");
  const why = captureReason === null ? "" : ` (${captureReason})`;
  tools.note(`render ${context.outputPrefix}: filmed ${capture}${why}`);
  const { timeline } = setup;
  const durationSeconds = frames / timeline.fps;
  const mix = await sound.mix;
  const path = await joinFootage(footage, durationSeconds, mix, stage);
  const delivery = { tools: tools.media, objects, signal, stem: `${context.outputPrefix}/0` };
  const size = { width: even(timeline.width), height: even(timeline.height) };
  const measures = { ...size, durationSeconds };
  const known = { ...measures, hasAudio: mix !== undefined, frameRate: timeline.fps };
  const output = await deliverFilm(delivery, path, known, thumbnail);
  const quality = input.quality ?? "standard";
  const details = { target: "video", quality, capture, captureReason, ...measures, frames };
  return { output, details };
}

/** Sets up the film identically on every node that works on it. */
export async function setUpVideo(stage: RenderStage): Promise<FilmSetup> {
  const { input, tools, context } = stage;
  const { media, pictures, patience } = tools;
  const workshop = { ...stage, tools: media, pictures, signal: context.signal, patience };
  const hasSound = input.audioMix?.mute !== true;
  const setup = await setUpFilm(workshop, { isTransparent: false, hasSound });
  checkSize(setup.timeline);
  return setup;
}

type Capture = "composed" | "self-captured" | "compositor-captured";

interface Shot {
  readonly footage: Footage;
  /** For each faster way of capturing, the reason why it was refused. */
  readonly refusals: readonly string[];
  readonly capture: Capture;
  readonly frames: number;
  readonly sound: Sound;
  readonly thumbnail: Promise<Thumbnail>;
}

/** The film's sound, mixed once, while the first suitable pages are being captured. */
interface Sound {
  /** Resolves to the path of the mix, or to undefined when there is no sound. */
  mix: Promise<string | undefined> | undefined;
}

async function film(setup: FilmSetup, stage: RenderStage): Promise<Shot> {
  const sound: Sound = { mix: undefined };
  const refusals: string[] = [];
  const take = (shot: Shot | Refusal): Shot | undefined => {
    if (!("refusal" in shot)) return { ...shot, refusals };
    refusals.push(shot.refusal);
    return undefined;
  };
  if (mayBeComposed(setup, stage)) {
    const pages = await openPagePool("compositor-captured", setup.plan, 1, stage);
    const shot = take(
      await takeShot("composed", pages, { sound, shared: undefined }, setup, stage),
    );
    if (shot !== undefined) return shot;
  }
  const obstacle = drawingObstacle(setup, stage);
  if (obstacle === undefined) {
    const shot = take(await shareCapture("self-captured", sound, setup, stage));
    if (shot !== undefined) return shot;
  } else refusals.push(obstacle);
  const shot = take(await shareCapture("compositor-captured", sound, setup, stage));
  if (shot === undefined) throw new Error("the compositor always films");
  return shot;
}

/** Asks other nodes first, so that their pages start while this node's do. */
async function shareCapture(
  capture: ShareableCapture,
  sound: Sound,
  setup: FilmSetup,
  stage: RenderStage,
): Promise<Shot | Refusal> {
  const shared = SharedFilm.open(capture, setup, stage);
  try {
    const pages = await openPagePool(capture, setup.plan, pagesFor(capture, setup, stage), stage);
    stage.tools.browsers.dismiss();
    await stage.tools.coded.close();
    return await takeShot(capture, pages, { sound, shared }, setup, stage);
  } finally {
    shared?.close();
  }
}

/** Number of pages with which one node captures a film in parallel. */
export function pagesFor(
  capture: ShareableCapture,
  setup: FilmSetup,
  { tools }: RenderStage,
): number {
  if (hasManyVideos(setup)) return 1;
  // Decoding a video and importing its pictures keeps a second processor busy.
  const isShared = capture === "self-captured" && setup.videos.length > 0;
  return isShared ? Math.max(1, Math.floor(tools.pages / 2)) : tools.pages;
}

/** Captures the film; refused when its pages cannot be captured in this way. */
async function takeShot(
  capture: Capture,
  pages: PagePool,
  { sound, shared }: { readonly sound: Sound; readonly shared: SharedFilm | undefined },
  setup: FilmSetup,
  stage: RenderStage,
): Promise<Shot | Refusal> {
  const { timeline } = setup;
  try {
    const [first] = pages.sessions;
    const { duration, obstacles } = first.report;
    checkAnimation(first.report, first.takeFaults(), timeline, stage.warnings);
    warnOfBlackGround(first.report, timeline, stage.warnings);
    if (capture === "self-captured" && obstacles.length > 0)
      return { refusal: `the page has ${obstacles.join(", ")}` };
    const frames = countFrames(timeline, duration);
    if (sound.mix === undefined) {
      const sounds = await withVolumes(setup, first, frames, stage);
      const { tools, folder, context, input } = stage;
      const seconds = frames / timeline.fps;
      const mix = { tools: tools.media, folder, signal: context.signal, seconds };
      sound.mix = mixSound(sounds, { ...mix, mix: input.audioMix ?? {} });
      sound.mix.catch(() => undefined);
    }
    let thumbnail: Promise<Thumbnail> | undefined;
    const film = { stage, setup, frames, shared };
    const onMade = (segment: Segment, path: string): void => {
      thumbnail ??= thumbnailIn(segment, path, film);
      stage.context.reportThumbnail(() => frameIn(path, 0, stage));
    };
    const footage = await films[capture](pages, { ...film, onMade });
    if ("refusal" in footage) return footage;
    if (thumbnail === undefined) throw new Error("no segment contains the thumbnail's frame");
    return { footage, capture, frames, sound, thumbnail, refusals: [] };
  } finally {
    await pages.close();
  }
}

const films = {
  composed: captureComposed,
  "self-captured": captureFromPages,
  "compositor-captured": captureFromCompositor,
};

/** This and the next condition are known before any page is open. */
function mayBeComposed({ timeline }: FilmSetup, { bundle }: RenderStage): boolean {
  const { clips, texts } = timeline;
  const isMedia = clips.every(
    ({ kind, transform, motion, mask, grade }) =>
      (kind === "video" || kind === "audio" || (kind === "image" && grade === undefined)) &&
      transform === undefined &&
      motion.length === 0 &&
      mask === undefined,
  );
  return isMedia && texts.length === 0 && !bundle.holds("<script") && clips.length > 0;
}

function drawingObstacle({ timeline }: FilmSetup, { bundle }: RenderStage): string | undefined {
  const { width, duration } = timeline;
  if (width < selfCapturedWidthMin) return "the film is too narrow";
  if (duration !== undefined && countFrames(timeline, duration) < selfCapturedFramesMin)
    return "the film is short";
  const tag = ["<canvas", "<iframe"].find((one) => bundle.holds(one));
  return tag === undefined ? undefined : `the page has ${tag.slice(1)}`;
}

/** Shorter films are finished before a reference page would have started. */
const selfCapturedFramesMin = 60;
/** Minimum width, because pixels are converted to planes eight at a time. */
const selfCapturedWidthMin = 8;

/** Each page decodes all of its videos; too many at once cost more memory than they save time. */
function hasManyVideos({ videos }: FilmSetup): boolean {
  const isTogether = (one: Clip, other: Clip): boolean =>
    one.start < (other.end ?? Number.POSITIVE_INFINITY) &&
    other.start < (one.end ?? Number.POSITIVE_INFINITY);
  return videos.some(
    ({ clip }) =>
      videos.filter((other) => isTogether(clip, other.clip)).length >
      limits.capture.videosAtOnceMax,
  );
}

/** Joins encoded segments, without encoding them again, with the sound into the film's file. */
async function joinFootage(
  footage: Footage,
  seconds: number,
  sound: string | undefined,
  { tools, folder, context }: RenderStage,
): Promise<string> {
  const path = join(folder, "film.mp4");
  const listPath = join(folder, "segments.txt");
  await writeNew(listPath, segmentList(footage));
  const heard = sound === undefined ? undefined : ownSound(sound);
  const args = joiningArgs({ listPath, seconds, sound: heard });
  await tools.media.ffmpeg([...args, ...outputTo(path)], {
    signal: context.signal,
    timeoutMs: passMs,
    fault: "The parts of the film could not be joined.",
  });
  return path;
}

/** Returns a thumbnail of the frame at a tenth of the film, if this segment contains it. */
function thumbnailIn(
  { from, to }: Segment,
  path: string,
  { frames, setup, stage }: Pick<FilmCapture, "frames" | "setup" | "stage">,
): Promise<Thumbnail> | undefined {
  const wanted = Math.floor(frames / 10);
  if (wanted < from || wanted >= to) return undefined;
  const picture = frameIn(path, (wanted - from) / setup.timeline.fps, stage);
  const thumbnail = picture.then((bytes) => ({ extension: "jpg", bytes }) as const);
  // The caller that stores the thumbnail handles the error.
  thumbnail.catch(() => undefined);
  return thumbnail;
}

function frameIn(path: string, seconds: number, { tools, context }: RenderStage): Promise<Buffer> {
  return frameThumbnail(tools.media, { path, mimeType: "video/mp4" }, seconds, context.signal);
}

function checkSize({ width, height }: Timeline): void {
  const { longEdgeMax, shortEdgeMax } = limits.capture;
  if (Math.max(width, height) <= longEdgeMax && Math.min(width, height) <= shortEdgeMax) return;
  const most = `${longEdgeMax}x${shortEdgeMax}`;
  throw new RenderError("invalid_composition", `${width}x${height} is larger than ${most}`);
}

/** Adds the volumes that timelines animate; the page is asked only if a script mentions volume. */
async function withVolumes(
  { sounds, timeline }: FilmSetup,
  session: FilmSession,
  frames: number,
  { bundle, folder }: RenderStage,
): Promise<readonly AudibleClip[]> {
  if (sounds.length === 0 || !bundle.mentions(/(?<!data-)\bvolume\b/)) return sounds;
  const clips = sounds.map(({ clip }) => ({ key: clip.key, volume: clip.media?.volume ?? 1 }));
  const valuesByKey = new Map<string, number[]>();
  for (let from = 0; from < frames; from += volumeStride) {
    const to = Math.min(frames, from + volumeStride);
    const curves = await session.volumes({ from, to, clips });
    for (const [key, values] of Object.entries(curves))
      valuesByKey.set(key, [...(valuesByKey.get(key) ?? []), ...values]);
  }
  return Promise.all(
    sounds.map(async (sound, index) => {
      const values = valuesByKey.get(sound.clip.key) ?? [];
      if (values.every((value) => value === values[0])) return sound;
      const curvePath = join(folder, `volume-${index}.f32`);
      await writeNew(curvePath, sampleFinely(values, timeline.fps));
      return { ...sound, curvePath };
    }),
  );
}

/** Number of frames that the page is asked about in one call. */
const volumeStride = 500;

/** Interpolates linearly from one value per frame to a thousand per second. */
function sampleFinely(values: readonly number[], fps: number): Buffer {
  const count = Math.ceil((values.length / fps) * 1_000);
  const samples = new Float32Array(count);
  for (let at = 0; at < count; at++) {
    const place = Math.min(values.length - 1, (at * fps) / 1_000);
    const low = Math.floor(place);
    const [from = 0, to = from] = values.slice(low, low + 2);
    samples[at] = from + (to - from) * (place - low);
  }
  return Buffer.from(samples.buffer);
}
