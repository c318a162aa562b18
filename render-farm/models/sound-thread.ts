import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Played, PlayRequest } from "./studio-sound/player.ts";
import type { Track } from "./studio-sound/track.ts";

const folder = join(import.meta.dirname, "studio-sound");
const player = join(folder, `player${extname(import.meta.filename)}`);

/** Runs synthesis, which takes seconds of CPU time, in a thread, so the node stays responsive. */
export function playInThread(
  request: PlayRequest,
  signal: AbortSignal,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<Track> {
  const thread = new Worker(player, { workerData: request, env: {} });
  const stop = (): void => void thread.terminate();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return new Promise<Track>((resolve, reject) => {
    thread.on("message", (played: Played) => {
      if (played.kind === "progress") onProgress(played.fraction);
      else resolve(played.track);
    });
    thread.once("error", reject);
    thread.once("exit", () =>
      reject(new PortError("the sound was stopped before it was played", true)),
    );
  }).finally(() => signal.removeEventListener("abort", stop));
}
