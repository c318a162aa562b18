import { createRequire } from "node:module";
import t from "tap";
import { studioRelief } from "../../../render-farm/models/studio-relief.ts";
import { probe } from "../../../render-farm/probe/probe.ts";
import { openMediaBench } from "../../render-farm/media-bench.ts";

interface Report {
  readonly mimeType: string;
  readonly issues: {
    readonly numErrors: number;
    readonly numWarnings: number;
    readonly messages: unknown;
  };
  readonly info: { readonly totalTriangleCount: number; readonly hasTextures: boolean };
}

interface Validator {
  validateBytes(bytes: Uint8Array): Promise<Report>;
}

/** Khronos' own validator; it brings no types. */
const validator: Validator = createRequire(import.meta.url)("gltf-validator");
const bench = await openMediaBench(t);
const worker = studioRelief(bench.workspaces, bench.objects, 600_000);
const frame = ["-frames:v", "1"];
const scene = await bench.store("scene.png", "image/png", [
  "-f",
  "lavfi",
  "-i",
  "mandelbrot=size=256x192",
  ...frame,
]);
const disc =
  "nullsrc=s=240x240,geq=r='if(lt(hypot(X-120,Y-120),80),180,245)':g='if(lt(hypot(X-120,Y-120),80),X/2,245)':b='if(lt(hypot(X-120,Y-120),80),60,245)'";
const cutout = await bench.store("disc.png", "image/png", ["-f", "lavfi", "-i", disc, ...frame]);
const plain = { images: [scene], texture: true, targetPolycount: 8_000, format: "glb", seed: 1 };

async function validate(key: string): Promise<Report> {
  const report = await validator.validateBytes(await bench.readBytes(key));
  t.strictSame(
    [report.issues.numErrors, report.issues.numWarnings],
    [0, 0],
    JSON.stringify(report.issues.messages),
  );
  return report;
}

t.test("a photo becomes a valid GLB with a texture, near the triangles asked for", async (t) => {
  for (const targetPolycount of [1_000, 8_000, 100_000]) {
    const output = await bench.make(worker, { ...plain, targetPolycount });
    t.match(output, { mimeType: "model/gltf-binary", thumbnailKey: /\.thumb\.png$/ });
    const { info } = await validate(output.objectKey);
    t.equal(info.hasTextures, true);
    const share = info.totalTriangleCount / targetPolycount;
    t.ok(share > 0.6 && share < 1.3, `${info.totalTriangleCount} of ${targetPolycount}`);
  }
});

t.test("glTF is one self-contained JSON file", async (t) => {
  const output = await bench.make(worker, { ...plain, format: "gltf" });
  t.equal(output.mimeType, "model/gltf+json");
  await validate(output.objectKey);
  const text = (await bench.readBytes(output.objectKey)).toString("utf8");
  const uris = [...text.matchAll(/"uri":"(.{5})/g)].map(([, start]) => start);
  t.ok(uris.length > 0 && uris.every((start) => start === "data:"));
});

t.test("both formats are what the probe takes for valid models", async (t) => {
  const prober = probe(bench.workspaces, bench.objects, 600_000);
  for (const format of ["glb", "gltf"]) {
    const made = await bench.make(worker, { ...plain, format });
    const source = { objectKey: made.objectKey, mimeType: made.mimeType };
    t.match(await bench.make(prober, { source }), { mimeType: made.mimeType, sha256: made.sha256 });
  }
});

t.test("a subject before an even backdrop is cut out", async (t) => {
  const whole = await validate((await bench.make(worker, plain)).objectKey);
  const output = await bench.make(worker, { ...plain, images: [cutout] });
  const cut = await validate(output.objectKey);
  t.ok(cut.info.totalTriangleCount < whole.info.totalTriangleCount * 1.3);
  const alpha = ["-vf", "alphaextract", "-f", "rawvideo", "-pix_fmt", "gray"];
  const seen = await bench.look(output.thumbnailKey, alpha);
  const opaque = seen.filter((value) => value > 128).length / seen.length;
  t.ok(Math.abs(opaque - (Math.PI * 80 * 80) / (240 * 240)) < 0.06, `${opaque} is opaque`);
});

t.test("a second picture becomes the back, and without texture there is none", async (t) => {
  const both = await bench.make(worker, { ...plain, images: [scene, cutout] });
  await validate(both.objectKey);
  const bare = await bench.make(worker, { ...plain, texture: false });
  t.equal((await validate(bare.objectKey)).info.hasTextures, false);
});

t.test("equal input gives equal bytes", async (t) => {
  const first = await bench.make(worker, plain);
  t.equal((await bench.make(worker, plain)).sha256, first.sha256);
  t.not((await bench.make(worker, { ...plain, seed: 2 })).sha256, first.sha256);
});

t.test("bad input is refused for good", async (t) => {
  t.match(await bench.run(worker, { ...plain, images: [] }), {
    kind: "failed",
    message: /^relief: \/images /,
    retryable: false,
  });
  t.match(await bench.run(worker, { ...plain, targetPolycount: 10 }), {
    message: /^relief: \/targetPolycount /,
  });
  await bench.objects.put("sources/text", [Buffer.from("no picture")]);
  const images = [{ objectKey: "sources/text", mimeType: "image/png" }];
  t.match(await bench.run(worker, { ...plain, images }), { kind: "failed", retryable: false });
});
