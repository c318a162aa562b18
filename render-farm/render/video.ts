import { join } from "node:path";
import type { Timeline } from "../../actors/timeline/model.ts";
import { limits } from "../../config/limits.ts";
import { deliverRecording } from "../delivery.ts";
import { mixSound } from "./audio-mix.ts";
import { framesOf, setUpFilm } from "./film-setup.ts";
import { RenderFault } from "./render-fault.ts";
import { checkAnimation, type Made, openSession, type RenderStage } from "./render-stage.ts";
import { shootDrawn, shootDriven } from "./shooting.ts";

/** A whole film: sound first, then frames from the pages into one encoder. */
export async function makeVideo(stage: RenderStage): Promise<Made> {
  const { input, tools, context, folder, objects, warnings } = stage;
  const { signal } = context;
  const workshop = { ...stage, tools: tools.media, signal, patience: tools.patience };
  const hasSound = input.audioMix?.mute !== true;
  const setup = await setUpFilm(workshop, { isTransparent: false, hasSound });
  const { timeline, plan } = setup;
  checkSize(timeline);
  const first = await openSession(plan, stage);
  try {
    const { lacksTimeline, duration, obstacles } = first.report;
    checkAnimation(lacksTimeline, first.takeFaults(), timeline, warnings);
    const frames = framesOf(timeline, duration);
    const seconds = frames / timeline.fps;
    const mix = { tools: tools.media, folder, signal, seconds, mix: input.audioMix ?? {} };
    const sound = await mixSound(setup.sounds, mix);
    const shoot = { stage, setup, first, frames, sound, path: join(folder, "film.mp4") };
    const isDrawn = obstacles.length === 0 && frames >= drawnFramesMin;
    const capture = isDrawn ? await shootDrawn(shoot) : await shootDriven(shoot);
    const delivery = { tools: tools.media, objects, signal, stem: `${context.outputPrefix}/0` };
    const output = await deliverRecording(delivery, shoot.path, "video/mp4");
    const { width, height } = output;
    const measures = { width, height, durationSeconds: seconds, frames };
    const quality = input.quality ?? "standard";
    return {
      output: { ...output, durationSeconds: seconds },
      details: { target: "video", quality, capture, ...measures },
    };
  } finally {
    first.close();
  }
}

/** Shorter films are done before a second kind of page would have started. */
const drawnFramesMin = 60;

function checkSize({ width, height }: Timeline): void {
  const { longEdgeMax, shortEdgeMax } = limits.capture;
  if (Math.max(width, height) <= longEdgeMax && Math.min(width, height) <= shortEdgeMax) return;
  const most = `${longEdgeMax}x${shortEdgeMax}`;
  throw new RenderFault("invalid_composition", `${width}x${height} is larger than ${most}`);
}
