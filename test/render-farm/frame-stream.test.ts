import { join } from "node:path";
import t from "tap";
import { Pictures, pictureBounds } from "../../render-farm/pictures/pictures.ts";
import { outputTo } from "../../render-farm/programs/media-tools.ts";
import {
  pictureChunk,
  repetition,
  streamHead,
} from "../../render-farm/render/encode/avi-stream.ts";
import {
  compositorFormats,
  type FrameFormat,
  segmentArgs,
} from "../../render-farm/render/encode/encoding.ts";
import { openMediaBench } from "./media-bench.ts";

const bench = await openMediaBench(t);
const { signal } = new AbortController();
const folder = t.testdir();
const size = { width: 32, height: 16 };

type Alphabet = Readonly<Record<string, Buffer>>;

/** Each letter is a picture; the same letter again is a repetition, except at the end. */
function* stream(letters: string, pictures: Alphabet, format: FrameFormat, fps: number) {
  yield streamHead(format, fps);
  for (const [at, letter] of [...letters].entries())
    if (letter === letters[at - 1] && at < letters.length - 1) yield repetition;
    else yield* pictureChunk(pictures[letter] ?? Buffer.alloc(0));
}

async function encode(letters: string, pictures: Alphabet, format: FrameFormat, fps: number) {
  const path = join(folder, "segment.mp4");
  const args = [...segmentArgs("standard", format, fps, 1), ...outputTo(path)];
  const stdin = stream(letters, pictures, format, fps);
  await bench.tools.ffmpeg(args, { signal, fault: "not encoded", stdin });
  const pixels = ["-f", "rawvideo", "-pix_fmt", "gray", "-vsync", "passthrough", "-"];
  const gray = await bench.tools.ffmpeg(["-i", `file:${path}`, ...pixels], { signal, fault: "no" });
  const frames = gray.length / size.width / size.height;
  return Array.from({ length: frames }, (_, at) => gray[at * size.width * size.height] ?? 0);
}

/** Reads each luma as the letter whose luma is nearest. */
function read(lumas: readonly number[], luma: Readonly<Record<string, number>>): string {
  const distance = (letter: string, seen: number) => Math.abs((luma[letter] ?? 0) - seen);
  const nearest = (seen: number) =>
    Object.keys(luma).reduce((one, two) => (distance(two, seen) < distance(one, seen) ? two : one));
  return lumas.map(nearest).join("");
}

const films = ["a", "aa", "ab", "aabbc", "abbbbbbbbbc", `${"a".repeat(90)}bb${"c".repeat(40)}`];
const luma = { a: 40, b: 120, c: 200 };

t.test("the count of frames is exact, whichever of them repeat, at any rate", async (t) => {
  const planes = (value: number): Buffer =>
    Buffer.concat([Buffer.alloc(512, value), Buffer.alloc(256, 128)]);
  const pictures = { a: planes(luma.a), b: planes(luma.b), c: planes(luma.c) };
  const format = { codec: "planes", ...size } as const;
  for (const fps of [1, 23.976, 30, 240])
    for (const film of films)
      t.equal(read(await encode(film, pictures, format, fps), luma), film, `${fps}`);
});

t.test("pictures of the compositor are as long as they are", async (t) => {
  const made = new Pictures(bench.fenced.programs.pictures(undefined, pictureBounds));
  t.teardown(() => made.close());
  const picture = (gray: number, format: "jpeg" | "png"): Promise<Buffer> =>
    made.encode({ ...size, channels: 3, pixels: Buffer.alloc(1_536, gray) }, format);
  for (const [quality, format] of [
    ["high", "png"],
    ["standard", "jpeg"],
  ] as const) {
    const [a, b, c] = [picture(28, format), picture(121, format), picture(214, format)];
    const pictures = { a: await a, b: await b, c: await c };
    for (const film of films) {
      const lumas = await encode(film, pictures, { ...compositorFormats[quality], ...size }, 30);
      t.equal(read(lumas, luma), film, format);
    }
  }
});
