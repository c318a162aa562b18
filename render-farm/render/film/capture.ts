import { even } from "../../../timeline/model.ts";
import type { Picture } from "../../browser/stage.ts";
import { compositorFormats } from "../encode/encoding.ts";
import type { FilmSession } from "../page/film-page-session.ts";
import type { PagePool } from "../page/page-pool.ts";
import { compositorPainter, selfCapturePainter } from "../page/painters.ts";
import { composableRuns } from "./composable-runs.ts";
import { composeFrames, decodeImages } from "./composing.ts";
import type { FilmCapture } from "./film-capture.ts";
import { decodeVideosAt, type FrameVideos } from "./frame-videos.ts";
import { checkLight } from "./light.ts";
import { Samples } from "./samples.ts";
import { recorder, recordSegments, type SegmentRecorder } from "./segment-recorders.ts";
import { computeSimilarity, displayPicture, isDark, planesMaker } from "./similarity.ts";

/**
 * Ways of capturing a film. Self-captured pages are several times faster; sampled frames of theirs
 * are compared with those of a compositor-captured page, and one that differs makes the compositor
 * capture the whole film.
 *
 * A footage is the paths of encoded segments in the film's order.
 */
export type Footage = readonly string[];

/** Why pages cannot be captured in one way. */
export interface Refusal {
  readonly refusal: string;
}

/** Every frame by the compositor. */
export async function captureFromCompositor(
  pages: PagePool,
  capture: FilmCapture,
): Promise<Footage> {
  const isBlack = (picture: Buffer) => capture.stage.tools.screenshots.isBlack(picture);
  const samples = new Samples(capture.frames, { isBlack, step: 0 });
  const paths = await recordSegments(createRecorders(pages, capture), samples, capture);
  collectFaults(pages, capture);
  await checkLight(samples, capture);
  return paths;
}

function createRecorders({ sessions }: PagePool, capture: FilmCapture): readonly SegmentRecorder[] {
  const { stage, setup } = capture;
  const format = compositorFormats[stage.input.quality ?? "standard"];
  const picture =
    format.codec === "png"
      ? ({ format: "png" } as const)
      : ({ format: "jpeg", quality: format.quality } as const);
  const { width, height } = setup.timeline;
  return sessions.map((session) =>
    recorder(compositorPainter(session, picture), { ...format, width, height }, capture),
  );
}

/** By the pages themselves; refused when that does not look like the compositor's frames. */
export async function captureFromPages(
  pagePool: PagePool,
  capture: FilmCapture,
): Promise<Footage | Refusal> {
  const { reference } = pagePool;
  if (reference === undefined) throw new Error("drawn pages are compared with a driven one");
  const samples = new Samples(capture.frames, { isBlack: isDark, step: 2, isJudgedEarly: true });
  const filming = recordSegments(selfCapturedRecorders(pagePool, capture), samples, capture);
  const videosAt = async (frame: number) => {
    // Without videos the page to compare with need not wait for the others.
    if (capture.setup.videos.length === 0) return noVideos;
    return (await samples.at(frame)).videos ?? decodeVideosAt(frame, capture);
  };
  const comparison = { reference, shown: (planes: Buffer) => planes, videosAt };
  const comparing = compare(samples, comparison, capture);
  try {
    const [paths] = await Promise.all([filming, comparing]);
    collectFaults(pagePool, capture);
    await checkLight(samples, capture);
    return paths;
  } catch (failure) {
    if (failure instanceof Unlike) return { refusal: failure.message };
    throw failure;
  } finally {
    capture.shared?.parts.close();
    await pagePool.close();
    await Promise.allSettled([filming, comparing]);
  }
}

function selfCapturedRecorders(
  { sessions }: PagePool,
  capture: FilmCapture,
): readonly SegmentRecorder[] {
  const { width, height } = capture.setup.timeline;
  const format = { codec: "planes", width: even(width), height: even(height) } as const;
  return sessions.map((session) => recorder(selfCapturePainter(session), format, capture));
}

