import { parentPort, workerData } from "node:worker_threads";
import { playAmbience, playEffect } from "./effects.ts";
import { playMusic } from "./music.ts";
import type { Track } from "./track.ts";

/** Entry of the synthesis thread: plays the request, reports progress, hands over the track. */
export interface PlayRequest {
  readonly kind: "music" | "effect" | "ambience";
  readonly prompt: string;
  readonly seconds: number;
  readonly seed: number;
}

export type Played =
  | { readonly kind: "progress"; readonly fraction: number }
  | { readonly kind: "track"; readonly track: Track };

function say(played: Played, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(played, transfer);
}

function play({ kind, prompt, seconds, seed }: PlayRequest): Track {
  if (kind === "effect") return playEffect(prompt, seconds, seed);
  if (kind === "ambience") return playAmbience(prompt, seconds, seed);
  const parts = playMusic(prompt, seconds, seed);
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
    say({ kind: "progress", fraction: part.value });
  }
}

const track = play(workerData as PlayRequest);
say({ kind: "track", track }, [
  track.left.buffer as ArrayBuffer,
  track.right.buffer as ArrayBuffer,
]);
