import t from "tap";
import { poseAt } from "../../timeline/motion.ts";
import { effectiveTimeline } from "../../timeline/timeline.ts";
import { makeEdited, messages, readBundle, requireClip, times } from "./timeline-bundle.ts";

const clip = (id: string, start: string, duration = 1, more = "") =>
  `<div id="${id}" class="clip" data-start="${start}" data-duration="${duration}" ${more}></div>`;
const three = clip("a", "0", 1) + clip("b", "a + 0.5", 1, 'data-track-index="1"') + clip("c", "b");

t.test("moves and trims apply before starts are resolved", async (t) => {
  t.strictSame(times(makeEdited(three, { clips: { a: { start: 1 } } })), {
    a: [1, 2],
    b: [2.5, 3.5],
    c: [3.5, 4.5],
  });
  t.strictSame(times(makeEdited(three, { clips: { a: { duration: 0.5 }, b: { start: 3 } } })), {
    a: [0, 0.5],
    b: [3, 4],
    c: [4, 5],
  });
});

t.test("media edits replace what the author wrote, member by member", async (t) => {
  const video =
    '<video id="v" src="a.mp4" data-start="0" data-duration="2" data-volume="0.8"></video>';
  const edit = { media_start: 3, playback_rate: 0.5, volume: 0.25, track_index: 7 };
  const timeline = makeEdited(video, { clips: { v: edit } }, { "a.mp4": "x" });
  t.match(requireClip(timeline, "v"), {
    trackIndex: 7,
    media: { start: 3, rate: 0.5, volume: 0.25 },
  });
});

t.test("hidden clips and tracks that are off show nothing and make no sound", async (t) => {
  const lane = 'data-start="0" data-duration="2" data-track-index="4"';
  const root = `${three}<audio id="m" src="m.mp3" ${lane}></audio>`;
  const files = { "m.mp3": "x" };
  const off = makeEdited(
    root,
    { clips: { a: { hidden: true } }, tracks: { 1: { enabled: false } } },
    files,
  );
  t.strictSame(
    off.clips.map(({ id, isShown }) => [id, isShown]),
    [
      ["a", false],
      ["b", false],
      ["c", true],
      ["m", true],
    ],
  );
  const silent = makeEdited(root, { tracks: { 4: { muted: true, locked: true } } }, files);
  t.match(requireClip(silent, "m"), { isShown: true, isAudible: false });
  t.match(silent.tracks.at(-1), { index: 4, isEnabled: true, isMuted: true, isLocked: true });
  t.equal(
    requireClip(makeEdited(root, { tracks: { 4: { enabled: false } } }, files), "m").isAudible,
    false,
  );
});

t.test("what is in a hidden host is hidden with it", async (t) => {
  const host = '<div id="h" data-composition-id="in" data-start="0" data-duration="1">';
  const root = `${host}${clip("x", "0")}</div>`;
  t.equal(requireClip(makeEdited(root, { clips: { h: { hidden: true } } }), "x").isShown, false);
});

t.test("deleted elements are gone, and what waited for them keeps its time", async (t) => {
  const timeline = makeEdited(three, { deleted: ["b"] });
  t.strictSame(times(timeline), { a: [0, 1], c: [2.5, 3.5] });
  t.equal(timeline.deleted.length, 1);
  const inner = `<div id="h" data-composition-id="in" data-start="0">${clip("x", "0")}</div>`;
  const host = `${inner}<p id="p"></p>`;
  const empty = makeEdited(host, { deleted: ["h", "p"] });
  t.equal(empty.deleted.length, 2, "also elements that are no clips");
});

t.test(
  "transforms, motion and masks stand with the clip; elements without times, too",
  async (t) => {
    const transform = { x: 10, rotation: 90, scale: 2, opacity: 0.5, anchor_x: 0 };
    const mask = {
      shape: "ellipse",
      points: [
        [0, 0],
        [10, 20],
      ],
      feather: 2,
    };
    const motion = [
      { t: 1, x: 5 },
      { t: 0, x: 1, ease: "hold" },
    ];
    const timeline = makeEdited('<p id="p"></p>', { clips: { p: { transform, mask, motion } } });
    t.match(requireClip(timeline, "p"), { start: 0, end: 5, transform, mask });
    t.strictSame(
      requireClip(timeline, "p").motion.map(({ t }) => t),
      [0, 1],
      "in the order of time",
    );
  },
);

