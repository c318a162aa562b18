/** What After Effects makes of the `build.jsx` of exports. */
import { parse } from "acorn";
import t from "tap";
import { runInAfterEffects } from "./after-effects.ts";
import { type Given, getText, makeExport, readWarnings, typeFaults } from "./export-source.ts";

const inside =
  '<video id="a" src="sea.mp4" data-start="1" data-duration="3" data-media-start="2" ' +
  'data-playback-rate="2" data-volume="0.5"></video>' +
  '<video id="m" src="mute.mp4" data-start="4" data-duration="6" data-track-index="1"></video>' +
  '<img id="logo" src="logo.png" class="clip" data-start="2" data-duration="4" data-track-index="2">' +
  '<audio id="music" src="music.mp3" data-start="0" data-duration="10" data-track-index="5"></audio>' +
  '<h1 id="title" class="clip" data-start="1" data-duration="2" data-track-index="6">Sea</h1>';
const given: Given = {
  inside,
  edits: {
    version: 1,
    tracks: { 5: { muted: true }, 2: { locked: true } },
    clips: {
      a: {
        transform: { x: 40 },
        motion: [
          { t: 0, opacity: 0 },
          { t: 1, opacity: 1 },
        ],
        grade: { preset: "noir" },
      },
      m: {
        mask: {
          shape: "ellipse",
          points: [
            [0, 0],
            [1280, 720],
          ],
          feather: 6,
          inverted: true,
        },
      },
      logo: {
        hidden: true,
        mask: {
          shape: "path",
          points: [
            [0, 0],
            [640, 0],
            [640, 720],
          ],
        },
      },
    },
    texts: [
      {
        id: "t",
        text: "Grüße\n</script>",
        start: 1,
        duration: 2,
        x: 100,
        y: 50,
        font_size: 50,
        color: "#ff8000",
        align: "center",
        font_weight: 700,
      },
    ],
  },
};
const script = getText(makeExport(given, "aejsx"), "build.jsx");
const present = ["media/0001-sea.mp4", "media/0002-mute.mp4", "media/0003-logo.png"];
const recording = runInAfterEffects(script, present);
const findLayer = (name: string) => {
  const found = recording.layers.find((layer) => layer.name === name);
  if (found === undefined) throw new Error(`there is no layer ${name}`);
  return found;
};

t.test("build.jsx is ASCII and parses as ECMAScript 3", async (t) => {
  t.match(script, /^[\n\x20-\x7e]+$/);
  t.match(script, String.raw`Gr\u00fc\u00dfe\r</script>`);
  const [only, ...more] = parse(script, { ecmaVersion: 3 }).body;
  t.equal(only?.type, "ExpressionStatement");
  t.strictSame(more, []);
});

for (const version of ["16.0", "25.4"])
  t.test(`build.jsx has the right types for After Effects ${version}`, async (t) => {
    t.strictSame(typeFaults(script, version), []);
  });

t.test(
  "it makes a composition within an undo group and names missing media at the end",
  async (t) => {
    t.strictSame(recording.comp, ["Sea & <Sky>", 1280, 720, 1, 10, 30]);
    t.strictSame(recording.undo, ["begin Klieg: Sea & <Sky>", "end"]);
    t.strictSame(recording.imported, present);
    t.strictSame(recording.placeholders, [["0004-music.mp3", 1280, 720, 30, 30]]);
    t.strictSame(recording.alerts, [
      "These files are missing and stand as placeholders:\nmedia/0004-music.mp3",
    ]);
  },
);

t.test("layers are added bottom first, with the times of the timeline", async (t) => {
  const times = recording.layers.map((layer) => {
    const { name, stretch, startTime, inPoint, outPoint, enabled, audioEnabled, locked } = layer;
    return [name, stretch, startTime, inPoint, outPoint, enabled, audioEnabled, locked];
  });
  t.strictSame(times, [
    ["audio#music", 100, 0, 0, 10, false, false, false],
    ["video#a", 50, 0, 1, 4, true, true, false],
    ["video#m", 100, 4, 4, 10, true, true, false],
    ["img#logo", 100, 2, 2, 6, false, true, true],
    ["text#t", 100, 1, 1, 3, true, true, false],
  ]);
});

t.test("keyframes are of the composition's time, and linear", async (t) => {
  const { keys, interpolations, values } = findLayer("video#a");
  t.strictSame(keys["ADBE Opacity"], [
    [1, 0],
    [2, 100],
    [4, 100],
  ]);
  t.strictSame(interpolations["ADBE Opacity"], ["linear linear", "linear linear", "linear linear"]);
  t.strictSame(values["ADBE Anchor Point"], [320, 180]);
  t.strictSame(values["ADBE Position"], [680, 360]);
  t.strictSame(values["ADBE Scale"], [200, 200]);
  t.strictSame(values["ADBE Audio Levels"], [-6.0206, -6.0206]);
});

t.test("masks are shapes of the layer, with feather and mode", async (t) => {
  const {
    masks: [round],
  } = findLayer("video#m");
  t.strictSame(round?.vertices, [
    [320, 0],
    [640, 180],
    [320, 360],
    [0, 180],
  ]);
  t.strictSame([round?.feather, round?.mode, round?.inverted], [[3, 3], "add", true]);
  const {
    masks: [drawn],
  } = findLayer("img#logo");
  t.strictSame(drawn?.vertices, [
    [0, 0],
    [100, 0],
    [100, 100],
  ]);
  t.equal(drawn?.closed, true);
});

t.test("a picture that is held after its source is, by time remapping", async (t) => {
  const { timeRemapEnabled, keys, outPoint } = findLayer("video#m");
  t.equal(timeRemapEnabled, true);
  t.strictSame(keys["ADBE Time Remapping"], [
    [4, 0],
    [7.966667, 3.966667],
  ]);
  t.equal(outPoint, 10);
});

t.test("added texts are text layers with size, font, colour and justification", async (t) => {
  const { text, written } = findLayer("text#t");
  t.equal(text, "Grüße\r</script>");
  t.strictSame(written, {
    fontSize: 50,
    font: "Arial-BoldMT",
    applyFill: true,
    fillColor: [1, 0.501961, 0],
    justification: "center",
    leading: 60,
  });
});

t.test("grades are named by the layer's comment, what the page draws by a marker", async (t) => {
  const { comment } = findLayer("video#a");
  t.equal(comment, "Apply luts/0001-video-a.cube (effect Apply Color LUT)");
  t.strictSame(recording.markers, [[1, "element#title", 2]]);
});

t.test("nothing is dropped silently", async (t) => {
  t.strictSame(readWarnings(makeExport(given, "aejsx")), [
    "element#title is drawn by the page (HTML, CSS, scripts): only a marker stands for it",
    "text#t could not be laid out: its place and size are a guess",
    "text#t asks After Effects for the font Arial-BoldMT; choose another where it has none of that name",
  ]);
});
