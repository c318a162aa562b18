import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import t from "tap";
import { box, composition, isNear, openFilmBench, sees } from "./film-bench.ts";

const bench = await openFilmBench(t);
const gsap = readFileSync(createRequire(import.meta.url).resolve("gsap/dist/gsap.min.js"), "utf8");
const white = [255, 255, 255] as const;
const ground = [32, 64, 96] as const;

t.test("a GSAP timeline is where its author put it, with its callbacks", async (t) => {
  const script = `<script src="gsap.js"></script><script>
    window.__timelines = window.__timelines || {};
    const tl = gsap.timeline({ paused: true });
    tl.set("#c", { y: 10 }, 0);
    tl.to("#b", { x: 200, duration: 1, ease: "none",
      onUpdate() { document.getElementById("c").style.background = "#0f0"; } });
    window.__timelines.main = tl;</script>`;
  const files = {
    ...composition(box("b") + box("c", "top:0;left:300px") + script),
    "gsap.js": gsap,
  };
  const found = await bench.colorsAt(files, 15, [90, 90], [110, 90], [130, 90], [310, 25]);
  sees(t, found, [ground, white, ground, [0, 255, 0]]);
});

t.test("a script finds variables and registers where it expects them", async (t) => {
  const variables = JSON.stringify([{ id: "side", default: 100 }]);
  const root = `${box("b")}${box("c", "top:0")}<script>
    const { side } = window.__hyperframes.getVariables();
    const b = document.getElementById("b");
    const c = document.getElementById("c");
    hyperframesAnime.register("main", { duration: 1000, pause() {}, seek(ms) {
      b.style.left = side + ms / 10 + "px"; } });
    window.addEventListener("hf-seek", ({ detail }) => {
      c.style.left = detail.time * 100 + "px"; });</script>`;
  const page = composition(root)["index.html"];
  const declared = page.replace("<html>", `<html data-composition-variables='${variables}'>`);
  sees(t, await bench.colorsAt({ "index.html": declared }, 15, [160, 90], [60, 10]), [
    white,
    white,
  ]);
});

t.test("CSS animations, endless ones too, count from their clip's start", async (t) => {
  const root = `<style>@keyframes go { to { transform: translateX(100px) } }
    #b, #e { animation: go 1s linear infinite }</style>
    <div class="clip" data-start="0.5" data-duration="5">${box("b")}</div>${box("e", "top:120px")}`;
  const files = composition(root, 'data-duration="3"');
  sees(t, await bench.colorsAt(files, 30, [60, 90], [10, 130]), [white, white]);
  sees(t, await bench.colorsAt(files, 75, [10, 90], [60, 130]), [white, white]);
});

t.test("a frame whose script works on after its change shows the change", async (t) => {
  // Perspective leaves the page to the compositor.
  const root = `<div style="perspective:100px">${box("b")}</div><script>
    setTimeout(async () => {
      document.getElementById("b").style.left = "200px";
      for (let read = 0; read < 40; read += 1) await (await fetch("data.txt")).text();
    }, 700);</script>`;
  const attributes = 'data-duration="1" data-fps="10" data-no-timeline';
  const film = await bench.film({ ...composition(root, attributes), "data.txt": "read" });
  for (const [frame, left] of [
    [6, 10],
    [7, 210],
    [9, 210],
  ] as const)
    t.ok(isNear((await film.pixels(frame, [left, 90]))[0], white), `frame ${frame}`);
});

t.test("Web Animations and SVG's own are sought", async (t) => {
  const root = `${box("b")}<svg width="320" height="40" style="position:absolute;left:0;top:0">
    <rect width="20" height="20" fill="#f00">
      <animate attributeName="x" from="0" to="200" dur="1s" fill="freeze"/></rect></svg>
    <script>document.getElementById("b").animate(
      [{ transform: "none" }, { transform: "translateX(100px)" }], 1000);</script>`;
  sees(t, await bench.colorsAt(composition(root), 15, [60, 90], [110, 10]), [white, [255, 0, 0]]);
});

