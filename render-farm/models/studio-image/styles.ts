/// <reference lib="dom" />
import { css, lch, toRgb } from "./color.ts";
import { clamp01, fractal, gradientNoise, mix, smoothstep } from "./noise.ts";
import { newCanvas, type Stage } from "./stage.ts";
import type { Style } from "./vocabulary.ts";

/** Redraws the finished scene in the style that the prompt names, if any. */
export function applyStyle(stage: Stage): void {
  redraws[stage.brief.style]?.(stage);
}

const redraws: Partial<Record<Style, (stage: Stage) => void>> = {
  ink: drawInInk,
  minimal: simplify,
  retro: printInFewColors,
  watercolour: drawInWatercolour,
};

/** Redraws in ink on warm paper; only strong colours survive, such as the red of a seal. */
function drawInInk({ ctx, width, height, unit, random }: Stage): void {
  const noise = gradientNoise(random.fork("ink"));
  const image = ctx.getImageData(0, 0, width, height);
  const { data } = image;
  const source = data.slice();
  const paper = toRgb(lch(0.955, 0.022, 88));
  const ink = toRgb(lch(0.2, 0.018, 262));
  const light = (at: number): number =>
    ((source[at] ?? 0) * 0.3 + (source[at + 1] ?? 0) * 0.59 + (source[at + 2] ?? 0) * 0.11) / 255;
  const away = Math.max(1, Math.round(unit / 640));
  const around = newCanvas(width, height);
  around.filter = `grayscale(1) blur(${(unit * 0.05).toFixed(1)}px)`;
  around.drawImage(ctx.canvas, 0, 0);
  const ambient = around.getImageData(0, 0, width, height).data;
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const at = (row * width + column) * 4;
      const right = at + (column < width - away ? away * 4 : 0);
      const below = at + (row < height - away ? away * 4 * width : 0);
      const own = light(at);
      const edge = Math.abs(own - light(right)) + Math.abs(own - light(below));
      const [x, y] = [column / unit, row / unit];
      const wash = noise(x * 9, y * 9) * 0.05 + noise(x * 70, y * 70) * 0.012;
      const darker = (ambient[at] ?? 0) / 255 - own - wash;
      const veil = smoothstep(0.75, 0.1, (ambient[at] ?? 0) / 255 + wash * 2) * 0.3;
      const tone = smoothstep(-0.02, 0.2, darker) * 0.8 + veil + clamp01(edge * 4 - 0.14);
      const [red, green, blue] = [source[at] ?? 0, source[at + 1] ?? 0, source[at + 2] ?? 0];
      const chroma = (Math.max(red, green, blue) - Math.min(red, green, blue)) / 255;
      const keep = smoothstep(0.42, 0.62, chroma) * smoothstep(0.45, 0.7, red / 255 - blue / 400);
      const fade = paperEdge(column / width, row / height, noise);
      for (let channel = 0; channel < 3; channel++) {
        const drawn = mix(paper[channel] ?? 0, ink[channel] ?? 0, clamp01(tone) * fade);
        data[at + channel] = mix(drawn, source[at + channel] ?? 0, keep * 0.92 * fade);
      }
    }
  ctx.putImageData(image, 0, 0);
}

/** Returns 1 inside the paper, falling to 0 at its ragged edge. */
function paperEdge(x: number, y: number, noise: (x: number, y: number) => number): number {
  const inside = Math.min(x, 1 - x, y, 1 - y);
  if (inside > 0.08) return 1;
  return smoothstep(
    0.012,
    0.07,
    inside + noise(x * 7, y * 7) * 0.022 + noise(x * 31, y * 31) * 0.008,
  );
}

/** Redraws in watercolour: wandering edges, darker rims, granulation, white paper around. */
function drawInWatercolour({ ctx, width, height, unit, random }: Stage): void {
  const noise = gradientNoise(random.fork("watercolour"));
  const soft = newCanvas(width, height);
  soft.filter = `blur(${(unit * 0.0014).toFixed(2)}px) saturate(1.35)`;
  soft.drawImage(ctx.canvas, 0, 0);
  const source = soft.getImageData(0, 0, width, height).data;
  const image = ctx.createImageData(width, height);
  const paper = toRgb(lch(0.975, 0.012, 90));
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const [x, y] = [column / unit, row / unit];
      const bend = noise(x * 16, y * 16) * 0.007 + noise(x * 46, y * 46) * 0.0032;
      const fromX = Math.min(width - 1, Math.max(0, Math.round(column + bend * unit)));
      const fromY = Math.min(height - 1, Math.max(0, Math.round(row - bend * unit * 0.8)));
      const from = (fromY * width + fromX) * 4;
      const beside = (fromY * width + Math.min(width - 1, fromX + Math.ceil(unit / 300))) * 4;
      const rim = Math.abs((source[from] ?? 0) - (source[beside] ?? 0)) / 255;
      const pool = fractal(noise, x * 4.5 + 20, y * 4.5, 4) * 0.3;
      const grain = noise(x * 210, y * 210) * 0.07 + noise(x * 95, y * 95) * 0.05;
      const depth = clamp01(0.82 + pool + grain + Math.min(0.22, rim * 1.4));
      const fade = paperEdge(column / width, row / height, noise);
      const at = (row * width + column) * 4;
      for (let channel = 0; channel < 3; channel++) {
        const pigment = 255 * ((source[from + channel] ?? 0) / 255) ** (0.62 + depth * 0.34);
        const washed = mix(255, pigment, 0.5 + depth * 0.46);
        image.data[at + channel] = mix(paper[channel] ?? 0, washed, fade);
      }
      image.data[at + 3] = 255;
    }
  ctx.putImageData(image, 0, 0);
}

/** Redraws as a screen print: few, soft levels per channel, warm paper, a border. */
function printInFewColors({ ctx, width, height, unit }: Stage): void {
  const levels = 5;
  const table = Array.from({ length: 256 }, (_, value) => {
    const place = (value / 255) * levels;
    const step = Math.floor(place) + smoothstep(0.4, 0.6, place % 1);
    return (step / levels) * 255;
  });
  const image = ctx.getImageData(0, 0, width, height);
  const { data } = image;
  const cream = toRgb(lch(0.95, 0.045, 86));
  const deep = toRgb(lch(0.22, 0.055, 285));
  for (let at = 0; at < data.length; at += 4)
    for (let channel = 0; channel < 3; channel++) {
      const flat = mix(data[at + channel] ?? 0, table[data[at + channel] ?? 0] ?? 0, 0.8);
      data[at + channel] = mix(deep[channel] ?? 0, cream[channel] ?? 0, (flat / 255) * 0.98);
    }
  ctx.putImageData(image, 0, 0);
  const margin = unit * 0.045;
  ctx.strokeStyle = css(lch(0.95, 0.035, 86));
  ctx.lineWidth = margin * 2;
  ctx.strokeRect(0, 0, width, height);
}

/** Removes fine detail; large shapes stay, in paler colours. */
function simplify({ ctx, width, height, unit }: Stage): void {
  const soft = newCanvas(width, height);
  soft.filter = `blur(${(unit * 0.0016).toFixed(2)}px) saturate(0.82) brightness(1.05)`;
  soft.drawImage(ctx.canvas, 0, 0);
  ctx.drawImage(soft.canvas, 0, 0);
}
