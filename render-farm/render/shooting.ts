import { outputTo } from "../media-tools.ts";
import { isBlack, likeness } from "../pictures.ts";
import { encodingArgs, frameFormats } from "./encoding.ts";
import { filmFrames } from "./film-frames.ts";
import type { FilmSession } from "./film-page-session.ts";
import { type FilmSetup, ownSound } from "./film-setup.ts";
import { passMs } from "./media-files.ts";
import { drawnPainter, drivenPainter, type Painter } from "./painters.ts";
import { RenderFault } from "./render-fault.ts";
import { openSession, type RenderStage } from "./render-stage.ts";
import { VideoFrames } from "./video-frames.ts";

/**
 * The two ways of filming. Drawn pages are several times faster; sampled frames of theirs are
 * compared with those of a driven page, and one that differs sends the whole film the slow way.
 */
export interface Shoot {
  readonly stage: RenderStage;
  readonly setup: FilmSetup;
  /** A driven page at its first frame. */
  readonly first: FilmSession;
  readonly frames: number;
  /** Path of the mix; `undefined` when nothing sounds. */
  readonly sound: Promise<string | undefined>;
  readonly path: string;
}

export type Capture = "drawn" | "driven";

/** Every frame by the compositor. */
export async function shootDriven(shoot: Shoot): Promise<Capture> {
  const { stage, setup, first } = shoot;
  const { codec, quality } = frameFormats[stage.input.quality ?? "standard"];
  const picture =
    codec === "png" ? ({ format: "png" } as const) : ({ format: "jpeg", quality } as const);
  const others = await openAll(stage.tools.pages - 1, setup.plan, stage);
  const cast = [first, ...others];
  try {
    await encode(
      cast.map((session) => drivenPainter(session, picture)),
      cast,
      codec,
      shoot,
    );
    return "driven";
  } finally {
    for (const session of others) session.close();
  }
}

/** By the pages themselves, as long as that looks like the compositor's. */
export async function shootDrawn(shoot: Shoot): Promise<Capture> {
  const { stage, setup, first, frames } = shoot;
  const plan = { ...setup.plan, isDrawn: true };
  const cast = await openAll(stage.tools.pages, plan, stage);
  try {
    if (cast.some(({ report }) => report.obstacles.length > 0)) return await shootDriven(shoot);
    const share = frameFormats[stage.input.quality ?? "standard"].quality / 100;
    const reference = remembering(drivenPainter(first, { format: "png" }));
    const checked = new Set([0, 1, 2, 3, 4].map((at) => Math.round((at * (frames - 1)) / 4)));
    const painters = cast.map((session) => ({
      paint: compared(drawnPainter(session, share), reference, checked),
    }));
    await encode(painters, cast, "mjpeg", shoot);
    return "drawn";
  } catch (failure) {
    if (!(failure instanceof Unlike)) throw failure;
    for (const session of cast) session.close();
    const fresh = await openSession(setup.plan, stage);
    try {
      return await shootDriven({ ...shoot, first: fresh });
    } finally {
      fresh.close();
    }
  } finally {
    for (const session of cast) session.close();
  }
}

class Unlike extends Error {}

/** Below this a viewer may see a difference, in dB. */
const likenessMin = 32;

function compared(
  drawn: Painter,
  reference: Painter["paint"],
  checked: ReadonlySet<number>,
): Painter["paint"] {
  let last: Buffer | undefined;
  return async (frame, videos) => {
    const picture = await drawn.paint(frame, videos);
    last = picture ?? last;
    if (!checked.has(frame) || last === undefined) return picture;
    const wanted = await reference(frame, videos);
    if (wanted !== undefined && (await likeness(last, wanted)) < likenessMin) throw new Unlike();
    return picture;
  };
}

/** One after the other, and the last picture again while nothing changes. */
function remembering({ paint }: Painter): Painter["paint"] {
  let last: Promise<Buffer | undefined> = Promise.resolve(undefined);
  return (frame, videos) => {
    last = last.then(async (before) => (await paint(frame, videos)) ?? before);
    return last;
  };
}

async function openAll(
  count: number,
  plan: FilmSetup["plan"],
  stage: RenderStage,
): Promise<readonly FilmSession[]> {
  const opening = Array.from({ length: count }, () => openSession(plan, stage));
  const settled = await Promise.allSettled(opening);
  const opened = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failed = settled.find((one) => one.status === "rejected");
  if (failed === undefined) return opened;
  for (const session of opened) session.close();
  throw failed.reason;
}

async function encode(
  painters: readonly Painter[],
  cast: readonly FilmSession[],
  codec: "mjpeg" | "png",
  { stage, setup, frames, sound, path }: Shoot,
): Promise<void> {
  const { tools, context, input, warnings } = stage;
  const mixed = await sound;
  const args = encodingArgs({
    quality: input.quality ?? "standard",
    codec,
    fps: setup.timeline.fps,
    frames,
    width: setup.timeline.width,
    height: setup.timeline.height,
    sound: mixed === undefined ? undefined : ownSound(mixed),
  });
  await tools.media.ffmpeg([...args, ...outputTo(path)], {
    signal: context.signal,
    timeoutMs: passMs,
    fault: "The frames could not be encoded.",
    stdin: checkedFrames(painters, setup, frames, stage),
  });
  for (const fault of cast.flatMap((session) => session.takeFaults()))
    warnings.add(`a script threw: ${fault}`);
}

/** Reports progress, and fails at the end of a film that is black where it should not be. */
async function* checkedFrames(
  painters: readonly Painter[],
  setup: FilmSetup,
  frames: number,
  { tools, context, warnings }: RenderStage,
): AsyncGenerator<Buffer> {
  const { timeline } = setup;
  const videos = new VideoFrames(setup.videos, {
    tools: tools.media,
    signal: context.signal,
    fps: timeline.fps,
    frames,
    first: 0,
    warnings,
  });
  const samples = new Map<number, Buffer>();
  const sampled = sampledFrames(frames);
  const onFrame = (frame: number, picture: Buffer): void => {
    if (sampled.has(frame)) samples.set(frame, picture);
    context.reportProgress((0.97 * (frame + 1)) / frames);
  };
  try {
    yield* filmFrames({ painters, videos, frames, onFrame });
  } finally {
    await videos.close();
  }
  await checkLight(samples, setup);
}

const samplesWanted = 9;

/** First, last and some between. */
function sampledFrames(frames: number): ReadonlySet<number> {
  const last = frames - 1;
  const places = Array.from({ length: samplesWanted }, (_, at) => at / (samplesWanted - 1));
  return new Set(places.map((place) => Math.round(place * last)));
}

async function checkLight(
  samples: ReadonlyMap<number, Buffer>,
  { timeline, plan }: FilmSetup,
): Promise<void> {
  for (const picture of samples.values()) if (!(await isBlack(picture))) return;
  const shown = [...samples.keys()].flatMap((frame) =>
    plan.clips.filter(({ isShown, from, to }) => isShown && frame >= from && frame < to),
  );
  if (shown.length === 0 && timeline.texts.length === 0) return;
  const kinds = [...new Set(shown.map(({ kind }) => kind))].join(", ");
  throw new RenderFault(
    "invalid_composition",
    `every sampled frame is black, although the timeline shows ${kinds || "texts"}`,
  );
}
