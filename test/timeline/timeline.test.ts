import t from "tap";
import { keyAttribute } from "../../timeline/key-attribute.ts";
import { parseMarkup, stampTags } from "../../timeline/markup.ts";
import { frameCount, frameFrom } from "../../timeline/model.ts";
import { effectiveTimeline } from "../../timeline/timeline.ts";
import { lengths, messages, page, readBundle, requireClip, times } from "./timeline-bundle.ts";

const clip = (id: string, start: string, duration = 1, more = "") =>
  `<div id="${id}" class="clip" data-start="${start}" data-duration="${duration}" ${more}></div>`;

t.test("the root says size, rate and length; the rate is 30 unless it says another", async (t) => {
  const timeline = effectiveTimeline(readBundle(clip("a", "1", 2)));
  t.match(timeline, { duration: 5, fps: 30, width: 320, height: 180, diagnostics: [] });
  const other = { "index.html": page("", 'data-duration="2.5" data-fps="24"') };
  t.match(effectiveTimeline(readBundle("", other)), { duration: 2.5, fps: 24 });
});

t.test("without a length on the root the latest finite end of a clip is the length", async (t) => {
  const files = { "index.html": page(clip("a", "1", 2) + clip("b", "0.5", 4), "") };
  t.equal(effectiveTimeline(readBundle("", files)).duration, 4.5);
  const open = effectiveTimeline(readBundle("", { "index.html": page("<p>hello</p>", "") }));
  t.equal(open.duration, undefined);
  t.match(open.diagnostics, [{ severity: "warning", code: "no_duration" }]);
});

t.test("a start is seconds, a clip, or a clip with seconds added or taken away", async (t) => {
  const root =
    clip("late", "mid + 0.5") +
    clip("mid", "first") +
    clip("first", "1") +
    clip("early", "mid-.25");
  t.strictSame(times(effectiveTimeline(readBundle(root))), {
    late: [3.5, 4.5],
    mid: [2, 3],
    first: [1, 2],
    early: [2.75, 3.75],
  });
});

t.test("a clip whose name holds a hyphen comes before a difference", async (t) => {
  const root = clip("intro", "0") + clip("intro-2", "2") + clip("b", "intro-2");
  t.strictSame(times(effectiveTimeline(readBundle(root)))["b"], [3, 4]);
});

t.test("starts in a circle are an error that names element and attribute", async (t) => {
  const timeline = effectiveTimeline(readBundle(clip("a", "b") + clip("b", "a + 1")));
  t.match(timeline.diagnostics, [
    { severity: "error", code: "start_cycle", element: "div#b", attribute: "data-start" },
  ]);
});

