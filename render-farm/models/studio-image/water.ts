/// <reference lib="dom" />
import { blend, css, lch, toRgb } from "./color.ts";
import { clamp01, gradientNoise, mix, smoothstep } from "./noise.ts";
import type { Stage } from "./stage.ts";

/**
 * Turns everything below the horizon into water: mirrors the picture above it, bent by waves that
 * shorten towards the horizon, darkens it towards the viewer and adds the light's glitter. `calm`
 * is 1 for a mirror and 0 for open sea.
 */
export function paintWater(stage: Stage, calm: number): void {
  const { ctx, width, height, unit, palette, sun, random, brief } = stage;
  const dice = random.fork("water");
  const noise = gradientNoise(dice);
  const top = Math.round(stage.horizon);
  const image = ctx.getImageData(0, 0, width, height);
  const { data } = image;
  const above = data.slice(0, width * top * 4);
  const told = brief.colorsByNoun.get("sea") ?? brief.colorsByNoun.get("lake");
  const deepOwn = told ?? lch(palette.isDark ? 0.24 : 0.44, 0.075, 222);
  const deep = toRgb(blend(deepOwn, palette.shadow, told ? 0.2 : 0.42));
  const light = toRgb(blend(palette.light, lch(0.99, 0.01, 90), sun.isMoon ? 0.2 : 0.4));
  const span = height - top;
  for (let row = top; row < height; row++) {
    const down = (row - top + 0.5) / span;
    const z = 1 / (down + 0.012);
    const rough = (1 - calm * 0.86) * smoothstep(0, 0.35, down);
    const dark = clamp01((told ? 0.42 : 0.14) + 0.62 * down ** 0.7 - calm * 0.16);
    const glint = sun.isMoon ? 0.42 : 0.6;
    for (let column = 0; column < width; column++) {
      const x = ((column - width / 2) / unit) * z;
      const long = noise(x * 1.6 + 3, z * 7.5);
      const short = noise(x * 5.2 - 8, z * 23) * 0.6 + noise(x * 13, z * 51) * 0.35;
      const wave = long * 0.6 + short;
      const bend = wave * rough * 0.09 * unit + short * calm * unit * 0.006 * (0.3 + down);
      const mirrored = clampTo(Math.round(top - 1 - (row - top) * 0.92 + bend), top - 1);
      const aside = clampTo(Math.round(column + wave * rough * unit * 0.02), width - 1);
      const from = (mirrored * width + aside) * 4;
      const at = (row * width + column) * 4;
      const trough = clamp01(dark + wave * (0.07 + 0.3 * rough));
      const path = (column - sun.x) / (unit * (0.035 + 0.24 * down));
      const sparkle = Math.exp(-path * path) * smoothstep(0.12, 0.62, wave + 0.34 - down * 0.16);
      const shine = sparkle * glint * (1 - 0.4 * down);
      for (let channel = 0; channel < 3; channel++) {
        const water = mix(above[from + channel] ?? 0, deep[channel] ?? 0, trough);
        data[at + channel] = mix(water, light[channel] ?? 0, shine);
      }
      data[at + 3] = 255;
    }
  }
  ctx.putImageData(image, 0, 0);
  paintFarEdge(stage, top);
}

/** Paints haze where water meets the far shore, `top` pixels below the upper edge. */
export function paintFarEdge({ ctx, width, unit, palette }: Stage, top: number): void {
  const veil = ctx.createLinearGradient(0, top - unit * 0.012, 0, top + unit * 0.05);
  veil.addColorStop(0, css(palette.sky[4], 0));
  veil.addColorStop(0.25, css(palette.sky[4], 0.42));
  veil.addColorStop(1, css(palette.sky[4], 0));
  ctx.fillStyle = veil;
  ctx.fillRect(0, top - unit * 0.012, width, unit * 0.062);
}

function clampTo(value: number, last: number): number {
  return Math.min(last, Math.max(0, value));
}
