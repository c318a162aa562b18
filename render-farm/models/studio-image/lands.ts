import { blend, type Color, lch, lighter } from "./color.ts";
import { clamp01, fractal, gradientNoise, ridges, smoothstep } from "./noise.ts";
import { lit } from "./palette.ts";
import type { Stage } from "./stage.ts";
import { getFocal, type Ramp, type Terrain } from "./terrain.ts";

/** Landscapes as height fields; lengths are in metres at a reduced scale. */
const flat = (): number => 0;

export function computeRamp(stage: Stage, own: Color, contrast = 1): Ramp {
  const { palette } = stage;
  const surface = { l: own.l, a: own.a * 1.2, b: own.b * 1.2 };
  return [
    lit(surface, palette, 0.5 - 0.5 * contrast),
    lit(surface, palette, 0.5),
    lit(lighter(surface, 0.03), palette, 0.5 + 0.5 * contrast),
  ];
}

/** Dunes with long winding crests, gentle on the windward side and steep on the lee side. */
export function dunes(stage: Stage): Terrain {
  const { random, brief, sun, time } = stage;
  const dice = random.fork("dunes");
  const noise = gradientNoise(dice);
  const sand = brief.colorsByNoun.get("dunes") ?? lch(0.77, 0.105, dice.between(58, 74));
  const offset = dice.between(0, 60);
  const crestWay = dice.between(0.1, 0.3) * sun.side;
  const height = (x: number, z: number): number => {
    const bend = 1.7 * noise(x * 0.024 + offset, z * 0.03) + 0.16 * noise(x * 0.09, z * 0.1);
    const phase = x * 0.058 + z * crestWay * 0.3 + bend + offset;
    const part = phase - Math.floor(phase);
    const lee = sun.side > 0 ? part : 1 - part;
    const windward = (lee / 0.64) ** 1.5;
    const steep = ((1 - lee) / 0.36) ** 1.2;
    const round = 0.05 + z * 0.009;
    const share = clamp01(0.5 + (0.5 * (steep - windward)) / round);
    const profile = steep + (windward - steep) * share - round * share * (1 - share);
    const swell = clamp01(0.72 + 0.7 * noise(x * 0.017 + 7, z * 0.024 + offset));
    const rise = 1 + smoothstep(8, 110, z) * 2.2;
    const long = 1.1 * noise(x * 0.012 - 4, z * 0.016 + offset);
    return (3.4 * profile * swell + long) * rise * smoothstep(0.2, 7, z) - 0.1;
  };
  const texture = (x: number, z: number): number =>
    0.042 * Math.sin((x * 0.8 + z * 2.3) * 7 + 5 * noise(x * 0.5, z * 0.5)) +
    0.05 * noise(x * 9, z * 9);
  return {
    eye: 3.6,
    near: 0.4,
    far: 180,
    clear: 120,
    rise: time === "day" ? 0.62 : 0.36,
    isIsland: false,
    height,
    texture,
    material: flat,
    ramps: [computeRamp(stage, sand)],
  };
}

/** Mountain ranges beyond `start`, with a plain at height 0 in front (below it under water). */
export function mountains(stage: Stage, start: number, plain: number): Terrain {
  const { random, brief, time } = stage;
  const dice = random.fork("mountains");
  const noise = gradientNoise(dice);
  const told = brief.colorsByNoun.get("mountains");
  const isSnowy = brief.settings.includes("snow") || dice.chance(0.85);
  const rock = told ?? lch(0.4, 0.035, dice.between(250, 300));
  const wood = lch(0.33, 0.032, 152);
  const snow = told ? lighter(told, 0.25) : lch(0.96, 0.012, 240);
  const offset = dice.between(0, 90);
  const snowline = isSnowy ? dice.between(4.5, 8) : 60;
  const valley = dice.between(-0.5, 0.5) * 20;
  const height = (x: number, z: number): number => {
    if (z < start) return plain;
    const ramp = smoothstep(start, start * 3.4, z);
    const apart = clamp01(Math.abs(x - valley) / (z * 0.3)) ** 0.8;
    const crest = ridges(noise, x * 0.021 + offset, z * 0.021, 6);
    const foot = 1.4 * fractal(noise, x * 0.1, z * 0.1 + offset, 3);
    return plain + ramp * (crest * 34 - 6) * (0.42 + 0.58 * apart) + foot * ramp;
  };
  return {
    eye: 2.6,
    near: start * 0.98,
    far: 260,
    clear: 150,
    rise: time === "day" ? 0.6 : 0.42,
    isIsland: true,
    height,
    texture: (x, z) => 0.12 * noise(x * 1.7, z * 1.7),
    material: (x, z, own, slope) => {
      const line = snowline + 2.4 * noise(x * 0.16, z * 0.16);
      if (own > line && slope < 1.5 + (own - line) * 0.22) return 1;
      return own < 3 + noise(x * 0.3, z * 0.3) * 1.6 ? 2 : 0;
    },
    ramps: [computeRamp(stage, rock), computeRamp(stage, snow), computeRamp(stage, wood)],
  };
}

