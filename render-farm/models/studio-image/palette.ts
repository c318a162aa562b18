import type { ExampleColors } from "../example-colors.ts";
import { blend, type Color, computeChroma, computeHue, lch, lighter, tintColor } from "./color.ts";
import type { Brief, TimeOfDay } from "./prompt.ts";
import type { Random } from "./seeded-random.ts";

/** The colours of one picture. Only these and named colours are used in it. */
export interface Palette {
  /** Colours of the sky, from the zenith down to the horizon. */
  readonly sky: readonly [Color, Color, Color, Color, Color];
  readonly light: Color;
  readonly shadow: Color;
  /** Colour that distant things fade into. */
  readonly haze: Color;
  /** Colour of a subject whose colour the prompt does not name; contrasts with the sky. */
  readonly accent: Color;
  readonly accent2: Color;
  readonly isDark: boolean;
}

type Lch = readonly [lightness: number, chroma: number, hue: number];

interface Mood {
  readonly sky: readonly [Lch, Lch, Lch, Lch, Lch];
  readonly light: Lch;
  readonly shadow: Lch;
  readonly haze: Lch;
  readonly accentHue: number;
}

const moods: Readonly<Record<TimeOfDay, Mood>> = {
  dawn: {
    sky: [
      [0.56, 0.075, 262],
      [0.68, 0.065, 292],
      [0.79, 0.075, 345],
      [0.87, 0.08, 42],
      [0.935, 0.065, 80],
    ],
    light: [0.94, 0.075, 65],
    shadow: [0.46, 0.065, 285],
    haze: [0.86, 0.05, 20],
    accentHue: 25,
  },
  day: {
    sky: [
      [0.54, 0.115, 252],
      [0.65, 0.1, 245],
      [0.76, 0.075, 235],
      [0.86, 0.045, 222],
      [0.94, 0.028, 180],
    ],
    light: [0.985, 0.04, 95],
    shadow: [0.46, 0.06, 262],
    haze: [0.85, 0.04, 235],
    accentHue: 35,
  },
  golden: {
    sky: [
      [0.47, 0.075, 268],
      [0.6, 0.075, 305],
      [0.73, 0.1, 10],
      [0.83, 0.125, 58],
      [0.925, 0.1, 86],
    ],
    light: [0.94, 0.115, 78],
    shadow: [0.4, 0.075, 300],
    haze: [0.83, 0.09, 52],
    accentHue: 22,
  },
  dusk: {
    sky: [
      [0.25, 0.075, 276],
      [0.35, 0.095, 292],
      [0.48, 0.12, 328],
      [0.65, 0.145, 22],
      [0.8, 0.125, 62],
    ],
    light: [0.84, 0.13, 52],
    shadow: [0.25, 0.075, 292],
    haze: [0.58, 0.11, 350],
    accentHue: 75,
  },
  night: {
    sky: [
      [0.14, 0.045, 275],
      [0.19, 0.058, 270],
      [0.26, 0.067, 263],
      [0.35, 0.068, 252],
      [0.46, 0.065, 238],
    ],
    light: [0.83, 0.05, 235],
    shadow: [0.14, 0.045, 278],
    haze: [0.38, 0.06, 245],
    accentHue: 80,
  },
  storm: {
    sky: [
      [0.33, 0.028, 262],
      [0.41, 0.03, 255],
      [0.52, 0.032, 240],
      [0.66, 0.035, 205],
      [0.8, 0.045, 110],
    ],
    light: [0.88, 0.045, 105],
    shadow: [0.27, 0.035, 262],
    haze: [0.62, 0.028, 220],
    accentHue: 30,
  },
};

/** Night sky under the lights of a neon city. */
const neonSky: Mood["sky"] = [
  [0.14, 0.06, 284],
  [0.2, 0.1, 294],
  [0.3, 0.145, 310],
  [0.45, 0.19, 335],
  [0.68, 0.18, 2],
];

const neonHaze: Lch = [0.42, 0.15, 318];

export function choosePalette(brief: Brief, time: TimeOfDay, random: Random): Palette {
  const isNeon = brief.style === "neon" && time !== "day";
  const mood = isNeon ? { ...moods[time], sky: neonSky, haze: neonHaze } : moods[time];
  const turn = random.between(-9, 9);
  const of = ([lightness, chroma, hue]: Lch): Color => lch(lightness, chroma, hue + turn);
  const [tint, secondTint] = brief.tints;
  const skyTint = brief.colorsByNoun.get("sky") ?? tint;
  const toSky = (color: Lch, depth: number): Color => {
    if (skyTint === undefined) return of(color);
    const strong = computeChroma(skyTint) < 0.03 ? 0.9 : 0.78 - depth * 0.08;
    return tintColor(of(color), skyTint, strong);
  };
  const [zenith, upper, middle, low, horizon] = mood.sky;
  const second = secondTint ?? tint;
  const light = second ? tintColor(of(mood.light), second, 0.35) : of(mood.light);
  const accentHue = skyTint ? computeHue(skyTint) + 165 : mood.accentHue + random.between(-14, 14);
  const accent = secondTint ?? lch(time === "night" ? 0.72 : 0.62, 0.185, accentHue);
  const haze = skyTint ? tintColor(of(mood.haze), skyTint, 0.6) : of(mood.haze);
  if (brief.example !== undefined) return paletteLike(brief.example, of(mood.light));
  return {
    sky: [toSky(zenith, 0), toSky(upper, 1), toSky(middle, 2), toSky(low, 3), toSky(horizon, 4)],
    light,
    shadow: skyTint ? tintColor(of(mood.shadow), skyTint, 0.4) : of(mood.shadow),
    haze,
    accent,
    accent2: lighter(lch(0.88, 0.07, accentHue + 45), 0),
    isDark: time === "night" || time === "dusk" || isNeon,
  };
}

/** Takes the example's colours, but keeps the light bright enough to illuminate the scene. */
function paletteLike({ sky, light, shadow, accent }: ExampleColors, own: Color): Palette {
  const lightest = blend(own, light, 0.75);
  const mean = sky.reduce((sum, { l }) => sum + l, 0) / sky.length;
  return {
    sky,
    light: { ...lightest, l: Math.max(lightest.l, 0.72) },
    shadow: { ...shadow, l: Math.min(shadow.l, 0.45) },
    haze: blend(sky[4], light, 0.2),
    accent,
    accent2: lighter(blend(accent, light, 0.6), 0.05),
    isDark: mean < 0.45,
  };
}

/** Returns a surface's colour under the light; `exposure` is 0 in shadow, 1 facing the light. */
export function lit(surface: Color, palette: Palette, exposure: number): Color {
  const { light, shadow } = palette;
  const dim = light.l * 0.62 + 0.38;
  const dark = blend({ ...surface, l: surface.l * (0.3 + shadow.l * 0.68) }, shadow, 0.42);
  const bright = blend({ ...surface, l: Math.min(0.99, surface.l * dim * 1.13) }, light, 0.3);
  return blend(dark, bright, exposure);
}
