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

/** The reason why a page cannot be captured in a certain way. */
export interface Refusal {
  readonly refusal: string;
}

/** Captures every frame with the compositor. */
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

/** Lets pages capture themselves; refused if frames differ visibly from the compositor's. */
export async function captureFromPages(
  pagePool: PagePool,
  capture: FilmCapture,
): Promise<Footage | Refusal> {
  const { reference } = pagePool;
  if (reference === undefined) throw new Error("drawn pages are compared with a driven one");
  const samples = new Samples(capture.frames, { isBlack: isDark, step: 2, isJudgedEarly: true });
  const filming = recordSegments(selfCapturedRecorders(pagePool, capture), samples, capture);
  const videosAt = async (frame: number) => {
    // Without videos, the reference page need not wait for the other pages.
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

/** Makes the recorders for the pages of a pool. */
export const recordersOf = {
  "self-captured": selfCapturedRecorders,
  "compositor-captured": createRecorders,
};

/** Composes the film with ffmpeg alone; refused for pages that are more than pictures in boxes. */
export async function captureComposed(
  pages: PagePool,
  capture: FilmCapture,
): Promise<Footage | Refusal> {
  const [session] = pages.sessions;
  const layout = await session.layout();
  const runs = layout === null ? undefined : composableRuns(layout, capture);
  if (layout === null || runs === undefined)
    return { refusal: "the page contains more than pictures in boxes" };
  const images = await decodeImages(layout, capture);
  if (images === undefined) return { refusal: "Only Chromium can read one of the pictures" };
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

/** Thrown when frames differ; the message names the frame and the difference. */
class Unlike extends Error {}

/** Similarity in dB, below which a viewer may notice a difference. */
const similarityMin = { overall: 32, worst: 22 } as const;

const noVideos: FrameVideos = new Map();

/** Takes half the work of a PNG; its noise is far below the differences to detect. */
const closely: Picture = { format: "jpeg", quality: 95 };

interface Comparison {
  /** A page captured by the compositor. */
  readonly reference: FilmSession;
  /** Converts a sample's planes to what a screen would show of them. */
  readonly shown: (planes: Buffer) => Buffer;
  /** Returns the pictures of all videos that are visible in a frame. */
  readonly videosAt: (frame: number) => Promise<FrameVideos>;
}

/** Compares samples with the reference page. Throws `Unlike` when they differ too much. */
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
    throw new Unlike(`frame ${frame} differs from the compositor's (${found})`);
  });
  await Promise.all(comparing);
}

/** Adds the errors of the page's scripts to the warnings. */
export function collectFaults({ sessions }: PagePool, { stage }: FilmCapture): void {
  for (const fault of sessions.flatMap((session) => session.takeFaults()))
    stage.warnings.add(`a script threw: ${fault}`);
}
