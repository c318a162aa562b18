import type { Random } from "../studio-image/seeded-random.ts";
import {
  harmonics,
  highpass,
  lowpass,
  noise,
  percussive,
  pluck,
  shapeSound,
  strike,
  sustain,
  tone,
} from "./tones.ts";

/** Plays one note: a mono sound of roughly equal loudness, `force` from 0 to 1. */
export type Instrument = (
  dice: Random,
  hertz: number,
  seconds: number,
  force: number,
) => Float32Array;

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);

/** A felt piano: stretched partials that die faster the higher they are. */
const piano: Instrument = (_dice, hertz, seconds, force) => {
  const ring = Math.min(5.5, 900 / hertz + 1.4);
  const partials = range(9).map((n) => ({
    hertz: hertz * n * Math.sqrt(1 + 0.0004 * n * n),
    gain: (0.5 / n ** (1.9 - force * 0.6)) * (n % 7 === 0 ? 0.3 : 1),
    decay: ring / (0.7 + n * 0.42),
  }));
  return sustain(strike(Math.min(seconds + 0.5, ring), partials), 0.004, 0.35);
};

const bell: Instrument = (_dice, hertz, seconds, force) => {
  const ratios = [1, 2.01, 2.76, 4.07, 5.4, 8.9];
  const partials = ratios.map((ratio, i) => ({
    hertz: hertz * ratio,
    gain: (0.34 * (0.6 + force * 0.4)) / (1 + i * 0.9),
    decay: 3.4 / (1 + i * 0.6),
  }));
  return sustain(strike(Math.max(seconds + 1.6, 2), partials), 0.003, 0.6);
};

const marimba: Instrument = (_dice, hertz, _seconds, force) =>
  strike(0.9, [
    { hertz, gain: 0.6, decay: 0.7 },
    { hertz: hertz * 3.93, gain: 0.16 + force * 0.12, decay: 0.22 },
    { hertz: hertz * 9.2, gain: 0.05 * force, decay: 0.08 },
  ]);

const guitar: Instrument = (dice, hertz, seconds, force) =>
  sustain(
    lowpass(pluck(dice, Math.min(3.2, seconds + 0.8), hertz, 0.35 + force * 0.4), 4_200),
    0.002,
    0.3,
  );

const harp: Instrument = (dice, hertz, seconds, force) =>
  sustain(pluck(dice, Math.min(3.5, seconds + 1.6), hertz, 0.2 + force * 0.25), 0.003, 0.6);

const strings: Instrument = (dice, hertz, seconds, force) => {
  const bowed = range(14).map((n) => 0.3 / n ** 1.15);
  const [one, other] = [-1, 1].map((side) =>
    harmonics(seconds + 0.5, hertz * (1 + side * dice.between(0.0012, 0.0026)), bowed, 0.0028),
  );
  const both = (one ?? new Float32Array(1)).map((value, i) => 0.5 * (value + (other?.[i] ?? 0)));
  return sustain(lowpass(both, 1_100 + force * 2_600), 0.22, 0.5);
};

const pad: Instrument = (dice, hertz, seconds, force) => {
  const soft = range(10).map((n) => 0.32 / n ** 1.5);
  const [one, other] = [-1, 1].map((side) =>
    harmonics(seconds + 1.4, hertz * (1 + side * dice.between(0.002, 0.0045)), soft),
  );
  const both = (one ?? new Float32Array(1)).map((value, i) => 0.5 * (value + (other?.[i] ?? 0)));
  return sustain(lowpass(both, 600 + force * 1_500), Math.min(0.9, seconds * 0.4), 1.3);
};

const choir: Instrument = (dice, hertz, seconds, force) => {
  const vowel = range(16).map((n) => {
    const at = n * hertz;
    const formant =
      Math.exp(-(((at - 700) / 260) ** 2)) + 0.6 * Math.exp(-(((at - 1_150) / 220) ** 2));
    return (0.12 + formant) * (0.26 / n ** 0.7);
  });
  const voice = harmonics(seconds + 0.8, hertz * dice.between(0.998, 1.002), vowel, 0.004);
  return sustain(lowpass(voice, 1_600 + force * 1_400), 0.35, 0.8);
};