t.test("art by requestAnimationFrame sees the film's own time, every frame of it", async (t) => {
  const root = `<canvas id="c" width="320" height="180" style="position:absolute"></canvas><script>
    const pen = document.getElementById("c").getContext("2d");
    let count = 0;
    const start = performance.now();
    const draw = (now) => {
      count = now === start ? 0 : count + 1;
      pen.clearRect(0, 0, 320, 180);
      pen.fillStyle = "#fff";
      pen.fillRect(now / 10, 0, 10, 10);
      pen.fillRect(count * 5, 50, 5, 10);
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);</script>`;
  const found = await bench.colorsAt(
    composition(root),
    15,
    [54, 5],
    [44, 5],
    [77, 55],
    [72, 55],
    [82, 55],
  );
  sees(t, found, [white, ground, white, ground, ground]);
  const film = await bench.film(composition(root));
  const [moving, counted] = await film.pixels(24, [84, 5], [122, 55]);
  t.ok(isNear(moving, white, 30) && isNear(counted, white, 30), `${moving} ${counted}`);
});

t.test("timers wait for the film's time; clock and chance are the same each time", async (t) => {
  const root = `${box("b")}<script>
    const b = document.getElementById("b");
    setTimeout(() => { b.style.left = "100px"; }, 500);
    b.style.background = "rgb(" + [Math.floor(Math.random() * 256), Date.now() % 251, 9] + ")";
    </script>`;
  const [early] = await bench.colorsAt(composition(root), 14, [10, 90]);
  const [late, gone] = await bench.colorsAt(composition(root), 15, [110, 90], [10, 90]);
  t.strictSame(late, early, "the same colour in another run");
  sees(t, [gone], [ground]);
});

t.test("WebGL and iframes of the bundle are filmed", async (t) => {
  const root = `<canvas id="g" width="40" height="40" style="position:absolute;left:0;top:0">
    </canvas><iframe src="inner.html" style="position:absolute;left:100px;top:0;width:60px;
    height:60px;border:0"></iframe><script>
    const gl = document.getElementById("g").getContext("webgl");
    requestAnimationFrame(function draw(now) {
      gl.clearColor(now < 400 ? 1 : 0, 1, 0, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      requestAnimationFrame(draw);
    });</script>`;
  const inner = `<style>body{margin:0;background:#00f}@keyframes k{to{background:#f00}}
    body{animation:k 1s steps(2,jump-none)}</style>`;
  const files = { ...composition(root), "inner.html": inner };
  sees(t, await bench.colorsAt(files, 3, [20, 20], [120, 20]), [
    [255, 255, 0],
    [0, 0, 255],
  ]);
  sees(t, await bench.colorsAt(files, 20, [20, 20], [120, 20]), [
    [0, 255, 0],
    [255, 0, 0],
  ]);
});

t.test("sub-compositions keep their styles, scripts, ids and times to themselves", async (t) => {
  const variables = '[{"id":"ink","default":"#ff0000"}]';
  const card = `<html data-composition-variables='${variables}'><body><template>
    <style>.mark{position:absolute;left:0;top:0;width:20px;height:20px;background:var(--ink)}
      #root{position:absolute;inset:0}</style>
    <div id="root" data-composition-id="card" data-width="100" data-height="50">
      <div class="mark" id="mark"></div></div>
    <script>
      const tl = gsap.timeline({ paused: true });
      tl.to("#mark", { x: 60, duration: 1, ease: "none" });
      window.__timelines = window.__timelines || {};
      window.__timelines.card = tl;
      const { ink } = window.__hyperframes.getVariables();
      document.querySelector("#mark").style.border = "0 solid " + ink;
    </script></template></body></html>`;
  const host = (id: string, top: number, start: number, values: string) =>
    `<div id="${id}" class="clip" style="left:0;top:${top}px;width:100px;height:50px"
      data-composition-id="card" data-composition-src="scenes/card.html"
      data-start="${start}" data-duration="2" data-variable-values='${values}'></div>`;
  const root = `<script src="gsap.js"></script>
    ${host("one", 0, 0, "{}")}${host("two", 100, 0.5, '{"ink":"#00ff00"}')}
    <div class="mark" style="position:absolute;left:300px;top:0;width:20px;height:20px"></div>`;
  const files = {
    ...composition(root, 'data-duration="2"'),
    "gsap.js": gsap,
    "scenes/card.html": card,
  };
  const places = [
    [70, 10],
    [40, 110],
    [310, 10],
    [10, 10],
  ] as const;
  sees(t, await bench.colorsAt(files, 30, ...places), [[255, 0, 0], [0, 255, 0], ground, ground]);
});

