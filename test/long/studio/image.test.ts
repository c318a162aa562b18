import { createHash } from "node:crypto";
import t from "tap";
import type { TaskOutput } from "../../../engine/ports/tasks.ts";
import { alone } from "../../render-farm/alone.ts";
import { type FarmBench, openFarmBench } from "../../render-farm/farm-bench.ts";
import { type Pixels, readPng } from "../../render-farm/png.ts";

const bench = await openFarmBench(t);
t.teardown(() => bench.browser.close());

const plain = {
  prompt: "a red kite over dunes",
  seed: 7,
  width: 320,
  height: 320,
  count: 1,
  format: "png",
};

async function listOutputs({ run }: FarmBench, input: object): Promise<readonly TaskOutput[]> {
  const outcome = await run(input);
  if (outcome.kind === "failed") throw new Error(outcome.message);
  return outcome.outputs;
}

async function paint(change: object): Promise<Buffer> {
  const [output] = await listOutputs(bench, { ...plain, ...change });
  return bench.readBytes(output?.objectKey ?? "");
}

/** Returns the share of the picture's pixels for which `isSuch` holds. */
function share(
  pixels: Pixels,
  isSuch: (red: number, green: number, blue: number) => boolean,
): number {
  let count = 0;
  for (let y = 0; y < 100; y++)
    for (let x = 0; x < 100; x++) if (isSuch(...pixels.at(x / 100, y / 100))) count++;
  return count / 10_000;
}

t.test("equal prompt, seed and size give equal bytes, also from another browser", async (t) => {
  for (const prompt of [
    "a red kite over dunes",
    "ink drawing of a lake",
    "xyzzy plugh",
    "a saturn",
  ]) {
    const first = await paint({ prompt });
    t.ok((await paint({ prompt })).equals(first), prompt);
    const other = await openFarmBench(t);
    const [output] = await listOutputs(other, { ...plain, prompt });
    t.ok(
      (await other.readBytes(output?.objectKey ?? "")).equals(first),
      `${prompt}, another browser`,
    );
    await other.browser.close();
  }
});

t.test("different prompts and different seeds give different pictures", async (t) => {
  const prompts = [
    "a red kite over dunes",
    "a blue kite over dunes",
    "dunes",
    "sea",
    "quux",
    "quuux",
  ];
  const inputs = [...prompts.map((prompt) => ({ prompt })), { seed: 8 }, { seed: 4_294_967_295 }];
  const hashes = new Set<string>();
  for (const input of inputs)
    hashes.add(
      createHash("sha256")
        .update(await paint(input))
        .digest("hex"),
    );
  t.equal(hashes.size, inputs.length);
});

t.test("a colour word before a subject is the subject's colour", async (t) => {
  const isRed = (red: number, green: number, blue: number) => red > 150 && green < 95 && blue < 95;
  const isBlue = (red: number, green: number, blue: number) =>
    blue > 140 && red < 95 && green < 145;
  const seeds = [1, 2, 3];
  for (const seed of seeds) {
    const base = { seed, width: 512, height: 512 };
    const red = readPng(await paint({ ...base, prompt: "a red kite over dunes at day" }));
    const blue = readPng(await paint({ ...base, prompt: "a blue kite over dunes at sunset" }));
    t.ok(share(red, isRed) > 0.008, `red ${share(red, isRed)}`);
    t.ok(share(blue, isBlue) > 0.008, `blue ${share(blue, isBlue)}`);
    t.ok(share(blue, isRed) < 0.004, `blue kite, red pixels ${share(blue, isRed)}`);
  }
});

t.test("a coloured sky has that colour", async (t) => {
  const green = readPng(await paint({ prompt: "dunes under a green sky" }));
  t.ok(share(green, (red, green_, blue) => green_ > red && green_ > blue) > 0.3);
  const pink = readPng(await paint({ prompt: "dunes under a pink sky" }));
  t.ok(share(pink, (red, green_, blue) => red > green_ && blue > green_) > 0.3);
});

t.test("night is darker than day", async (t) => {
  const isDark = (red: number, green: number, blue: number) => red + green + blue < 240;
  const night = readPng(await paint({ prompt: "mountains at night" }));
  const day = readPng(await paint({ prompt: "mountains at noon" }));
  t.ok(share(night, isDark) > 0.5);
  t.ok(share(day, isDark) < 0.15);
});

t.test("pictures have exactly the size asked for", async (t) => {
  const sizes = [
    [256, 256],
    [1024, 576],
    [576, 1024],
    [2048, 1152],
    [1000, 428],
    [64, 64],
  ] as const;
  for (const [width, height] of sizes) {
    const pixels = readPng(await paint({ width, height }));
    t.strictSame([pixels.width, pixels.height], [width, height]);
  }
});

