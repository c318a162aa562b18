/** Reads an export back with a third-party editor. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { makeExport } from "../timeline/export-source.ts";
import { importIntoOpenShot } from "./openshot.ts";

t.test("an importer reads back positions, in and out points and opacity keyframes", async (t) => {
  const motion = [
    { t: 0, opacity: 0 },
    { t: 1, opacity: 1 },
    { t: 3, opacity: 0.25 },
  ];
  const files = makeExport(
    {
      inside:
        '<video id="a" src="sea.mp4" data-start="1.5" data-duration="3" data-media-start="2"></video>' +
        '<video id="b" src="mute.mp4" data-start="5" data-duration="2" data-track-index="1"></video>' +
        '<img id="c" src="logo.png" class="clip" data-start="2" data-duration="4" data-track-index="2">' +
        '<audio id="m" src="music.mp3" data-start="0.5" data-duration="6" data-media-start="3" data-track-index="5"></audio>',
      edits: { version: 1, clips: { a: { motion }, b: { start: 6, media_start: 1 } } },
    },
    "fcpxml",
  );
  const folder = t.testdir({ home: {} });
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const make = (path: string, ...input: string[]) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    execFileSync("ffmpeg", ["-v", "error", "-y", ...input, join(folder, path)]);
  };
  const sine = ["-f", "lavfi", "-i", "sine=d=30"];
  const picture = ["-f", "lavfi", "-i", "testsrc2=s=640x360:r=30:d=8"];
  make("media/0001-sea.mp4", ...picture, ...sine);
  make("media/0002-mute.mp4", ...picture);
  make("media/0003-logo.png", "-f", "lavfi", "-i", "color=red:s=200x100", "-frames:v", "1");
  make("media/0004-music.mp3", ...sine);
  const clips = importIntoOpenShot(join(folder, "sequence.xml"), join(folder, "home"));
  const read = clips.map(({ title, position, start, end, alpha }) => [
    ...[title, position, start, end, alpha],
  ]);
  const whole = [[1, 1]];
  t.strictSame(read, [
    ["0004-music.mp3", 0.5, 3, 9, whole],
    [
      "0001-sea.mp4",
      1.5,
      2,
      5,
      [
        [60, 0],
        [90, 1],
        [150, 0.25],
      ],
    ],
    ["0002-mute.mp4", 6, 1, 3, whole],
    ["0003-logo.png", 2, 0, 4, whole],
  ]);
  const layers = clips.slice(1).map(({ layer }) => layer);
  t.strictSame(
    layers,
    [...layers].sort((one, other) => one - other),
    "bottom to top",
  );
});
