/** Differences from HyperFrames that third-party compositions revealed, one test each. */
import t from "tap";
import { box, composition, openFilmBench, sees } from "../../render-farm/film-bench.ts";

const bench = await openFilmBench(t);
const ground = [32, 64, 96] as const;

t.test("text is precise from the first that a script measures, save where it says", async (t) => {
  const root = `<style>#own { text-rendering: optimizeSpeed }</style>
    ${box("plain")}${box("own", "left:100px")}<script>
    for (const id of ["plain", "own"]) {
      const { style } = document.getElementById(id);
      const said = getComputedStyle(document.getElementById(id)).textRendering.toLowerCase();
      style.background = said === "geometricprecision" ? "#0f0" : "#f00";
    }</script>`;
  const found = await bench.colorsAt(composition(root), 0, [10, 90], [110, 90], [200, 90]);
  sees(t, found, [[0, 255, 0], [255, 0, 0], ground]);
});

t.test("markup without a page around it stands in one without margins", async (t) => {
  const root = `<div data-composition-id="main" data-start="0" data-width="320" data-height="180"
    data-duration="1" style="width:320px;height:180px;background:#204060">
    <h1 style="width:40px;height:40px;background:#0f0"></h1>
    <p style="width:40px;height:40px;background:#f00"></p></div>`;
  const found = await bench.colorsAt({ "index.html": root }, 0, [1, 1], [38, 38], [1, 42], [42, 1]);
  sees(t, found, [[0, 255, 0], [0, 255, 0], [255, 0, 0], ground]);
});

/** Turns green when the page knows of each of its own fonts whether it is there. */
const knowsFont = (id: string) => `<script>
  const own = [...document.fonts].filter(({ family }) => family.includes("Late"));
  const states = own.map(({ status }) => status);
  const isKnown = states.length > 0 && states.every((state) => /^(loaded|error)$/.test(state));
  document.getElementById("${id}").style.background = isKnown ? "#0f0" : "#f00";</script>`;

t.test("scripts that measure text find the fonts of the bundle", async (t) => {
  const face = '<style>@font-face { font-family: Late; src: url("late.woff2") }</style>';
  const found = await bench.colorsAt(composition(face + box("b") + knowsFont("b")), 0, [10, 90]);
  sees(t, found, [[0, 255, 0]]);
});

t.test("scripts of sub-compositions find the fonts of their own markup", async (t) => {
  const face = '<style>@font-face { font-family: Late; src: url("late.woff2") }</style>';
  const inner = `<template><div data-composition-id="inner">${face}${box("i")}
    ${knowsFont("i")}</div></template>`;
  const host = `<div data-composition-id="inner" data-composition-src="inner.html" data-start="0"
    data-duration="1" data-width="320" data-height="180"></div>`;
  const files = { ...composition(host), "inner.html": inner };
  sees(t, await bench.colorsAt(files, 0, [10, 90]), [[0, 255, 0]]);
});

t.test("timed elements right below the root lie over each other", async (t) => {
  const scene = (id: string, start: number, color: string) =>
    `<section id="${id}" data-start="${start}" data-duration="0.5"><div
      style="width:100px;height:60px;background:${color}"></div></section>`;
  const files = composition(scene("one", 0, "#f00") + scene("two", 0.5, "#0f0"));
  sees(t, await bench.colorsAt(files, 20, [50, 30], [50, 90]), [[0, 255, 0], ground]);
});

t.test("the root is as large as its film, whatever it holds, and cuts it", async (t) => {
  const { "index.html": page } = composition(box("b", "left:310px;width:20px"));
  const style = "#root{display:flex;width:auto;height:auto;overflow:visible}";
  const loose = page.replace("</style>", `${style}</style>`);
  const found = await bench.colorsAt({ "index.html": loose }, 0, [5, 175], [315, 90], [315, 5]);
  sees(t, found, [ground, [255, 255, 255], ground]);
});

t.test("margins in a sub-composition do not move it", async (t) => {
  const inner = `<template><div data-composition-id="inner" data-width="100" data-height="100"
    style="background:#f00"><h1 style="margin:20px 0;height:20px;background:#0f0"></h1></div>
    </template>`;
  const host = `<div data-composition-id="inner" data-composition-src="inner.html" data-start="0"
    data-duration="1" style="position:absolute;left:0;top:0"></div>`;
  const found = await bench.colorsAt(
    { ...composition(host), "inner.html": inner },
    0,
    [5, 5],
    [5, 30],
  );
  sees(t, found, [
    [255, 0, 0],
    [0, 255, 0],
  ]);
});

t.test("a timed element is visible for its time, whatever its styles say", async (t) => {
  const hidden = 'data-start="0" data-duration="1" class="clip"';
  const root = `<style>.clip { visibility: hidden }</style><div ${hidden}>${box("b")}</div>`;
  sees(t, await bench.colorsAt(composition(root), 5, [10, 90]), [[255, 255, 255]]);
});

