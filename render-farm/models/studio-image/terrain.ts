/// <reference lib="dom" />
import { blend, type Color, type Rgb, toRgb } from "./color.ts";
import { clamp01, mix, smoothstep } from "./noise.ts";
import type { Stage } from "./stage.ts";

/**
 * A height field seen in perspective, with light from the side, its cast shadows and haze.
 *
 * The eye looks level along z from height `eye`. Rows of samples run from near to far, evenly in
 * the logarithm of distance; each pixel column keeps how high the land already reaches, so what is
 * hidden is never painted, and crests meet the sky with their exact share of a pixel. Light comes
 * along x, so a shadow is swept along one row of samples.
 */
export interface Terrain {
  readonly eye: number;
  /** Nearest distance at which there is terrain. */
  readonly near: number;
  readonly far: number;
  /** Distance at which haze has taken most of the colour. */
  readonly clear: number;
  /** Height that light gains per unit of distance; a small value gives long shadows. */
  readonly rise: number;
  /** Whether land below height 0 is left out, as around an island. */
  readonly isIsland: boolean;
  readonly height: (x: number, z: number) => number;
  /** Fine relief of the surface, added to the exposure. */
  readonly texture: (x: number, z: number) => number;
  /** Index into `ramps`; `slope` is 0 on flat land. */
  readonly material: (x: number, z: number, height: number, slope: number) => number;
  readonly ramps: readonly Ramp[];
}

/** Colours of a surface in shadow, in half light and in full light. */
export type Ramp = readonly [shadow: Color, middle: Color, light: Color];

/** The painted land: the distance of each pixel, or 0 where there is no land. */
export interface Ground {
  readonly distance: Float32Array;
  /** Pixels per unit of length at distance 1. */
  readonly focal: number;
}

const rampSteps = 256;
/** Stands for a row's y when its sample was not painted, so colours are not blended with it. */
const hidden = 1e9;

export function getFocal(stage: Stage): number {
  return stage.unit * 1.05;
}

export function paintTerrain(stage: Stage, terrain: Terrain): Ground {
  const { ctx, width, height } = stage;
  const image = ctx.getImageData(0, 0, width, height);
  const field = new Field(stage, terrain, image.data);
  // Flat land at this distance is just below the picture.
  const nearest = (0.5 * terrain.eye * getFocal(stage)) / (height - stage.horizon);
  const near = Math.max(terrain.near, nearest);
  const rows = Math.round(340 + Math.min(420, height / 4));
  const growth = (terrain.far / near) ** (1 / rows);
  for (let row = 0, z = near; row <= rows; row++, z *= growth) field.row(z);
  ctx.putImageData(image, 0, 0);
  return { distance: field.distance, focal: getFocal(stage) };
}

class Field {
  readonly distance: Float32Array;
  private readonly stage: Stage;
  private readonly terrain: Terrain;
  private readonly pixels: Uint8ClampedArray;
  private readonly behind: Uint8ClampedArray;
  private readonly ramps: readonly Float32Array[];
  private readonly haze: Float32Array;
  private readonly top: Float32Array;
  private readonly last: Float32Array;
  private readonly lastY: Float32Array;
  private heights: Float32Array;
  private heightsBefore: Float32Array;
  private zBefore = 0;

  constructor(stage: Stage, terrain: Terrain, pixels: Uint8ClampedArray) {
    const { width, height } = stage;
    this.stage = stage;
    this.terrain = terrain;
    this.pixels = pixels;
    this.behind = pixels.slice();
    this.ramps = terrain.ramps.map(rampTable);
    this.haze = hazeAcross(stage);
    this.top = new Float32Array(width).fill(height);
    this.last = new Float32Array(width * 3);
    this.lastY = new Float32Array(width).fill(hidden);
    this.heights = new Float32Array(width);
    this.heightsBefore = new Float32Array(width);
    this.distance = new Float32Array(width * height);
  }

  /** Paints one row of samples at distance `z`; rows must come from near to far. */
  row(z: number): void {
    const { width, sun, horizon } = this.stage;
    const { eye, height, rise } = this.terrain;
    const focal = getFocal(this.stage);
    const step = z / focal;
    const heights = this.heights;
    for (let column = 0; column < width; column++)
      heights[column] = height((column - width / 2) * step, z);
    let ceiling = -1e9;
    for (let i = 0; i < width; i++) {
      const column = sun.side < 0 ? i : width - 1 - i;
      const own = heights[column] ?? 0;
      ceiling = Math.max(own, ceiling - rise * step);
      const y = horizon + (focal * (eye - own)) / z;
      if (this.terrain.isIsland && own <= 0) this.skip(column, horizon + (focal * eye) / z);
      else if (y >= (this.top[column] ?? 0)) this.lastY[column] = hidden;
      else if (this.zBefore > 0) this.paint(column, z, y, ceiling - own);
    }
    this.heights = this.heightsBefore;
    this.heightsBefore = heights;
    this.zBefore = z;
  }

