import t from "tap";
import { type Block, placeBlocks } from "../../timeline/blocks/block-timing.ts";

const size = { width: 320, height: 180 };
const video = (left: number, more: object = {}): Block["clip"] => ({
  kind: "video",
  assetId: "sea",
  ...size,
  start: 0,
  left,
  volume: 1,
  ...more,
});
const image = (seconds?: number): Block["clip"] => ({
  kind: "image",
  assetId: "kite",
  ...size,
  ...(seconds === undefined ? {} : { seconds }),
});
const speak = (seconds: number) => ({ assetId: "voice", seconds });

t.test("a narration that is no longer than its clip is left as it is", async (t) => {
  const { blocks, seconds, warnings } = placeBlocks([
    { clip: video(4), narration: speak(3), gap: 0 },
    { clip: video(2), narration: speak(2), gap: 0 },
  ]);
  t.match(blocks, [
    { start: 0, seconds: 4, played: 4, narration: { rate: 1 } },
    { start: 4, seconds: 2, played: 2, narration: { rate: 1 } },
  ]);
  t.equal(seconds, 6);
  t.strictSame(warnings, []);
});

t.test("a longer narration is sped up by at most 1.15", async (t) => {
  const { blocks, warnings } = placeBlocks([{ clip: video(4), narration: speak(4.4), gap: 0 }]);
  t.match(blocks, [{ seconds: 4, played: 4, narration: { rate: 1.1 } }]);
  t.strictSame(warnings, ["block 1: narration sped up x1.1"]);
});

t.test("what is left of the narration then holds the clip's last frame", async (t) => {
  const { blocks, seconds, warnings } = placeBlocks([
    { clip: video(1), gap: 0 },
    { clip: video(4), narration: speak(9.2), gap: 0 },
  ]);
  t.match(blocks[1], { start: 1, seconds: 8, played: 4, narration: { rate: 1.15 } });
  t.equal(seconds, 9);
  t.strictSame(warnings, ["block 2: narration sped up x1.15", "block 2: last frame held 4 s"]);
});

t.test("a gap follows its block, the last one too", async (t) => {
  const { blocks, seconds } = placeBlocks([
    { clip: video(2), gap: 0.5 },
    { clip: image(1), gap: 2 },
  ]);
  t.match(blocks, [
    { start: 0, seconds: 2, gap: 0.5 },
    { start: 2.5, seconds: 1, gap: 2 },
  ]);
  t.equal(seconds, 5.5);
});

t.test("an image is shown as long as is asked for, or as its narration lasts", async (t) => {
  const { blocks, warnings } = placeBlocks([
    { clip: image(), narration: speak(3), gap: 0 },
    { clip: image(2), narration: speak(2.2), gap: 0 },
  ]);
  t.match(blocks, [
    { seconds: 3, played: 3, narration: { rate: 1 } },
    { start: 3, seconds: 2, narration: { rate: 1.1 } },
  ]);
  t.strictSame(warnings, ["block 2: narration sped up x1.1"]);
});

t.test("a video that is asked for longer than it lasts holds its last frame", async (t) => {
  const { blocks, warnings } = placeBlocks([{ clip: video(1.5, { seconds: 4 }), gap: 0 }]);
  t.match(blocks, [{ seconds: 4, played: 1.5 }]);
  t.strictSame(warnings, ["block 1: last frame held 2.5 s"]);
});
