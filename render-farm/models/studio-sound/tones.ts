import type { Random } from "../studio-image/seeded-random.ts";
import { rate } from "./track.ts";

/** Building blocks of sounds: noise, oscillators, filters, envelopes. */

export function samples(seconds: number): number {
  return Math.max(1, Math.round(seconds * rate));
}

/** Returns white noise from -1 to 1. */
export function noise(dice: Random, seconds: number): Float32Array {
  const sound = new Float32Array(samples(seconds));
  let state = dice.index(4_294_967_295) | 1;
  for (let i = 0; i < sound.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    sound[i] = state / 2_147_483_648;
  }
  return sound;
}

export function tone(
  seconds: number,
  hertzAt: (second: number) => number,
  shape: (phase: number) => number = Math.sin,
): Float32Array {
  const sound = new Float32Array(samples(seconds));
  let phase = 0;
  for (let i = 0; i < sound.length; i++) {
    sound[i] = shape(phase);
    phase += (hertzAt(i / rate) * 2 * Math.PI) / rate;
    if (phase > 2 * Math.PI) phase -= 2 * Math.PI;
  }
  return sound;
}

/** Plays a wave with the given strengths of harmonics from a table, which is cheap. */
export function harmonics(
  seconds: number,
  hertz: number,
  strengths: readonly number[],
  vibrato = 0,
): Float32Array {
  const size = 2_048;
  const table = new Float32Array(size + 1);
  const audible = strengths.slice(0, Math.max(1, Math.floor(14_000 / hertz)));
  for (let i = 0; i <= size; i++)
    table[i] = audible.reduce(
      (sum, strength, k) => sum + strength * Math.sin((2 * Math.PI * (k + 1) * i) / size),
      0,
    );
  const sound = new Float32Array(samples(seconds));
  let phase = 0;
  for (let i = 0; i < sound.length; i++) {
    const whole = Math.floor(phase);
    const near = table[whole] ?? 0;
    sound[i] = near + ((table[whole + 1] ?? 0) - near) * (phase - whole);
    const swing = vibrato === 0 ? 1 : 1 + vibrato * Math.sin((i / rate) * 33);
    phase += (hertz * swing * size) / rate;
    while (phase >= size) phase -= size;
  }
  return sound;
}

export interface Partial {
  readonly hertz: number;
  readonly gain: number;
  /** Seconds in which the partial falls to a thousandth. */
  readonly decay: number;
}

/** Plays a struck object, in which every partial is a damped resonator. */
export function strike(seconds: number, partials: readonly Partial[]): Float32Array {
  const sound = new Float32Array(samples(seconds));
  for (const { hertz, gain, decay } of partials) {
    if (hertz > 18_000) continue;
    const turn = (2 * Math.PI * hertz) / rate;
    const shrink = 10 ** (-3 / (decay * rate));
    const [first, second] = [2 * Math.cos(turn) * shrink, shrink * shrink];
    let [before, now] = [0, gain * Math.sin(turn)];
    for (let i = 0; i < sound.length; i++) {
      sound[i] = (sound[i] ?? 0) + now;
      const next = first * now - second * before;
      before = now;
      now = next;
    }
  }
  return sound;
}

/** Plays a plucked string (Karplus and Strong, 1983); `bright` is from 0 to 1. */
export function pluck(dice: Random, seconds: number, hertz: number, bright: number): Float32Array {
  const sound = new Float32Array(samples(seconds));
  const period = rate / hertz;
  const whole = Math.floor(period);
  const string = lowpass(noise(dice, (whole + 2) / rate), 1_500 + bright * 9_000);
  const loss = 0.5 ** (1 / (hertz * (0.9 + bright)));
  const part = period - whole;
  let at = 0;
  for (let i = 0; i < sound.length; i++) {
    const now = string[at] ?? 0;
    const next = string[(at + 1) % whole] ?? 0;
    sound[i] = now;
    string[at] = loss * (now * (0.5 + part * 0.25) + next * (0.5 - part * 0.25));
    at = (at + 1) % whole;
  }
  return sound;
}

