import { join } from "node:path";
import { check, type Static, Type } from "../../config/schema.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import { deliverRecording } from "../media/delivery.ts";
import { refuseInput, type TaskContext, type TaskWorker } from "../node/task-loop.ts";
import type { Workspaces } from "../node/workspace.ts";
import { outputTo } from "../programs/media-tools.ts";
import { bitExact, encodings, SoundFormat } from "./sound-files.ts";
import { playInThread } from "./sound-thread.ts";
import type { PlayRequest } from "./studio-sound/player.ts";
import { rate, type Track, toPcm } from "./studio-sound/track.ts";

/**
 * The models `studio-music` and `studio-sound`: sound synthesised from the prompt's words and a
 * seed, mastered by ffmpeg. Equal input gives equal bytes.
 */
const seconds = (maximum: number) => Type.Number({ minimum: 0.5, maximum });
const common = {
  prompt: Type.String({ minLength: 1, maxLength: 10_000 }),
  format: SoundFormat,
  seed: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
};
const MusicInput = Type.Object(
  { ...common, durationSeconds: seconds(180) },
  { additionalProperties: false },
);
const SoundInput = Type.Object(
  { ...common, durationSeconds: seconds(30) },
  { additionalProperties: false },
);
type SoundInput = Static<typeof SoundInput>;
const isMusicInput = check<SoundInput>(MusicInput);
const isSoundInput = check<SoundInput>(SoundInput);

export function studioMusic(
  workspaces: Workspaces,
  objects: Objects,
  timeoutMs: number,
): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isMusicInput(input)) return refuseInput("music", isMusicInput.faults(input));
      const track = await play("music", input, context);
      return master(workspaces, objects, input, track, context);
    },
  };
}

export function studioSound(
  workspaces: Workspaces,
  objects: Objects,
  timeoutMs: number,
): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isSoundInput(input)) return refuseInput("sound_effect", isSoundInput.faults(input));
      const track = await play("effect", input, context);
      return master(workspaces, objects, input, track, context);
    },
  };
}

function play(
  kind: PlayRequest["kind"],
  { prompt, durationSeconds, seed }: SoundInput,
  { signal, reportProgress }: TaskContext,
): Promise<Track> {
  const request = { kind, prompt, seconds: durationSeconds, seed };
  return playInThread(request, signal, (fraction) => reportProgress(fraction * 0.8));
}

/** Arguments that read a track from standard input. */
const pcmInput = ["-f", "f32le", "-ar", `${rate}`, "-ac", "2", "-i", "pipe:0"];

async function master(
  workspaces: Workspaces,
  objects: Objects,
  { format }: SoundInput,
  track: Track,
  { signal, outputPrefix }: TaskContext,
): Promise<TaskOutcome> {
  return workspaces.use(async ({ folder, media: tools }) => {
    const { mimeType, args } = encodings[format];
    const path = join(folder, `sound.${format}`);
    const chain = [
      "highpass=f=28",
      "acompressor=threshold=0.25:ratio=2:attack=20:release=250:makeup=1.2",
      "alimiter=limit=0.84:attack=5:release=60:level=disabled",
    ];
    await tools.ffmpeg(
      [...pcmInput, "-af", chain.join(","), ...bitExact, ...args, ...outputTo(path)],
      { signal, stdin: toPcm(track), fault: "The sound could not be finished." },
    );
    const delivery = { tools, objects, signal, stem: `${outputPrefix}/0` };
    return { kind: "succeeded", outputs: [await deliverRecording(delivery, path, mimeType)] };
  });
}
