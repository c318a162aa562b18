/** What strangers' compositions showed to be other than in HyperFrames, one test each. */
import t, { type Test } from "tap";
import {
  composition,
  type Files,
  isNear,
  openFilmBench,
  type Place,
  type Rgb,
} from "./film-bench.ts";
import { readPng } from "./png.ts";

const bench = await openFilmBench(t);
const ground = [32, 64, 96] as const;

/** Pixels of one frame, as a lossless still. */
async function colorsAt(files: Files, frame: number, ...places: readonly Place[]) {
  const film = await bench.film(files, { target: "still", still: { frame } });
  const png = readPng(await bench.bytesOf(film.key));
  return places.map(([x, y]) => png.at((x + 0.5) / png.width, (y + 0.5) / png.height));
}

function sees(t: Test, found: readonly (Rgb | undefined)[], wanted: readonly Rgb[]): void {
  for (const [index, color] of wanted.entries())
    t.ok(isNear(found[index], color, 8), `${index}: ${found[index]} is ${color}`);
}

const box = (id: string, more = "") =>
  `<div id="${id}" style="position:absolute;left:0;top:80px;width:20px;height:20px;
    background:#fff;${more}"></div>`;

t.test("text is precise from the first that a script measures, save where it says", async (t) => {
  const root = `<style>#own { text-rendering: optimizeSpeed }</style>
    ${box("plain")}${box("own", "left:100px")}<script>
    for (const id of ["plain", "own"]) {
      const { style } = document.getElementById(id);
      const said = getComputedStyle(document.getElementById(id)).textRendering.toLowerCase();
      style.background = said === "geometricprecision" ? "#0f0" : "#f00";
    }</script>`;
  const found = await colorsAt(composition(root), 0, [10, 90], [110, 90], [200, 90]);
  sees(t, found, [[0, 255, 0], [255, 0, 0], ground]);
});
