import type { Raster } from "../../pictures/orders.ts";

/**
 * The height of each point of a photo. A subject before an even backdrop (or with
 * transparency) is cut out and rounded like something inflated; a whole scene becomes a bas-relief.
 * Brightness adds the detail: what catches light faces it.
 */
export interface Heights {
  readonly width: number;
  readonly height: number;
  /** 1 where the subject is. */
  readonly mask: Uint8Array;
  /** Heights from 0 to 1, row by row. */
  readonly values: Float32Array;
}

const alikeMax = 30;
const evenShare = 0.8;

export function computeHeights(raster: Raster): Heights {
  const { width, height } = raster;
  const mask = computeMask(raster);
  const light = computeLight(raster);
  const soft = blur(light, width, height, Math.max(1, Math.round(width / 90)));
  const broad = blur(light, width, height, Math.max(2, Math.round(width / 14)));
  const distance = distances(mask, width, height);
  const deepest = distance.reduce((most, one) => Math.max(most, one), 1);
  const isCut = mask.includes(0);
  const values = new Float32Array(width * height);
  for (let i = 0; i < values.length; i++) {
    const detail = (soft[i] ?? 0) - (broad[i] ?? 0);
    const inward = 1 - Math.min(1, (distance[i] ?? 0) / (deepest * 0.8));
    const round = Math.sqrt(Math.max(0, 1 - inward * inward));
    const base = isCut ? 0.72 * round + 0.12 * (broad[i] ?? 0) * round : 0.55 * (broad[i] ?? 0);
    values[i] = Math.min(1, Math.max(0, base + detail * (isCut ? 0.5 * round : 0.7)));
  }
  return { width, height, mask, values };
}

function computeLight({ pixels, channels, width, height }: Raster): Float32Array {
  const light = new Float32Array(width * height);
  for (let i = 0, at = 0; i < light.length; i++, at += channels)
    light[i] =
      (0.2126 * (pixels[at] ?? 0) +
        0.7152 * (pixels[at + 1] ?? 0) +
        0.0722 * (pixels[at + 2] ?? 0)) /
      255;
  return light;
}

/** The subject: opaque pixels, or pixels that the backdrop does not reach from the borders. */
function computeMask(raster: Raster): Uint8Array {
  const { pixels, channels, width, height } = raster;
  const count = width * height;
  const clear = new Uint8Array(count);
  let clearCount = 0;
  for (let i = 0; i < count; i++)
    if ((pixels[i * channels + 3] ?? 255) < 128) {
      clear[i] = 1;
      clearCount++;
    }
  if (clearCount > count * 0.02)
    return clean(
      clear.map((one) => 1 - one),
      count,
    );
  const border = borderIndices(width, height);
  const middle = [0, 1, 2].map((channel) =>
    computeMedian(border.map((i) => pixels[i * channels + channel] ?? 0)),
  );
  const isAlike = (i: number): boolean =>
    middle.every(
      (value, channel) => Math.abs((pixels[i * channels + channel] ?? 0) - value) < alikeMax,
    );
  const even = border.filter(isAlike);
  if (even.length < border.length * evenShare) return new Uint8Array(count).fill(1);
  return clean(flood(even, isAlike, width, height), count);
}

/** Ignores a mask that leaves almost nothing of the subject. */
function clean(mask: Uint8Array, count: number): Uint8Array {
  const left = mask.reduce((sum, one) => sum + one, 0);
  return left < count * 0.02 ? new Uint8Array(count).fill(1) : mask;
}

function flood(
  from: readonly number[],
  isAlike: (i: number) => boolean,
  width: number,
  height: number,
): Uint8Array {
  const mask = new Uint8Array(width * height).fill(1);
  const open = [...from];
  for (const i of open) mask[i] = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const x = next % width;
    const around = [
      x > 0 ? next - 1 : -1,
      x < width - 1 ? next + 1 : -1,
      next - width,
      next + width,
    ];
    for (const i of around)
      if (i >= 0 && i < mask.length && mask[i] === 1 && isAlike(i)) {
        mask[i] = 0;
        open.push(i);
      }
  }
  return mask;
}

function borderIndices(width: number, height: number): number[] {
  const indices: number[] = [];
  for (let x = 0; x < width; x++) indices.push(x, (height - 1) * width + x);
  for (let y = 1; y < height - 1; y++) indices.push(y * width, y * width + width - 1);
  return indices;
}

function computeMedian(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Distances to the nearest outside point along rows, columns and diagonals (chamfer 3-4). */
function distances(mask: Uint8Array, width: number, height: number): Float32Array {
  const far = (width + height) * 3;
  const found = new Float32Array(mask.length);
  const at = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= width || y >= height ? 0 : (found[y * width + x] ?? 0);
  for (let i = 0; i < mask.length; i++) found[i] = mask[i] === 1 ? far : 0;
  const relax = (x: number, y: number, way: number): void => {
    const i = y * width + x;
    if (found[i] === 0) return;
    found[i] = Math.min(
      found[i] ?? 0,
      at(x - way, y) + 3,
      at(x, y - way) + 3,
      at(x - way, y - way) + 4,
      at(x + way, y - way) + 4,
    );
  };
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) relax(x, y, 1);
  for (let y = height - 1; y >= 0; y--) for (let x = width - 1; x >= 0; x--) relax(x, y, -1);
  return found;
}

/** Applies three box blurs in each direction, which approximate a Gaussian. */
function blur(source: Float32Array, width: number, height: number, radius: number): Float32Array {
  let values = source;
  for (let pass = 0; pass < 3; pass++) {
    values = blurByBox(values, width, height, radius, 1, width);
    values = blurByBox(values, height, width, radius, width, 1);
  }
  return values;
}

function blurByBox(
  source: Float32Array,
  length: number,
  lines: number,
  radius: number,
  step: number,
  stride: number,
): Float32Array {
  const result = new Float32Array(source.length);
  const clamp = (i: number): number => Math.min(length - 1, Math.max(0, i));
  for (let line = 0; line < lines; line++) {
    const start = line * stride;
    let sum = 0;
    for (let i = -radius; i <= radius; i++) sum += source[start + clamp(i) * step] ?? 0;
    for (let i = 0; i < length; i++) {
      result[start + i * step] = sum / (2 * radius + 1);
      sum += source[start + clamp(i + radius + 1) * step] ?? 0;
      sum -= source[start + clamp(i - radius) * step] ?? 0;
    }
  }
  return result;
}
