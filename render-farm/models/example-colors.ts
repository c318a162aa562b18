import type { Raster } from "../pictures/orders.ts";
import { blend, type Color, computeChroma, parseColor } from "./studio-image/color.ts";

/** Colours taken from an example picture that the client gave. */
export interface ExampleColors {
  /** Colours from the top of the picture down to its middle. */
  readonly sky: readonly [Color, Color, Color, Color, Color];
  readonly light: Color;
  readonly shadow: Color;
  readonly accent: Color;
  /** Colour of the picture's lower part. */
  readonly ground: Color;
}

/** The colours of example pictures by position: sky above, ground below, light, accent. */
export function exampleColors(rasters: readonly Raster[]): ExampleColors {
  const all = rasters.map(computeColors);
  const [first, ...others] = all;
  if (first === undefined) throw new Error("there is an example");
  const mean = (pick: (one: ExampleColors) => Color): Color =>
    others.reduce((sum, one, i) => blend(sum, pick(one), 1 / (i + 2)), pick(first));
  return {
    sky: [
      mean(({ sky }) => sky[0]),
      mean(({ sky }) => sky[1]),
      mean(({ sky }) => sky[2]),
      mean(({ sky }) => sky[3]),
      mean(({ sky }) => sky[4]),
    ],
    light: mean(({ light }) => light),
    shadow: mean(({ shadow }) => shadow),
    // Accents are not averaged: an accent is one colour or none, so the strongest one is taken.
    accent: all.map(({ accent }) => accent).reduce(stronger),
    ground: mean(({ ground }) => ground),
  };
}

function stronger(one: Color, other: Color): Color {
  return computeChroma(other) > computeChroma(one) ? other : one;
}

function computeColors({ width, height, pixels, channels }: Raster): ExampleColors {
  const colors: Color[] = [];
  for (let at = 0; at < width * height * channels; at += channels)
    colors.push(parseColor([pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0]));
  const rows = (from: number, to: number): Color => {
    const first = Math.min(height - 1, Math.floor(from * height));
    const end = Math.max(first + 1, Math.floor(to * height));
    return computeMean(colors.slice(first * width, end * width));
  };
  const byLight = [...colors].sort((one, other) => one.l - other.l);
  const byChroma = [...colors].sort((one, other) => computeChroma(other) - computeChroma(one));
  const few = Math.max(1, Math.round(colors.length * 0.04));
  return {
    sky: [rows(0, 0.1), rows(0.1, 0.22), rows(0.22, 0.36), rows(0.36, 0.48), rows(0.48, 0.58)],
    light: computeMean(byLight.slice(-few)),
    shadow: computeMean(byLight.slice(0, few * 3)),
    accent: alike(byChroma.slice(0, few)),
    ground: rows(0.66, 1),
  };
}

function computeMean(colors: readonly Color[]): Color {
  const sum = { l: 0, a: 0, b: 0 };
  for (const { l, a, b } of colors) {
    sum.l += l;
    sum.a += a;
    sum.b += b;
  }
  const count = Math.max(1, colors.length);
  return { l: sum.l / count, a: sum.a / count, b: sum.b / count };
}

/** Averages only colours near the strongest one: the mean of red and green would be neither. */
function alike(colors: readonly Color[]): Color {
  const [first = { l: 0.5, a: 0, b: 0 }] = colors;
  return computeMean(colors.filter(({ a, b }) => Math.hypot(a - first.a, b - first.b) < 0.08));
}
