import { createHash } from "node:crypto";
import t from "tap";
import { probe } from "../../render-farm/probe/probe.ts";
import { openMediaBench } from "./media-bench.ts";

const bench = await openMediaBench(t);
const worker = probe(bench.workspaces, bench.objects, 600_000);
const tone = ["-f", "lavfi", "-i", "sine=440:duration=1"];
const pattern = ["-f", "lavfi", "-i", "testsrc=size=320x180:rate=25:duration=1"];

async function store(name: string, bytes: Uint8Array | string, mimeType: string) {
  const objectKey = `sources/${name}`;
  await bench.objects.put(objectKey, [Buffer.from(bytes)]);
  return { objectKey, mimeType };
}

t.test("a video's size, duration, sound and rate are what its frames show", async (t) => {
  const aac = [...pattern, ...tone, "-c:a", "aac", "-pix_fmt", "yuv420p"];
  for (const [name, type, args] of [
    ["a.mp4", "video/mp4", ["-c:v", "libx264"]],
    ["a.mov", "video/quicktime", ["-c:v", "libx264"]],
    ["a.webm", "video/webm", ["-c:v", "libvpx-vp9", "-c:a", "libopus", "-speed", "8"]],
  ] as const) {
    const source = await bench.store(name, "application/x-guess", [...aac, ...args]);
    const output = await bench.make(worker, { source });
    const bytes = await bench.readBytes(source.objectKey);
    t.match(output, {
      objectKey: source.objectKey,
      mimeType: type,
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      width: 320,
      height: 180,
      hasAudio: true,
      frameRate: 25,
    });
    t.ok(Math.abs((output.durationSeconds ?? 0) - 1) < 0.1, `${name} ${output.durationSeconds}`);
    const thumbnail = await bench.readBytes(output.thumbnailKey);
    t.equal(thumbnail.toString("hex", 0, 3), "ffd8ff", name);
  }
});

t.test("a video that is to be turned has the size of the turned picture", async (t) => {
  const flat = await bench.store("flat.mp4", "video/mp4", [...pattern, "-pix_fmt", "yuv420p"]);
  const path = `${t.testdir()}/flat.mp4`;
  const { writeFile } = await import("node:fs/promises");
  await writeFile(path, await bench.readBytes(flat.objectKey));
  const turn = ["-i", path, "-c", "copy", "-metadata:s:v", "rotate=90"];
  const source = await bench.store("turned.mp4", "video/mp4", turn);
  t.match(await bench.make(worker, { source }), { width: 180, height: 320 });
});

t.test("sound has a duration and a PNG of its wave, 512 by 128", async (t) => {
  for (const [name, type] of [
    ["a.mp3", "audio/mpeg"],
    ["a.wav", "audio/wav"],
    ["a.flac", "audio/flac"],
    ["a.ogg", "audio/ogg"],
    ["a.m4a", "audio/mp4"],
  ] as const) {
    const source = await bench.store(name, type, tone);
    const output = await bench.make(worker, { source, declaredType: type });
    t.match(output, { mimeType: type, hasAudio: true, width: undefined });
    t.ok(Math.abs((output.durationSeconds ?? 0) - 1) < 0.1, `${name} ${output.durationSeconds}`);
    const wave = await bench.readBytes(output.thumbnailKey);
    t.strictSame([wave.readUInt32BE(16), wave.readUInt32BE(20)], [512, 128], name);
  }
});

t.test("pictures of all four types are measured and have a JPEG thumbnail", async (t) => {
  for (const [name, type] of [
    ["a.png", "image/png"],
    ["a.jpg", "image/jpeg"],
    ["a.webp", "image/webp"],
    ["a.gif", "image/gif"],
  ] as const) {
    const source = await bench.store(name, type, [...pattern, "-frames:v", "1"]);
    const output = await bench.make(worker, { source, declaredType: type });
    t.match(output, { mimeType: type, width: 320, height: 180, durationSeconds: undefined });
    const thumbnail = await bench.readBytes(output.thumbnailKey);
    t.equal(thumbnail.toString("hex", 0, 3), "ffd8ff", name);
  }
});