t.test("motion replaces the transform member by member and holds outside its range", async (t) => {
  const motion = [
    { t: 1, x: 0, ease: "linear" },
    { t: 2, scale: 2 },
    { t: 3, x: 100, ease: "hold" },
    { t: 4, x: 7 },
  ] as const;
  const at = (seconds: number) => poseAt({ x: 50, y: 20, opacity: 0.5 }, motion, seconds);
  t.strictSame(at(0), { x: 0, y: 20, scale: 2, rotation: 0, opacity: 0.5 });
  t.strictSame(at(1.5).x, 25);
  t.strictSame(at(3.5).x, 100);
  t.strictSame(at(9).x, 7);
  const makeEased = (ease: "ease_in" | "ease_out" | "ease_in_out") =>
    poseAt(
      undefined,
      [
        { t: 0, x: 0, ease },
        { t: 1, x: 100 },
      ],
      0.25,
    ).x;
  t.strictSame(
    [makeEased("ease_in"), makeEased("ease_out"), makeEased("ease_in_out")],
    [6.25, 43.75, 12.5],
  );
});

t.test("a grade's flat members replace the author's one by one", async (t) => {
  const image =
    '<img id="i" src="i.png" data-color-grading=\'{"adjust":{"exposure":0.5,"contrast":0.2},"lut":"a.cube"}\'>';
  const files = { "i.png": "x", "a.cube": "x", "b.cube": "x" };
  const grade = { exposure: -0.5, lut_path: "b.cube", intensity: 0.3 };
  const timeline = makeEdited(image, { clips: { i: { grade } } }, files);
  t.match(requireClip(timeline, "i").grade, {
    adjust: { exposure: -0.5, contrast: 0.2 },
    lutPath: "b.cube",
    intensity: 0.3,
  });
  const gone = makeEdited(image, { clips: { i: { grade: { lut_path: "gone.cube" } } } }, files);
  t.match(gone.diagnostics, [{ code: "missing_file", severity: "warning" }]);
});

t.test(
  "added texts have their defaults, lie within the film and count for its length",
  async (t) => {
    const text = { id: "t1", text: "Hi", start: 1, duration: 2 };
    t.match(makeEdited("", { texts: [text] }).texts, [
      {
        id: "t1",
        text: "Hi",
        start: 1,
        end: 3,
        isShown: true,
        x: 0,
        y: 0,
        width: undefined,
        fontFamily: "sans-serif",
        fontSize: 64,
        fontWeight: 400,
        color: "#ffffff",
        align: "left",
      },
    ]);
    const off = makeEdited("", {
      texts: [{ ...text, track_index: 3 }],
      tracks: { 3: { enabled: false } },
    });
    t.match(off.texts, [{ isShown: false }]);
  },
);

t.test("the file of the bundle is read; an invalid one is ignored with a warning", async (t) => {
  const files = (overlay: string) => ({ "klieg-edits.json": overlay });
  const moved = JSON.stringify({ version: 1, clips: { a: { start: 2 } }, unknown: [1] });
  t.strictSame(times(effectiveTimeline(readBundle(three, files(moved))))["a"], [2, 3]);
  for (const [wrong, fault] of [
    ["{", "is not valid JSON"],
    ["[]", "must be object"],
    ['{"version":2}', "/version must be one of 1"],
    ['{"version":1,"clips":{"a":{"start":"2"}}}', "/clips/a/start must be number"],
    ['{"version":1,"clips":{"a":{"volume":2}}}', "/clips/a/volume must be <= 1"],
    ['{"version":1,"tracks":{"one":{}}}', "/tracks/one is not a track index"],
  ] as const) {
    const timeline = effectiveTimeline(readBundle(three, files(wrong)));
    t.strictSame(times(timeline)["a"], [0, 1]);
    t.match(messages(timeline)[0], /^warning: klieg-edits\.json: is ignored: /);
    t.match(messages(timeline)[0], fault);
  }
});

t.test("edits of elements that do not exist are warnings", async (t) => {
  t.match(makeEdited(three, { clips: { nobody: { start: 1 } } }).diagnostics, [
    { severity: "warning", code: "unknown_element" },
  ]);
  t.match(makeEdited(three, { clips: { __proto__: null, toString: { start: 1 } } }).diagnostics, [
    { code: "unknown_element" },
  ]);
});
