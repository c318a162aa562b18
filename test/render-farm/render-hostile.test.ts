import t from "tap";
import { composition, impatient, isNear, openFilmBench, patient } from "./film-bench.ts";
import { inFrame, renderToFate, square } from "./hostile-page.ts";

const bench = await openFilmBench(t, 1);
const hurried = await openFilmBench(t, 1, impatient);
const hurriedInFrames = await openFilmBench(t, 1, { ...impatient, pageMs: patient.pageMs });

t.test("a script that never ends is given up", async (t) => {
  const ever = "for (;;);";
  const promises = "const go = () => Promise.resolve().then(go); go();";
  for (const script of [ever, promises]) {
    const inFrames = await renderToFate(hurriedInFrames, inFrame(script));
    t.match(inFrames, /^render_timeout: a frame took too long/);
    const atOnce = await renderToFate(hurried, `<script>${script}</script>`);
    t.match(atOnce, /^render_timeout: the page was not/);
  }
  const timers = "const go = () => { setTimeout(go, 0); setTimeout(go, 0); }; go();";
  t.match(
    await renderToFate(hurried, `<script>${timers}</script>`),
    /^(render_timeout|out_of_memory): /,
  );
  t.match(await renderToFate(hurried, "<script>for (;;) alert(1)</script>"), /^render_timeout: /);
});

t.test("a bomb of elements ends the page that throws it", async (t) => {
  const script = "for (;;) document.body.append(document.createElement('div'), 'x'.repeat(1e5));";
  t.match(
    await renderToFate(hurriedInFrames, inFrame(script)),
    /^(out_of_memory|render_timeout): /,
  );
});

t.test("dialogs, windows, downloads and a page that will not leave do no harm", async (t) => {
  const script = `addEventListener("beforeunload", (event) => event.preventDefault());
    for (let at = 0; at < 5; at++) { alert(at); confirm(at); prompt(at); }
    for (let at = 0; at < 30; at++) window.open("index.html?" + at, "w" + at);
    const a = document.createElement("a");
    a.href = URL.createObjectURL(new Blob(["x"])); a.download = "x.bin";
    for (let at = 0; at < 30; at++) a.click();
    window.print(); window.close();`;
  t.equal(await renderToFate(bench, `<script>${script}</script>`), "");
});

t.test("a page that bends the language spoils only its own film", async (t) => {
  for (const script of [
    "Array.prototype.push = function () { this[0] = { a: null }; return 1; };",
    "Array.prototype.filter = () => 7; Promise.prototype.finally = undefined;",
    "window.__kliegFilm = { open: () => 7 }; Object.freeze(window);",
    "Object.defineProperty(window, '__kliegFilm', { value: { open: () => 7, seek() {} } });",
    "Map.prototype.get = () => { throw 1 }; Object.prototype.frame = 'x';",
    "window.__timelines = { main: { totalTime: () => 0, duration: () => ({ valueOf: 0 }) } };",
  ])
    t.match(await renderToFate(bench, `<script>${script}</script>`), /^(invalid_composition: |$)/);
});

t.test("after all of them the node renders on", async (t) => {
  const film = await bench.film(composition(square, 'data-duration="0.2"'));
  t.ok(isNear((await film.pixels(2, [50, 50]))[0], [255, 255, 255]));
});