t.test("a start that names nothing is an error", async (t) => {
  const timeline = effectiveTimeline(readBundle(clip("a", "nobody + 1")));
  t.match(timeline.diagnostics, [{ severity: "error", code: "unknown_reference" }]);
  t.match(timeline.diagnostics[0]?.message, /^index\.html: div#a data-start is "nobody \+ 1"/);
});

t.test("old names are read with a warning", async (t) => {
  const old = '<div id="a" data-start="1" data-end="3" data-layer="4"></div>';
  const timeline = effectiveTimeline(readBundle(old));
  t.match(timeline.clips, [{ start: 1, end: 3, trackIndex: 4 }]);
  t.strictSame(messages(timeline), [
    "warning: index.html: div#a data-end is an old name; write data-duration",
    "warning: index.html: div#a data-layer is an old name; write data-track-index",
  ]);
});

t.test("clips of one lane that overlap are both there, with a warning", async (t) => {
  const lane = 'data-track-index="2"';
  const timeline = effectiveTimeline(
    readBundle(clip("a", "0", 2, lane) + clip("b", "1", 2, lane) + clip("c", "3", 1, lane)),
  );
  t.equal(timeline.clips.length, 3);
  t.match(timeline.diagnostics, [{ code: "overlap", element: "div#b" }]);
  t.equal(timeline.diagnostics.length, 1, "clips that touch do not overlap");
  t.match(timeline.tracks, [{ index: 2, isEnabled: true, isMuted: false, isLocked: false }]);
});

t.test("media say offset, rate, volume and role; without a length the source's own", async (t) => {
  const root = `
    <video id="v" src="./a.mp4?x=1" data-start="1"
      data-media-start="2" data-playback-rate="2"></video>
    <audio id="n" src="say.mp3" data-start="v"
      data-volume="0.5" data-audio-role="narration"></audio>
    <video id="q" data-asset-id="as1" data-start="0" data-duration="1" muted loop></video>`;
  const timeline = effectiveTimeline(readBundle(root, {}, lengths({ "a.mp4": 8, "say.mp3": 1.5 })));
  t.strictSame(times(timeline), { v: [1, 4], n: [4, 5], q: [0, 1] });
  t.match(requireClip(timeline, "v"), {
    kind: "video",
    isAudible: true,
    media: { source: { kind: "file", path: "a.mp4" }, start: 2, rate: 2, volume: 1, role: "clip" },
  });
  t.match(requireClip(timeline, "n").media, { role: "narration", volume: 0.5, isLooped: false });
  t.match(requireClip(timeline, "q"), {
    isAudible: false,
    media: { source: { kind: "asset", assetId: "as1" }, isMuted: true, isLooped: true },
  });
  t.equal(requireClip(timeline, "n").end, 5, "the film cuts what reaches beyond it");
});

t.test("the two names of a media offset may differ: the first wins, with a warning", async (t) => {
  const both = 'data-media-start="1" data-playback-start="2"';
  const root = `<audio id="a" src="a.mp3" data-start="0" data-duration="1" ${both}></audio>`;
  const timeline = effectiveTimeline(readBundle(root, {}, lengths({})));
  t.equal(requireClip(timeline, "a").media?.start, 1);
  t.match(timeline.diagnostics, [{ code: "alias", attribute: "data-playback-start" }]);
});

t.test("values out of range are read as the nearest, with a warning", async (t) => {
  const wrong = 'data-start="x9 s" data-volume="2" data-playback-rate="9"';
  const root = `<audio id="a" src="a.mp3" ${wrong} data-audio-role="noise"></audio>`;
  const timeline = effectiveTimeline(readBundle(root, {}, lengths({})));
  t.match(requireClip(timeline, "a").media, { volume: 1, rate: 5, role: "music" });
  t.strictSame(
    timeline.diagnostics.map(({ code }) => code),
    ["unknown_reference", "invalid_value", "invalid_value", "invalid_value"],
  );
});

const variables = [
  { id: "title", default: "Hello" },
  { id: "hero", default: "b.png" },
];
const scene = (inner: string, attributes = "") =>
  `<html data-composition-variables='${JSON.stringify(variables)}'>
  <body><template><style>#root{}</style>
  <div id="root" data-composition-id="card" ${attributes}>${inner}</div>
  </template></body></html>`;
const host = (id: string, start: number, duration: string, more = "") =>
  `<div id="${id}" data-composition-id="card" data-composition-src="./scenes/card.html"
    data-start="${start}" ${duration} ${more}></div>`;

t.test("a composition in a file of its own takes its host's place in time", async (t) => {
  const root = host("one", 1, 'data-duration="2"') + host("two", 3, 'data-duration="2"');
  const files = { "scenes/card.html": scene(clip("in", "0.5", 5)) };
  const timeline = effectiveTimeline(readBundle(root, files));
  t.strictSame(
    timeline.clips.map(({ id, start, end, composition }) => [id, start, end, composition !== ""]),
    [
      ["one", 1, 3, false],
      ["in", 1.5, 3, true],
      ["two", 3, 5, false],
      ["in", 3.5, 5, true],
    ],
  );
  const keys = timeline.clips.map(({ key }) => key);
  t.equal(new Set(keys).size, 4, "each instance has keys of its own");
  t.equal(keys[1]?.startsWith(`${keys[0]}/`), true);
});

t.test("a host's offset and rate carry over to what is in it", async (t) => {
  const faster = 'data-playback-start="1" data-playback-rate="2"';
  const media = '<video id="v" src="a.mp4" data-start="0" data-duration="4"></video>';
  const timeline = effectiveTimeline(
    readBundle(
      host("one", 1, 'data-duration="3"', faster),
      { "scenes/card.html": scene(media + clip("in", "3", 2)) },
      {},
    ),
  );
  t.match(requireClip(timeline, "in"), { start: 2, end: 3 });
  t.match(requireClip(timeline, "v"), { start: 1, end: 2.5, media: { start: 1, rate: 2 } });
  t.match(timeline.compositions, [
    { key: "", id: "main", offset: 0, rate: 1 },
    { id: "card", path: "scenes/card.html", isMounted: true, start: 1, offset: 1, rate: 2 },
  ]);
});

t.test("without a length a host is as long as what it holds says", async (t) => {
  const files = (attributes: string) => ({
    "scenes/card.html": scene(clip("in", "0", 2), attributes),
  });
  const root = host("one", 1, "");
  t.equal(requireClip(effectiveTimeline(readBundle(root, files(""))), "one").end, 3);
  t.equal(
    requireClip(effectiveTimeline(readBundle(root, files('data-duration="3"'))), "one").end,
    4,
  );
});

t.test("a composition may also stand inline", async (t) => {
  const host = '<div id="h" data-composition-id="in" data-start="2" data-duration="1">';
  const root = `${host}${clip("x", "0.5")}</div>`;
  t.strictSame(times(effectiveTimeline(readBundle(root))), { h: [2, 3], x: [2.5, 3] });
});

t.test("variables: a host's values before the defaults, also as addresses", async (t) => {
  const image = '<img id="i" data-var-src="hero" src="a.png" data-start="0" data-duration="1">';
  const values = `data-variable-values='{"title":"Pro"}'`;
  const timeline = effectiveTimeline(
    readBundle(host("one", 0, "", values), { "scenes/card.html": scene(image), "b.png": "x" }),
  );
  t.strictSame(timeline.compositions[1]?.variables, { title: "Pro", hero: "b.png" });
  t.strictSame(requireClip(timeline, "i").media?.source, { kind: "file", path: "b.png" });
});

t.test("what is missing or wrong in the structure is an error", async (t) => {
  const codes = (bundle: Parameters<typeof effectiveTimeline>[0]) =>
    effectiveTimeline(bundle)
      .diagnostics.filter(({ severity }) => severity === "error")
      .map(({ code }) => code);
  t.strictSame(codes({ entry: "index.html", read: () => undefined }), ["missing_entry"]);
  t.strictSame(codes(readBundle("", { "index.html": "<p>no root</p>" })), ["missing_root"]);
  t.strictSame(codes(readBundle("", { "index.html": page("", 'data-fps="90"') })), [
    "invalid_root",
  ]);
  const wide = page("").replace('"320"', '"8000"');
  t.strictSame(codes(readBundle("", { "index.html": wide })), ["invalid_root"]);
  t.strictSame(codes(readBundle("", { "index.html": page("", 'data-duration="3601"') })), [
    "too_long",
  ]);
  t.strictSame(codes(readBundle(host("one", 0, ""))), ["missing_file"]);
  const endless = { "scenes/card.html": scene(host("again", 0, "")) };
  t.strictSame(codes(readBundle(host("one", 0, ""), endless)), ["nested_too_deep"]);
});

t.test("what will be left out is named with element and attribute", async (t) => {
  const root = `<img src="https://example.org/a.png">
    <video id="v" data-start="0" data-duration="1" src="gone.mp4"></video>
    <audio id="a" data-start="0" src="a.mp3" data-automation="{}"></audio>
    <script src="//cdn.example.org/gsap.js"></script>`;
  t.strictSame(messages(effectiveTimeline(readBundle(root, { "a.mp3": "x" }))), [
    "warning: index.html: video#v src leads to gone.mp4, which is not in the bundle",
    "warning: index.html: img src leads to https://example.org/a.png, which is not fetched",
    "warning: index.html: audio#a data-automation is left out: lanes of automation",
    "warning: index.html: script src leads to //cdn.example.org/gsap.js, which is not fetched; " +
      "`klieg vendor <folder>` takes it into the bundle",
  ]);
});

t.test("modules from elsewhere are named with their remedy (F10)", async (t) => {
  const root = `<script type="importmap">{"imports":{"three":"https://cdn.example.org/three.js",
      "own":"./own.js"}}</script>
    <script type="module">import * as three from "three"; import "//cdn.example.org/a.js";
      const later = () => import('https://cdn.example.org/b.js');</script>`;
  const remedy = "which is not fetched; `klieg vendor <folder>` takes it into the bundle";
  t.strictSame(messages(effectiveTimeline(readBundle(root))), [
    `warning: index.html: script names https://cdn.example.org/three.js, ${remedy}`,
    `warning: index.html: script names //cdn.example.org/a.js, ${remedy}`,
    `warning: index.html: script names https://cdn.example.org/b.js, ${remedy}`,
  ]);
});

t.test("a grade says its adjustments with the preset's; unknown ones are warnings", async (t) => {
  const makeGraded = (grade: string) =>
    effectiveTimeline(readBundle(`<img id="i" src="data:," data-color-grading='${grade}'>`));
  const timeline = makeGraded('{"preset":"warm","intensity":0.5,"adjust":{"exposure":0.1}}');
  t.match(requireClip(timeline, "i").grade, {
    intensity: 0.5,
    adjust: { temperature: 0.25, saturation: 0.05, exposure: 0.1, contrast: 0 },
  });
  t.match(makeGraded('{"preset":"sunny"}').diagnostics, [{ code: "unknown_preset" }]);
  t.match(makeGraded('{"effects":{"bloom":1}}').diagnostics, [{ code: "unsupported" }]);
  t.match(makeGraded("{").diagnostics, [{ code: "invalid_value" }]);
});

t.test("frames: all whose time is in the half-open range", async (t) => {
  t.equal(frameCount(5, 30), 150);
  t.equal(frameCount(0.1 + 0.2, 10), 3);
  t.equal(frameCount(1.01, 30), 31);
  t.equal(frameCount(0.001, 30), 1);
  t.equal(frameFrom(2, 30), 60);
  t.equal(frameFrom(0.05, 30), 2);
});

t.test("stamped tags lead back to their elements and change nothing else", async (t) => {
  const text =
    '<body class=x><p id="a">1<b>2</p>3</b><svg id=s><g id=t /></svg><VIDEO src=v></VIDEO>';
  const result = stampTags(text);
  t.equal(result.replaceAll(new RegExp(` ${keyAttribute}="\\d+"`, "g"), ""), text);
  t.match(result, `<VIDEO ${keyAttribute}="${text.indexOf("<VIDEO")}" src=v>`);
  t.match(parseMarkup(text).html, { tag: "html" });
});

t.test("no text makes the timeline fail", async (t) => {
  for (const text of [
    "",
    "<",
    "\0",
    "<template>".repeat(2_000),
    "<div data-start=a-".repeat(3_000),
  ])
    t.ok(Array.isArray(effectiveTimeline(readBundle("", { "index.html": text })).clips));
});

t.test("D8: lint names scripts that throw as soon as they run", async (t) => {
  const host =
    '<div id="s" data-composition-id="s" data-composition-src="s.html" data-start="0"></div>';
  const scene = '<template><div data-composition-id="s"><script>document.write(1)</script></div>';
  const root = `${host}<script>const one = ;</script><script type="module">await 0;</script>`;
  const found = messages(effectiveTimeline(readBundle(root, { "s.html": scene })));
  t.ok(found.some((one) => /index\.html: script does not run: Unexpected token/.test(one)));
  t.ok(found.some((one) => /s\.html: script calls document\.write/.test(one)));
  t.equal(found.filter((one) => one.includes("does not run")).length, 1);
});
