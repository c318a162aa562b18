import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { JsonBytes } from "../../engine/json-bytes.ts";
import type { Key } from "../../engine/key.ts";
import { noHash, seal } from "../../engine/record.ts";
import { Batch } from "../../engine/shard/batch.ts";
import { Flusher } from "../../engine/shard/flusher.ts";
import { ShardRows } from "../../engine/shard/rows/shard-rows.ts";
import { counterKey, noteKey, toys } from "./toys.ts";

function stage(freshBytesMax: number) {
  const rows = new ShardRows(memoryTables(), toys, 0);
  rows.memory = { freshBytesMax, headBytesMax: 1_000 };
  const events: string[] = [];
  const flusher = new Flusher(
    {
      clock: new ManualClock(0),
      rows,
      domain: toys,
      event: ({ kind }) => events.push(kind),
      trim: async () => {},
      onFailing: () => {},
      onEnded: () => {},
    },
    0,
  );
  const position = { seq: 1, logSeq: 0, epoch: 1, atMs: 0, hash: noHash };
  const add = (name: string, bytes: number) => {
    const batch = new Batch(rows, toys, { epoch: 1, seq: 1 }, () => true, new JsonBytes());
    batch.put(noteKey(counterKey(1, "a"), name) as Key<string>, "x".repeat(bytes));
    const head = { shard: 0, epoch: 1, seq: 1, atMs: 0 };
    rows.fresh.add(seal(head, batch.writes, batch.values.bytes, noHash).bytes);
  };
  const look = () => {
    // Before the flush that is due by its time.
    flusher.startWhenDue(position, -1);
    return { events: [...events], isFull: flusher.isFull };
  };
  return { rows, add, look };
}

t.test("a flush begins at a third of the memory, and at all of it the shard waits", async (t) => {
  const { add, look } = stage(30_000);
  add("a", 5_000);
  t.strictSame(look(), { events: [], isFull: false });
  add("b", 6_000);
  t.strictSame(look(), { events: ["frozen"], isFull: false });
  add("c", 20_000);
  t.strictSame(look(), { events: ["frozen"], isFull: true });
});

t.test("without a bound of the memory large rows wait as small ones do", async (t) => {
  const { rows, add, look } = stage(30_000);
  rows.memory = undefined;
  for (const name of ["a", "b", "c"]) add(name, 20_000);
  t.strictSame(look(), { events: [], isFull: false });
});

t.test("fresh rows count with their places", async (t) => {
  const { rows, add } = stage(30_000);
  t.equal(rows.fresh.bytes, 0);
  add("a", 1_000);
  const one = rows.fresh.bytes;
  t.ok(one > 1_048);
  rows.fresh.freeze();
  add("a", 1_000);
  t.equal(rows.fresh.bytes, 2 * one);
  rows.fresh.thaw();
  t.equal(rows.fresh.bytes, one);
});
