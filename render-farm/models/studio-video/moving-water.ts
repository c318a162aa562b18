/// <reference lib="dom" />
import { blend, lch, toRgb } from "../studio-image/color.ts";
import { clamp01, gradientNoise, mix, type Noise, smoothstep } from "../studio-image/noise.ts";
import { newCanvas, type Stage } from "../studio-image/stage.ts";
import { paintFarEdge } from "../studio-image/water.ts";

/**
 * Water in motion: the upper part of each frame mirrored and bent by waves that come towards the
 * eye, with the light's glitter. Half as many columns as the frame has, drawn up smoothly: waves
 * are long across and short in depth. The still painter is `studio-image/water.ts`.
 */
export class MovingWater {
  private readonly calm: number;
  private readonly noise: Noise;
  private readonly deep: readonly number[];
  private readonly light: readonly number[];
  private readonly told: boolean;

  constructor(stage: Stage, calm: number) {
    const { palette, sun, brief, random } = stage;
    const told = brief.colorsByNoun.get("sea") ?? brief.colorsByNoun.get("lake");
    const own = told ?? lch(palette.isDark ? 0.24 : 0.44, 0.075, 222);
    this.calm = calm;
    this.noise = gradientNoise(random.fork("water"));
    this.deep = toRgb(blend(own, palette.shadow, told ? 0.2 : 0.42));
    this.light = toRgb(blend(palette.light, lch(0.99, 0.01, 90), sun.isMoon ? 0.2 : 0.4));
    this.told = told !== undefined;
  }

  /** Paints onto the frame: `stage` has its canvas, its horizon and the sun's current position. */
  paint(stage: Stage, aside: number): void {
    const { ctx, width, height, horizon } = stage;
    const top = Math.round(horizon);
    if (top < 1 || top >= height) return;
    const columns = Math.ceil(width / 2);
    const rows = height - top;
    const half = newCanvas(columns, top);
    half.drawImage(ctx.canvas, 0, 0, width, top, 0, 0, columns, top);
    const above = new Uint32Array(half.getImageData(0, 0, columns, top).data.buffer);
    const small = newCanvas(columns, rows);
    const image = small.createImageData(columns, rows);
    for (let row = 0; row < rows; row++)
      this.paintRow(stage, row, rows, top, columns, aside, above, image.data);
    small.putImageData(image, 0, 0);
    ctx.drawImage(small.canvas, 0, 0, columns, rows, 0, top, columns * 2, rows);
    paintFarEdge(stage, top);
  }

  private paintRow(
    { width, unit, sun, atSeconds: t }: Stage,
    row: number,
    rows: number,
    top: number,
    columns: number,
    aside: number,
    above: Uint32Array,
    data: Uint8ClampedArray,
  ): void {
    const calm = this.calm;
    const noise = this.noise;
    const down = (row + 0.5) / rows;
    const z = 1 / (down + 0.012);
    const rough = (1 - calm * 0.86) * smoothstep(0, 0.35, down);
    const dark = clamp01((this.told ? 0.42 : 0.14) + 0.62 * down ** 0.7 - calm * 0.16);
    const glint = (sun.isMoon ? 0.42 : 0.6) * (1 - 0.4 * down);
    const fine = smoothstep(0, 0.14, down);
    const pathWidth = unit * (0.035 + 0.24 * down);
    const [deepR = 0, deepG = 0, deepB = 0] = this.deep;
    const [lightR = 0, lightG = 0, lightB = 0] = this.light;
    const mirror = top - 1 - row * 0.92;
    for (let column = 0, at = row * columns * 4; column < columns; column++, at += 4) {
      const pixel = column * 2;
      const x = ((pixel - width / 2 + aside) / unit) * z;
      const long = noise(x * 1.6 + 3 + t * 0.16, z * 7.5 + t * 0.8);
      const short =
        noise(x * 5.2 - 8 - t * 0.3, z * 23 + t * 1.7) * 0.6 +
        (fine > 0.02 ? noise(x * 13 + t * 0.7, z * 51 + t * 2.6) * 0.35 * fine : 0);
      const wave = long * 0.6 + short;
      const bend = wave * rough * 0.09 * unit + short * calm * unit * 0.006 * (0.3 + down);
      const mirrored = Math.min(top - 1, Math.max(0, Math.round(mirror + bend)));
      const shifted = Math.round(column + wave * rough * unit * 0.01);
      const from = above[mirrored * columns + Math.min(columns - 1, Math.max(0, shifted))] ?? 0;
      const trough = clamp01(dark + wave * (0.07 + 0.3 * rough));
      const path = (pixel - sun.x) / pathWidth;
      const shine =
        path * path > 6
          ? 0
          : Math.exp(-path * path) * smoothstep(0.12, 0.62, wave + 0.34 - down * 0.16) * glint;
      data[at] = mix(mix(from & 255, deepR, trough), lightR, shine);
      data[at + 1] = mix(mix((from >> 8) & 255, deepG, trough), lightG, shine);
      data[at + 2] = mix(mix((from >> 16) & 255, deepB, trough), lightB, shine);
      data[at + 3] = 255;
    }
  }
}
