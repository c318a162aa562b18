import { clamp01 } from "./noise.ts";

/**
 * Colours in OKLab (Björn Ottosson, 2020): mixing two of them stays as vivid and as light as the
 * eye expects, so skies do not turn grey half-way.
 */
export interface Color {
  /** Lightness, from 0 (black) to 1 (white). */
  readonly l: number;
  readonly a: number;
  readonly b: number;
}

export type Rgb = readonly [red: number, green: number, blue: number];

/** Lightness 0 to 1, chroma 0 to about 0.3, hue in degrees (30 red, 145 green, 260 blue). */
export function lch(lightness: number, chroma: number, hue: number): Color {
  const angle = (hue * Math.PI) / 180;
  return { l: lightness, a: chroma * Math.cos(angle), b: chroma * Math.sin(angle) };
}

export function blend(from: Color, to: Color, fraction: number): Color {
  return {
    l: from.l + (to.l - from.l) * fraction,
    a: from.a + (to.a - from.a) * fraction,
    b: from.b + (to.b - from.b) * fraction,
  };
}

export function lighter(color: Color, by: number): Color {
  return { ...color, l: clamp01(color.l + by) };
}

/** Takes hue and chroma from `tint` and most of the lightness from `color`. */
export function tintColor(color: Color, tint: Color, fraction: number): Color {
  return blend(color, { l: color.l * 0.85 + tint.l * 0.15, a: tint.a, b: tint.b }, fraction);
}

export function computeHue(color: Color): number {
  return (Math.atan2(color.b, color.a) * 180) / Math.PI;
}

export function computeChroma(color: Color): number {
  return Math.hypot(color.a, color.b);
}

/** Converts to sRGB, each channel from 0 to 255. */
export function toRgb({ l, a, b }: Color): Rgb {
  const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    encode(4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z),
    encode(-1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z),
    encode(-0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z),
  ];
}

/** The inverse of `toRgb`. */
export function parseColor([red, green, blue]: Rgb): Color {
  const [r, g, b] = [decode(red), decode(green), decode(blue)] as const;
  const x = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const y = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const z = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {
    l: 0.2104542553 * x + 0.793617785 * y - 0.0040720468 * z,
    a: 1.9779984951 * x - 2.428592205 * y + 0.4505937099 * z,
    b: 0.0259040371 * x + 0.7827717662 * y - 0.808675766 * z,
  };
}

export function css(color: Color, alpha = 1): string {
  const [red, green, blue] = toRgb(color);
  return `rgb(${red.toFixed(1)} ${green.toFixed(1)} ${blue.toFixed(1)} / ${alpha.toFixed(4)})`;
}

function decode(value: number): number {
  const share = clamp01(value / 255);
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function encode(linear: number): number {
  const value = clamp01(linear);
  return 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);
}
