import t from "tap";
import { filmLanes, type Lane, openLaneBenches, stillFrames } from "./time-bench.ts";

const frames = Array.from({ length: 20 }, (_, frame) => frame);
/** Positions of a square that moves five pixels a frame. */
const steady = frames.map((frame) => 5 * frame);
const steps = (pixels: number, everyMs: number): readonly number[] =>
  frames.map((frame) => pixels * Math.floor((frame * 100 + 1e-6) / everyMs));

/** Markup of a square, and a script that refers to it. */
const square = (script: string, style = ""): string =>
  `<i class="b"></i>${style === "" ? "" : `<style>${style}</style>`}<script>{
    const b = document.currentScript.parentElement.querySelector(".b"); ${script} }</script>`;
const going = `<style>@keyframes go{to{left:100px}}
  i{position:absolute;left:0;top:0;width:20px;height:20px;background:#fff;
  animation:go 2s linear both}</style><i></i>`;
const chained = `@keyframes one{to{left:30px}}@keyframes two{from{left:30px}to{left:100px}}
  .one{animation:one .5s linear both}.two{animation:two 1s linear both}`;
const chain = [0, 6, 12, 18, 24, 30, 37, 44, 51, 58, 65, 72, 79, 86, 93, 100, 100, 100, 100, 100];

