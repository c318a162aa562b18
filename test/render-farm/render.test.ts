import t from "tap";
import { composition, isNear, openFilmBench } from "./film-bench.ts";

const bench = await openFilmBench(t);

const box = (id: string, style: string, start: number, duration: number) =>
  `<div id="${id}" class="clip" data-start="${start}" data-duration="${duration}"
    style="${style}"></div>`;
const ground = [32, 64, 96] as const;
const red = [255, 0, 0] as const;
const lime = [0, 255, 0] as const;

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