t.test("what stands in the flow takes its place for its time only", async (t) => {
  const line = (start: number, color: string) =>
    `<p data-start="${start}" data-duration="0.5"
      style="margin:0;width:20px;height:20px;background:${color}"></p>`;
  const files = composition(`<div>${line(0, "#f00")}${line(0.4, "#0f0")}</div>`);
  const both = await bench.colorsAt(files, 13, [10, 10], [10, 30]);
  sees(t, both, [
    [255, 0, 0],
    [0, 255, 0],
  ]);
  sees(t, await bench.colorsAt(files, 20, [10, 10], [10, 30]), [[0, 255, 0], ground]);
});

t.test("what enters the flow moves from its start on, whichever frames are painted", async (t) => {
  const root = `<style>@keyframes go { from { transform: translateX(0) }
      to { transform: translateX(200px) } } p { animation: go 1s linear both }</style>
    <div><p data-start="0.5" data-duration="1"
      style="margin:0;width:20px;height:20px;background:#fff"></p></div>`;
  const files = composition(root, 'data-duration="2"');
  sees(t, await bench.colorsAt(files, 30, [95, 10], [110, 10]), [ground, [255, 255, 255]]);
});

t.test("a timeline that a timer registers late is waited for", async (t) => {
  const root = `${box("b")}<script>
    const b = document.getElementById("b");
    setTimeout(() => {
      window.__timelines = { main: { pause() {}, duration: () => 1, seek(seconds) {
        b.style.left = seconds * 100 + "px"; } } };
    }, 200);</script>`;
  sees(t, await bench.colorsAt(composition(root), 15, [45, 90], [60, 90]), [
    ground,
    [255, 255, 255],
  ]);
});

t.test("a timeline that is registered plays once and holds its last state", async (t) => {
  const root = `${box("b")}<script>
    const { style } = document.getElementById("b");
    window.__timelines = { main: {
      pause() {}, duration: () => 0.5, totalDuration: () => 1, repeat: () => 1,
      totalTime(seconds) {
        style.background = seconds < 0.5 ? "#00f" : seconds === 0.5 ? "#0f0" : "#f00";
      } } };</script>`;
  sees(t, await bench.colorsAt(composition(root), 10, [10, 90]), [[0, 0, 255]]);
  sees(t, await bench.colorsAt(composition(root), 20, [10, 90]), [[0, 255, 0]]);
  const film = await bench.film(composition(root, ""));
  t.equal(await film.frames(), 15, "and is as long as that");
});

t.test("an empty host without a file is filled by the page's template of its name", async (t) => {
  const root = `<div data-composition-id="card" data-start="0" data-duration="1"
      style="position:absolute;left:100px;top:0"></div>
    <template id="card-template"><div data-composition-id="card" data-width="50" data-height="50"
      style="background:#0f0">${box("late", "top:0")}<script>
        document.getElementById("late").style.background = "#00f";</script></div></template>`;
  const found = await bench.colorsAt(composition(root), 0, [140, 40], [110, 10], [90, 10]);
  sees(t, found, [[0, 255, 0], [0, 0, 255], ground]);
});

t.test("styles of a sub-composition are none of its children", async (t) => {
  const inner = `<template><div data-composition-id="inner"><style>
    p { margin: 0; width: 20px; height: 20px; background: #f00 }
    p:first-child { background: #0f0 }</style><p></p><p></p></div></template>`;
  const host = `<div data-composition-id="inner" data-composition-src="inner.html" data-start="0"
    data-duration="1"></div>`;
  const found = await bench.colorsAt(
    { ...composition(host), "inner.html": inner },
    0,
    [9, 9],
    [9, 30],
  );
  sees(t, found, [
    [0, 255, 0],
    [255, 0, 0],
  ]);
});

t.test("a sub-composition finds what lies beside and above it, by its styles too", async (t) => {
  const square = (color: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"
      fill="${color}"/></svg>`;
  const inner = `<html><head><link rel="stylesheet" href="own.css"></head><body><template>
    <div data-composition-id="inner"><i></i>
    <img src="../above.svg" style="position:absolute;left:50px;top:0;width:20px;height:20px"></div>
    </template></body></html>`;
  const style = `i { position: absolute; left: 0; top: 0; width: 20px; height: 20px;
    background: url("beside.svg") }`;
  const files = {
    ...composition(`<div data-composition-id="inner" data-composition-src="parts/a/inner.html"
      data-start="0" data-duration="1"></div>`),
    "parts/a/inner.html": inner,
    "parts/a/own.css": style,
    "parts/a/beside.svg": square("#0f0"),
    "parts/above.svg": square("#f00"),
  };
  sees(t, await bench.colorsAt(files, 0, [4, 4], [60, 10]), [
    [0, 255, 0],
    [255, 0, 0],
  ]);
});

t.test("timed elements that scripts make are shown for their time", async (t) => {
  const root = `<div id="all"></div><script>
    for (const [index, color] of ["#f00", "#0f0"].entries()) {
      const made = document.createElement("div");
      Object.assign(made.dataset, { start: index / 2, duration: 0.5 });
      made.style.cssText = "position:absolute;left:0;top:0;width:20px;height:20px;background:" +
        color;
      document.getElementById("all").prepend(made);
    }</script>`;
  const files = composition(root);
  sees(t, await bench.colorsAt(files, 5, [10, 10]), [[255, 0, 0]]);
  sees(t, await bench.colorsAt(files, 20, [10, 10]), [[0, 255, 0]]);
});