const lanes: Readonly<Record<string, Lane>> = {
  "D1: timers that set themselves again go by the film's time": {
    page: square(
      "let n = 0; (function go() { b.style.left = n++ + 'px'; setTimeout(go, 40); })();",
    ),
    edges: steps(1, 40),
  },
  "D1: promises that wait for timers lose nothing on their way": {
    page: square(`const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
      (async () => { for (let n = 0; ; n++) { b.style.left = n + "px"; await sleep(30); } })();`),
    edges: steps(1, 30),
  },
  "D1: intervals, idle callbacks and functions that wait for frames share one time": {
    page: square(`let n = 0; setInterval(() => { n += 1; }, 50);
      (function idle() { requestIdleCallback(idle); })();
      requestAnimationFrame(function paint(now) {
        b.style.left = now / 100 + n * 2 + "px"; requestAnimationFrame(paint); });`),
    edges: steady,
  },
  "D1: an idle callback comes at the film's time, and not when it is cancelled": {
    page: square(`setTimeout(() => {
      cancelIdleCallback(requestIdleCallback(() => { b.style.top = "100px"; }));
      requestIdleCallback(() => { b.style.left = performance.now() / 10 + "px"; }); }, 500);`),
    edges: frames.map((frame) => (frame < 5 ? 0 : 50)),
  },
  "D1: timers without a wait go as slowly as in a browser": {
    page: square(`let n = 0; (function go() { n += 1; b.style.left = Math.floor(n / 10) + "px";
      setTimeout(go, 0); })();`),
    edges: frames.map((frame) => Math.floor((6 + frame * 25) / 10)),
  },
  "D1: timers of a page in a frame, set when it has loaded, wait for the film": {
    page: `<iframe style="position:absolute;left:0;top:0;width:160px;height:20px;border:0"
      srcdoc="<body style='margin:0'><i style='position:absolute;left:0;top:0;width:20px;
      height:20px;background:#fff'></i><script>let n = 0;
      addEventListener('load', () => setInterval(() => { n += 1;
      document.querySelector('i').style.left = n + 'px'; }, 20));</script>"></iframe>`,
    edges: steady,
  },
  "D1: loops of messages wait for the clock": {
    page: square(`const { port1, port2 } = new MessageChannel(); let n = 0;
      port1.onmessage = () => { n += 1; b.style.left = performance.now() / 20 + "px";
        b.style.opacity = 1 - (n % 7) / 70; port2.postMessage(0); }; port2.postMessage(0);`),
    edges: steady,
  },
  "D2: animations in shadow roots are held, closed ones and those in others too": {
    page: `<div></div><script>{
      const outer = document.currentScript.previousElementSibling.attachShadow({ mode: "closed" });
      outer.innerHTML = "<div></div>";
      const inner = outer.querySelector("div").attachShadow({ mode: "open" });
      inner.innerHTML = \`${going}\`; }</script>`,
    edges: steady,
  },
  "D2: shadow roots that markup declares as closed are held": {
    page: `<div><template shadowrootmode="closed">${going}</template></div>`,
    edges: steady,
  },
  "D2: what is attached later begins then": {
    page: `<div></div><script>{ const host = document.currentScript.previousElementSibling;
      setTimeout(() => {
        host.attachShadow({ mode: "closed" }).innerHTML = \`${going}\`; }, 500);
      }</script>`,
    edges: frames.map((frame) => (frame < 5 ? -1 : 5 * (frame - 5))),
  },
  "D2: SVG's own animations in shadow roots are held": {
    page: `<div></div><script>document.currentScript.previousElementSibling
      .attachShadow({ mode: "open" }).innerHTML = \`<svg width="160" height="20"><rect width="20"
      height="20" fill="#fff"><animate attributeName="x" to="100" dur="2s"/></rect></svg>\`
      </script>`,
    edges: steady,
  },
  "D4: what an animation's end begins has begun, wherever a page is first shown": {
    page: square(
      `b.classList.add("one");
      b.addEventListener("animationend", () => { b.className = "b two"; }, { once: true });`,
      chained,
    ),
    edges: chain,
  },
  "D4: events come at their own times in closed shadow roots": {
    page: `<div></div><script>{
      const root = document.currentScript.previousElementSibling.attachShadow({ mode: "closed" });
      root.innerHTML = \`<style>${chained} i{position:absolute;left:0;top:0;width:20px;height:20px;
      background:#fff}</style><i class="one"></i>\`;
      root.querySelector("i").onanimationend = (event) => { event.target.className = "two"; };
      }</script>`,
    edges: chain,
  },
  "D1: an animation that is shorter than the opening of its page is in the first frame": {
    page: square(
      "b.onanimationend = () => { b.style.left = '50px'; };",
      "@keyframes short{from,to{left:100px}}.short{animation:short .002s}",
    ).replace('class="b"', 'class="b short"'),
    edges: frames.map((frame) => (frame < 1 ? 100 : 50)),
  },
  "D1: and so is one of a page in a frame": {
    page: `<iframe style="position:absolute;left:0;top:0;width:160px;height:20px;border:0"
      srcdoc="<body style='margin:0'><style>@keyframes short{from,to{left:100px}}
      i{position:absolute;left:0;top:0;width:20px;height:20px;background:#fff;
      animation:short .002s}</style><i></i>"></iframe>`,
    edges: frames.map((frame) => (frame < 1 ? 100 : 0)),
  },
  "D4: the start of an animation is told when its delay is over": {
    page: square(
      "b.onanimationstart = () => { b.style.left = performance.now() / 10 + 'px'; };",
      "@keyframes fade{to{opacity:.99}}.fading{animation:fade 1s linear .5s}",
    ).replace('class="b"', 'class="b fading"'),
    edges: frames.map((frame) => (frame < 5 ? 0 : 50)),
  },
  "D4: a transition is told of when its style changes, and when its delay is over": {
    page: square(`b.style.transition = "opacity .5s linear .3s"; b.style.opacity = "1";
      b.addEventListener("transitionrun", () => { b.style.left = "20px"; });
      b.addEventListener("transitionstart", () => {
        b.style.left = performance.now() / 10 + "px"; });
      setTimeout(() => { b.style.opacity = ".9"; }, 200);`),
    edges: frames.map((frame) => (frame < 2 ? 0 : frame < 5 ? 20 : 50)),
  },
  "D4: iterations are told one by one": {
    page: square(
      "let n = 0; b.onanimationiteration = () => { n += 1; b.style.left = n * 10 + 'px'; };",
      "@keyframes blink{to{opacity:.99}}.turning{animation:blink .25s linear infinite}",
    ).replace('class="b"', 'class="b turning"'),
    edges: steps(10, 250),
  },
  "D4: transitions begin when their style changes, and their ends lead to others": {
    page: square(`let n = 0; b.style.transition = "left .5s linear"; b.style.left = "0px";
      b.addEventListener("transitionend", () => { n += 1; b.style.left = n * 25 + 25 + "px"; });
      setTimeout(() => { b.style.left = "25px"; }, 0);`),
    edges: steady,
  },
  "D4: a script reads what an animation shows between two frames": {
    page: square(
      `const { parentElement } = b; setInterval(() => { const { left } = getComputedStyle(
        parentElement.querySelector(".moves"));
        b.style.left = parseFloat(left) - 100 + "px"; }, 250);`,
      `@keyframes far{from{left:100px}to{left:200px}}
      .moves{position:absolute;animation:far 2s linear}`,
    ).replace("<script>", '<i class="moves"></i><script>'),
    edges: frames.map((frame) => Math.round(12.5 * Math.floor((frame * 100 + 1e-6) / 250))),
  },
  "D5: Web Animations finish, so that one follows the other": {
    page: square(`(async () => { for (let k = 0; k < 4; k++) await b.animate(
      [{ left: k * 25 + "px" }, { left: k * 25 + 25 + "px" }],
      { duration: 500, fill: "forwards" }).finished; })();`),
    edges: steady,
  },
  "D5: onfinish, commitStyles and cancel are as in a browser": {
    page: square(`let k = 0; const go = () => { const one = b.animate(
        { left: k * 25 + 25 + "px" }, { duration: 500, fill: "forwards" });
      one.onfinish = () => { one.commitStyles(); one.cancel(); k += 1; if (k < 4) go(); }; };
      go();`),
    edges: steady,
  },
  "D5: scripts pause, play and turn animations, and read their state": {
    page: square(`const one = b.animate({ left: "100px" }, { duration: 1000, fill: "both" });
      setTimeout(() => one.pause(), 300); setTimeout(() => one.play(), 800);
      setTimeout(() => { if (one.playState === "running") one.reverse(); }, 1200);`),
    edges: [0, 10, 20, 30, 30, 30, 30, 30, 30, 40, 50, 60, 70, 60, 50, 40, 30, 20, 10, 0],
  },
  "D6: a scroll timeline is left to its scroller": {
    page: `<style>@keyframes go{to{left:100px}}#scroller{position:absolute;inset:0;overflow:auto;
      scrollbar-width:none;timeline-scope:--own;scroll-timeline:--own block}
      #scroller p{margin:0;height:220px}.scrolled{position:sticky;top:0;
      animation:go linear both;animation-timeline:--own}</style>
      <div id="scroller"><i class="b scrolled" style="position:sticky;display:block"></i><p></p>
      </div><script>{ const scroller = document.getElementById("scroller");
      setTimeout(() => { scroller.scrollTop = 110; }, 500); }</script>`,
    edges: frames.map((frame) => (frame < 5 ? 0 : 50)),
  },
  "D6: and so is a view timeline": {
    page: `<style>@keyframes seen{to{transform:translateX(100px)}}
      .viewer{position:absolute;inset:0;overflow:auto;scrollbar-width:none}
      .viewed{width:20px;height:20px;background:#fff;animation:seen linear both;
      animation-timeline:view()}</style><div class="viewer"><div style="height:100px"></div>
      <div class="viewed"></div><div style="height:200px"></div></div><script>{
      const viewer = document.querySelector(".viewer");
      setTimeout(() => { viewer.scrollTop = 100; }, 500); }</script>`,
    edges: frames.map((frame) => (frame < 5 ? -1 : 50)),
  },
  "D6: and so are Web Animations of one": {
    page: square(
      `const source = b.parentElement.querySelector("div");
      const timeline = new ScrollTimeline({ source });
      b.animate({ left: ["0px", "100px"] }, { timeline, fill: "both" });
      setTimeout(() => { source.scrollTop = 100; }, 500);`,
    ).replace(
      "<script>",
      `<div style="position:absolute;inset:0;overflow:auto;scrollbar-width:none">
      <p style="margin:0;height:220px"></p></div><script>`,
    ),
    edges: frames.map((frame) => (frame < 5 ? 0 : 50)),
  },
};