const flute: Instrument = (dice, hertz, seconds, force) => {
  const body = harmonics(seconds + 0.12, hertz, [0.5, 0.16, 0.07, 0.03], 0.0035);
  const breath = lowpass(highpass(noise(dice, seconds + 0.12), hertz), hertz * 3);
  for (let i = 0; i < body.length; i++) body[i] = (body[i] ?? 0) + (breath[i] ?? 0) * 0.05 * force;
  return sustain(body, 0.06, 0.12);
};

const synth: Instrument = (_dice, hertz, seconds, force) => {
  const saw = harmonics(
    seconds + 0.15,
    hertz,
    range(24).map((n) => 0.28 / n),
    0.002,
  );
  return sustain(lowpass(saw, 900 + force * 3_200, 1.1), 0.012, 0.12);
};

const square: Instrument = (_dice, hertz, seconds) => {
  const odd = range(23).map((n) => (n % 2 === 1 ? 0.3 / n : 0));
  return sustain(harmonics(seconds, hertz, odd), 0.004, 0.03);
};

const brass: Instrument = (_dice, hertz, seconds, force) => {
  const blown = range(16).map((n) => 0.26 / n ** (1.25 - force * 0.3));
  return sustain(
    lowpass(harmonics(seconds + 0.1, hertz, blown, 0.002), 1_000 + force * 2_400),
    0.07,
    0.16,
  );
};

const bass: Instrument = (_dice, hertz, seconds, force) => {
  const sound = harmonics(seconds + 0.06, hertz, [0.62, 0.24, 0.12, 0.06, 0.03]);
  return sustain(
    lowpass(
      shapeSound(sound, (t) => 0.72 + 0.28 * Math.exp(-t * 6)),
      500 + force * 500,
    ),
    0.008,
    0.07,
  );
};

export const instruments = {
  bass,
  bell,
  brass,
  choir,
  flute,
  guitar,
  harp,
  marimba,
  pad,
  piano,
  square,
  strings,
  synth,
} as const;
export type InstrumentName = keyof typeof instruments;

/** A drum, which has no pitch. */
export type Drum = (dice: Random, force: number) => Float32Array;

export const drums = {
  kick: (_dice, force) =>
    percussive(
      tone(0.42, (t) => 46 + 120 * Math.exp(-t * 34)),
      0.002,
      0.4,
    ).map((v) => v * force),
  snare: (dice, force) => {
    const rattle = percussive(highpass(noise(dice, 0.24), 1_400), 0.001, 0.24);
    const body = percussive(
      tone(0.24, (t) => 175 + 60 * Math.exp(-t * 40)),
      0.001,
      0.16,
    );
    return rattle.map((value, i) => (value * 0.42 + (body[i] ?? 0) * 0.5) * force);
  },
  brush: (dice, force) =>
    percussive(lowpass(highpass(noise(dice, 0.22), 2_200), 7_000), 0.02, 0.2).map(
      (value) => value * 0.34 * force,
    ),
  hat: (dice, force) =>
    percussive(highpass(noise(dice, 0.09), 7_500), 0.001, 0.07).map((value) => value * 0.3 * force),
  openHat: (dice, force) =>
    percussive(highpass(noise(dice, 0.4), 7_000), 0.001, 0.4).map((value) => value * 0.26 * force),
  clap: (dice, force) =>
    shapeSound(lowpass(highpass(noise(dice, 0.26), 900), 6_000), (t) => {
      const slaps = t < 0.03 ? 0.5 + 0.5 * Math.cos(t * 620) : Math.exp(-(t - 0.03) * 22);
      return slaps * 0.5 * force;
    }),
  tom: (_dice, force) =>
    percussive(
      tone(0.7, (t) => 78 + 50 * Math.exp(-t * 12)),
      0.002,
      0.7,
    ).map((v) => v * force),
} as const satisfies Record<string, Drum>;
export type DrumName = keyof typeof drums;
