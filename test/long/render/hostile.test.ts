/** What hostile pages do to the machine's memory. */
import { crc32, deflateSync } from "node:zlib";
import t from "tap";
import { composition, isNear, openFilmBench, patient } from "../../render-farm/film-bench.ts";
import { inFrame, renderToFate, square } from "../../render-farm/hostile-page.ts";

/** Timeouts longer than it takes to fill the memory of an otherwise idle machine. */
const patience = { ...patient, pageMs: 10_000, frameMs: 10_000 };
const bench = await openFilmBench(t, 1, patience);

t.test("a bomb of canvases ends the page that throws it", async (t) => {
  const script = `const a = []; for (;;) { const c = document.createElement("canvas");
    c.width = c.height = 8192; const p = c.getContext("2d"); p.fillRect(0, 0, 9, 9); a.push(c); }`;
  t.match(await renderToFate(bench, inFrame(script)), /^(out_of_memory|render_timeout): /);
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
    t.match(await renderToFate(bench, inFrame(script)), /^(out_of_memory: |render_timeout: |$)/);
});

t.test("pictures, filters and pages in pages of any size do no harm", async (t) => {
  const bomb = await giantPicture();
  const picture = await renderToFate(bench, '<img src="bomb.png">', { "bomb.png": bomb });
  t.match(picture, /^(render_timeout: |$)/);
  const inner = "<iframe id=f></iframe><script>f.src = 'inner.html?' + Math.random()</script>";
  const around = `<script>location.replace("inner.html?" + Math.random())</script>`;
  for (const page of [inner, around]) {
    const fate = await renderToFate(bench, '<iframe src="inner.html?0"></iframe>', {
      "inner.html": page,
    });
    t.match(fate, /^(render_timeout: |$)/);
  }
  const filter = `<svg width="320" height="180"><filter id="f" x="-100" y="-100" width="9999"
    height="9999"><feTurbulence baseFrequency="0.9" numOctaves="99999"/>
    <feGaussianBlur stdDeviation="99999"/><feMorphology radius="99999"/></filter>
    <rect width="300" height="100" filter="url(#f)"/></svg>
    <div style="filter:blur(9999px) drop-shadow(0 0 9999px red);width:1e6px;height:1e6px"></div>`;
  t.match(await renderToFate(bench, filter), /^(render_timeout: |$)/);
});

t.test("a flood of windows does no harm", async (t) => {
  const flood = "for (let at = 0; at < 5000; at++) window.open('index.html?' + at, 'w' + at);";
  t.match(await renderToFate(bench, `<script>${flood}</script>`), /^(render_timeout: |$)/);
});

t.test("after all of them the node renders on", async (t) => {
  const calm = await openFilmBench(t, 1);
  const film = await calm.film(composition(square, 'data-duration="0.2"'));
  t.ok(isNear((await film.pixels(2, [50, 50]))[0], [255, 255, 255]));
});

/** Makes a valid PNG of 30000 by 30000 pixels, in some hundred kilobytes. */
async function giantPicture() {
  const chunk = (type: string, bytes: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), bytes]);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(bytes.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
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
