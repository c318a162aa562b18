import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { even } from "../../actors/timeline/model.ts";
import { loadPlanar } from "../film-page/planar.ts";
import { pixelsOf } from "../pictures.ts";

/** Makes planes of the compositor's pictures of a page, exactly as the page does of its own. */
export async function planesMaker(
  codeFolder: string,
  size: { readonly width: number; readonly height: number },
): Promise<(picture: Buffer) => Promise<Buffer>> {
  const module = await readFile(join(codeFolder, "render-farm/film-page/planar.wasm"));
  const [width, height] = [even(size.width), even(size.height)];
  const planar = await loadPlanar(module, width, height);
  return async (picture) => {
    const colors = await pixelsOf(picture, { width, height });
    const { pixels, planes } = planar;
    for (let at = 0; at < colors.length; at += 4) {
      pixels[at] = colors[at + 2] ?? 0;
      pixels[at + 1] = colors[at + 1] ?? 0;
      pixels[at + 2] = colors[at] ?? 0;
    }
    planar.convert();
    return Buffer.from(planes);
  };
}

/** Peak signal to noise of two pictures' planes where they differ most, in dB; at most 100. */
export function likeness(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return 0;
  const luma = (one.length * 2) / 3;
  const planes = [0, luma, luma * 1.25, one.length];
  const noises = [0, 1, 2].map((plane) => noise(one, other, planes[plane] ?? 0, planes[plane + 1]));
  return Math.min(100, -10 * Math.log10(Math.max(...noises)));
}

/** Mean square of the differences, of the square of the peak. */
function noise(one: Buffer, other: Buffer, from: number, to = one.length): number {
  let squares = 0;
  for (let at = from; at < to; at++) squares += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2;
  return squares / (219 ** 2 * (to - from));
}

/** Whether nothing in the picture is lighter than black by more than a trace. */
export function isDark(planes: Buffer): boolean {
  const luma = planes.subarray(0, (planes.length * 2) / 3);
  return luma.every((value) => value <= 21);
}
