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
    t.match(film.details, { capture: "self-captured", frames: 75 });
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

t.test("a photo that turns has its shadow, also while a script changes that", async (t) => {
  const photo = await bench.store("photo.png", "image/png", [
    ...["-f", "lavfi", "-i", "color=white:s=100x60", "-frames:v", "1"],
  ]);
  const root = `<style>#p { position: absolute; left: 110px; top: 60px; width: 100px;
      height: 60px; border-radius: 12px; box-shadow: 0 6px 40px 4px #000 }</style>
    <img id="p" src="photo.png" alt=""><script>
    window.__timelines = { main: { duration: () => 2.5, pause() {}, seek(seconds) {
      const { style } = document.getElementById("p");
      style.transform = "rotate(" + 10 * seconds + "deg)";
      style.boxShadow = seconds >= 1 && seconds < 2 ? "0 0 40px 4px #f00" : "";
    } } };</script>`;
  const film = async (more: string) => {
    const files = composition(root + more, 'data-duration="2.5"');
    return bench.film({ ...files, "photo.png": photo }, { quality: "high" });
  };
  const drawn = await film("");
  const driven = await film('<canvas width="1" height="1"></canvas>');
  t.match(
    [drawn.details, driven.details],
    [{ capture: "self-captured" }, { capture: "compositor-captured" }],
  );
  const places = [
    ...([
      [160, 90],
      [220, 90],
      [104, 90],
      [160, 126],
      [160, 52],
    ] as const),
    ...([
      [109, 59],
      [212, 124],
      [90, 150],
      [235, 30],
    ] as const),
  ];
  for (const frame of [0, 15, 29, 30, 45, 59, 60, 74]) {
    const [found, wanted] = [
      await drawn.pixels(frame, ...places),
      await driven.pixels(frame, ...places),
    ];
    for (const [index, color] of wanted.entries())
      t.ok(isNear(found[index], color), `${frame}, ${places[index]}: ${found[index]} is ${color}`);
  }
  const [beside, changed] = [await drawn.pixels(15, [220, 90]), await drawn.pixels(45, [220, 90])];
  t.ok((beside[0]?.[0] ?? 255) < 25, `black: ${beside}`);
  t.ok((changed[0]?.[0] ?? 0) > 100, `red: ${changed}`);
});

t.test("a film whose pages draw it otherwise goes the slow way", async (t) => {
  const style = "<style>body > #root { background: #00f !important }</style>";
  const long = 'data-duration="2.5"';
  const film = await bench.film(composition(`${style}${box("a", "", 0, 1)}`, long));
  t.match(film.details, { capture: "compositor-captured" });
  t.ok(isNear((await film.pixels(70, [5, 5]))[0], [0, 0, 255]));
  const drawing = '<canvas width="10" height="10"></canvas>';
  t.match((await bench.film(composition(drawing, long))).details, {
    capture: "compositor-captured",
  });
});
