import t from "tap";
import { limits } from "../../config/limits.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { createKey, type Key } from "../../engine/key.ts";
import { ShardRows } from "../../engine/shard/rows/shard-rows.ts";

const room = Math.floor(limits.engine.headCacheBytes / (limits.engine.headBytesGuess + 12));

function keyAt(place: number): Key {
  return createKey(0, 16, String(place).padStart(4, " "));
}

function rowsWithHeads(count: number): ShardRows {
  const rows = new ShardRows(
    memoryTables(),
    { actorByCode: new Map(), windows: [], sweeps: [] },
    0,
  );
  for (let place = 0; place < count; place++) rows.keepHead(keyAt(place), { place }, true);
  return rows;
}

t.test("idle heads leave memory by bytes, oldest first", async (t) => {
  const rows = rowsWithHeads(room + 1_000);
  t.equal(rows.head(keyAt(0), undefined), undefined, "the first is gone");
  t.strictSame(rows.head(keyAt(room + 999), undefined), { place: room + 999 });
});

t.test("heads keep to the memory that the operator bounds", async (t) => {
  const rows = rowsWithHeads(0);
  rows.memory = { freshBytesMax: 1_000_000, headBytesMax: 10 * limits.engine.headBytesGuess };
  for (let place = 0; place < 20; place++) rows.keepHead(keyAt(place), { place }, true);
  const kept = Array.from({ length: 20 }, (_, place) => rows.head(keyAt(place), undefined));
  t.equal(kept.filter((head) => head !== undefined).length, 9);
  t.strictSame(kept.at(-1), { place: 19 });
});

t.test("a head that is written again and again stays", async (t) => {
  const rows = rowsWithHeads(1);
  for (let place = 1; place < room + 1_000; place++) {
    rows.keepHead(keyAt(place), { place }, true);
    rows.keepHead(keyAt(0), { place: 0, by: place }, true);
  }
  t.strictSame(rows.head(keyAt(0), undefined), { place: 0, by: room + 999 });
  t.equal(rows.head(keyAt(1), undefined), undefined);
});

t.test("a head that need not stay leaves memory at once", async (t) => {
  const rows = rowsWithHeads(1);
  rows.keepHead(keyAt(0), { place: 0 }, false);
  t.equal(rows.head(keyAt(0), undefined), undefined);
});
