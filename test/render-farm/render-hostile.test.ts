import { Buffer } from "node:buffer";
import { setImmediate as turn } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import t, { type Test } from "tap";
import { childProcesses } from "./child-processes.ts";

// A frame that hangs is given up sooner than in the service.
const own = t.testdir({ "limits.json": JSON.stringify({ capture: { frameMs: 2_000 } }) });
process.env["KLIEG_LIMITS"] = `${own}/limits.json`;
const { composition, isNear, openFilmBench } = await import("./film-bench.ts");

const bench = await openFilmBench(t, 1, { pageMs: 10_000, timelineMs: 100 });
const box = `<div id="b" class="clip" data-start="0" data-duration="9"
  style="left:0;top:0;width:100px;height:100px;background:#fff"></div>`;
const budgetMs = 240_000;

/** What becomes of a page: why it failed, or `undefined`; always in time, and nothing is left. */
async function fateOf(t: Test, html: string, more: object = {}): Promise<string | undefined> {
  const files = { ...composition(box + html, 'data-duration="0.4"'), ...more };
  const late = AbortSignal.timeout(budgetMs);
  const outcome = await bench.run(bench.worker, await bench.inputOf(files), late);
  t.notOk(late.aborted, "in time");
  while (childProcesses().some(({ command }) => command.includes("--user-data-dir"))) await turn();
  return outcome.kind === "failed" ? outcome.message : undefined;
}

const inFrame = (script: string): string =>
  `<script>requestAnimationFrame(function go() {
    if (performance.now() > 100) { ${script} } requestAnimationFrame(go); });</script>`;

t.test("a script that never ends is given up", async (t) => {
  t.match(await fateOf(t, inFrame("for (;;);")), /^render_timeout: a frame took too long/);
  const promises = "const go = () => Promise.resolve().then(go); go();";
  t.match(await fateOf(t, inFrame(promises)), /^render_timeout: a frame took too long/);
  t.match(await fateOf(t, `<script>${promises}</script>`), /^render_timeout: the page was not/);
  const timers = "const go = () => { setTimeout(go, 0); setTimeout(go, 0); }; go();";
  t.match(await fateOf(t, `<script>${timers}</script>`), /^(render_timeout|out_of_memory): /);
  t.match(await fateOf(t, "<script>for (;;) alert(1)</script>"), /^render_timeout: /);
});

for (const [what, script] of Object.entries({
  elements: "for (;;) document.body.append(document.createElement('div'), 'x'.repeat(1e5));",
  canvases: `const a = []; for (;;) { const c = document.createElement("canvas");
    c.width = c.height = 8192; const p = c.getContext("2d"); p.fillRect(0, 0, 9, 9); a.push(c); }`,
}))
  t.test(`a bomb of ${what} ends the page that throws it`, async (t) => {
    t.match(await fateOf(t, inFrame(script)), /^(out_of_memory|render_timeout): /);
  });

t.test("memory that a page cannot have is the matter of its script alone", async (t) => {
  const workers = `const work = "const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1))";
    const url = URL.createObjectURL(new Blob([work]));
    for (let at = 0; at < 30; at++) new Worker(url);`;
  for (const script of [
    "const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1));",
    "const a = ['x'.repeat(1e6)]; for (;;) a.push(a.join('') + a.length);",
    `const a = []; for (;;) { const m = new WebAssembly.Memory({ initial: 16384 });
      new Uint8Array(m.buffer).fill(1); a.push(m); }`,
    workers,
  ])
    t.match((await fateOf(t, inFrame(script))) ?? "", /^(out_of_memory: |render_timeout: |$)/);
});

t.test("pictures, filters and pages in pages of any size do no harm", async (t) => {
  const bomb = await giantPicture();
  const picture = await fateOf(t, '<img src="bomb.png">', { "bomb.png": bomb });
  t.match(picture ?? "", /^(render_timeout: |$)/);
  const inner = "<iframe id=f></iframe><script>f.src = 'inner.html?' + Math.random()</script>";
  const around = `<script>location.replace("inner.html?" + Math.random())</script>`;
  for (const page of [inner, around]) {
    const fate = await fateOf(t, '<iframe src="inner.html?0"></iframe>', { "inner.html": page });
    t.match(fate ?? "", /^(render_timeout: |$)/);
  }
  const filter = `<svg width="320" height="180"><filter id="f" x="-100" y="-100" width="9999"
    height="9999"><feTurbulence baseFrequency="0.9" numOctaves="99999"/>
    <feGaussianBlur stdDeviation="99999"/><feMorphology radius="99999"/></filter>
    <rect width="300" height="100" filter="url(#f)"/></svg>
    <div style="filter:blur(9999px) drop-shadow(0 0 9999px red);width:1e6px;height:1e6px"></div>`;
  t.match((await fateOf(t, filter)) ?? "", /^(render_timeout: |$)/);
});

t.test("dialogs, windows, downloads and a page that will not leave do no harm", async (t) => {
  const script = `addEventListener("beforeunload", (event) => event.preventDefault());
    for (let at = 0; at < 5; at++) { alert(at); confirm(at); prompt(at); }
    for (let at = 0; at < 30; at++) window.open("index.html?" + at, "w" + at);
    const a = document.createElement("a");
    a.href = URL.createObjectURL(new Blob(["x"])); a.download = "x.bin";
    for (let at = 0; at < 30; at++) a.click();
    window.print(); window.close();`;
  t.equal(await fateOf(t, `<script>${script}</script>`), undefined);
  const flood = "for (let at = 0; at < 5000; at++) window.open('index.html?' + at, 'w' + at);";
  t.match((await fateOf(t, `<script>${flood}</script>`)) ?? "", /^(render_timeout: |$)/);
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
    t.match((await fateOf(t, `<script>${script}</script>`)) ?? "", /^(invalid_composition: |$)/);
});

t.test("after all of them the node renders on", async (t) => {
  const film = await bench.film(composition(box, 'data-duration="0.2"'));
  t.ok(isNear((await film.pixels(2, [50, 50]))[0], [255, 255, 255]));
});

/** A valid PNG of 30000 by 30000 pixels, in some hundred kilobytes. */
async function giantPicture() {
  const chunk = (type: string, bytes: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), bytes]);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(bytes.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(30_000, 0);
  head.writeUInt32BE(30_000, 4);
  head.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc(30_000 * (1 + 30_000 / 8)));
  const png = Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", rows),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  await bench.objects.put("sources/bomb.png", [png]);
  return { objectKey: "sources/bomb.png", mimeType: "image/png" };
}

function crc(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
