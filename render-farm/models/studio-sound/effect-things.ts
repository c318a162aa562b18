import type { Maker } from "./effect-nature.ts";
import { drums, instruments } from "./instruments.ts";
import {
  bandpass,
  gusts,
  highpass,
  lowpass,
  noise,
  percussive,
  shapeSound,
  strike,
  sustain,
  tone,
  wander,
} from "./tones.ts";
import { add } from "./track.ts";

/** Sounds of things: machines, signals, and objects that strike, ring or break. */

export const click: Maker = (track, seconds, dice) => {
  const count = Math.max(1, Math.floor(seconds / 1.2));
  for (let i = 0; i < count; i++)
    for (const [late, hertz] of [
      [0, 2_600],
      [0.055, 1_900],
    ] as const) {
      const body = strike(0.06, [
        { hertz, gain: 0.5, decay: 0.02 },
        { hertz: hertz * 2.3, gain: 0.3, decay: 0.012 },
      ]);
      add(track, body, 0.04 + late + i * 1.2 * dice.between(0.98, 1.02), 0.8);
    }
};

export const whoosh: Maker = (track, seconds, dice) => {
  const length = Math.min(seconds, 1.4);
  const count = Math.max(1, Math.floor(seconds / 1.8));
  for (let i = 0; i < count; i++) {
    const peak = dice.between(0.38, 0.55) * length;
    const bell = (t: number): number => Math.exp(-(((t - peak) / (length * 0.2)) ** 2));
    const air = wander(noise(dice, length), (t) => 300 + 2_600 * bell(t), 1.4);
    const side = dice.pick([-1, 1]);
    const [left, right] = [air.slice(), air];
    add(
      track,
      shapeSound(left, (t) => bell(t) * (t < peak ? 1 : 0.4)),
      i * 1.8,
      0.9,
      -0.7 * side,
    );
    add(
      track,
      shapeSound(right, (t) => bell(t) * (t < peak ? 0.4 : 1)),
      i * 1.8,
      0.9,
      0.7 * side,
    );
  }
};

export const laser: Maker = (track, seconds, dice) => {
  const count = Math.max(1, Math.floor(seconds / 0.8));
  for (let i = 0; i < count; i++) {
    const top = dice.between(1_900, 3_000);
    const zap = tone(
      0.4,
      (t) => 160 + top * Math.exp(-t * 13),
      (p) => Math.sin(p + 1.4 * Math.sin(p * 2)),
    );
    add(track, percussive(zap, 0.002, 0.34), 0.03 + i * 0.8, 0.6, dice.between(-0.4, 0.4));
  }
};

export const bell: Maker = (track, seconds, dice) => {
  const isLarge = seconds > 5;
  const hertz = isLarge ? dice.between(190, 260) : dice.between(620, 900);
  const ratios = [0.5, 1, 1.19, 1.5, 2, 2.51, 3.01, 4.2];
  const count = isLarge ? Math.max(1, Math.floor(seconds / 3)) : 1;
  const partials = ratios.map((ratio, i) => ({
    hertz: hertz * ratio,
    gain: [0.3, 0.5, 0.34, 0.2, 0.34, 0.15, 0.1, 0.07][i] ?? 0,
    decay: (isLarge ? 7 : 3.2) / (0.7 + i * 0.42),
  }));
  for (let i = 0; i < count; i++)
    add(track, strike(Math.min(seconds, 8), partials), 0.02 + i * 3, 0.7);
};

export const chime: Maker = (track, seconds, dice) => {
  const notes = [0, 4, 7, 11, 14, 16, 19];
  const base = dice.between(900, 1_150);
  const count = Math.max(4, Math.round(seconds * 2.2));
  for (let i = 0; i < count; i++) {
    const hertz = base * 2 ** (dice.pick([0, ...notes]) / 12);
    const at = dice.next() ** 1.2 * Math.max(0.2, seconds - 1);
    add(track, instruments.bell(dice, hertz, 1, 0.5), at, 0.3, dice.between(-0.7, 0.7));
  }
};

export const siren: Maker = (track, seconds, dice) => {
  const pace = dice.between(0.45, 0.7);
  const wail = tone(
    seconds,
    (t) => 780 + 320 * Math.sin(2 * Math.PI * pace * t),
    (p) => Math.tanh(2 * Math.sin(p)),
  );
  add(track, sustain(lowpass(wail, 2_600), 0.05, 0.2), 0, 0.5);
};

export const alarm: Maker = (track, seconds, dice) => {
  const hertz = dice.between(1_800, 2_300);
  for (let at = 0.05; at < seconds - 0.12; at += 0.5)
    for (const late of [0, 0.13])
      add(
        track,
        sustain(
          tone(
            0.09,
            () => hertz,
            (p) => Math.tanh(3 * Math.sin(p)),
          ),
          0.004,
          0.01,
        ),
        at + late,
        0.35,
      );
};

