/** What a farm node measures for an export: real pages, real media, and the results. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { exportFormats } from "../../../contract/composition.ts";
import { measure } from "../../../render-farm/render/measure.ts";
import { writeDocuments } from "../../../timeline/export/documents.ts";
import { isMeasurement, type Measurement } from "../../../timeline/export/measurement.ts";
import type { StoredMedia } from "../../../timeline/export/sources.ts";
import type { Timeline } from "../../../timeline/model.ts";
import { type Files, openFilmBench } from "../../render-farm/film-bench.ts";
import { readPng } from "../../render-farm/png.ts";
import { getText, parameterIn, tagIn, tagsIn } from "../../timeline/export-source.ts";

const bench = await openFilmBench(t, 1);
const worker = measure(bench.studio);
const sea = await bench.store("sea.mp4", "video/mp4", [
  ...["-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2"],
  ...["-ac", "2", "-timecode", "10:00:01:00", "-c:v", "libx264", "-pix_fmt", "yuv420p"],
]);
const gray = ["-f", "lavfi", "-i", "color=0x808080:s=200x100", "-frames:v", "1"];
const logo = await bench.store("logo.png", "image/png", gray);

const body = (inside: string, style: string) =>
  `<style>body{background:#000}${style}</style>` +
  '<div data-composition-id="main" data-width="1280" data-height="720" data-duration="4">' +
  `${inside}</div>`;

async function measureFiles(files: Files, drawsTexts = true): Promise<Measurement> {
  const { manifestKey, assets } = (await bench.readInput(files)) as {
    manifestKey: string;
    assets: object;
  };
  const outcome = await bench.run(worker, { manifestKey, assets, drawsTexts });
  if (outcome.kind === "failed") throw new Error(outcome.message);
  const bytes = await bench.readBytes(outcome.outputs[0]?.objectKey ?? "");
  const value: unknown = JSON.parse(bytes.toString("utf8"));
  if (!isMeasurement(value)) throw new Error("it is no measurement");
  return value;
}

function makeExport(measurement: Measurement): ReadonlyMap<string, Buffer> {
  const timeline = measurement.timeline as Timeline;
  const stored = new Map([
    ["sea.mp4", { mimeType: "video/mp4", name: "sea.mp4" }],
    ["logo.png", { mimeType: "image/png", name: "logo.png" }],
  ]);
  const exported = writeDocuments(
    { compositionId: "c", name: "Sea", timeline, measurement, stored },
    { format: "fcpxml", revision: 1, atMs: 0, links: new Map(), tables: new Map() },
  );
  if (exported.kind !== "documents") throw new Error(exported.kind);
  return new Map(exported.documents.map(({ path, bytes }) => [path, Buffer.from(bytes())]));
}

t.test("media are measured: size, length, channels and the start timecode", async (t) => {
  const inside = '<video id="v" src="sea.mp4" data-start="0"></video>';
  const { media, timeline } = await measureFiles({
    "index.html": body(inside, ""),
    "sea.mp4": sea,
  });
  t.match(media["sea.mp4"], {
    width: 640,
    height: 360,
    channels: 2,
    timecode: "10:00:01:00",
    frameRate: 25,
  });
  t.ok(Math.abs((media["sea.mp4"]?.seconds ?? 0) - 2) < 0.1);
  // Without data-duration a clip lasts as long as its source.
  t.match((timeline as Timeline).clips, [{ start: 0, end: media["sea.mp4"]?.seconds }]);
});

t.test("pictures are where styles, fits and transforms put them", async (t) => {
  const style =
    ".fill{position:absolute;inset:0;width:100%;height:100%;object-fit:cover}" +
    ".half{position:absolute;left:640px;top:0;width:640px;height:720px;object-fit:cover}" +
    ".turned{position:absolute;left:50%;top:50%;transform:translate(-50%,-50%) rotate(30deg)}" +
    ".tilted{position:absolute;left:0;top:0;width:360px;height:360px;object-fit:cover;" +
    "transform:rotate(90deg) scale(2)}" +
    ".room{position:absolute;left:0;top:360px;width:320px;height:360px;overflow:hidden}" +
    ".wide{position:absolute;left:0;top:0;width:640px;height:360px}" +
    ".group{position:absolute;left:100px;top:50px;opacity:0.5;transform:scale(2);transform-origin:0 0}";
  const inside =
    '<video id="fill" class="fill" src="sea.mp4" data-start="0" data-duration="2" data-track-index="0"></video>' +
    '<video id="half" class="half" src="sea.mp4" data-start="0" data-duration="2" data-track-index="1"></video>' +
    '<img id="turned" class="turned clip" src="logo.png" data-start="1" data-duration="2" data-track-index="2">' +
    '<div class="group"><img id="inner" class="clip" src="logo.png" data-start="0" data-duration="4" data-track-index="3"></div>';
  const more =
    '<video id="tilted" class="tilted" src="sea.mp4" data-start="0" data-duration="2" data-track-index="4"></video>' +
    '<div class="room"><video id="wide" class="wide" src="sea.mp4" data-start="0" data-duration="2" data-track-index="5"></video></div>';
  const page = body(inside + more, style);
  const files = { "index.html": page, "sea.mp4": sea, "logo.png": logo };
  const documents = makeExport(await measureFiles(files));
  const xml = getText(documents, "sequence.xml").replace(/>\s+</g, "><");
  const items = tagsIn(xml, "clipitem").slice(0, 6);
  const poses = items.map((item) =>
    ["scale", "rotation", "center", "opacity", "left", "right"].map((id) => parameterIn(item, id)),
  );
  t.strictSame(poses, [
    ["200", "0", "0  0", undefined, undefined, undefined],
    ["200", "0", "0.25  0", undefined, "25", "25"],
    ["100", "30", "0  0", undefined, undefined, undefined],
    ["200", "0", "-0.265625  -0.291667", "50", undefined, undefined],
    ["200", "90", "-0.359375  -0.25", undefined, "21.875", "21.875"],
    ["100", "0", "-0.25  0.25", undefined, "0", "50"],
  ]);
});

t.test("a text's picture has the letters of a render, in their place", async (t) => {
  const text = { id: "t", text: "Sea of\nfilm", start: 0, duration: 2, x: 201, y: 102 };
  const edits = {
    version: 1,
    texts: [{ ...text, width: 300, font_family: "Inter", font_size: 60, color: "#ffcc00" }],
  };
  const files = { "index.html": body("", ""), "klieg-edits.json": JSON.stringify(edits) };
  const measurement = await measureFiles(files);
  t.match(measurement.texts, [
    {
      id: "t",
      box: { width: 300, height: 144 },
      lines: ["Sea of", "film"],
      color: [255, 204, 0, 1],
    },
  ]);
  const documents = makeExport(measurement);
  const drawn = documents.get("text/0001-t.png") ?? Buffer.alloc(0);
  const xml = getText(documents, "sequence.xml").replace(/>\s+</g, "><");
  const [width, height] = ["width", "height"].map((name) =>
    Number(tagIn(tagIn(xml, "file") ?? "", name)),
  ) as [number, number];
  const [across = 0, down = 0] = String(parameterIn(xml, "center")).split(/ +/).map(Number);
  const left = Math.round((across + 0.5) * 1_280 - width / 2);
  const top = Math.round((down + 0.5) * 720 - height / 2);
  const folder = t.testdir({ "text.png": drawn });
  const place = join(folder, "text.png");
  const laid = execFileSync("ffmpeg", [
    ...["-v", "error", "-f", "lavfi", "-i", "color=black:s=1280x720,format=rgba", "-i", place],
    ...["-filter_complex", `overlay=${left}:${top}:format=gbrp`, "-frames:v", "1"],
    ...["-f", "image2pipe", "-c:v", "png", "-pix_fmt", "rgba", "-"],
  ]);
  const film = await bench.film(files, { target: "still", still: { frame: 0 } });
  const [one, other] = [readPng(laid), readPng(await bench.readBytes(film.key))];
  let worst = 0;
  let lit = 0;
  for (let y = 0.5; y < 720; y++)
    for (let x = 200.5; x < 520; x++) {
      const [mine, theirs] = [one, other].map((png) => png.at(x / 1_280, y / 720));
      worst = Math.max(
        worst,
        ...(mine ?? []).map((part, at) => Math.abs(part - (theirs?.[at] ?? 0))),
      );
      if ((theirs?.[0] ?? 0) > 200) lit++;
    }
  t.ok(lit > 2_000, `${lit} pixels of letters`);
  t.ok(worst <= 2, `${worst} levels`);
});

t.test(
  "a .cube file in ffmpeg's lut3d matches the grade of a render within 2 levels",
  async (t) => {
    const inside =
      '<img id="logo" src="logo.png" data-start="0" data-duration="4" class="clip" ' +
      'style="position:absolute;left:0;top:0;width:1280px;height:720px">';
    const grade = { exposure: 0.2, temperature: 0.5, tint: -0.3, saturation: 0.3, intensity: 0.7 };
    const edits = { version: 1, clips: { logo: { grade } } };
    const files = {
      "index.html": body(inside, ""),
      "logo.png": logo,
      "klieg-edits.json": JSON.stringify(edits),
    };
    const documents = makeExport(await measureFiles(files));
    const folder = t.testdir({});
    const cube = join(folder, "logo.cube");
    writeFileSync(cube, documents.get("luts/0001-img-logo.cube") ?? "");
    const [rendered] = await bench.colorsAt(files, 0, [640, 360]);
    const graded = execFileSync("ffmpeg", [
      ...["-v", "error", "-f", "lavfi", "-i", "color=0x808080:s=16x16,format=rgb24"],
      ...[
        "-vf",
        `lut3d=file=${cube}`,
        "-frames:v",
        "1",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-",
      ],
    ]);
    for (const [part, value] of (rendered ?? []).entries())
      t.ok(Math.abs(value - (graded[part] ?? 0)) <= 2, `${value} and ${graded[part]}`);
  },
);

t.test("media that cannot be read and pages that draw nothing are warnings", async (t) => {
  const inside =
    '<video id="v" src="sea.mp4" data-start="0" data-duration="1"></video>' +
    '<img id="gone" src="gone.png" data-start="0" data-duration="1" class="clip">';
  const broken = { objectKey: "broken.mp4", mimeType: "video/mp4" };
  await bench.objects.put(broken.objectKey, [Buffer.from("no film")]);
  const { warnings, media } = await measureFiles({
    "index.html": body(inside, ""),
    "sea.mp4": broken,
  });
  t.strictSame(media, {});
  t.ok(
    warnings.some((sentence) => sentence.startsWith("video#v: ")),
    warnings.join("\n"),
  );
});

t.test("the examples are exported to both formats", async (t) => {
  const examples = join(import.meta.dirname, "../../../../examples");
  const types: Readonly<Record<string, string>> = { mp4: "video/mp4", mp3: "audio/mpeg" };
  for (const name of readdirSync(examples).filter((name) => name !== "providers")) {
    const files: Record<string, Files[string]> = {};
    const stored = new Map<string, StoredMedia>();
    for (const path of readdirSync(join(examples, name))) {
      const bytes = readFileSync(join(examples, name, path));
      const mimeType = types[path.slice(path.lastIndexOf(".") + 1)];
      if (mimeType === undefined) files[path] = bytes.toString("utf8");
      else {
        await bench.objects.put(`${name}/${path}`, [bytes]);
        files[path] = { objectKey: `${name}/${path}`, mimeType };
        stored.set(path, { mimeType, name: path });
      }
    }
    const measurement = await measureFiles(files);
    const timeline = measurement.timeline as Timeline;
    for (const format of exportFormats) {
      const exported = writeDocuments(
        { compositionId: "c", name, timeline, measurement, stored },
        { format, revision: 1, atMs: 0, links: new Map(), tables: new Map() },
      );
      t.equal(exported.kind, "documents", `${name} to ${format}`);
      const paths = exported.kind === "documents" ? exported.documents.map(({ path }) => path) : [];
      t.strictSame(paths.slice(0, 3), [
        "README.txt",
        "manifest.json",
        format === "fcpxml" ? "sequence.xml" : "build.jsx",
      ]);
    }
    const drawn = timeline.clips.filter(({ kind }) => kind === "element");
    const named = timeline.clips.filter(({ media }) => stored.size > 0 && media !== undefined);
    t.ok(drawn.length + named.length > 0, name);
  }
});
