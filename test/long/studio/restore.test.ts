import t from "tap";
import { studioRestore } from "../../../render-farm/models/studio-restore.ts";
import { openMediaBench } from "../../render-farm/media-bench.ts";

const bench = await openMediaBench(t);
const worker = studioRestore(bench.workspaces, bench.objects, 600_000);
const clean = ["-f", "lavfi", "-i", "testsrc2=size=160x90:rate=12:duration=1"];
const sound = ["-f", "lavfi", "-i", "sine=440:duration=1", "-c:a", "aac", "-shortest"];
const noisy = [
  "-vf",
  "noise=alls=40:allf=t",
  "-c:v",
  "libx264",
  "-crf",
  "12",
  "-pix_fmt",
  "yuv420p",
];
const source = await bench.store("noisy.mp4", "video/mp4", [...clean, ...sound, ...noisy]);
const plain = { source, width: 320, height: 180, denoise: 0.6, sharpen: 0 };

/** Measures how much neighbouring frames of a static region differ. */
async function restlessness(key: string, region: string): Promise<number> {
  const seen = `crop=${region},scale=40:20:flags=neighbor`;
  const gray = ["-vf", seen, "-frames:v", "2", "-f", "rawvideo", "-pix_fmt", "gray"];
  const pixels = await bench.look(key, gray);
  let sum = 0;
  for (let i = 0; i < 800; i++) sum += Math.abs((pixels[i] ?? 0) - (pixels[i + 800] ?? 0));
  return sum / 800;
}

t.test("a video is enlarged to the size asked for, its sound unchanged", async (t) => {
  const output = await bench.make(worker, plain);
  t.match(output, {
    mimeType: "video/mp4",
    width: 320,
    height: 180,
    frameRate: 12,
    hasAudio: true,
  });
  const packets = ["-map", "0:a", "-c", "copy", "-f", "adts"];
  const before = await bench.look(source.objectKey, packets);
  t.ok((await bench.look(output.objectKey, packets)).equals(before));
});

t.test("the more denoising, the less noise", async (t) => {
  const rest: number[] = [];
  for (const denoise of [0, 0.5, 1]) {
    const { objectKey } = await bench.make(worker, { ...plain, width: 160, height: 90, denoise });
    rest.push(await restlessness(objectKey, "40:20:4:66"));
  }
  const [none = 0, some = 0, most = 0] = rest;
  t.ok(none > some && some >= most, rest.join(" "));
});

t.test("another frame rate is interpolated", async (t) => {
  const output = await bench.make(worker, { ...plain, width: 160, height: 90, fps: 24 });
  t.match(output, { frameRate: 24 });
  t.ok(Math.abs((output.durationSeconds ?? 0) - 1) < 0.15, `${output.durationSeconds}`);
});

t.test("progress is told while it runs, and a stopped task ends", async (t) => {
  const abort = new AbortController();
  const running = bench.run(worker, { ...plain, width: 3840, height: 2160 }, abort.signal);
  setImmediate(() => abort.abort());
  t.match(await running, { kind: "failed", retryable: true });
});

t.test("bad input is refused for good and names the field", async (t) => {
  for (const [change, message] of [
    [{ width: 3_840, height: 3_840 }, "restore: /height would exceed 3840x2160"],
    [{ denoise: 2 }, /^restore: \/denoise /],
    [{ fps: 12 }, /^restore: \/fps /],
    [{ width: 321 }, /^restore: \/width /],
  ] as const)
    t.match(await bench.run(worker, { ...plain, ...change }), {
      kind: "failed",
      message,
      retryable: false,
    });
});