/** Those of a pool's pages. */
export const recordersOf = {
  "self-captured": selfCapturedRecorders,
  "compositor-captured": createRecorders,
};

/** By ffmpeg alone; refused for what is more than pictures in boxes. */
export async function captureComposed(
  pages: PagePool,
  capture: FilmCapture,
): Promise<Footage | Refusal> {
  const [session] = pages.sessions;
  const layout = await session.layout();
  const runs = layout === null ? undefined : composableRuns(layout, capture);
  if (layout === null || runs === undefined)
    return { refusal: "the page is more than pictures in boxes" };
  const images = await decodeImages(layout, capture);
  if (images === undefined) return { refusal: "Chromium alone reads one of the pictures" };
  const samples = new Samples(capture.frames, { isBlack: isDark, step: 4 });
  const showPlanes = (planes: Buffer): Buffer =>
    displayPicture(planes, capture.setup.timeline.width);
  const composing = composeFrames(layout, runs, images, samples, capture).catch(
    (failure: unknown) => {
      samples.end(failure);
      throw failure;
    },
  );
  try {
    const videosAt = (frame: number) => decodeVideosAt(frame, capture);
    const comparison = { reference: session, shown: showPlanes, videosAt };
    const [paths] = await Promise.all([composing, compare(samples, comparison, capture)]);
    await checkLight(samples, capture);
    return paths;
  } catch (failure) {
    if (failure instanceof Unlike) return { refusal: failure.message };
    throw failure;
  } finally {
    await Promise.allSettled([composing]);
  }
}

/** The message names the frame and the difference. */
class Unlike extends Error {}

/** Below these a viewer may see a difference, in dB. */
const similarityMin = { overall: 32, worst: 22 } as const;

const noVideos: FrameVideos = new Map();

/** Half the work of a PNG; its noise is far below the difference to be found. */
const closely: Picture = { format: "jpeg", quality: 95 };

interface Comparison {
  /** A page captured by the compositor. */
  readonly reference: FilmSession;
  /** What a screen makes of a sample's planes. */
  readonly shown: (planes: Buffer) => Buffer;
  /** What videos show in a frame. */
  readonly videosAt: (frame: number) => Promise<FrameVideos>;
}

/** Throws `Unlike`. */
async function compare(
  samples: Samples,
  { reference, shown, videosAt }: Comparison,
  { stage, setup }: FilmCapture,
): Promise<void> {
  const planesOf = await planesMaker(stage.tools, setup.timeline);
  const painter = compositorPainter(reference, closely);
  let last: Buffer | undefined;
  const paint = async (frame: number): Promise<Buffer> => {
    const places = await painter.place(await videosAt(frame));
    const painting = await painter.paint(frame, places, undefined);
    last = (await painting?.picture) ?? last;
    if (last === undefined) throw new Error("a page painted nothing");
    return planesOf(last);
  };
  let before: Promise<unknown> = Promise.resolve();
  const comparing = samples.compared.map(async (frame) => {
    const painting = before.then(() => paint(frame));
    before = painting;
    const wanted = await painting;
    const { picture } = await samples.at(frame);
    samples.forget(frame);
    const { overall, worst } = computeSimilarity(
      shown(picture),
      wanted,
      even(setup.timeline.width),
    );
    if (overall >= similarityMin.overall && worst >= similarityMin.worst) return;
    const found = `${overall.toFixed(1)} dB, ${worst.toFixed(1)} dB at the worst place`;
    throw new Unlike(`frame ${frame} is not like the compositor's (${found})`);
  });
  await Promise.all(comparing);
}

/** Turns errors of scripts into warnings. */
export function collectFaults({ sessions }: PagePool, { stage }: FilmCapture): void {
  for (const fault of sessions.flatMap((session) => session.takeFaults()))
    stage.warnings.add(`a script threw: ${fault}`);
}
