import { even } from "../../actors/timeline/model.ts";
import { loadPlanar } from "../film-page/planar.ts";
import { pixelsOf } from "../pictures.ts";
import type { PageScripts } from "./page-scripts.ts";

/** Makes planes of the compositor's pictures of a page, exactly as the page does of its own. */
export async function planesMaker(
  scripts: PageScripts,
  size: { readonly width: number; readonly height: number },
): Promise<(picture: Buffer) => Promise<Buffer>> {
  const [width, height] = [even(size.width), even(size.height)];
  const planar = await loadPlanar(new Uint8Array(await scripts.converter()), width, height);
  return async (picture) => {
    const colors = await pixelsOf(picture, { width, height });
    const { pixels, planes } = planar;
    const to = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
    const from = new Uint32Array(colors.buffer, colors.byteOffset, to.length);
    // Red and blue change places.
    for (let at = 0; at < to.length; at++) {
      const color = from[at] ?? 0;
      to[at] = (color & 0xff00ff00) | ((color & 0xff) << 16) | ((color >>> 16) & 0xff);
    }
    planar.convert();
    return Buffer.from(planes);
  };
}

/**
 * The planes as a screen shows them: colours that no screen has become the nearest that it has, as
 * happens to whatever a page paints.
 */
export function displayed(planes: Buffer, width: number): Buffer {
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

/** Of colours so close to grey, those that a screen lacks are black or white nearly. */
const neverClamped = 0.02;

/** Peak signal to noise of two pictures' planes where they differ most, in dB; at most 100. */
export function likeness(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return 0;
  const luma = (one.length * 2) / 3;
  const planes = [0, luma, luma * 1.25, one.length];
  const noises = [0, 1, 2].map((plane) => noise(one, other, planes[plane] ?? 0, planes[plane + 1]));
  return Math.min(100, -10 * Math.log10(Math.max(...noises)));
}

/** Mean square of every third value's difference, of the square of the peak. */
function noise(one: Buffer, other: Buffer, from: number, to = one.length): number {
  let squares = 0;
  for (let at = from; at < to; at += 3) squares += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2;
  return squares / (219 ** 2 * Math.ceil((to - from) / 3));
}

/** Whether nothing in the picture is lighter than black by more than a trace. */
export function isDark(planes: Buffer): boolean {
  const luma = planes.subarray(0, (planes.length * 2) / 3);
  return luma.every((value) => value <= 21);
}
