import t from "tap";
import { composition, isNear, openFilmBench } from "./film-bench.ts";

const bench = await openFilmBench(t);

const box = (id: string, style: string, start: number, duration: number) =>
  `<div id="${id}" class="clip" data-start="${start}" data-duration="${duration}"
    style="${style}"></div>`;
const ground = [32, 64, 96] as const;
const red = [255, 0, 0] as const;
const lime = [0, 255, 0] as const;
const white = [255, 255, 255] as const;

t.test("clips are shown on [start, end), at their places, in their colours", async (t) => {
  const root =
    box("a", "left:10px;top:10px;width:60px;height:60px;background:#f00", 0.2, 0.3) +
    box("b", "left:200px;top:100px;width:60px;height:60px;background:#0f0", 0.5, 9);
  for (const quality of ["fast", "standard", "high"]) {
    const film = await bench.film(composition(root), { quality });
    t.equal(await film.frames(), 30);
    const at = async (frame: number) => film.pixels(frame, [40, 40], [230, 130], [150, 20]);
    const looks = async (
      frame: number,
      wanted: readonly (typeof red | typeof lime | typeof ground)[],
    ) => {
      const found = await at(frame);
      for (const [index, color] of wanted.entries())
        t.ok(isNear(found[index], color), `${quality} ${frame}: ${found[index]} is ${color}`);
    };
    await looks(0, [ground, ground, ground]);
    await looks(5, [ground, ground, ground]);
    await looks(6, [red, ground, ground]);
    await looks(14, [red, ground, ground]);
    await looks(15, [ground, lime, ground]);
    await looks(29, [ground, lime, ground]);
    t.strictSame(film.warnings, []);
    const codecs = await bench.codecs(film.key);
    for (const line of [
      "profile=High",
      "pix_fmt=yuv420p",
      "color_space=bt709",
      "r_frame_rate=30/1",
    ])
      t.ok(codecs.includes(line), line);
    t.notOk(codecs.includes("codec_name=aac"), "no sound, no stream of it");
  }
});

t.test("long films are drawn by their pages, and look the same", async (t) => {
  const root =
    box("a", "left:10px;top:10px;width:60px;height:60px;background:#f00", 0.5, 1) +
    box("b", "left:200px;top:100px;width:60px;height:60px;background:#0f0", 1, 9);
  const texts = [{ id: "t", text: "█", start: 0, duration: 1.5, x: 100, y: 10, font_size: 50 }];
  const edits = JSON.stringify({ version: 1, texts });
  for (const quality of ["fast", "standard", "high"]) {
    const files = { ...composition(root, 'data-duration="2.5"'), "klieg-edits.json": edits };
    const film = await bench.film(files, { quality });
    t.match(film.details, { capture: "drawn", frames: 75 });
    t.equal(await film.frames(), 75);
    for (const [frame, wanted] of [
      [14, [ground, ground, white]],
      [15, [red, ground, white]],
      [44, [red, lime, white]],
      [45, [ground, lime, ground]],
      [74, [ground, lime, ground]],
    ] as const) {
      const found = await film.pixels(frame, [40, 40], [230, 130], [112, 40]);
      for (const [index, color] of wanted.entries())
        t.ok(isNear(found[index], color), `${quality} ${frame}: ${found[index]} is ${color}`);
    }
  }
});

t.test("a film whose pages draw it otherwise goes the slow way", async (t) => {
  const style = "<style>body > #root { background: #00f !important }</style>";
  const long = 'data-duration="2.5"';
  const film = await bench.film(composition(`${style}${box("a", "", 0, 1)}`, long));
  t.match(film.details, { capture: "driven" });
  t.ok(isNear((await film.pixels(70, [5, 5]))[0], [0, 0, 255]));
  const drawing = '<canvas width="10" height="10"></canvas>';
  t.match((await bench.film(composition(drawing, long))).details, { capture: "driven" });
});
