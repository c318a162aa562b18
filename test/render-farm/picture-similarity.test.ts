import t from "tap";
import { Samples, sampleFrames } from "../../render-farm/render/film/samples.ts";
import { computeSimilarity } from "../../render-farm/render/film/similarity.ts";

const [width, height] = [320, 192];

/** Makes planes whose luma is a function of the position. */
function picture(lumaAt: (x: number, y: number) => number): Buffer {
  const planes = Buffer.alloc(width * height * 1.5, 128);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) planes[y * width + x] = Math.round(lumaAt(x, y));
  return planes;
}

/** Luma that varies from pixel to pixel. */
const grain = (x: number, y: number): number => ((x * 7_919 + y * 104_729 + x * y * 31) % 97) - 48;
const slope = (x: number, y: number): number => 90 + x / 6 + y / 5;
const detailed = picture((x, y) => slope(x, y) + grain(x, y));
const softened = picture((x, y) => {
  const near = [grain(x, y), grain(x + 1, y), grain(x, y + 1), grain(x + 1, y + 1)];
  return slope(x, y) + near.reduce((sum, value) => sum + value, 0) / 4;
});
const isAlike = (one: Buffer, other: Buffer): boolean => {
  const { overall, worst } = computeSimilarity(one, other, width);
  return overall >= 32 && worst >= 22;
};

t.test("equal pictures are alike without end", async (t) => {
  t.strictSame(computeSimilarity(detailed, detailed, width), { overall: 100, worst: 100 });
});

t.test("fine detail that was scaled otherwise is alike", async (t) => {
  t.ok(isAlike(detailed, softened), JSON.stringify(computeSimilarity(detailed, softened, width)));
});

t.test("what lacks, moved, or has another colour is not alike", async (t) => {
  const edge = (from: number) =>
    picture((x, y) => slope(x, y) + (x > from && x < from + 60 ? 70 : 0));
  t.notOk(isAlike(edge(80), edge(84)), "four pixels aside");
  const holed = picture((x, y) => (x > 200 && x < 224 && y > 90 && y < 114 ? 16 : slope(x, y)));
  t.notOk(isAlike(picture(slope), holed), "a hole of 24 by 24");
  const tinted = Buffer.from(detailed);
  tinted.fill(140, width * height, width * height * 1.25);
  t.notOk(isAlike(detailed, tinted), "bluer");
  const lost = Buffer.from(detailed);
  for (let y = 180; y < height; y++) lost.fill(16, y * width, y * width + 100);
  t.notOk(isAlike(detailed, lost), "a bar at the edge");
  t.notOk(isAlike(detailed, detailed.subarray(2)), "another size");
});

t.test("a long film is judged by frames near its begin, a short one by a quarter", async (t) => {
  const judged = { isBlack: () => false, step: 2, isJudgedEarly: true };
  t.strictSame(new Samples(121, judged).compared, [0, 30, 60, 90, 120]);
  const long = new Samples(9_001, judged);
  t.strictSame(long.compared, [0, 15, 60, 150, 2_250, 4_500, 6_750, 9_000]);
  t.ok(
    long.compared.every((frame) => sampleFrames(9_001).includes(frame)),
    "others look too",
  );
});
