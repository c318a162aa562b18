/** Films of third-party compositions, which hold more than the format itself describes. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import t from "tap";
import { box, composition, isNear, openFilmBench, sees } from "../../render-farm/film-bench.ts";

const bench = await openFilmBench(t, 1);
const ground = [32, 64, 96] as const;
const white = [255, 255, 255] as const;
const blue = [0, 0, 246] as const;

const clip = await bench.store("blue.mp4", "video/mp4", [
  ...["-f", "lavfi", "-i", "color=blue:s=64x36:d=1:r=30", "-f", "lavfi", "-i", "sine=440:d=1"],
  ...["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"],
]);

t.test("media that stand beside the root keep their picture and their sound", async (t) => {
  const { "index.html": page } = composition(box("b"), 'data-duration="2"');
  const media = `<div style="position:absolute;left:160px;top:0;width:160px;height:90px">
    <video src="blue.mp4" muted data-start="0.5" data-duration="1"
      style="width:160px;height:90px"></video></div>
    <audio src="blue.mp4" data-start="0.5" data-duration="1"></audio>`;
  const files = { "index.html": page.replace("</body>", `${media}</body>`), "blue.mp4": clip };
  for (const quality of ["standard", "high"]) {
    const film = await bench.film(files, { quality });
    t.strictSame(film.warnings, []);
    sees(t, await film.pixels(10, [240, 45], [10, 90]), [ground, white]);
    sees(t, await film.pixels(30, [240, 45], [10, 90]), [blue, white]);
    t.match(await bench.hear(film.key, "astats"), /RMS level dB: -2\d/);
  }
});

t.test(
  "a holder of a video beside the root that is placed nowhere lies over the root",
  async (t) => {
    const { "index.html": page } = composition("");
    const media = `<div
    style="position:absolute;width:160px;height:90px;transform:translate(9px,9px)">
    <video src="blue.mp4" muted data-start="0" data-duration="1" style="width:160px">
    </video></div>`;
    const files = { "index.html": page.replace("</body>", `${media}</body>`), "blue.mp4": clip };
    sees(t, await bench.colorsAt(files, 10, [3, 3], [20, 20]), [ground, blue]);
  },
);

t.test("inline scripts of the body find what is written after them", async (t) => {
  const { "index.html": page } = composition(`<script>
    document.getElementById("beside").style.background = "#0f0";
    document.getElementById("late").style.background = "#fff";</script>
    <div id="late" style="position:absolute;left:0;top:0;width:20px;height:20px"></div>`);
  const beside = `<div id="beside" style="position:absolute;left:40px;top:0;width:20px;height:20px">
    </div></body>`;
  const files = { "index.html": page.replace("</body>", beside) };
  sees(t, await bench.colorsAt(files, 0, [9, 9], [49, 9]), [white, [0, 255, 0]]);
});

t.test("a page that only makes window.__timelines is filmed at once", async (t) => {
  const script = "<script>window.__timelines = window.__timelines || {}</script>";
  const film = await bench.film(composition(box("b") + script));
  sees(t, await film.pixels(10, [10, 90]), [white]);
  t.match(film.warnings, [/registers nothing in it/]);
});

t.test("a timeline that never registers is a warning where nothing says why", async (t) => {
  const script = "<script>if (window.neverSet) window.__timelines.main = {}</script>";
  const film = await bench.film(composition(box("b") + script));
  sees(t, await film.pixels(10, [10, 90]), [white]);
  t.match(film.warnings, [/^no timeline registered in window.__timelines; .* do not move$/]);
});

const bare = (root: string) =>
  composition(root)["index.html"].replace("background:#204060", "color:#000");

t.test("a film without a background is black there, says so and does not fail", async (t) => {
  const line = '<p id="p" class="clip" data-start="0" data-duration="1">dark</p>';
  const files = { "index.html": bare(line) };
  for (const quality of ["standard", "high"]) {
    const film = await bench.film(files, { quality });
    t.match(film.warnings, [/div#main has no background|div#root has no background/]);
    sees(t, await film.pixels(10, [300, 150]), [[0, 0, 0]]);
  }
  sees(t, await bench.colorsAt(files, 10, [300, 150]), [[0, 0, 0]]);
  const linked = files["index.html"].replace(
    "</head>",
    '<link rel="stylesheet" href="a.css"></head>',
  );
  const film = await bench.film({ "index.html": linked, "a.css": "p{left:0}" });
  t.match(film.warnings, [/^nothing paints the background of page, body or root/]);
  const lit = await bench.film({ "index.html": linked, "a.css": "html{background:#204060}" });
  t.strictSame(lit.warnings, []);
  sees(t, await lit.pixels(10, [300, 150]), [ground]);
});

const grain = await bench.store("grain.jpg", "image/jpeg", [
  ...["-f", "lavfi", "-i", "nullsrc=s=1600x1200,geq=random(1)*255:128:128", "-frames:v", "1"],
]);

t.test("a detailed photo that turns stays on pages that draw themselves", async (t) => {
  const photo = `<style>@keyframes turn { from { transform: rotate(-9deg) }
      to { transform: rotate(9deg) } } img { animation: turn 3s linear both }</style>
    <img src="grain.jpg" style="position:absolute;left:100px;top:20px;width:480px;height:360px">`;
  const film = await bench.film({
    ...composition(photo, 'data-duration="3"', [640, 400]),
    "grain.jpg": grain,
  });
  t.match(film.details, { capture: "self-captured", captureReason: null });
  t.match(bench.notes.at(-1), /^render .*: filmed self-captured$/);
});

t.test("the log says why the compositor films a page", async (t) => {
  const film = await bench.film(composition("<canvas></canvas>", 'data-duration="3"'));
  t.match(film.details, { capture: "compositor-captured", captureReason: "the page has canvas" });
  t.match(bench.notes.at(-1), /filmed compositor-captured \(the page has canvas\)$/);
});

const makeMixing = (script: string) =>
  composition(
    `<div id="one" class="scene" style="position:absolute;inset:0;background:#f00"></div>
    <div id="two" class="scene" style="position:absolute;inset:0;background:#00f"></div>
    <script src="gsap.js"></script><script src="shaders.js"></script><script>${script}</script>`,
    'data-duration="3"',
  );
const packageFile = async (path: string) => {
  const name = path.split("/")[0] ?? "";
  const root = createRequire(import.meta.url)
    .resolve.paths(name)
    ?.find((one) => existsSync(join(one, path)));
  return readFile(join(root ?? "", path), "utf8");
};

t.test("transitions of @hyperframes/shader-transitions are filmed", async (t) => {
  const script = `HyperShader.init({ bgColor: "#000", scenes: ["one", "two"],
    transitions: [{ time: 1, shader: "flash-through-white", duration: 1 }] });`;
  const files = {
    ...makeMixing(script),
    "gsap.js": await packageFile("gsap/dist/gsap.min.js"),
    "shaders.js": await packageFile("@hyperframes/shader-transitions/dist/index.global.js"),
  };
  const film = await bench.film(files);
  t.strictSame(film.warnings, []);
  const [before, between, after] = await Promise.all(
    [15, 45, 75].map(async (frame) => (await film.pixels(frame, [160, 90]))[0]),
  );
  t.ok(isNear(before, [255, 0, 0]), `before: ${before}`);
  t.ok((between?.[1] ?? 0) > 150, `between it is white: ${between}`);
  t.ok(isNear(after, [0, 0, 255]), `after: ${after}`);
});

t.test("a package that cannot be filmed fails the render, by name", async (t) => {
  const old = "window.HyperShader = { init() { return window.__HF_VIRTUAL_TIME__ } }";
  const older = "window.HyperShader = { init() {} }";
  for (const shaders of [old, older])
    t.match(
      await bench.fail({
        ...makeMixing("HyperShader.init()"),
        "gsap.js": "",
        "shaders.js": shaders,
      }),
      /^invalid_composition: this version of @hyperframes\/shader-transitions /,
    );
});

const makeBlinking = async (name: string, mimeType: string, ...more: readonly string[]) =>
  bench.store(name, mimeType, [
    ...["-f", "lavfi", "-i", "color=red:s=40x40:d=0.5:r=4"],
    ...["-f", "lavfi", "-i", "color=lime:s=40x40:d=0.5:r=4"],
    ...["-filter_complex", "[0][1]concat=n=2", ...more],
  ]);

t.test("animated GIF, WebP and APNG play by the time of their clip, and again", async (t) => {
  const files = {
    "a.gif": await makeBlinking("a.gif", "image/gif", "-loop", "0"),
    "b.webp": await makeBlinking("b.webp", "image/webp", "-c:v", "libwebp_anim", "-loop", "0"),
    "c.png": await makeBlinking("c.png", "image/png", "-f", "apng", "-plays", "0"),
  };
  const images = Object.keys(files).map(
    (name, at) => `<img src="${name}" style="position:absolute;left:${at * 40}px;top:0">`,
  );
  const late = `<div id="late" class="clip" data-start="0.5" data-duration="2">
    <img src="a.gif" style="position:absolute;left:120px;top:0"></div>`;
  const [red, lime, ground] = [
    [255, 0, 0],
    [0, 255, 0],
    [32, 64, 96],
  ] as const;
  const bundle = { ...composition(images.join("") + late, 'data-duration="3"'), ...files };
  const places = [20, 60, 100, 140].map((x) => [x, 20] as const);
  for (const quality of ["standard", "high"]) {
    const film = await bench.film(bundle, { quality });
    t.strictSame(film.warnings, []);
    for (const [frame, wanted] of [
      [14, [red, red, red, ground]],
      [15, [lime, lime, lime, red]],
      [29, [lime, lime, lime, red]],
      [30, [red, red, red, lime]],
      [45, [lime, lime, lime, red]],
    ] as const)
      for (const [at, pixel] of (await film.pixels(frame, ...places)).entries())
        t.ok(isNear(pixel, wanted[at] ?? ground, 16), `${quality} ${frame} ${at}: ${pixel}`);
  }
  sees(t, await bench.colorsAt(bundle, 45, ...places), [lime, lime, lime, red]);
});

t.test("an animated background plays by the film's time, and again", async (t) => {
  const place = "position:absolute;left:0;top:0;width:40px;height:40px";
  const i = `<i style="${place};background:url(a.gif)"></i>`;
  const gif = await makeBlinking("a.gif", "image/gif", "-loop", "0");
  const film = await bench.film({ ...composition(i, 'data-duration="3"'), "a.gif": gif });
  t.strictSame(film.warnings, []);
  const [red, lime] = [
    [255, 0, 0],
    [0, 255, 0],
  ] as const;
  sees(t, await film.pixels(14, [20, 20]), [red]);
  sees(t, await film.pixels(15, [20, 20]), [lime]);
  sees(t, await film.pixels(30, [20, 20]), [red]);
});
