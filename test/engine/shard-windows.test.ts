import t from "tap";
import { createKey, getPartition, type Key } from "../../engine/key.ts";
import { ShardWindows } from "../../engine/shard/rows/shard-windows.ts";

const windowMs = 300_000;
const code = 48;
const value = "0123456789abcdef";
const nowMs = 1_763_000_000_000;
const ownsAll = () => true;

function open(): ShardWindows {
  return new ShardWindows([{ code, windowMs }]);
}

function entryKey(partition: number, digest: string): Key<string> {
  return createKey(partition, code, digest.padEnd(16, "."));
}

/** Refills new windows from the rows that `writes` leave in the tables. */
function restart(
  writes: readonly { readonly key: Key; readonly value?: unknown }[],
  atMs: number,
  owns: (key: Key) => boolean = ownsAll,
): ShardWindows {
  const rows = new Map<Key, string>();
  for (const { key, value: row } of writes) {
    if (row === undefined) rows.delete(key);
    else rows.set(key, JSON.stringify(row));
  }
  const windows = open();
  for (const key of [...rows.keys()].sort()) windows.refill(key, rows.get(key) ?? "", atMs, owns);
  return windows;
}

t.test("a start refills the windows from one row for each batch", async (t) => {
  const windows = open();
  const bytes = Array.from({ length: 16 }, (_, at) => String.fromCharCode(255 - at)).join("");
  const first = [
    windows.set(entryKey(1, "a"), value, nowMs),
    windows.set(entryKey(255, "b"), bytes, nowMs + 1),
  ];
  const writes = windows.list(first, 1, nowMs + 2);
  writes.push(...windows.list([windows.set(entryKey(1, "c"), value, nowMs + 5)], 2, nowMs + 5));
  t.equal(writes.length, 2);
  const next = restart(writes, nowMs + 10);
  t.equal(next.get(entryKey(1, "a"), nowMs + 10), value);
  t.equal(next.get(entryKey(255, "b"), nowMs + 10), bytes);
  t.equal(next.get(entryKey(1, "c"), nowMs + 10), value);
  t.equal(next.get(entryKey(1, "a"), nowMs + windowMs), undefined, "until its own time is over");
  t.equal(next.get(entryKey(255, "b"), nowMs + windowMs), bytes);
});

t.test("an entry that was removed stays away after a start", async (t) => {
  const windows = open();
  const key = entryKey(1, "a");
  const writes = windows.list([windows.set(key, value, nowMs)], 1, nowMs);
  writes.push(...windows.list([windows.set(key, undefined, nowMs + 1)], 2, nowMs + 1));
  t.equal(restart(writes, nowMs + 2).get(key, nowMs + 2), undefined);
});

t.test("a new shard takes the entries of its partitions", async (t) => {
  const windows = open();
  const entries = [entryKey(127, "a"), entryKey(128, "b")].map((key) =>
    windows.set(key, value, nowMs),
  );
  const upper = restart(windows.list(entries, 1, nowMs), nowMs, (key) => getPartition(key) > 127);
  t.equal(upper.get(entryKey(127, "a"), nowMs), undefined);
  t.equal(upper.get(entryKey(128, "b"), nowMs), value);
});

t.test("rows whose entries have expired are deleted beside new ones, two at a time", async (t) => {
  const windows = open();
  const early = Array.from({ length: 5 }, (_, at) =>
    windows.list([windows.set(entryKey(at, "a"), value, nowMs)], at + 1, nowMs),
  ).flat();
  const listAt = (from: ShardWindows, seq: number, atMs: number) =>
    from.list([from.set(entryKey(9, String(seq)), value, atMs)], seq, atMs);
  t.equal(listAt(windows, 6, nowMs + windowMs - 1).length, 1, "none before its time");
  const late = listAt(windows, 7, nowMs + windowMs);
  t.strictSame(
    late.slice(1),
    early.slice(0, 2).map(({ key }) => ({ key, value: undefined })),
  );
  const next = restart([...early, ...late], nowMs + 2 * windowMs);
  t.equal(next.get(entryKey(4, "a"), nowMs + 2 * windowMs), undefined);
  t.strictSame(
    listAt(next, 8, nowMs + 2 * windowMs).slice(1),
    early.slice(2, 4).map(({ key }) => ({ key, value: undefined })),
    "those that a start found too",
  );
});
