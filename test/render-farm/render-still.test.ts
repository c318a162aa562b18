import t from "tap";
import { composition, type Files, openFilmBench } from "./film-bench.ts";
import { readPng } from "./png.ts";

const bench = await openFilmBench(t, 1);
const root = `<div id="a" class="clip" data-start="0" data-duration="0.5"
    style="left:0;top:0;width:160px;height:180px;background:#f00"></div>
  <div id="b" class="clip" data-start="0.5" data-duration="0.5"
    style="left:160px;top:0;width:160px;height:180px;background:#0f0"></div>`;
const files = composition(root);
const clear = {
  "index.html": files["index.html"].replace("background:#204060", "background:none"),
};

async function still(options: object, given: Files = files) {
  const film = await bench.film(given, { target: "still", still: options });
  const bytes = await bench.readBytes(film.key);
  return { film, bytes, png: readPng(bytes) };
}

t.test("without options a still is the first frame, opaque, as large as the canvas", async (t) => {
  const { film, bytes, png } = await still({});
  t.match(film.outcome.outputs, [{ mimeType: "image/png", width: 320, height: 180 }]);
  t.match(film.details, { target: "still", frame: 0, atSeconds: 0, background: "opaque" });
  t.equal(bytes[25], 2, "RGB");
  t.strictSame(png.at(0.25, 0.5), [255, 0, 0]);
  t.strictSame(png.at(0.75, 0.5), [32, 64, 96]);
});

t.test("at_seconds is rounded to the nearest frame", async (t) => {
  const { film, png } = await still({ atSeconds: 0.49 });
  t.match(film.details, { frame: 15, atSeconds: 0.5 });
  t.strictSame(png.at(0.75, 0.5), [0, 255, 0]);
  t.match((await still({ atSeconds: 0.48 })).film.details, { frame: 14 });
});

t.test("past the end it is the last frame, with a warning", async (t) => {
  const { film } = await still({ frame: 400 });
  t.match(film.details, { frame: 29 });
  t.match(film.warnings, [/^frame 400 is past the end; the last frame, 29, is shown/]);
  t.match((await still({ atSeconds: 7 })).film.details, { frame: 29 });
});

t.test(
  "transparent keeps the alpha of what nothing covers; opaque has a black backdrop",
  async (t) => {
    const { bytes } = await still({ background: "transparent" }, clear);
    t.equal(bytes[25], 6, "RGBA");
    const key = (await still({ background: "transparent" }, clear)).film.key;
    const rgba = await bench.look(key, ["-f", "rawvideo", "-pix_fmt", "rgba"]);
    const at = (x: number) => [...rgba.subarray(4 * (90 * 320 + x), 4 * (90 * 320 + x) + 4)];
    t.strictSame(at(80), [255, 0, 0, 255]);
    t.strictSame(at(240), [0, 0, 0, 0]);
    t.strictSame((await still({}, clear)).png.at(0.75, 0.5), [0, 0, 0]);
  },
);

t.test("max_dimension bounds the long edge; large canvases fit the box of stills", async (t) => {
  t.match(await still({ maxDimension: 100 }), { png: { width: 100, height: 56 } });
  const large = composition(root, 'data-duration="1"', [2000, 4000]);
  t.match(await still({}, large), { png: { width: 1080, height: 2160 } });
});

t.test(
  "ffmpeg decodes a video that a page cannot, and whose tables promise too much",
  async (t) => {
    const coded = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "40", "-bf", "2"];
    const colors = ["-colorspace", "bt709", "-color_range", "tv"];
    const source = ["-f", "lavfi", "-i", "testsrc=s=160x90:r=30:d=3"];
    const whole = await bench.store("whole.mp4", "video/mp4", [...source, ...coded, ...colors]);
    const video = '<video src="a.mp4" muted data-start="0" data-duration="1" style="width:320px">';
    const show = (file: typeof whole) =>
      still({ frame: 20 }, { ...composition(`${video}</video>`), "a.mp4": file });
    const expected = await show(whole);
    const bytes = await bench.readBytes(whole.objectKey);
    const onChange = async (name: string, change: (file: Buffer) => void) => {
      const file = Buffer.from(bytes);
      change(file);
      await bench.objects.put(`sources/${name}`, [file]);
      return show({ objectKey: `sources/${name}`, mimeType: "video/mp4" });
    };
    const cut = await onChange("cut.mp4", (file) => {
      let at = file.indexOf("mdat") + 4;
      for (let slices = 0; slices < 7; at += 4 + file.readUInt32BE(at))
        if ((file.readUInt8(at + 4) & 31) <= 5) slices += 1;
      // Declares a slice that is longer than the file.
      file.writeUInt32BE(0x7fffffff, at);
    });
    t.strictSame(cut.png.at(0.1, 0.1), expected.png.at(0.1, 0.1));
    const countsOfTimes = 16;
    const many = await onChange("many.mp4", (file) => {
      file.writeUInt32BE(0x7fffffff, file.indexOf("stts") + countsOfTimes - 4);
    });
    t.ok(many.bytes.equals(expected.bytes));
    t.ok((await show(whole)).bytes.equals(expected.bytes), "and the next one is read again");
  },
);

t.test("stills of one film leave each other nothing", async (t) => {
  const remembered = `<script>
    const known = [localStorage.known, sessionStorage.known, window.name, document.cookie];
    localStorage.known = sessionStorage.known = window.name = document.cookie = "known=1";
    const isFirst = known.every((one) => !one);
    document.getElementById("a").style.background = isFirst ? "#fff" : "#00f";
    throw new Error("oops");
  </script><img src="missing.png">`;
  const asked = { target: "still", still: {} };
  const input = await bench.readInput(composition(root + remembered), asked);
  for (let turn = 0; turn < 3; turn++) {
    const outcome = await bench.run(bench.worker, input);
    if (outcome.kind === "failed") throw new Error(outcome.message);
    const png = readPng(await bench.readBytes(outcome.outputs[0]?.objectKey));
    t.strictSame(png.at(0.25, 0.5), [255, 255, 255]);
    t.strictSame(outcome.warnings, [
      "index.html: img src leads to missing.png, which is not in the bundle",
      "missing.png is not in the bundle",
      "a script threw: oops",
    ]);
  }
});
