import { loadPlanar } from "../../../film/page/planar/planar.ts";
import type { PageScripts } from "../../../film/page-scripts.ts";
import { even } from "../../../timeline/model.ts";
import type { Pictures } from "../../pictures/pictures.ts";

/** Returns a converter of compositor pictures to planes, identical to the page's conversion. */
export async function planesMaker(
  { scripts, screenshots }: { readonly scripts: PageScripts; readonly screenshots: Pictures },
  size: { readonly width: number; readonly height: number },
): Promise<(picture: Buffer) => Promise<Buffer>> {
  const [width, height] = [even(size.width), even(size.height)];
  const planar = await loadPlanar(new Uint8Array(await scripts.converter()), width, height);
  return async (picture) => {
    const colors = await screenshots.pixels(picture, { width, height });
    const { pixels, planes } = planar;
    const to = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
    const from = new Uint32Array(colors.buffer, colors.byteOffset, to.length);
    // Swaps red and blue.
    for (let at = 0; at < to.length; at++) {
      const color = from[at] ?? 0;
      to[at] = (color & 0xff00ff00) | ((color & 0xff) << 16) | ((color >>> 16) & 0xff);
    }
    planar.convert();
    return Buffer.from(planes);
  };
}

/**
 * Converts planes to what a screen would show: colours outside the screen's gamut become the
 * nearest that it has, as happens to everything that a page paints.
 */
export function displayPicture(planes: Buffer, width: number): Buffer {
  const pixels = (planes.length * 2) / 3;
  const shown = Buffer.from(planes);
  for (let at = 0; at < pixels / 4; at++) {
    const blueness = ((planes[pixels + at] ?? 0) - 128) / 224;
    const redness = ((planes[pixels * 1.25 + at] ?? 0) - 128) / 224;
    if (Math.abs(blueness) + Math.abs(redness) < neverClamped) continue;
    const row = Math.floor((at * 2) / width);
    const first = row * width + at * 2;
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let part = 0; part < 4; part++) {
      const place = first + (part & 1) + (part >> 1) * width;
      const luma = ((planes[place] ?? 0) - 16) / 219;
      const r = Math.min(1, Math.max(0, luma + 1.5748 * redness));
      const g = Math.min(1, Math.max(0, luma - 0.1873 * blueness - 0.4681 * redness));
      const b = Math.min(1, Math.max(0, luma + 1.8556 * blueness));
      shown[place] = Math.round(16 + 219 * (0.2126 * r + 0.7152 * g + 0.0722 * b));
      red += r / 4;
      green += g / 4;
      blue += b / 4;
    }
    const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    shown[pixels + at] = Math.round(128 + (224 * (blue - luma)) / 1.8556);
    shown[pixels * 1.25 + at] = Math.round(128 + (224 * (red - luma)) / 1.5748);
  }
  return shown;
}

/** Chroma below which only colours close to black or white are outside a screen's gamut. */
const neverClamped = 0.02;

export interface Similarity {
  /** Peak signal-to-noise ratio of the whole pictures, in dB; at most 100. */
  readonly overall: number;
  /** Ratio for the part in which the pictures differ most. */
  readonly worst: number;
}

/**
 * How alike two pictures' planes are, in the plane where they differ most. Means of four by four
 * pixels are compared: two ways of scaling a detailed photo differ from pixel to pixel and agree in
 * these, while moved or missing content differs in both.
 */
export function computeSimilarity(one: Buffer, other: Buffer, width: number): Similarity {
  const luma = (one.length * 2) / 3;
  if (one.length !== other.length || luma % width !== 0) return { overall: 0, worst: 0 };
  const height = luma / width;
  const planes = [
    { at: 0, width, height, block: 4 },
    { at: luma, width: width / 2, height: height / 2, block: 2 },
    { at: luma * 1.25, width: width / 2, height: height / 2, block: 2 },
  ];
  const found = planes.map((plane) => planeNoise(one, other, plane));
  const decibels = (noises: readonly number[]): number =>
    Math.min(100, -10 * Math.log10(Math.max(...noises) / 219 ** 2));
  return {
    overall: decibels(found.map(({ overall }) => overall)),
    worst: decibels(found.map(({ worst }) => worst)),
  };
}

interface Plane {
  readonly at: number;
  readonly width: number;
  readonly height: number;
  /** Edge in pixels of the blocks whose means are compared. */
  readonly block: number;
}

/** Edge of a part, in blocks. */
const partBlocks = 16;

/** Mean squared difference of the blocks: of all, and of the part where it is largest. */
function planeNoise(one: Buffer, other: Buffer, { at, width, height, block }: Plane) {
  const columns = Math.ceil(width / block);
  const rows = Math.ceil(height / block);
  const parts = new Float64Array(Math.ceil(columns / partBlocks) * Math.ceil(rows / partBlocks));
  const sums = new Int32Array(columns);
  let squares = 0;
  for (let row = 0; row < rows; row++) {
    sums.fill(0);
    const last = Math.min(height, (row + 1) * block);
    for (let y = row * block; y < last; y++) {
      const from = at + y * width;
      for (let x = 0; x < width; x++) {
        const column = (x / block) | 0;
        sums[column] = (sums[column] ?? 0) + (one[from + x] ?? 0) - (other[from + x] ?? 0);
      }
    }
    const lines = last - row * block;
    const partRow = Math.floor(row / partBlocks) * Math.ceil(columns / partBlocks);
    for (let column = 0; column < columns; column++) {
      const wide = Math.min(block, width - column * block);
      const square = ((sums[column] ?? 0) / (lines * wide)) ** 2;
      const part = partRow + Math.floor(column / partBlocks);
      squares += square;
      parts[part] = (parts[part] ?? 0) + square;
    }
  }
  return { overall: squares / (columns * rows), worst: Math.max(...parts) / partBlocks ** 2 };
}

/** Whether no pixel is noticeably lighter than black. */
export function isDark(planes: Buffer): boolean {
  const luma = planes.subarray(0, (planes.length * 2) / 3);
  return luma.every((value) => value <= 21);
}