  /** Leaves the column up to `y` unpainted, as water. */
  private skip(column: number, y: number): void {
    this.top[column] = Math.min(this.top[column] ?? 0, y);
    this.lastY[column] = hidden;
  }

  private paint(column: number, z: number, y: number, shade: number): void {
    const { width } = this.stage;
    const step = z / getFocal(this.stage);
    const x = (column - width / 2) * step;
    const own = this.heights[column] ?? 0;
    const left = this.heights[Math.max(0, column - 1)] ?? 0;
    const right = this.heights[Math.min(width - 1, column + 1)] ?? 0;
    const alongX = (right - left) / (2 * step);
    const before = this.heightsBefore[column] ?? 0;
    const alongZ = (own - before) / (z - this.zBefore) - (alongX * x) / z;
    const exposure = this.exposure(x, z, alongX, alongZ, shade, step);
    const slope = Math.hypot(alongX, alongZ);
    const ramp = this.ramps[this.terrain.material(x, z, own, slope)] ?? this.ramps[0];
    if (ramp === undefined) return;
    const haze = 1 - Math.exp(-((z / this.terrain.clear) ** 1.15));
    const at = Math.round(clamp01(exposure) * (rampSteps - 1)) * 3;
    const red = mix(ramp[at] ?? 0, this.haze[column * 3] ?? 0, haze);
    const green = mix(ramp[at + 1] ?? 0, this.haze[column * 3 + 1] ?? 0, haze);
    const blue = mix(ramp[at + 2] ?? 0, this.haze[column * 3 + 2] ?? 0, haze);
    this.fill(column, y, z, red, green, blue);
  }

  private exposure(
    x: number,
    z: number,
    alongX: number,
    alongZ: number,
    shade: number,
    step: number,
  ) {
    const { sun } = this.stage;
    const { rise, texture } = this.terrain;
    // Light comes from the side, from above by `rise`, and a little from beyond.
    const length = Math.hypot(alongX, 1, alongZ) * Math.hypot(1, rise);
    const facing = (rise - sun.side * alongX - 0.06 * alongZ) / length;
    const open = 1 - smoothstep(0, step * 3 + 0.02 * rise + 0.06, shade) * 0.82;
    const fine = texture(x, z) * smoothstep(0.05, 0.006, step);
    return (0.16 + 0.95 * facing + fine) * open + fine * 0.3;
  }

  private fill(
    column: number,
    y: number,
    z: number,
    red: number,
    green: number,
    blue: number,
  ): void {
    const { width, height } = this.stage;
    const top = this.top[column] ?? 0;
    const fromY = this.lastY[column] ?? top;
    const last = column * 3;
    const isJoined = fromY < hidden && fromY > y;
    for (
      let pixel = Math.min(height - 1, Math.ceil(top) - 1);
      pixel >= Math.max(0, Math.floor(y));
      pixel--
    ) {
      const share = Math.min(top, pixel + 1) - Math.max(y, pixel);
      const near = isJoined ? clamp01((pixel + 0.5 - y) / (fromY - y)) : 0;
      const at = (pixel * width + column) * 4;
      this.add(at, share, mix(red, this.last[last] ?? 0, near));
      this.add(at + 1, share, mix(green, this.last[last + 1] ?? 0, near));
      this.add(at + 2, share, mix(blue, this.last[last + 2] ?? 0, near));
      if (share > 0.5) this.distance[pixel * width + column] = z;
    }
    this.top[column] = y;
    this.lastY[column] = y;
    this.last[last] = red;
    this.last[last + 1] = green;
    this.last[last + 2] = blue;
  }

  private add(at: number, share: number, value: number): void {
    this.pixels[at] = (this.pixels[at] ?? 0) + share * (value - (this.behind[at] ?? 0));
  }
}

function rampTable([shadow, middle, light]: Ramp): Float32Array {
  const table = new Float32Array(rampSteps * 3);
  for (let step = 0; step < rampSteps; step++) {
    const t = step / (rampSteps - 1);
    const color = t < 0.5 ? blend(shadow, middle, t * 2) : blend(middle, light, t * 2 - 1);
    table.set(toRgb(color), step * 3);
  }
  return table;
}

/** Haze is brighter and warmer under the sun. */
function hazeAcross({ width, unit, palette, sun }: Stage): Float32Array {
  const across = new Float32Array(width * 3);
  for (let column = 0; column < width; column++) {
    const near = Math.exp(-(((column - sun.x) / (unit * 0.42)) ** 2));
    const warm: Color = blend(palette.sky[4], palette.light, 0.35);
    const rgb: Rgb = toRgb(blend(palette.haze, warm, (sun.isMoon ? 0.25 : 0.62) * near));
    across.set(rgb, column * 3);
  }
  return across;
}
