import t from "tap";
import { composition, openFilmBench, sees } from "./film-bench.ts";

const bench = await openFilmBench(t, 2);
const [red, lime, blue] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
] as const;

/** Red, lime and blue for half a second each, again and again. */
const colors = ["red", "lime", "blue"].flatMap((color) => [
  ...["-f", "lavfi", "-i", `color=${color}:s=40x40:r=10:d=0.5`],
]);
const joined = ["-filter_complex", "concat=n=3,format=rgb24"];
const gif = await bench.store("a.gif", "image/gif", [...colors, ...joined, "-loop", "0"]);
const apng = await bench.store("a.png", "application/octet-stream", [
  ...[...colors, ...joined, "-plays", "0", "-f", "apng"],
]);
const webp = await bench.store("a.webp", "image/webp", [
  ...[...colors, ...joined, "-lossless", "1", "-loop", "0"],
]);
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">
  <rect width="40" height="40" fill="#f00">
  <animate attributeName="fill" values="#f00;#0f0;#00f" calcMode="discrete" dur="1.5s"
    repeatCount="indefinite"/></rect></svg>`;
const styled = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">
  <style>@keyframes turn{0%{fill:#f00}33.3%{fill:#0f0}66.6%{fill:#00f}}
  rect{animation:turn 1.5s step-end infinite}</style><rect width="40" height="40"/></svg>`;
const files = {
  "a.gif": gif,
  "a.apng": apng,
  "a.webp": webp,
  "moving.svg": drawing,
  "styled.svg": styled,
  "sheet.css": ".sheet { background: #888 url('a.gif') }",
};

/** Boxes of 40 by 40 pixels, ten to a row. */
const boxes = [
  '<img src="a.gif" alt="">',
  '<img src="a.apng" alt="">',
  '<img src="a.webp" alt="">',
  '<img src="moving.svg" alt="">',
  '<img src="styled.svg" alt="">',
  '<p style="background:url(a.gif)"></p>',
  '<p class="before"></p>',
  '<p style="background-image:linear-gradient(#0000,#0000),url(a.webp)"></p>',
  '<p class="sheet"></p>',
  '<p style="border:20px solid;border-image:url(a.gif) 10;box-sizing:border-box"></p>',
  '<p style="background:url(moving.svg)"></p>',
  '<p style="background:url(styled.svg)"></p>',
  '<picture><source srcset="a.gif" type="image/gif"><img src="a.webp" alt=""></picture>',
  '<svg width="40" height="40"><image href="a.gif" width="40" height="40"/></svg>',
  '<input type="image" src="a.gif" alt="">',
  '<div class="shadow"></div>',
  '<div class="late"></div>',
  '<ul style="margin:0;padding:0;list-style:inside url(a.gif);line-height:40px"><li></ul>',
  '<iframe src="inner.html" style="border:0;width:40px;height:40px"></iframe>',
  '<p class="content"></p>',
];
const page = `<link rel="stylesheet" href="sheet.css"><style>
  p { margin: 0; width: 40px; height: 40px } .before { position: relative }
  .before::before { content: ""; position: absolute; inset: 0; background: url(a.apng) }
  .content::after { content: url(a.gif); display: block; height: 40px }
  .box { position: absolute; width: 40px; height: 40px; overflow: hidden; line-height: 0 }</style>
  ${boxes
    .map((box, at) => {
      const place = `left:${(at % 10) * 40}px;top:${Math.floor(at / 10) * 40}px`;
      return `<div class="box" style="${place}">${box}</div>`;
    })
    .join("")}
  <script>
    const root = document.querySelector(".shadow").attachShadow({ mode: "closed" });
    root.innerHTML = "<style>p{margin:0;height:40px;background:url(a.gif)}</style><p></p>";
    const late = document.querySelector(".late");
    setTimeout(() => { late.innerHTML = '<img src="a.webp" alt="">'; }, 300);
  </script>`;
const whole = {
  ...composition(page, 'data-duration="3" data-fps="10" data-no-timeline', [400, 80]),
  ...files,
  "inner.html": '<body style="margin:0;background:url(a.gif)">',
};
const places = boxes.map((_, at) => [(at % 10) * 40 + 12, Math.floor(at / 10) * 40 + 20] as const);

t.test("D3, D13: pictures move by the film's time wherever a page has them", async (t) => {
  const film = await bench.film(whole, { quality: "high" });
  for (const [frame, color] of [
    [4, red],
    [5, lime],
    [14, blue],
    [15, red],
    [29, blue],
  ] as const)
    sees(
      t,
      await film.pixels(frame, ...places),
      places.map(() => color),
    );
  sees(
    t,
    await bench.colorsAt(whole, 12, ...places),
    places.map(() => blue),
  );
  t.strictSame(film.warnings, []);
});

t.test("D3: what counts from its clip's start does so in styles too", async (t) => {
  const clip = `<div class="clip" data-start="1" data-duration="2" data-track-index="1"
    style="left:0;top:0;width:40px;height:40px;background:url(a.gif)"></div>`;
  const page = {
    ...composition(clip, 'data-duration="3" data-fps="10" data-no-timeline'),
    ...files,
  };
  sees(t, await bench.colorsAt(page, 14, [20, 20]), [red]);
  sees(t, await bench.colorsAt(page, 16, [20, 20]), [lime]);
});

t.test("D3: a moving picture that masks shows its luminance by the film's time", async (t) => {
  const masked = `<div style="background:#000"><p style="margin:0;width:40px;height:40px;
    background:#fff;mask:url(a.gif);mask-mode:luminance"></p></div>`;
  const page = {
    ...composition(masked, 'data-duration="3" data-fps="10" data-no-timeline', [40, 40]),
    ...files,
  };
  // The mask shows white over black in proportion to the luminance of red, lime and blue.
  for (const [frame, share] of [
    [4, 0.2126],
    [5, 0.7152],
    [14, 0.0722],
  ] as const) {
    const gray = Math.round(255 * share);
    sees(t, await bench.colorsAt(page, frame, [20, 20]), [[gray, gray, gray]]);
  }
});
