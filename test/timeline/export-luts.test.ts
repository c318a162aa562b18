/** What is beside the timeline in an export: LUT files, manifest, bounds. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { limits } from "../../config/limits.ts";
import { gradeColor } from "../../timeline/cube.ts";
import { getText, makeExport, makeTimeline, readWarnings, write } from "./export-source.ts";

const sea = (id: string, start: number) =>
  `<video id="${id}" src="sea.mp4" data-start="${start}" data-duration="1"></video>`;
const grade = { exposure: 0.3, contrast: 0.2, saturation: -0.4, temperature: 0.3, intensity: 0.8 };

t.test("luts/*.cube have the lines of the specification; equal grades are one file", async (t) => {
  const edits = { version: 1, clips: { a: { grade }, b: { grade }, c: { grade: { tint: 0.5 } } } };
  const files = makeExport({ inside: sea("a", 0) + sea("b", 2) + sea("c", 4), edits }, "fcpxml");
  const names = ["README.txt", "manifest.json", "sequence.xml"];
  t.strictSame([...files.keys()], [...names, "luts/0001-video-a.cube", "luts/0002-video-c.cube"]);
  const lines = getText(files, "luts/0001-video-a.cube").split("\n");
  t.strictSame(lines.slice(0, 4), [
    'TITLE "0001-video-a"',
    "LUT_3D_SIZE 33",
    "DOMAIN_MIN 0 0 0",
    "DOMAIN_MAX 1 1 1",
  ]);
  t.equal(lines.length, 4 + 35_937 + 1);
  t.ok(lines.slice(4, -1).every((line) => /^[01]\.\d{6} [01]\.\d{6} [01]\.\d{6}$/.test(line)));
  const { luts } = JSON.parse(getText(files, "manifest.json"));
  t.strictSame(luts, [
    { path: "luts/0001-video-a.cube", clips: ["video#a", "video#b"] },
    { path: "luts/0002-video-c.cube", clips: ["video#c"] },
  ]);
});

t.test(
  "a .cube file in ffmpeg's lut3d matches the grade of a render within 2 levels",
  async (t) => {
    const given = { inside: sea("a", 0), edits: { version: 1, clips: { a: { grade } } } };
    const [clip] = makeTimeline(given).clips;
    const folder = mkdtempSync(join(tmpdir(), "klieg-lut-"));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const cube = join(folder, "grade.cube");
    writeFileSync(cube, getText(makeExport(given, "fcpxml"), "luts/0001-video-a.cube"));
    const colors = Array.from({ length: 6 ** 3 }, (_, at) => [
      ...[at % 6, Math.floor(at / 6) % 6, Math.floor(at / 36)].map((step) => step * 51),
    ]);
    const raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", `${colors.length}x1`];
    const look = ["-vf", `lut3d=file=${cube}:interp=tetrahedral`, "-frames:v", "1"];
    const graded = execFileSync(
      "ffmpeg",
      ["-v", "error", ...raw, "-i", "pipe:0", ...look, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
      { input: Buffer.from(colors.flat()) },
    );
    let worst = 0;
    for (const [at, [red = 0, green = 0, blue = 0]] of colors.entries()) {
      if (clip?.grade === undefined) throw new Error("the clip is graded");
      const wanted = gradeColor([red / 255, green / 255, blue / 255], clip.grade, undefined);
      for (const [part, value] of wanted.entries())
        worst = Math.max(worst, Math.abs(value * 255 - (graded[3 * at + part] ?? 0)));
    }
    t.ok(worst <= 2, `${worst} levels at most`);
  },
);

t.test("a table that is none is left out and named", async (t) => {
  const edits = { version: 1, clips: { a: { grade: { lut_path: "film.cube" } } } };
  const files = { "film.cube": "no table" };
  const exported = makeExport({ inside: sea("a", 0), edits, files, tables: files }, "fcpxml");
  t.strictSame(readWarnings(exported), [
    "film.cube is left out: it is not a three-dimensional table of size 64 or less",
  ]);
});

t.test("manifest.json has the fields of the specification", async (t) => {
  const files = makeExport({ inside: sea("a", 0) }, "aejsx");
  t.strictSame(JSON.parse(getText(files, "manifest.json")), {
    version: 1,
    composition_id: "01990000-0000-7000-8000-000000000001",
    composition_revision: 7,
    format: "aejsx",
    name: "Sea & <Sky>",
    frame_rate: 30,
    width: 1280,
    height: 720,
    duration_frames: 300,
    created_at: "2026-04-15T12:00:00.000Z",
    media: [
      {
        ref: "sea.mp4",
        asset_id: null,
        path: "media/0001-sea.mp4",
        url: "https://x.test/sea.mp4",
        expires_at: "1970-01-01T00:00:00.000Z",
      },
    ],
    texts: [],
    luts: [],
    warnings: [],
  });
});

t.test("more clips, texts or bytes than an export may have are too large", async (t) => {
  const { clipsMax } = limits.exports;
  const all = Array.from({ length: clipsMax + 1 }, (_, at) => sea(`v${at}`, at / 100));
  t.match(write({ inside: all.join("") }, "fcpxml"), { kind: "too_large", detail: /500 clips/ });
  t.match(write({ inside: all.slice(1).join("") }, "fcpxml"), { kind: "documents" });
  const clips = Object.fromEntries(
    all.slice(1, 80).map((_, at) => [`v${at + 1}`, { grade: { exposure: at / 100 } }]),
  );
  const graded = { inside: all.slice(1, 80).join(""), edits: { version: 1, clips } };
  t.match(write(graded, "fcpxml"), { kind: "too_large", detail: /67108864 bytes/ });
});

t.test("a timeline without clips has nothing to export", async (t) => {
  t.strictSame(write({ inside: "<p>sea</p>" }, "aejsx"), { kind: "nothing" });
});
