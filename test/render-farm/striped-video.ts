/** A video whose colours show which of its times is on screen. */
import type { Test } from "tap";
import { type Film, type FilmBench, isNear, type Rgb } from "./film-bench.ts";

export const black = [0, 0, 0] as const;

/** Colours that change every quarter of a second: red, green, blue, white. */
export const colors: readonly Rgb[] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
];
export const names = ["red", "lime", "blue", "white"];
export const quarters = names.map((name) => `color=${name}:s=160x90:d=0.25:r=24`);
export const stripe = (...more: readonly string[]): string[] => [
  ...quarters.flatMap((source) => ["-f", "lavfi", "-i", source]),
  ...["-filter_complex", "[0][1][2][3]concat=n=4[v]", "-map", "[v]"],
  ...["-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "12", ...more],
];
export function storeStripes(bench: FilmBench) {
  return bench.store("stripes.mp4", "video/mp4", stripe());
}

export const clip = (more: string) =>
  `<video id="v" src="stripes.mp4" muted style="position:absolute;left:80px;top:45px;width:160px"
    ${more}></video>`;
export const middle = [160, 90] as const;
/** Markup that ffmpeg alone cannot film, so a page draws it. */
export const drawnAnew =
  '<p style="position:absolute;left:0;top:0;transform:rotate(3deg)">text</p>';

/** Checks the colour in the middle of each frame, given by the frame's number. */
export async function shows(t: Test, film: Film, wanted: readonly (readonly [number, number])[]) {
  for (const [frame, color] of wanted) {
    const [inside] = await film.pixels(frame, middle);
    t.ok(isNear(inside, colors[color] ?? black, 16), `${frame}: ${inside} is ${names[color]}`);
  }
}
