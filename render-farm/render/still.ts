import { limits } from "../../config/limits.ts";
import type { TaskOutput } from "../../engine/ports/tasks.ts";
import type { Timeline } from "../../timeline/model.ts";
import type { Size } from "../pictures/orders.ts";
import { countFrames, setUpFilm } from "./inputs/film-setup.ts";
import { FilmBrowser } from "./page/film-browser.ts";
import type { FilmSession } from "./page/film-page-session.ts";
import { RenderError, type Warnings } from "./render-error.ts";
import type { StillOptions } from "./render-input.ts";
import { checkAnimation, type Made, type RenderStage, warnOfBlackGround } from "./render-stage.ts";
import { StillVideos } from "./videos/still-videos.ts";

/** Makes one frame of a composition as a PNG. */
export async function makeStill(stage: RenderStage): Promise<Made> {
  const { input, warnings, tools, context } = stage;
  const options = input.still ?? {};
  if (options.atSeconds !== undefined && options.frame !== undefined)
    throw new RenderError("internal", "a still takes either at_seconds or frame, not both");
  const { signal } = context;
  const isTransparent = options.background === "transparent";
  const { media, pictures } = tools;
  const workshop = { ...stage, tools: media, pictures, signal, patience: tools.patience };
  const setup = await setUpFilm(workshop, { isTransparent, hasSound: false });
  const { timeline, plan } = setup;
  const choice = (said: number | undefined): Choice => {
    const frames = countFrames(timeline, said);
    return { frames, frame: getFrame(options, frames, timeline.fps, warnings) };
  };
  const stop = new AbortController();
  const videosAt = (frame: number) => new StillVideos(frame, setup, stage, stop.signal);
  // Videos are read while the page opens, unless only the page knows the film's length.
  const early = timeline.duration === undefined ? undefined : choice(undefined);
  const ahead = early && videosAt(early.frame);
  const { browsers, scripts, patience } = tools;
  const pageSetup = { scripts, files: stage.files, plan, warnings, patience };
  const film = `${stage.bundle.digest} ${JSON.stringify(plan)}`;
  const taking = FilmBrowser.from(browsers, pageSetup, signal, film);
  try {
    const browser = await taking;
    context.reportProgress(0.2);
    const session = await browser.open("compositor-captured");
    context.reportProgress(0.5);
    checkAnimation(session.report, session.takeFaults(), timeline, warnings);
    if (!isTransparent) warnOfBlackGround(session.report, timeline, warnings);
    const { frames, frame } = early ?? choice(session.report.duration);
    if (setup.videos.length === 0) await session.seek(frame, {});
    else await seekWith(ahead ?? videosAt(frame), frame, session);
    const { image } = await session.paint({ format: "png" });
    context.reportProgress(0.8);
    for (const fault of session.takeFaults()) warnings.add(`a script threw: ${fault}`);
    if (image === undefined) throw new RenderError("internal", "the page painted nothing", true);
    const size = stillSize(timeline, options.maxDimension ?? undefined);
    const output = await storePicture(image, size, isTransparent, stage);
    await browser.keep(film);
    const details = {
      target: "still",
      ...size,
      frame,
      atSeconds: frame / timeline.fps,
      background: options.background ?? "opaque",
      frames,
      frameRate: timeline.fps,
      maxDimension: options.maxDimension ?? null,
    };
    return { output, details };
  } finally {
    stop.abort();
    await taking.then((browser) => browser.close()).catch(() => undefined);
  }
}

interface Choice {
  readonly frame: number;
  /** Number of frames in the whole film. */
  readonly frames: number;
}

/** Paints everything but the videos while these are being decoded. */
async function seekWith(videos: StillVideos, frame: number, session: FilmSession): Promise<void> {
  const expecting = videos.pictures.then((pictures) => session.expect(pictures));
  expecting.catch(() => undefined);
  await session.seek(frame, {});
  await session.paint();
  await expecting;
  const lost = await session.show();
  if (lost.length === 0) return;
  await session.expect(await videos.decodeVideos(lost));
  const missing = await session.show();
  if (missing.length > 0) throw new RenderError("internal", "a video's picture got lost", true);
}

/** Rounds to the nearest frame; past the end takes the last frame and warns. */
export function getFrame(
  { atSeconds, frame }: StillOptions,
  frames: number,
  fps: number,
  warnings: Warnings,
): number {
  const wanted = frame ?? Math.round((atSeconds ?? 0) * fps);
  if (wanted < frames) return wanted;
  const asked = frame === undefined ? `at_seconds ${atSeconds}` : `frame ${frame}`;
  warnings.add(`${asked} is past the end; the last frame, ${frames - 1}, is shown`);
  return frames - 1;
}

/** Fits the still into the largest size and the requested edge, never larger than the canvas. */
export function stillSize({ width, height }: Timeline | Size, edge: number | undefined): Size {
  const { stillWidthMax, stillHeightMax } = limits.capture;
  const longest = edge ?? Math.max(width, height);
  const factor = Math.min(
    1,
    stillWidthMax / width,
    stillHeightMax / height,
    longest / Math.max(width, height),
  );
  const scale = (value: number): number => Math.max(1, Math.round(value * factor));
  return { width: scale(width), height: scale(height) };
}

async function storePicture(
  picture: Buffer,
  size: Size,
  isTransparent: boolean,
  { objects, context, tools: { screenshots } }: RenderStage,
): Promise<TaskOutput> {
  const stem = `${context.outputPrefix}/0`;
  const objectKey = `${stem}.png`;
  const thumbnailKey = `${stem}.thumb.jpg`;
  const [object] = await Promise.all([
    screenshots
      .still(picture, size, isTransparent)
      .then((bytes) => objects.put(objectKey, [bytes])),
    screenshots.thumbnail(picture).then((bytes) => objects.put(thumbnailKey, [bytes])),
  ]);
  return { objectKey, mimeType: "image/png", ...object, ...size, thumbnailKey };
}
