/**
 * A crash is a new shard over the same stores: nothing acknowledged is missing, and nothing else is
 * there.
 */
import t, { type Test } from "tap";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import type { Key } from "../../engine/key.ts";
import { readHead } from "../../engine/record.ts";
import { createHeldJournal, type HeldJournal } from "./held-journal.ts";
import {
  type Bench,
  counterKey,
  idle,
  memoryDisks,
  noteKey,
  openBench,
  restart,
  windowMs,
} from "./toys.ts";

const low = counterKey(1, "a");
const high = counterKey(200, "b");
const everything = { start: "", end: "\xff\xff\xff" };
const parts = [
  testAcknowledged,
  testUnacknowledged,
  testUndelivered,
  testTells,
  testDue,
  testWindow,
  testStop,
];

for (const shardCount of [1, 2])
  t.test(`with ${shardCount} shard${shardCount === 1 ? "" : "s"}`, async (t) => {
    for (const part of parts) await t.test(part.name, (t) => part(t, shardCount));
  });

async function testAcknowledged(t: Test, shardCount: number): Promise<void> {
  let bench = await openBench({ disks: memoryDisks(shardCount) });
  const counters = Array.from({ length: 60 }, (_, at) => counterKey(at * 4, `n${at}`));
  for (let life = 1; life <= 4; life++) {
    await bench.askAll(counters.map((key) => [key, { kind: "add", by: 1 }]));
    if (life % 2 === 0) await bench.pass(2_000);
    await bench.askAll(
      counters.map((key) => [key, { kind: "note", name: "life", text: `${life}` }]),
    );
    bench = await restart(bench);
    const counts = await Promise.all(counters.map((key) => bench.count(key)));
    t.strictSame(new Set(counts), new Set([2 * life]), `after crash ${life}`);
  }
  const [first = ""] = counters;
  t.equal(bench.disks[0]?.tables.get(noteKey(first, "life")), '"4"', "the tail is in the tables");
}

async function testUnacknowledged(t: Test, shardCount: number): Promise<void> {
  const journals = memoryDisks(shardCount).map(({ journal }) => createHeldJournal(journal));
  const bench = await openBench({
    disks: journals.map((journal) => ({ journal, tables: memoryTables() })),
  });
  await bench.ask(low, { kind: "add", by: 1 });
  for (const journal of journals) journal.hold();
  void bench.ask(low, { kind: "add", by: 1 });
  void bench.ask(high, { kind: "call", names: ["never released"] });
  await idle();
  const disks = bench.disks.map(({ tables }, at) => ({ journal: snapshot(journals[at]), tables }));
  const next = await openBench({ disks, startMs: bench.clock.nowMs() });
  t.equal(await next.count(low), 1, "what was never durable is not there");
  t.strictSame(next.performed, []);
}

async function testUndelivered(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  await bench.askAll([
    [low, { kind: "call", names: ["one", "two"] }],
    [high, { kind: "call", names: ["three"] }],
    [counterKey(1, "done"), { kind: "call", names: ["four"] }],
    [counterKey(1, "done"), { kind: "answered", by: 1 }],
  ]);
  const next = await restart(bench);
  t.strictSame(
    listPerformed(next),
    [`${low} one`, `${low} two`, `${high} three`],
    "effects that were under way are handed over again, in the order of their actor",
  );
  await next.pass(5_000);
  const later = await restart(next);
  t.strictSame(
    listPerformed(later),
    listPerformed(next),
    "also when a pass has written the tables",
  );
  await later.askAll([
    [low, { kind: "answered", by: 1 }],
    [high, { kind: "answered", by: 1 }],
  ]);
  t.strictSame(listPerformed(await restart(later)), [], "and never once they have been answered");
}

async function testTells(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  bench.shards[1] = undefined;
  bench.outbox.onClose(1);
  await bench.ask(low, { kind: "spread", to: [high], message: { kind: "add", by: 5 } });
  await bench.ask(low, { kind: "spread", to: [high], message: { kind: "add", by: 7 } });
  await idle();
  const next = await restart(bench);
  t.equal(await next.count(high), 12, "a tell that no shard has heard is told again");
  const later = await restart(next);
  await later.pass(2_000);
  t.equal(await later.count(high), 12, "and takes effect once");
  t.equal(await later.count(low), 2);
}

async function testDue(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  await bench.ask(low, { kind: "sleep", untilMs: 1_060_000 });
  await bench.ask(high, { kind: "sleep", untilMs: 1_020_000 });
  const next = await restart(bench);
  await next.pass(25_000);
  t.strictSame([await next.count(low), await next.count(high)], [0, 1_000]);
  const later = await openBench({ disks: next.disks, startMs: 2_000_000 });
  await later.pass(500);
  t.equal(await later.count(low), 1_000, "what became due while nobody ran is told at the start");
  t.equal(await later.count(high), 1_000);
}