/** Rolling hills of grass or, in winter, snow. */
export function hills(stage: Stage): Terrain {
  const { random, brief, time } = stage;
  const dice = random.fork("hills");
  const noise = gradientNoise(dice);
  const isSnow = brief.settings.includes("snow");
  const grassHue = dice.between(112, 138);
  const told = brief.colorsByNoun.get(isSnow ? "snow" : "meadow");
  const grass = told ?? (isSnow ? lch(0.94, 0.018, 245) : lch(0.62, 0.115, grassHue));
  const other = isSnow ? lch(0.88, 0.03, 250) : blend(grass, lch(0.74, 0.12, 100), 0.55);
  const offset = dice.between(0, 70);
  const height = (x: number, z: number): number => {
    const swell = fractal(noise, x * 0.026 + offset, z * 0.034, 3);
    const rise = smoothstep(4, 160, z) * 9;
    return swell * (3.4 + rise * 1.3) * smoothstep(1, 16, z) + rise * 0.3;
  };
  return {
    eye: 2.9,
    near: 0.4,
    far: 320,
    clear: 150,
    rise: time === "day" ? 0.75 : 0.4,
    isIsland: false,
    height,
    texture: isSnow
      ? (x, z) => 0.05 * noise(x * 1.2, z * 3) + 0.03 * noise(x * 14, z * 14)
      : (x, z) => 0.1 * noise(x * 3, z * 4) + 0.1 * noise(x * 17, z * 9),
    material: (x, z) =>
      fractal(noise, x * 0.05 + 30, z * 0.08, 2) + 0.12 * noise(x * 3, z * 2) > 0.1 ? 1 : 0,
    ramps: [computeRamp(stage, grass), computeRamp(stage, other)],
  };
}

/** A rocky headland in the water, `tall` metres high around `screenX`, at distance `z`. */
export function headland(stage: Stage, screenX: number, z: number, tall: number): Terrain {
  const { random, width, brief } = stage;
  const dice = random.fork("headland");
  const noise = gradientNoise(dice);
  const centre = ((screenX - width / 2) * z) / getFocal(stage);
  const outward = screenX < width / 2 ? -1 : 1;
  const rock = lch(0.5, 0.04, dice.between(30, 70));
  const grass = brief.settings.includes("snow") ? lch(0.93, 0.015, 245) : lch(0.6, 0.1, 125);
  const height = (x: number, far: number): number => {
    const inland = Math.max(0, (x - centre) * outward) * 0.25;
    const out = Math.max(0, -(x - centre) * outward);
    const away = Math.hypot(inland + out, (far - z) * 0.75) / (tall * 1.5);
    const bulk = tall * (1.25 - away * away * 0.9) + ridges(noise, x * 0.3, far * 0.3, 4) * 1.5 - 1;
    return Math.min(bulk, tall + 0.2 * noise(x * 0.4, far * 0.4)) - 0.1;
  };
  return {
    eye: 2.6,
    near: z * 0.45,
    far: z * 1.9,
    clear: 150,
    rise: 0.45,
    isIsland: true,
    height,
    texture: (x, far) => 0.2 * noise(x * 2.4, far * 2.4) + 0.1 * noise(x * 8, far * 8),
    material: (x, far, own, slope) =>
      own > tall * 0.72 + 0.5 * noise(x, far) && slope < 0.9 ? 1 : 0,
    ramps: [computeRamp(stage, rock, 1.1), computeRamp(stage, grass)],
  };
}