t.test("each format is what it says, with its size and hash reported", async (t) => {
  const magics = { png: "89504e47", jpeg: "ffd8ff", webp: "52494646" };
  const names = { png: "out/0.png", jpeg: "out/0.jpg", webp: "out/0.webp" };
  for (const format of ["png", "jpeg", "webp"] as const) {
    const [output] = await listOutputs(bench, { ...plain, format });
    const bytes = await bench.readBytes(names[format]);
    t.ok(bytes.toString("hex").startsWith(magics[format]), format);
    t.strictSame(output, {
      objectKey: names[format],
      mimeType: `image/${format}`,
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      width: 320,
      height: 320,
      thumbnailKey: "out/0.thumb.jpg",
    });
  }
});

t.test("a thumbnail is a JPEG with a long edge of 512", async (t) => {
  await listOutputs(bench, { ...plain, width: 1024, height: 576 });
  const jpeg = await bench.readBytes("out/0.thumb.jpg");
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  t.equal(jpeg.readUInt16BE(frame + 5), 288);
  t.equal(jpeg.readUInt16BE(frame + 7), 512);
});

t.test("image i of several is the single image of seed + i, wrapping at 2^32", async (t) => {
  const outputs = await listOutputs(bench, { ...plain, seed: 4_294_967_295, count: 2 });
  t.strictSame(
    outputs.map(({ objectKey }) => objectKey),
    ["out/0.png", "out/1.png"],
  );
  const second = await bench.readBytes("out/1.png");
  t.ok((await paint({ seed: 0 })).equals(second));
});

t.test("progress advances with each image", async (t) => {
  const progress: number[] = [];
  await bench.worker.run({
    ...alone,
    input: { ...plain, count: 4 },
    outputPrefix: "out",
    signal: new AbortController().signal,
    reportProgress: (fraction) => progress.push(fraction),
  });
  t.strictSame(progress, [0.25, 0.5, 0.75, 1]);
});

t.test("a picture takes its colours from its references", async (t) => {
  const red = await paint({ prompt: "dunes under a red sky, red sand" });
  await bench.objects.put("sources/red.png", [red]);
  const references = [{ objectKey: "sources/red.png", mimeType: "image/png" }];
  const isRed = (r: number, g: number, b: number) => r > g * 1.25 && r > b * 1.1;
  const own = readPng(await paint({ prompt: "sea at noon" }));
  const like = readPng(await paint({ prompt: "sea at noon", references }));
  t.ok(share(own, isRed) < 0.2, `without: ${share(own, isRed)} is red`);
  t.ok(share(like, isRed) > 0.5, `with: ${share(like, isRed)} is red`);
  const both = [...references, { objectKey: "sources/none.png", mimeType: "image/png" }];
  await t.rejects(bench.run({ ...plain, references: both }), {
    message: "The source file no longer exists.",
    retryable: false,
  });
});

t.test("what the negative prompt names does not appear", async (t) => {
  const isRed = (r: number, g: number, b: number) => r > 150 && g < 95 && b < 95;
  const kite = { prompt: "a red kite over dunes at day", width: 512, height: 512, seed: 1 };
  const without = readPng(await paint({ ...kite, negativePrompt: "kites, people" }));
  t.ok(share(readPng(await paint(kite)), isRed) > 0.008);
  t.ok(share(without, isRed) < 0.002);
  const sky = { prompt: "sea at noon" };
  const clear = await paint({ ...sky, negativePrompt: "clouds" });
  t.notOk(clear.equals(await paint(sky)));
  t.ok(clear.equals(await paint({ ...sky, negativePrompt: "a cloud, blurry" })));
});

t.test("bad input is refused for good", async (t) => {
  const bad = [
    {},
    { ...plain, prompt: "" },
    { ...plain, seed: -1 },
    { ...plain, seed: 1.5 },
    { ...plain, width: 4096 },
    { ...plain, count: 0 },
    { ...plain, format: "gif" },
    { ...plain, extra: true },
  ];
  for (const input of bad) {
    const outcome = await bench.run(input);
    t.match(outcome, { kind: "failed", message: /^image: /, retryable: false });
  }
});

t.test("words that would break out of the page's script are only words", async (t) => {
  const prompt = '"); throw new Error("out"); (" \u2028 </script> ``` \\ {1}';
  t.ok((await paint({ prompt })).length > 1_000);
  t.ok((await paint({ prompt: "\ud800" })).length > 1_000);
});