t.test("a colour look-up table needs its rows, a glTF its buffers inside", async (t) => {
  const rows = Array.from({ length: 8 }, (_, i) => `${i & 1} ${(i >> 1) & 1} ${i >> 2}`);
  const cube = await store("a.cube", `LUT_3D_SIZE 2\n${rows.join("\n")}\n`, "text/plain");
  const declaredType = "application/octet-stream";
  t.match(await bench.make(worker, { source: cube, declaredType }), { mimeType: declaredType });
  const short = await store("b.cube", `LUT_3D_SIZE 2\n${rows[0]}\n`, "text/plain");
  t.match(await bench.run(worker, { source: short, declaredType }), {
    kind: "failed",
    message: "The look-up table is damaged: it has 1 rows and should have 8.",
    retryable: false,
  });
  const gltf = { asset: { version: "2.0" }, buffers: [{ byteLength: 4, uri: "mesh.bin" }] };
  const outside = await store("a.gltf", JSON.stringify(gltf), "model/gltf+json");
  t.match(await bench.run(worker, { source: outside }), {
    message: "The 3D model is damaged: it refers to other files; everything must be inside.",
  });
});

t.test("bytes that are not what they begin as are refused for good, in one sentence", async (t) => {
  const png = await bench.store("whole.png", "image/png", [...pattern, "-frames:v", "1"]);
  const bytes = await bench.readBytes(png.objectKey);
  const mp4 = await bench.store("whole.mp4", "video/mp4", [...pattern, "-pix_fmt", "yuv420p"]);
  const video = await bench.readBytes(mp4.objectKey);
  const broken = [
    await store("cut.png", bytes.subarray(0, bytes.length / 2), "image/png"),
    await store("cut.mp4", video.subarray(0, 64), "video/mp4"),
    await store("noise.webm", Buffer.from("1a45dfa39f4282847765626d00", "hex"), "video/webm"),
    await store("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
    await store("text.txt", "hello", "text/plain"),
    await store("glb.glb", Buffer.from("676c544602000000ffffffff", "hex"), "model/gltf-binary"),
    await store("font.ttf", Buffer.from("000100000001000000000000", "hex"), "font/ttf"),
    { objectKey: "sources/absent", mimeType: "image/png" },
  ];
  for (const source of broken) {
    const outcome = await bench.run(worker, { source });
    t.match(outcome, { kind: "failed", retryable: false, message: /^The [\w ,:;']+\.$/ });
  }
});

t.test("a thumbnail is a JPEG whose long edge has 512 pixels", async (t) => {
  for (const [size, width, height] of [
    ["1024x600", 512, 300],
    ["300x1200", 128, 512],
  ] as const) {
    const picture = ["-f", "lavfi", "-i", `testsrc=size=${size}`, "-frames:v", "1"];
    const source = await bench.store(`${size}.png`, "image/png", picture);
    const { thumbnailKey = "" } = await bench.make(worker, { source });
    const thumbnail = { objectKey: thumbnailKey, mimeType: "image/jpeg" };
    const found = await bench.make(worker, { source: thumbnail });
    t.match(found, { mimeType: "image/jpeg", width, height });
  }
});

t.test("a JPEG whose header promises more than there is is refused (D11)", async (t) => {
  const jpeg = await bench.store("small.jpg", "image/jpeg", [...pattern, "-frames:v", "1"]);
  const bytes = await bench.readBytes(jpeg.objectKey);
  const frame = bytes.indexOf(Buffer.from("ffc0", "hex"));
  bytes.writeUInt16BE(1_800, frame + 5);
  const source = await store("lying.jpg", bytes, "image/jpeg");
  t.match(await bench.run(worker, { source }), { kind: "failed", retryable: false });
});

t.test("a picture just below the one bound of 100 megapixels is taken (D11)", async (t) => {
  const flat = ["-f", "lavfi", "-i", "color=c=gray:size=10000x9998:rate=1", "-frames:v", "1"];
  const source = await bench.store("large.png", "image/png", flat);
  t.match(await bench.make(worker, { source }), { width: 10_000, height: 9_998 });
});

t.test("a file of another type than was declared is refused with both names", async (t) => {
  const source = await bench.store("really.png", "image/jpeg", [...pattern, "-frames:v", "1"]);
  t.match(await bench.run(worker, { source, declaredType: "image/jpeg" }), {
    kind: "failed",
    message: "The file is image/png, not image/jpeg as declared.",
    retryable: false,
  });
});

t.test("a playlist in a video's clothes reads no other file", async (t) => {
  const source = await store("a.m3u8", "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "video/mp4");
  t.match(await bench.run(worker, { source, declaredType: "video/mp4" }), { kind: "failed" });
});

t.test("bad input is refused for good", async (t) => {
  t.match(await bench.run(worker, { source: { objectKey: "x" } }), {
    kind: "failed",
    message: "probe: /source/mimeType is required",
    retryable: false,
  });
});
