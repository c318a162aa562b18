import { createHash } from "node:crypto";
import { join } from "node:path";
import t from "tap";
import { SceneBrowser } from "../../../render-farm/browser/browser.ts";
import { findChromium } from "../../../render-farm/browser/chromium-path.ts";
import { cameraMotions } from "../../../render-farm/models/studio-video/camera.ts";
import { studioVideo } from "../../../render-farm/models/studio-video.ts";
import { openMediaBench } from "../../render-farm/media-bench.ts";

const bench = await openMediaBench(t);
const executablePath = await findChromium(undefined, "/usr/local/bin:/usr/bin:/bin");
const modules = join(import.meta.dirname, "..", "..", "..", "render-farm", "models");
const browser = new SceneBrowser({ executablePath, sandbox: process.getuid?.() !== 0 }, modules);
t.teardown(() => browser.close());
const worker = studioVideo({ browser, workspaces: bench.workspaces }, bench.objects, 600_000);
const plain = {
  prompt: "a sailing boat on the sea at sunset with birds",
  seed: 3,
  width: 192,
  height: 108,
  fps: 24,
  durationSeconds: 1,
  audio: false,
};

async function frameHashes(key: string): Promise<readonly string[]> {
  const pixels = await bench.look(key, ["-f", "rawvideo", "-pix_fmt", "gray"]);
  const size = plain.width * plain.height;
  const frames = Array.from({ length: pixels.length / size }, (_, i) =>
    pixels.subarray(i * size, (i + 1) * size),
  );
  return frames.map((frame) => createHash("sha256").update(frame).digest("hex"));
}

async function readFrame(key: string, index: number): Promise<Buffer> {
  const pick = ["-vf", `select=eq(n\\,${index})`, "-frames:v", "1"];
  return bench.look(key, [...pick, "-f", "rawvideo", "-pix_fmt", "rgb24"]);
}

function difference(one: Buffer, other: Buffer): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += Math.abs((one[i] ?? 0) - (other[i] ?? 0));
  return sum / one.length;
}

t.test("a film has exactly the frames asked for, as H.264 that any player takes", async (t) => {
  const output = await bench.make(worker, plain);
  t.match(output, {
    mimeType: "video/mp4",
    width: 192,
    height: 108,
    durationSeconds: 1,
    frameRate: 24,
    hasAudio: false,
  });
  const codecs = await bench.codecs(output.objectKey);
  for (const line of ["profile=High", "pix_fmt=yuv420p", "color_space=bt709", "nb_frames=24"])
    t.ok(codecs.includes(line), line);
  const bytes = await bench.readBytes(output.objectKey);
  t.ok(bytes.indexOf("moov") < bytes.indexOf("mdat"), "it may play before it has arrived");
  const thumbnail = await bench.readBytes(output.thumbnailKey);
  t.equal(thumbnail.toString("hex", 0, 3), "ffd8ff");
});

t.test("something moves in every frame", async (t) => {
  for (const prompt of [
    plain.prompt,
    "fish over a reef",
    "saturn in space",
    "meadow with flowers",
  ]) {
    const output = await bench.make(worker, { ...plain, prompt, cameraMotion: "static" });
    const hashes = await frameHashes(output.objectKey);
    t.equal(hashes.length, 24);
    t.ok(new Set(hashes).size >= 12, `${prompt}: ${new Set(hashes).size} different frames`);
  }
});

t.test("a film with sound has as much of it as of pictures", async (t) => {
  const output = await bench.make(worker, { ...plain, audio: true });
  t.match(output, { hasAudio: true, frameRate: 24 });
  t.ok(Math.abs((output.durationSeconds ?? 0) - 1) < 0.05, `${output.durationSeconds}`);
  t.ok((await bench.codecs(output.objectKey)).includes("codec_name=aac"));
  const mean = /mean_volume: (-?[\d.]+)/.exec(await bench.hear(output.objectKey, "volumedetect"));
  t.ok(Number(mean?.[1]) > -45, `${mean?.[1]} dB`);
});

t.test("equal input gives equal bytes, another seed other ones", async (t) => {
  const rain = { ...plain, prompt: "rain over dunes, lightning", durationSeconds: 0.5 };
  const first = await bench.make(worker, rain);
  t.equal((await bench.make(worker, rain)).sha256, first.sha256);
  t.not((await bench.make(worker, { ...rain, seed: 4 })).sha256, first.sha256);
});

t.test("each camera motion makes a film of its own", async (t) => {
  const short = { ...plain, prompt: "mountains", durationSeconds: 0.25, fps: 24 };
  const hashes = new Set<string>();
  for (const cameraMotion of cameraMotions)
    hashes.add((await bench.make(worker, { ...short, cameraMotion })).sha256);
  t.equal(hashes.size, cameraMotions.length);
});

t.test("a film from pictures begins with the first and ends with the last", async (t) => {
  const still = (pattern: string) => [
    "-f",
    "lavfi",
    "-i",
    `${pattern}=size=192x108`,
    "-frames:v",
    "1",
  ];
  const firstFrame = await bench.store("first.png", "image/png", still("smptehdbars"));
  const lastFrame = await bench.store("last.png", "image/png", still("smptebars"));
  const input = { ...plain, prompt: "", firstFrame, lastFrame };
  const output = await bench.make(worker, input);
  const given = ["-vf", "scale=192:108", "-f", "rawvideo", "-pix_fmt", "rgb24"];
  const [first, last] = await Promise.all(
    [firstFrame, lastFrame].map(({ objectKey }) => bench.look(objectKey, given)),
  );
  const begins = difference(await readFrame(output.objectKey, 0), first ?? Buffer.alloc(0));
  const ends = difference(await readFrame(output.objectKey, 23), last ?? Buffer.alloc(0));
  t.ok(begins < 4, `first frame differs by ${begins}`);
  t.ok(ends < 4, `last frame differs by ${ends}`);
  const middle = await readFrame(output.objectKey, 12);
  t.ok(difference(middle, first ?? Buffer.alloc(0)) > 4, "and moves between");
});

t.test("a stopped film ends at once and leaves the browser usable", async (t) => {
  const abort = new AbortController();
  const running = bench.run(worker, { ...plain, durationSeconds: 10 }, abort.signal);
  setImmediate(() => abort.abort());
  t.match(await running, { kind: "failed", retryable: true });
  t.match(await bench.make(worker, { ...plain, durationSeconds: 0.1 }), { mimeType: "video/mp4" });
});

t.test("bad input is refused for good and names the field", async (t) => {
  for (const [change, message] of [
    [{ width: 191 }, /^video: \/width /],
    [{ durationSeconds: 11 }, /^video: \/durationSeconds /],
    [{ cameraMotion: "spin" }, /^video: \/cameraMotion must be one of static, /],
    [{ extra: 1 }, "video: /extra is not a known field"],
  ] as const)
    t.match(await bench.run(worker, { ...plain, ...change }), {
      kind: "failed",
      message,
      retryable: false,
    });
});
