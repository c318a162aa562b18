import t from "tap";
import {
  createKey,
  directoryCode,
  encodeOrderedNumber,
  getCode,
  getPartition,
  getPartitions,
  getRange,
  getShard,
  readOrderedNumber,
} from "../../engine/key.ts";

t.test("a key begins with its partition and its table code", async (t) => {
  const key = createKey(200, 17, "rest");
  t.equal(key, "\xc8\x11rest");
  t.equal(getPartition(key), 200);
  t.equal(getCode(key), 17);
});

t.test("shard = partition * shardCount >> 8", async (t) => {
  const shards = (count: number) =>
    [0, 63, 64, 127, 128, 255].map((v) => getShard(createKey(v, 16, ""), count));
  t.strictSame(shards(1), [0, 0, 0, 0, 0, 0]);
  t.strictSame(shards(2), [0, 0, 0, 0, 1, 1]);
  t.strictSame(shards(4), [0, 0, 1, 1, 2, 3]);
});

t.test("the directory is the shard after the last", async (t) => {
  for (const count of [1, 2, 128]) {
    t.equal(getShard(createKey(0, directoryCode, ""), count), count);
    t.equal(getShard(createKey(0, directoryCode + 4, "x"), count), count);
    t.equal(getShard(createKey(0, directoryCode - 1, "x"), count), 0);
  }
});

t.test("the shards' partitions cover each partition once", async (t) => {
  for (const count of [1, 2, 8, 128, 256]) {
    const owned = Array.from({ length: count }, (_, shard) => getPartitions(shard, count));
    t.equal(owned[0]?.first, 0);
    t.equal(owned.at(-1)?.last, 255);
    const wrong = owned.filter(({ first, last }, shard) => {
      const follows = shard === 0 || first === (owned[shard - 1]?.last ?? -2) + 1;
      const ends = [first, last].map((partition) => getShard(createKey(partition, 16, ""), count));
      return !follows || ends.some((end) => end !== shard);
    });
    t.strictSame(wrong, []);
  }
  t.strictSame(
    getPartitions(2, 2),
    { first: 0, last: 0 },
    "the directory's rows lie under partition 0",
  );
});

t.test("a prefix range holds all that begins with the prefix, and nothing else", async (t) => {
  const { start, end } = getRange(createKey(7, 33, "ab"));
  const inside = (key: string) => key >= start && key < end;
  t.ok(["ab", "ab\0", "ab\xff\xff"].every((rest) => inside(createKey(7, 33, rest))));
  t.notOk(["aa\xff", "ac", "b", ""].some((rest) => inside(createKey(7, 33, rest))));
  t.strictSame(getRange(createKey(7, 33, "")), { start: "\x07\x21", end: "\x07\x22" });
});

t.test("a prefix that ends in 0xff ends where the byte before it rises", async (t) => {
  t.strictSame(getRange("a\xff\xff"), { start: "a\xff\xff", end: "b" });
  t.strictSame(getRange(createKey(255, 16, "")), { start: "\xff\x10", end: "\xff\x11" });
});

t.test("ordered numbers keep their order as bytes and are read back", async (t) => {
  const numbers = [0, 1, 255, 256, 65_535, 2 ** 24 - 1, 2 ** 24, 2 ** 32, 2 ** 48 - 1];
  const texts = numbers.map(encodeOrderedNumber);
  t.strictSame([...texts].sort(), texts);
  t.ok(texts.every((text) => text.length === 6));
  t.strictSame(
    texts.map((text) => readOrderedNumber(`xy${text}z`, 2)),
    numbers,
  );
});