type Kind = "low" | "high" | "band";

/** Second-order filters from the Audio EQ Cookbook (R. Bristow-Johnson), applied in place. */
function filter(sound: Float32Array, kind: Kind, hertz: number, q: number): Float32Array {
  const turn = (2 * Math.PI * Math.min(hertz, rate * 0.45)) / rate;
  const cosine = Math.cos(turn);
  const alpha = Math.sin(turn) / (2 * q);
  const a0 = 1 + alpha;
  const edge = kind === "low" ? (1 - cosine) / 2 : kind === "high" ? (1 + cosine) / 2 : alpha;
  const b0 = edge / a0;
  const b1 = (kind === "low" ? 1 - cosine : kind === "high" ? -(1 + cosine) : 0) / a0;
  const b2 = (kind === "band" ? -alpha : edge) / a0;
  const [a1, a2] = [(-2 * cosine) / a0, (1 - alpha) / a0];
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  for (let i = 0; i < sound.length; i++) {
    const x = sound[i] ?? 0;
    const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
    x2 = x1;
    x1 = x;
    y2 = y1;
    y1 = y;
    sound[i] = y;
  }
  return sound;
}

export function lowpass(sound: Float32Array, hertz: number, q = Math.SQRT1_2): Float32Array {
  return filter(sound, "low", hertz, q);
}

export function highpass(sound: Float32Array, hertz: number, q = Math.SQRT1_2): Float32Array {
  return filter(sound, "high", hertz, q);
}

export function bandpass(sound: Float32Array, hertz: number, q: number): Float32Array {
  return filter(sound, "band", hertz, q);
}

/** Applies a band-pass of moving frequency (state variable filter, H. Chamberlin; `q` > 0.5). */
export function wander(
  sound: Float32Array,
  hertzAt: (second: number) => number,
  q: number,
): Float32Array {
  let [low, band] = [0, 0];
  let strength = 0;
  for (let i = 0; i < sound.length; i++) {
    if ((i & 31) === 0)
      strength = 2 * Math.sin((Math.PI * Math.min(hertzAt(i / rate), rate / 7)) / rate);
    low += strength * band;
    const high = (sound[i] ?? 0) - low - band / q;
    band += strength * high;
    sound[i] = band;
  }
  return sound;
}

/** Multiplies by a gain that is computed every 32 samples and interpolated linearly between. */
export function shapeSound(sound: Float32Array, gainAt: (second: number) => number): Float32Array {
  const stride = 32;
  let gain = gainAt(0);
  for (let from = 0; from < sound.length; from += stride) {
    const next = gainAt((from + stride) / rate);
    const step = (next - gain) / stride;
    for (let i = from; i < Math.min(sound.length, from + stride); i++) {
      sound[i] = (sound[i] ?? 0) * gain;
      gain += step;
    }
    gain = next;
  }
  return sound;
}

/** Applies an envelope: rises in `attack`, then falls to a thousandth in `decay` seconds. */
export function percussive(sound: Float32Array, attack: number, decay: number): Float32Array {
  return shapeSound(sound, (t) => (t < attack ? t / attack : 10 ** ((-3 * (t - attack)) / decay)));
}

/** Applies an envelope that rises, holds, and falls to silence at the very end. */
export function sustain(sound: Float32Array, attack: number, release: number): Float32Array {
  const length = sound.length / rate;
  return shapeSound(sound, (t) => {
    const gain = Math.min(1, t / attack, (length - t) / release);
    return gain <= 0 ? 0 : gain * gain * (3 - 2 * gain);
  });
}

/** Returns slow random motion between 0 and 1, for gusts, waves and an unsteady hand. */
export function gusts(dice: Random, perSecond: number): (second: number) => number {
  const points = Array.from({ length: 512 }, () => dice.next());
  return (second) => {
    const place = second * perSecond;
    const whole = Math.floor(place);
    const part = place - whole;
    const [from = 0, to = 0] = [points[whole & 511], points[(whole + 1) & 511]];
    return from + (to - from) * part * part * (3 - 2 * part);
  };
}
