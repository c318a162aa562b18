import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Timeline } from "../../actors/timeline/model.ts";
import { limits } from "../../config/limits.ts";
import { deliverRecording } from "../delivery.ts";
import { type HeardClip, mixSound } from "./audio-mix.ts";
import type { FilmSession } from "./film-page-session.ts";
import { type FilmSetup, framesOf, setUpFilm } from "./film-setup.ts";
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
    const sounds = await withVolumes(setup, first, frames, stage);
    // Mixed while the pages start; the encoder waits for it.
    const sound = mixSound(sounds, mix);
    sound.catch(() => undefined);
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

/** Sounds with the loudness that timelines give them, asked for only when a script speaks of it. */
async function withVolumes(
  { sounds, timeline }: FilmSetup,
  session: FilmSession,
  frames: number,
  { bundle, folder }: RenderStage,
): Promise<readonly HeardClip[]> {
  if (sounds.length === 0 || !bundle.mentions("volume")) return sounds;
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
      await writeFile(curvePath, finelySampled(values, timeline.fps));
      return { ...sound, curvePath };
    }),
  );
}

/** Frames that the page is led through at a time. */
const volumeStride = 500;

/** From one value a frame to a thousand a second, in straight lines. */
function finelySampled(values: readonly number[], fps: number): Buffer {
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
