import { join } from "node:path";
import type { Timeline } from "../../actors/timeline/model.ts";
import { limits } from "../../config/limits.ts";
import { deliverRecording } from "../delivery.ts";
import { outputTo } from "../media-tools.ts";
import { isBlack } from "../pictures.ts";
import { mixSound } from "./audio-mix.ts";
import { encodingArgs, frameFormats } from "./encoding.ts";
import { filmFrames } from "./film-frames.ts";
import { type FilmSetup, framesOf, ownSound, setUpFilm } from "./film-setup.ts";
import { passMs } from "./media-files.ts";
import { drivenPainter, type Painter } from "./painters.ts";
import { RenderFault } from "./render-fault.ts";
import { checkAnimation, type Made, openSession, type RenderStage } from "./render-stage.ts";
import { VideoFrames } from "./video-frames.ts";

/** A whole film: sound first, then frames from the pages into one encoder. */
export async function makeVideo(stage: RenderStage): Promise<Made> {
  const { input, tools, context, folder, objects, warnings } = stage;
  const { signal } = context;
  const quality = input.quality ?? "standard";
  const workshop = { ...stage, tools: tools.media, signal, patience: tools.patience };
  const hasSound = input.audioMix?.mute !== true;
  const setup = await setUpFilm(workshop, { isTransparent: false, hasSound });
  const { timeline } = setup;
  checkSize(timeline);
  const cast = await Promise.all(
    Array.from({ length: tools.pages }, () => openSession(setup.plan, stage)),
  );
  const close = (): void => {
    for (const session of cast) session.close();
  };
  try {
    const [first] = cast;
    const faults = cast.flatMap((session) => session.takeFaults());
    checkAnimation(first?.report.lacksTimeline ?? false, faults, timeline, warnings);
    const frames = framesOf(timeline, first?.report.duration);
    const seconds = frames / timeline.fps;
    const mix = { tools: tools.media, folder, signal, seconds, mix: input.audioMix ?? {} };
    const sound = await mixSound(setup.sounds, mix);
    const path = join(folder, "film.mp4");
    const format = frameFormats[quality];
    const picture =
      format.codec === "png"
        ? ({ format: "png" } as const)
        : ({ format: "jpeg", quality: format.quality } as const);
    const painters = cast.map((session) => drivenPainter(session, picture));
    const args = encodingArgs({
      ...{ quality, codec: format.codec, fps: timeline.fps, frames },
      sound: sound === undefined ? undefined : ownSound(sound),
    });
    await tools.media.ffmpeg([...args, ...outputTo(path)], {
      signal,
      timeoutMs: passMs,
      fault: "The frames could not be encoded.",
      stdin: checkedFrames(painters, setup, frames, stage),
    });
    for (const fault of cast.flatMap((session) => session.takeFaults()))
      warnings.add(`a script threw: ${fault}`);
    const delivery = { tools: tools.media, objects, signal, stem: `${context.outputPrefix}/0` };
    const output = await deliverRecording(delivery, path, "video/mp4");
    const { width, height } = output;
    const details = { target: "video", quality, width, height, durationSeconds: seconds, frames };
    return { output: { ...output, durationSeconds: seconds }, details };
  } finally {
    close();
  }
}

function checkSize({ width, height }: Timeline): void {
  const { longEdgeMax, shortEdgeMax } = limits.capture;
  if (Math.max(width, height) <= longEdgeMax && Math.min(width, height) <= shortEdgeMax) return;
  const most = `${longEdgeMax}x${shortEdgeMax}`;
  throw new RenderFault("invalid_composition", `${width}x${height} is larger than ${most}`);
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
    ...{ tools: tools.media, signal: context.signal, fps: timeline.fps },
    ...{ frames, first: 0, warnings },
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
