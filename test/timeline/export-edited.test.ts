/** A composition with every kind of edit, and what each format has of it. */
import t from "tap";
import { runInAfterEffects } from "./after-effects.ts";
import {
  type Given,
  getText,
  makeExport,
  parameterIn,
  readSequence,
  readWarnings,
  tagIn,
  tagsIn,
} from "./export-source.ts";

const video = (id: string, source: string, attributes: string) =>
  `<video id="${id}" src="${source}" ${attributes}></video>`;

const given: Given = {
  inside:
    video("moved", "sea.mp4", 'data-start="0" data-duration="2" data-track-index="0"') +
    video("after", "sea.mp4", 'data-start="moved + 0.5" data-duration="1" data-track-index="0"') +
    video("fast", "sea.mp4", 'data-start="0" data-duration="2" data-track-index="1"') +
    video("muted", "sea.mp4", 'data-start="0" data-duration="2" data-track-index="2"') +
    video("gone", "sea.mp4", 'data-start="0" data-duration="2" data-track-index="3"') +
    video("looped", "mute.mp4", 'loop data-start="0" data-duration="9" data-track-index="4"') +
    '<div class="clip" id="box" data-start="3" data-duration="1" data-track-index="6">box</div>',
  edits: {
    version: 1,
    tracks: { 2: { muted: true } },
    clips: {
      moved: { start: 1, media_start: 3 },
      fast: {
        playback_rate: 2,
        grade: { exposure: 0.2 },
        mask: {
          shape: "path",
          points: [
            [0, 0],
            [1280, 0],
            [640, 720],
          ],
          feather: 10,
        },
        transform: { scale: 0.5 },
        motion: [
          { t: 0, x: 0 },
          { t: 2, x: 128 },
        ],
      },
    },
    texts: [{ id: "added", text: "Sea", start: 1, duration: 1, motion: [{ t: 0, opacity: 0 }] }],
    deleted: ["gone"],
  },
};

const wanted = {
  fcpxml: [
    "element#box is drawn by the page (HTML, CSS, scripts): only a marker stands for it",
    "video#looped plays in a loop; the export plays it once",
    "text#added could not be laid out: its place and size are a guess",
    "text#added is left out: no render worker could draw its letters",
    "video#fast has a mask (path), which sequence.xml leaves out",
    "video#looped holds the last picture of its source from 00:00:04:00 to 00:00:09:00; in sequence.xml it ends there",
  ],
  aejsx: [
    "element#box is drawn by the page (HTML, CSS, scripts): only a marker stands for it",
    "video#looped plays in a loop; the export plays it once",
    "text#added could not be laid out: its place and size are a guess",
    "text#added asks After Effects for the font ArialMT; choose another where it has none of that name",
  ],
} as const;

for (const format of ["fcpxml", "aejsx"] as const)
  t.test(
    `an edited composition is exported to ${format} with nothing dropped silently`,
    async (t) => {
      const files = makeExport(given, format);
      t.strictSame([...readWarnings(files)].sort(), [...wanted[format]].sort());
      for (const sentence of readWarnings(files))
        t.ok(getText(files, "README.txt").includes(`- ${sentence}`), sentence);
      t.match(getText(files, "README.txt"), "luts/0001-video-fast.cube\n    video#fast");
      if (format === "fcpxml") checkSequence(files);
      else checkScript(files);
    },
  );

function checkSequence(files: ReadonlyMap<string, Buffer>): void {
  const xml = readSequence(files);
  const video = xml.slice(0, xml.indexOf("<audio><numOutputChannels>"));
  const items = tagsIn(video, "clipitem").map((item) =>
    ["name", "start", "end", "in", "out"].map((name) => tagIn(item, name)).join(" "),
  );
  t.strictSame(items, [
    ...["0001-sea.mp4 30 90 90 150", "0001-sea.mp4 105 135 0 30"],
    ...["0001-sea.mp4 0 60 0 120", "0001-sea.mp4 0 60 0 60", "0002-mute.mp4 0 120 0 120"],
  ]);
  const fast = tagsIn(video, "clipitem")[2] ?? "";
  t.strictSame(parameterIn(fast, "center"), ["0: 0  0", "120: 0.1  0"]);
  t.strictSame([parameterIn(fast, "scale"), parameterIn(fast, "speed")], ["100", "200"]);
  const sounds = tagsIn(xml.slice(video.length), "clipitem").map((item) => tagIn(item, "enabled"));
  t.strictSame(sounds.filter((enabled) => enabled === "FALSE").length, 2);
}

function checkScript(files: ReadonlyMap<string, Buffer>): void {
  const { layers } = runInAfterEffects(getText(files, "build.jsx"), []);
  const times = layers.map(({ name, inPoint, outPoint, stretch, audioEnabled }) => [
    ...[name, inPoint, outPoint, stretch, audioEnabled],
  ]);
  t.strictSame(times, [
    ["video#moved", 1, 3, 100, true],
    ["video#after", 3.5, 4.5, 100, true],
    ["video#fast", 0, 2, 50, true],
    ["video#muted", 0, 2, 100, false],
    ["video#looped", 0, 9, 100, true],
    ["text#added", 1, 2, 100, true],
  ]);
  const fast = layers[2];
  t.strictSame(fast?.keys["ADBE Position"], [
    [0, [640, 360]],
    [2, [768, 360]],
  ]);
  t.strictSame(fast?.values["ADBE Scale"], [100, 100]);
  t.equal(fast?.masks.length, 1);
  t.strictSame(layers[5]?.values["ADBE Opacity"], 0);
}
