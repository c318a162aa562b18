import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import t from "tap";
import { composition, isNear, openFilmBench, type Rgb } from "../../render-farm/film-bench.ts";

const bench = await openFilmBench(t);
const folder = dirname(createRequire(import.meta.url).resolve("three"));
const library = Object.fromEntries(
  ["three.module.min.js", "three.core.min.js"].map((name) => [
    name,
    readFileSync(join(folder, name), "utf8"),
  ]),
);
const red = [255, 0, 0] as const;
const ground = [0, 0, 255] as const;

/** A red square of 40 pixels whose position follows the time. */
const scene = (drive: string): string => `
  <canvas id="c" width="320" height="180" style="position:absolute;left:0;top:0"></canvas>
  <script type="module">
    import * as THREE from "./three.module.min.js";
    const renderer = new THREE.WebGLRenderer({ canvas: document.getElementById("c") });
    renderer.setClearColor(0x0000ff);
    const camera = new THREE.OrthographicCamera(0, 320, 180, 0, -10, 10);
    const square = new THREE.Mesh(
      new THREE.PlaneGeometry(40, 40),
      new THREE.MeshBasicMaterial({ color: 0xff0000 }));
    const world = new THREE.Scene();
    world.add(square);
    const paint = (seconds) => {
      square.position.set(20 + seconds * 100, 90, 0);
      renderer.render(world, camera);
    };
    ${drive}
  </script>`;
const ways = {
  "requestAnimationFrame and a clock": `const clock = new THREE.Clock();
    const draw = () => { requestAnimationFrame(draw); paint(clock.getElapsedTime()); };
    draw();`,
  "an animation loop": "renderer.setAnimationLoop((ms) => paint(ms / 1000));",
  "a registered timeline": `paint(0);
    window.__timelines = { main: { duration: () => 2.2, pause() {}, seek: paint } };`,
  "the event of a seek": "addEventListener('hf-seek', ({ detail }) => paint(detail.time));",
};

for (const [way, drive] of Object.entries(ways))
  t.test(`three.js art by ${way} is filmed frame by frame`, async (t) => {
    const files = { ...composition(scene(drive), 'data-duration="2.2"'), ...library };
    const film = await bench.film(files);
    t.equal(await film.frames(), 66);
    for (const frame of [1, 20, 45, 65]) {
      const left = Math.round((frame * 100) / 30);
      const found = await film.pixels(frame, [left + 5, 90], [left + 35, 90], [left + 50, 90]);
      for (const [index, wanted] of ([red, red, ground] as readonly Rgb[]).entries())
        t.ok(isNear(found[index], wanted, 20), `${frame}: ${found[index]} is ${wanted}`);
    }
  });

t.test("canvas art in a frame of the bundle's is filmed frame by frame", async (t) => {
  const inner = `<canvas id="c" width="320" height="180"></canvas><style>body{margin:0}</style>
    <script>
    const pen = document.getElementById("c").getContext("2d");
    const draw = (ms) => {
      pen.fillStyle = "#00f"; pen.fillRect(0, 0, 320, 180);
      pen.fillStyle = "#f00"; pen.fillRect(ms / 10, 70, 40, 40);
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);</script>`;
  const frame = '<iframe src="inner.html" style="border:0;width:320px;height:180px"></iframe>';
  const film = await bench.film({
    ...composition(frame, 'data-duration="2.2"'),
    "inner.html": inner,
  });
  for (const at of [1, 20, 65]) {
    const left = Math.round((at * 100) / 30);
    const [inside, beside] = await film.pixels(at, [left + 20, 90], [left + 50, 90]);
    t.ok(isNear(inside, red, 20) && isNear(beside, ground, 20), `${at}: ${inside} ${beside}`);
  }
});
