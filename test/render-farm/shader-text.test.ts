import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import t from "tap";
import { openFilmBench } from "./film-bench.ts";

const bench = await openFilmBench(t, 2);
const folder = createRequire(import.meta.url);
const files = {
  "gsap.js": readFileSync(folder.resolve("gsap/dist/gsap.min.js"), "utf8"),
  "shaders.js": readFileSync(
    folder.resolve("@hyperframes/shader-transitions").replace(/index\.c?js$/, "index.global.js"),
    "utf8",
  ),
  "index.html": `<!doctype html><html><head><script src="gsap.js"></script>
    <script src="shaders.js"></script><style>
    #main { position: relative; width: 320px; height: 180px; overflow: hidden; background: #05070c;
      font: 900 64px Arial, sans-serif; color: #fff }
    #main .scene { position: absolute; inset: 0; display: grid; place-items: center }
    #a { background: #a0c } #b { background: #063; opacity: 0 }</style></head><body>
    <div id="main" data-composition-id="main" data-width="320" data-height="180" data-start="0"
      data-duration="2" data-fps="5">
      <section id="a" class="scene clip" data-start="0" data-duration="2">ALPHA</section>
      <section id="b" class="scene clip" data-start="0" data-duration="2">BETA</section></div>
    <script>const timeline = gsap.timeline({ paused: true });
    HyperShader.init({ bgColor: "#05070c", scenes: ["a", "b"], timeline, compositionId: "main",
      transitions: [{ time: 0.8, shader: "glitch", duration: 0.8, ease: "none" }] });
    window.__timelines = { main: timeline };</script></body></html>`,
};

t.test("D9: text in a shader transition has the face that it has outside of it", async (t) => {
  const film = await bench.film(files, { quality: "high" });
  t.equal(await film.frames(), 10);
  const places = Array.from({ length: 320 }, (_, x) => [x, 90] as const);
  const row = async (frame: number) => {
    const pixels = await film.pixels(frame, ...places);
    return pixels.map(([red]) => red > 128);
  };
  const [begin, end, after] = [await row(4), await row(8), await row(9)];
  const before = await row(3);
  const countDiffering = (one: readonly boolean[], other: readonly boolean[]): number =>
    one.filter((isLight, x) => isLight !== other[x]).length;
  t.ok(after.filter((isLight) => isLight).length > 30, "there is text");
  t.ok(
    countDiffering(end, after) < 8,
    `the last frame differs in ${countDiffering(end, after)} pixels`,
  );
  t.ok(countDiffering(begin, before) < 8, `and the first in ${countDiffering(begin, before)}`);
});