const benches = await openLaneBenches(t);
const pages = Object.values(lanes).map(({ page }) => page);
const filmed = await filmLanes(benches, pages);
const stills = await filmed.makeStills();

for (const [lane, [title, { edges }]] of Object.entries(lanes).entries())
  t.test(title, async (t) => {
    for (const film of filmed.films) t.strictSame(film[lane], edges);
    t.strictSame(
      stills.map((still) => still[lane]),
      stillFrames.map((frame) => edges[frame]),
      "and in stills",
    );
  });

t.test("D1: a film that is made again has equal bytes", async (t) =>
  t.strictSame(await filmed.findDifferences(), []),
);

t.test("nothing of it is warned of", async (t) => t.strictSame(filmed.warnings, []));

t.test("D8: a script of a sub-composition finds its own element while it runs", async (t) => {
  const scene = `<template><div data-composition-id="sub" data-width="160" data-height="20">
    <i style="position:absolute;left:0;top:0;width:20px;height:20px;background:#fff"></i><script>
    const root = document.currentScript.parentElement;
    Promise.resolve().then(() => { if (document.currentScript !== null) throw new Error("late"); });
    window.__timelines = window.__timelines || {};
    window.__timelines.sub = { duration: () => 2, pause() {}, seek(seconds) {
      root.querySelector("i").style.left = seconds * 50 + "px"; } };</script></div></template>`;
  const outer = `<template><div data-composition-id="outer" data-width="160" data-height="20">
    <i style="position:absolute;left:0;top:0;width:20px;height:20px;background:#fff"></i>
    <script src="outer.js"></script></div></template>`;
  const script = `{ const root = document.currentScript.parentElement;
    window.__timelines = window.__timelines || {};
    window.__timelines.outer = { duration: () => 2, pause() {}, seek(seconds) {
      root.querySelector("i").style.left = seconds * 50 + "px"; } }; }`;
  const host = (id: string, track: number) => `<div data-composition-id="${id}"
    data-composition-src="${id}.html" data-start="0" data-duration="2"
    data-track-index="${track}"></div>`;
  const files = { "sub.html": scene, "outer.html": outer, "outer.js": script };
  const filmed = await filmLanes(benches, [host("sub", 1), host("outer", 2)], files);
  t.strictSame(filmed.films[0], [steady, steady]);
  t.strictSame(await filmed.findDifferences(), []);
  t.strictSame(
    await filmed.makeStills(),
    stillFrames.map((frame) => [5 * frame, 5 * frame]),
  );
  t.strictSame(filmed.warnings, []);
});

t.test("time that cannot be the film's is named by its element", async (t) => {
  const inner =
    "<script>setInterval(() => { document.body.style.background = 'white'; }, 9)</script>";
  const page = `<iframe id="far" sandbox="allow-scripts" srcdoc="${inner}"></iframe>`;
  const { warnings, films } = await filmLanes(benches, [page]);
  t.match(warnings[0], /^iframe#far .* another origin/);
  t.strictSame(films[0], films[1]);
});