export const knock: Maker = (track, seconds, dice) => {
  const sets = Math.max(1, Math.floor(seconds / 2.5));
  for (let set = 0; set < sets; set++)
    for (let i = 0; i < 3; i++) {
      const wood = strike(0.25, [
        { hertz: dice.between(150, 175), gain: 0.9, decay: 0.16 },
        { hertz: 410, gain: 0.35, decay: 0.08 },
        { hertz: 1_080, gain: 0.2, decay: 0.03 },
      ]);
      add(track, wood, 0.05 + set * 2.5 + i * 0.28, dice.between(0.8, 1));
    }
};

export const engine: Maker = (track, seconds, dice) => {
  const idle = dice.between(26, 34);
  const rev = gusts(dice, 0.35);
  const hertzAt = (t: number): number => idle * (1 + 1.3 * rev(t));
  const firing = tone(seconds, hertzAt, (p) =>
    Math.tanh(2.4 * Math.sin(p) + 1.3 * Math.sin(2 * p + 1) + Math.sin(3 * p)),
  );
  const exhaust = shapeSound(lowpass(noise(dice, seconds), 700), (t) => 0.2 + 0.25 * rev(t));
  add(track, lowpass(firing, 620), 0, 0.5);
  add(track, exhaust, 0, 0.5);
};

export const glass: Maker = (track, seconds, dice) => {
  add(track, percussive(highpass(noise(dice, 0.3), 3_000), 0.001, 0.16), 0.03, 0.8);
  for (let i = 0; i < 46; i++) {
    const hertz = dice.between(2_200, 9_500);
    const shard = strike(0.5, [{ hertz, gain: 0.2, decay: dice.between(0.08, 0.4) }]);
    const at = 0.03 + dice.next() ** 2 * Math.min(1.2, seconds * 0.6);
    add(track, shard, at, dice.between(0.2, 0.9), dice.between(-0.9, 0.9));
  }
};

export const coin: Maker = (track, seconds, dice) => {
  const base = dice.pick([784, 880, 988]);
  const count = Math.max(1, Math.floor(seconds / 1.5));
  for (let i = 0; i < count; i++)
    for (const [late, ratio] of [
      [0, 1],
      [0.085, 1.335],
    ] as const) {
      const note = instruments.square(dice, base * ratio, late === 0 ? 0.085 : 0.6, 0.7);
      add(track, percussive(note, 0.002, late === 0 ? 0.3 : 0.6), 0.02 + late + i * 1.5, 0.5);
    }
};

export const typing: Maker = (track, seconds, dice) => {
  for (let at = 0.05; at < seconds - 0.08; at += dice.between(0.07, 0.22)) {
    const hertz = dice.between(1_500, 2_600);
    const key = strike(0.05, [{ hertz, gain: 0.35, decay: 0.018 }]);
    const bottom = percussive(lowpass(noise(dice, 0.05), 2_800), 0.001, 0.03);
    add(track, key, at, dice.between(0.4, 0.9), dice.between(-0.4, 0.4));
    add(track, bottom, at, dice.between(0.3, 0.6), dice.between(-0.4, 0.4));
  }
};

export const applause: Maker = (track, seconds, dice) => {
  const swell = (t: number): number => Math.min(1, t / 0.8, (seconds - t) / 1.2);
  for (let i = 0; i < seconds * 90; i++) {
    const at = dice.between(0, seconds);
    const clap = percussive(
      bandpass(noise(dice, 0.05), dice.between(900, 2_400), 1.2),
      0.001,
      0.035,
    );
    add(track, clap, at, Math.max(0, swell(at)) * dice.between(0.3, 0.9), dice.between(-1, 1));
  }
};

export const clock: Maker = (track, seconds, dice) => {
  for (let at = 0.05, i = 0; at < seconds - 0.05; at += 0.5, i++) {
    const hertz = i % 2 === 0 ? 2_300 : 1_850;
    const tick = strike(0.05, [
      { hertz, gain: 0.5, decay: 0.03 },
      { hertz: hertz * 2.7, gain: 0.25, decay: 0.012 },
    ]);
    add(track, tick, at, dice.between(0.9, 1));
  }
};

export const clang: Maker = (track, seconds, dice) => {
  const ratios = [1, 1.47, 2.09, 2.56, 3.39, 4.07, 5.21];
  const count = Math.max(1, Math.floor(seconds / 1.3));
  for (let i = 0; i < count; i++) {
    const hertz = dice.between(620, 1_100);
    const partials = ratios.map((ratio) => ({
      hertz: hertz * ratio,
      gain: 0.2,
      decay: dice.between(0.4, 1.6),
    }));
    add(track, strike(1.6, partials), 0.03 + i * 1.3, 0.8, dice.between(-0.4, 0.4));
    add(track, percussive(highpass(noise(dice, 0.05), 4_000), 0.0005, 0.03), 0.03 + i * 1.3, 0.5);
  }
};

export const drumroll: Maker = (track, seconds, dice) => {
  for (let at = 0, i = 0; at < seconds - 0.5; at += 0.052, i++)
    add(
      track,
      drums.snare(dice, dice.between(0.3, 0.5) * (0.5 + at / seconds)),
      at,
      0.7,
      i % 2 === 0 ? -0.1 : 0.1,
    );
  add(track, drums.kick(dice, 1), Math.max(0, seconds - 0.5), 1);
  add(track, drums.openHat(dice, 1), Math.max(0, seconds - 0.5), 1.2);
};
