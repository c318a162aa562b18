import type { Random } from "../studio-image/seeded-random.ts";
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
import { add, type Track } from "./track.ts";

/** Sounds of nature: weather, water, animals. */
export type Maker = (track: Track, seconds: number, dice: Random) => void;

export const rain: Maker = (track, seconds, dice) => {
  for (const pan of [-0.8, 0.8]) {
    const swell = gusts(dice, 0.5);
    const hiss = highpass(lowpass(noise(dice, seconds), 9_000), 900);
    add(
      track,
      shapeSound(hiss, (t) => 0.16 + 0.06 * swell(t)),
      0,
      1,
      pan,
    );
  }
  for (let drop = 0; drop < seconds * 26; drop++) {
    const hertz = dice.between(900, 3_800);
    const sound = strike(0.05, [{ hertz, gain: dice.between(0.02, 0.12), decay: 0.04 }]);
    add(track, sound, dice.between(0, seconds), 1, dice.between(-1, 1));
  }
};

export const wind: Maker = (track, seconds, dice) => {
  for (const pan of [-0.6, 0.6]) {
    const gust = gusts(dice, 0.6);
    const howl = wander(noise(dice, seconds), (t) => 220 + 700 * gust(t), 5);
    add(
      track,
      shapeSound(howl, (t) => 0.05 + 0.22 * gust(t) ** 1.5),
      0,
      0.7,
      pan,
    );
    add(
      track,
      shapeSound(lowpass(noise(dice, seconds), 400), (t) => 0.1 + 0.3 * gust(t)),
      0,
      0.7,
      pan,
    );
  }
};

export const sea: Maker = (track, seconds, dice) => {
  for (const [i, pan] of [-0.5, 0.5].entries()) {
    const period = dice.between(5.5, 7.5);
    const surf = lowpass(noise(dice, seconds), 2_600);
    const wave = (t: number): number => {
      const share = (((t / period + i * 0.35) % 1) + 1) % 1;
      return share < 0.35 ? (share / 0.35) ** 2 : ((1 - share) / 0.65) ** 1.6;
    };
    add(
      track,
      shapeSound(surf, (t) => 0.06 + 0.42 * wave(t)),
      0,
      0.8,
      pan,
    );
    const foam = highpass(noise(dice, seconds), 3_500);
    add(
      track,
      shapeSound(foam, (t) => 0.1 * wave(t - 0.6) ** 2),
      0,
      0.8,
      -pan,
    );
  }
};

export const stream: Maker = (track, seconds, dice) => {
  const gust = gusts(dice, 3);
  const bed = bandpass(noise(dice, seconds), 900, 0.6);
  add(
    track,
    shapeSound(bed, (t) => 0.22 + 0.1 * gust(t)),
    0,
    1,
  );
  for (let bubble = 0; bubble < seconds * 34; bubble++) {
    const from = dice.between(350, 1_300);
    const sound = tone(0.09, (t) => from * (1 + t * dice.between(3, 7)));
    const gain = dice.between(0.02, 0.09);
    add(
      track,
      percussive(sound, 0.01, 0.09),
      dice.between(0, seconds),
      gain,
      dice.between(-0.9, 0.9),
    );
  }
};

export const fire: Maker = (track, seconds, dice) => {
  const flicker = gusts(dice, 5);
  const roar = lowpass(noise(dice, seconds), 320);
  add(
    track,
    shapeSound(roar, (t) => 0.35 + 0.3 * flicker(t)),
    0,
    0.9,
  );
  for (let crack = 0; crack < seconds * 15; crack++) {
    const sound = percussive(highpass(noise(dice, 0.03), dice.between(900, 4_500)), 0.0006, 0.02);
    add(track, sound, dice.between(0, seconds), dice.next() ** 3 * 0.8, dice.between(-0.8, 0.8));
  }
};

export const thunder: Maker = (track, seconds, dice) => {
  const strikes = Math.max(1, Math.round(seconds / 6));
  for (let i = 0; i < strikes; i++) {
    const at = (i + dice.between(0.02, 0.35)) * (seconds / strikes);
    const length = Math.min(6, Math.max(1.5, seconds - at));
    const crack = percussive(highpass(noise(dice, 0.5), 500), 0.002, 0.45);
    add(track, crack, at, 0.4, dice.between(-0.5, 0.5));
    const roll = gusts(dice, 7);
    for (const pan of [-0.7, 0.7]) {
      const rumble = lowpass(lowpass(noise(dice, length), 150), 190);
      add(
        track,
        shapeSound(rumble, (t) => 5 * Math.exp(-t * 0.9) * (0.3 + roll(t))),
        at,
        0.9,
        pan,
      );
    }
  }
};

