import { newTrack, rate, type Track } from "./track.ts";

/** Delay lines in milliseconds, mutually prime at 44,100 Hz. */
const lengths = [1_557, 1_617, 1_491, 1_422, 1_277, 1_356];
const diffusers = [225, 556, 441, 341];

/**
 * Adds reverberation after Schroeder and Moorer: parallel damped combs, then all-passes, slightly
 * longer on the right. `size`, from 0 to 1, scales the tail.
 */
export function addRoom(dry: Track, size: number): Track {
  const wet = newTrack(dry.left.length / rate);
  const feedback = 0.72 + size * 0.24;
  for (const [source, target, spread] of [
    [dry.left, wet.left, 0],
    [dry.right, wet.right, 23],
  ] as const) {
    for (const length of lengths) comb(source, target, length + spread, feedback);
    for (const length of diffusers) diffuse(target, length + spread);
  }
  return wet;
}

function comb(source: Float32Array, target: Float32Array, length: number, feedback: number): void {
  const line = new Float32Array(length);
  let dull = 0;
  for (let i = 0, at = 0; i < source.length; i++) {
    const out = line[at] ?? 0;
    dull = out * 0.72 + dull * 0.28;
    line[at] = (source[i] ?? 0) * 0.06 + dull * feedback;
    target[i] = (target[i] ?? 0) + out;
    at = at + 1 === length ? 0 : at + 1;
  }
}

function diffuse(sound: Float32Array, length: number): void {
  const line = new Float32Array(length);
  for (let i = 0, at = 0; i < sound.length; i++) {
    const out = line[at] ?? 0;
    const own = sound[i] ?? 0;
    line[at] = own + out * 0.5;
    sound[i] = out - own * 0.5;
    at = at + 1 === length ? 0 : at + 1;
  }
}