t.test("fonts of the bundle are there in the first frame, however late they come", async (t) => {
  // A font whose only glyph is a full square would do; the metrics of any other tell as well.
  const root = `<style>@font-face{font-family:Odd;src:url(gone.woff2)}</style>
    <p style="font-family:Odd;position:absolute">x</p>`;
  const film = await bench.film(composition(root), { target: "still" });
  t.match(film.warnings.join("\n"), "the font Odd could not be loaded");
  t.match(film.warnings.join("\n"), "gone.woff2 is not in the bundle");
});

t.test("odd sizes are padded by one pixel in a film, not in a still", async (t) => {
  const files = composition(box("b"), 'data-duration="0.2"', [321, 181]);
  t.match((await bench.film(files)).outcome.outputs, [{ width: 322, height: 182 }]);
  const still = await bench.film(files, { target: "still" });
  t.match(still.outcome.outputs, [{ width: 321, height: 181 }]);
});

t.test(
  "edits: transforms, motion, masks, texts, deletions and grades are in the picture",
  async (t) => {
    const table = ["LUT_3D_SIZE 2", ...Array.from({ length: 8 }, () => "0 0 1")].join("\n");
    const image = await bench.store("red.png", "image/png", [
      ...["-f", "lavfi", "-i", "color=red:s=40x40", "-frames:v", "1"],
    ]);
    const root =
      box("b") +
      box("gone", "left:200px") +
      box("m", "left:100px;top:0;width:100px;height:60px") +
      box("k", "left:0;top:150px") +
      '<img id="i" src="red.png" style="position:absolute;left:260px;top:0">' +
      '<img id="j" src="red.png" style="position:absolute;left:260px;top:60px">';
    const edits = {
      version: 1,
      deleted: ["gone"],
      clips: {
        b: { transform: { x: 40, scale: 2, opacity: 0.5 } },
        m: {
          mask: {
            shape: "rect",
            points: [
              [120, 10],
              [150, 40],
            ],
          },
        },
        k: {
          motion: [
            { t: 0, x: 0 },
            { t: 1, x: 200 },
          ],
        },
        i: { grade: { lut_path: "blue.cube" } },
        j: { grade: { saturation: -1 } },
      },
      texts: [
        {
          id: "t",
          text: "█",
          start: 0,
          duration: 1,
          x: 200,
          y: 120,
          font_size: 50,
          color: "#f0f",
        },
      ],
    };
    const files = {
      ...composition(root),
      "klieg-edits.json": JSON.stringify(edits),
      "blue.cube": table,
      "red.png": image,
    };
    const found = await bench.colorsAt(
      ...([files, 15] as const),
      ...([
        [32, 72],
        [28, 72],
        [210, 90],
        [130, 20],
        [115, 20],
        [110, 160],
      ] as const),
      ...([
        [280, 20],
        [280, 80],
        [212, 150],
      ] as const),
    );
    const half = [144, 160, 176] as const;
    sees(t, found, [half, ground, ground, white, ground, white, [0, 0, 255]]);
    const [red, green, blue] = found[7] ?? [0, 1, 2];
    t.ok(red === green && green === blue && red > 20, `gray: ${found[7]}`);
    sees(t, [found[8]], [[255, 0, 255]]);
  },
);