export const explosion: Maker = (track, seconds, dice) => {
  const length = Math.min(seconds, 4.5);
  const blast = lowpass(noise(dice, length), 2_400);
  add(track, percussive(blast, 0.004, length * 0.55), 0.03, 0.8);
  for (const pan of [-0.6, 0.6])
    add(track, percussive(lowpass(noise(dice, length), 240), 0.02, length), 0.04, 2.4, pan);
  add(
    track,
    percussive(
      tone(length, (t) => 28 + 75 * Math.exp(-t * 5)),
      0.003,
      length * 0.6,
    ),
    0.03,
    1,
  );
  for (let i = 0; i < 30; i++) {
    const piece = percussive(bandpass(noise(dice, 0.12), dice.between(500, 3_000), 3), 0.002, 0.1);
    add(track, piece, 0.4 + dice.next() ** 0.6 * length * 0.7, 0.35, dice.between(-1, 1));
  }
};

export const footsteps: Maker = (track, seconds, dice) => {
  const pace = dice.between(0.5, 0.6);
  for (let at = 0.08, i = 0; at < seconds - 0.15; at += pace * dice.between(0.96, 1.04), i++) {
    const heel = percussive(lowpass(noise(dice, 0.12), dice.between(320, 480)), 0.003, 0.09);
    const sole = percussive(bandpass(noise(dice, 0.16), dice.between(1_300, 2_200), 1), 0.02, 0.11);
    const pan = i % 2 === 0 ? -0.15 : 0.15;
    add(track, heel, at, 2.2, pan);
    add(track, sole, at + 0.05, 0.5, pan);
  }
};

export const birds: Maker = (track, seconds, dice) => {
  const singers = Array.from({ length: 4 }, () => ({
    hertz: dice.between(2_300, 4_600),
    pan: dice.between(-0.9, 0.9),
    gain: dice.between(0.08, 0.26),
    wait: dice.between(0.9, 2.4),
  }));
  for (const { hertz, pan, gain, wait } of singers)
    for (
      let at = dice.between(0.02, wait * 0.5);
      at < seconds - 0.4;
      at += wait * dice.between(0.7, 1.5)
    ) {
      const syllables = 2 + dice.index(4);
      const [bend, flutter] = [dice.between(-0.35, 0.4), dice.between(18, 42)];
      for (let i = 0; i < syllables; i++) {
        const chirp = tone(
          0.1,
          (t) => hertz * (1 + bend * t * 7 + 0.05 * Math.sin(t * flutter * 6)),
        );
        add(track, sustain(chirp, 0.012, 0.05), at + i * 0.13, gain, pan);
      }
    }
};

export const crickets: Maker = (track, seconds, dice) => {
  for (let i = 0; i < 5; i++) {
    const hertz = dice.between(4_100, 5_200);
    const pace = dice.between(1.6, 2.6);
    const phase = dice.next();
    const trill = tone(seconds, () => hertz);
    const gain = (t: number): number => {
      const share = (t * pace + phase) % 1;
      return share < 0.45 ? Math.max(0, Math.sin(share * 84)) * 0.09 : 0;
    };
    add(track, shapeSound(trill, gain), 0, 1, dice.between(-0.9, 0.9));
  }
};

export const heartbeat: Maker = (track, seconds, dice) => {
  const pace = dice.between(0.82, 0.95);
  for (let at = 0.05; at < seconds - 0.3; at += pace)
    for (const [late, gain] of [
      [0, 1],
      [0.23, 0.7],
    ] as const)
      add(
        track,
        percussive(
          tone(0.3, (t) => 42 + 26 * Math.exp(-t * 18)),
          0.012,
          0.26,
        ),
        at + late,
        gain,
      );
};

export const drip: Maker = (track, seconds, dice) => {
  for (let at = 0.1; at < seconds - 0.2; at += dice.between(0.6, 1.5)) {
    const from = dice.between(500, 900);
    add(
      track,
      percussive(
        tone(0.16, (t) => from * (1 + 9 * t)),
        0.004,
        0.14,
      ),
      at,
      0.7,
      dice.between(-0.3, 0.3),
    );
  }
};