async function testWindow(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  const once = (bench: Bench, key: Key, digest: string) => bench.ask(key, { kind: "once", digest });
  t.strictSame(await once(bench, low, "digest of 16 by."), { kind: "counted", count: 1 });
  t.strictSame(await once(bench, high, "another 16 bytes"), { kind: "counted", count: 1 });
  t.strictSame(await once(bench, low, "digest of 16 by."), { kind: "again" });
  await bench.pass(60_000);
  const next = await restart(bench);
  t.strictSame(await once(next, low, "digest of 16 by."), { kind: "again" }, "a window is rebuilt");
  t.strictSame(await once(next, high, "another 16 bytes"), { kind: "again" });
  await next.pass(windowMs - 62_000);
  t.strictSame(await once(next, low, "digest of 16 by."), { kind: "again" });
  await next.pass(4_000);
  t.strictSame(await once(next, low, "digest of 16 by."), { kind: "counted", count: 2 });
}

async function testStop(t: Test, shardCount: number): Promise<void> {
  const disks = memoryDisks(shardCount);
  const bench = await openBench({ disks });
  await bench.pass(2_000);
  const asks = [low, high].map((key) => bench.ask(key, { kind: "add", by: 3 }));
  for (const shard of bench.shards) shard?.stop();
  t.strictSame(await Promise.all(bench.ends), Array(shardCount).fill(undefined));
  t.strictSame(await Promise.all(asks), Array(2).fill({ kind: "counted", count: 3 }));
  const left = disks.flatMap(({ journal }) => [...journal.from(1)]);
  t.strictSame(left, [], "a graceful stop decides what waits and leaves nothing in the journal");
  const rows = disks.flatMap(({ tables }) => tables.range(everything, 100));
  t.ok(rows.some(({ key, text }) => key === low && text === '{"count":3}'));
  t.ok(rows.some(({ key, text }) => key === high && text === '{"count":3}'));
}

t.test("I2: each start is a new epoch, in a record of its own", async (t) => {
  const tables = memoryTables();
  const journal = createHeldJournal(memoryJournal());
  let bench = await openBench({ disks: [{ journal, tables }] });
  for (let life = 0; life < 3; life++) {
    await bench.ask(low, { kind: "add", by: 1 });
    bench = await restart(bench);
  }
  const heads = journal.records.map(readHead).map(({ epoch, seq }) => ({ epoch, seq }));
  t.strictSame(heads, [
    { epoch: 1, seq: 1 },
    { epoch: 1, seq: 2 },
    { epoch: 2, seq: 3 },
    { epoch: 2, seq: 4 },
    { epoch: 3, seq: 5 },
    { epoch: 3, seq: 6 },
    { epoch: 4, seq: 7 },
  ]);
});

t.test("shard time goes on from the last record when the wall clock was set back", async (t) => {
  const journal = createHeldJournal(memoryJournal());
  const disks = [{ journal, tables: memoryTables() }];
  const bench = await openBench({ disks, startMs: 5_000_000 });
  await bench.ask(low, { kind: "add", by: 1 });
  const next = await openBench({ disks, startMs: 1_000_000 });
  await next.ask(low, { kind: "add", by: 1 });
  const times = journal.records.map((record) => readHead(record).atMs);
  t.ok(
    times.every((atMs, at) => atMs >= (times[at - 1] ?? 0)),
    times.join(" "),
  );
});

t.test("a journal with a gap or a foreign record stops the start", async (t) => {
  for (const seq of [1, 2]) {
    const journal = memoryJournal();
    await journal.append(seq, new Uint8Array(100));
    const disks = [{ journal, tables: memoryTables() }];
    await t.rejects(openBench({ disks }), { name: "StoreDamage" });
  }
});

t.test("more waiting actors than a page of the tables are recovered", async (t) => {
  const bench = await openBench({ disks: memoryDisks(1), startMs: 1_000_000 });
  const names = Array.from({ length: 10_100 }, (_, at) => counterKey(3, `n${at}`));
  const untilMs = 1_100_000;
  await Promise.all(names.map((key) => bench.ask(key, { kind: "sleep", untilMs }, "settle")));
  await bench.pass(250);
  const later = await openBench({ disks: bench.disks, startMs: 1_200_000 });
  await later.pass(500);
  const sample = names.filter((_, at) => at % 100 === 99);
  const counts = await Promise.all(sample.map((key) => later.count(key)));
  t.strictSame(new Set(counts), new Set([1_000]));
});

function listPerformed(bench: Bench): string[] {
  const texts = bench.performed.map(
    ({ from, effect }) => `${from} ${"name" in effect ? effect.name : ""}`,
  );
  return texts.sort();
}

/** Copies what a disk holds of a journal: the appends that resolved. */
function snapshot(held: HeldJournal | undefined) {
  const journal = memoryJournal();
  for (const { seq, record } of held?.from(0) ?? []) void journal.append(seq, record);
  return journal;
}
