/**
 * When a batch is durable: it is written with one put, nothing is released before that, and nothing
 * when it fails.
 */
import t from "tap";
import { limits } from "../../config/limits.ts";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { createKey, engineTables, getRange } from "../../engine/key.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { noHash, readHead, verify } from "../../engine/record.ts";
import { type FailingTables, failingTables } from "./failing-tables.ts";
import { createHeldJournal, type HeldJournal } from "./held-journal.ts";
import { type Bench, counterKey, idle, noteKey, openBench, restart } from "./toys.ts";

const a = counterKey(1, "a");
const b = counterKey(1, "b");

async function openHeld(): Promise<{ bench: Bench; journal: HeldJournal; tables: FailingTables }> {
  const journal = createHeldJournal(memoryJournal());
  const tables = failingTables(memoryTables());
  return { bench: await openBench({ disks: [{ journal, tables }] }), journal, tables };
}

t.test("I3: nothing leaves before its record is durable", async (t) => {
  const { bench, journal } = await openHeld();
  journal.hold();
  let replied: unknown;
  void bench.ask(a, { kind: "call", names: ["effect"] }).then((reply) => {
    replied = reply;
  });
  await idle();
  t.equal(journal.appends, 2, "the record is on its way");
  t.equal(replied, undefined);
  t.strictSame(bench.releases(0), []);
  t.strictSame(bench.performed, []);
  journal.release();
  await idle();
  t.strictSame(replied, { kind: "counted", count: 0 });
  t.equal(bench.releases(0).length, 1);
  t.equal(bench.performed.length, 1);
});

t.test("a batch is one put, however many turns it holds", async (t) => {
  const { bench, journal } = await openHeld();
  journal.hold();
  const first = bench.ask(a, { kind: "add", by: 1 });
  await idle();
  const rest = Array.from({ length: 100 }, (_, at) =>
    bench.ask(counterKey(1, `n${at % 10}`), { kind: "add", by: 1 }),
  );
  await idle();
  t.equal(journal.appends, 2, "one record is in flight, the next one waits for it");
  journal.release();
  await Promise.all([first, ...rest]);
  t.equal(journal.appends, 3);
  const writes = bench.releases(0).at(-1);
  t.equal(writes?.length, 10, "each row is in the record once");
  t.strictSame(writes?.[0], [counterKey(1, "n0"), '{"count":10}']);
});

t.test("a batch closes when it has enough bytes", async (t) => {
  const { bench, journal } = await openHeld();
  journal.hold();
  const text = "x".repeat(limits.engine.batchBytes / 4);
  void bench.ask(a, { kind: "add", by: 1 });
  await idle();
  const asks = Array.from({ length: 8 }, (_, at) =>
    bench.ask(b, { kind: "note", name: String(at), text }),
  );
  journal.release();
  await Promise.all(asks);
  const notes = bench
    .releases(0)
    .slice(1)
    .map((writes) => writes.length - 1);
  t.strictSame(notes, [4, 4], "four quarters fill a batch");
});

t.test("a turn that would make its record too large begins the next one", async (t) => {
  const { bench, journal } = await openHeld();
  journal.hold();
  void bench.ask(a, { kind: "add", by: 1 });
  await idle();
  const { batchBytes, recordBytesMax } = limits.engine;
  const lengths = [batchBytes - 1_000, recordBytesMax - 500, 10];
  const asks = lengths.map((length, at) =>
    bench.ask(b, { kind: "note", name: String(at), text: "x".repeat(length) }),
  );
  await idle();
  bench.shards[0]?.stop();
  journal.release();
  await Promise.all(asks);
  const sizes = journal.records.slice(2).map(({ length }) => length);
  t.equal(sizes.length, 3, "each has a record of its own, also while the shard stops");
  t.ok(sizes.every((size) => size <= 900 * 1024));
  t.ok((sizes[1] ?? 0) > 899 * 1024);
  t.equal(await bench.ends[0], undefined);
});

t.test("a full batch waits for the record in flight, and new work waits behind it", async (t) => {
  const { bench, journal } = await openHeld();
  journal.hold();
  const text = "x".repeat(limits.engine.batchBytes / 4);
  const asks = Array.from({ length: 12 }, (_, at) =>
    bench.ask(b, { kind: "note", name: String(at), text }),
  );
  await idle();
  const late = bench.ask(a, { kind: "add", by: 1 });
  await idle();
  t.strictSame(bench.releases(0), []);
  journal.release();
  await Promise.all([...asks, late]);
  t.equal(await bench.count(b), 12);
});

t.test("I1, I2: the journal is one chain of hashes with contiguous numbers", async (t) => {
  const { bench, journal } = await openHeld();
  for (let round = 0; round < 5; round++) await bench.ask(a, { kind: "add", by: 1 });
  const seqs: number[] = [];
  let hash = noHash;
  for (const record of journal.records) {
    hash = verify(record, hash)?.hash ?? "broken";
    seqs.push(readHead(record).seq);
  }
  t.strictSame(seqs, [1, 2, 3, 4, 5, 6]);
});

t.test("rows are released before the replies that speak of them", async (t) => {
  const { bench } = await openHeld();
  await bench.ask(a, { kind: "note", name: "n", text: "there" });
  const release = bench.events.find(({ event }) => event.kind === "release")?.event;
  t.match(release, { kind: "release", replies: [{ reply: { kind: "counted", count: 1 } }] });
  t.strictSame(bench.releases(0)[0]?.[1], [noteKey(a, "n"), '"there"'], "in one event even");
});

t.test("a failed append ends the loop and releases nothing", async (t) => {
  const { bench, journal } = await openHeld();
  await bench.ask(a, { kind: "add", by: 1 });
  const failure = new PortError("the disk is full", true);
  journal.failNext(failure);
  let replied = false;
  void bench.ask(a, { kind: "add", by: 1 }).then(() => {
    replied = true;
  });
  void bench.ask(a, { kind: "call", names: ["effect"] });
  t.equal(await bench.ends[0], failure);
  await idle();
  t.notOk(replied);
  t.equal(bench.releases(0).length, 1);
  t.strictSame(bench.performed, []);

  const next = await restart(bench);
  t.equal(await next.count(a), 1, "the shard recovers from its disk: the failed turn never was");
  t.strictSame(await next.ask(a, { kind: "add", by: 1 }), { kind: "counted", count: 2 });
});

const failure = new PortError("the disk is full", true);

t.test("a pass that fails is tried again, and the shard goes on meanwhile", async (t) => {
  const { bench, tables } = await openHeld();
  await bench.pass(limits.engine.flushIntervalMs);
  tables.failAll(failure);
  const sleepUntilMs = bench.clock.nowMs() + 3 * limits.engine.flushIntervalMs;
  await bench.ask(a, { kind: "sleep", untilMs: sleepUntilMs });
  await bench.pass(limits.engine.flushIntervalMs);
  t.match(bench.events.at(-1)?.event, { kind: "stuck" });
  t.strictSame(await bench.ask(a, { kind: "add", by: 5 }), { kind: "counted", count: 5 });
  await bench.pass(limits.engine.flushIntervalMs);
  t.strictSame(bench.flushes, [failure], "the operator is told once");
  t.equal(tables.get(a), undefined);
  tables.failAll();
  await bench.pass(2 * limits.engine.flushIntervalMs + 1_000);
  t.strictSame(bench.flushes, [failure, undefined]);
  t.equal(await bench.count(a), 1_005, "its time came");
  bench.shards[0]?.stop();
  t.equal(await bench.ends[0], undefined);
  const next = await restart(bench);
  await next.pass(4 * limits.engine.flushIntervalMs);
  t.equal(await next.count(a), 1_005, "and comes no second time");
});

t.test("the tables get each row of a failed pass once they can be written", async (t) => {
  const { bench, tables } = await openHeld();
  tables.failAll(failure);
  const dueMs = bench.clock.nowMs() + 3_600_000;
  await bench.ask(a, { kind: "sleep", untilMs: dueMs });
  await bench.pass(limits.engine.flushIntervalMs);
  await bench.ask(b, { kind: "add", by: 7 });
  tables.failAll();
  await bench.pass(2 * limits.engine.flushIntervalMs);
  t.match(tables.get(a), `"dueMs":${dueMs}`);
  t.equal(tables.get(b), '{"count":7}');
  const dueRows = tables.range(getRange(createKey(1, engineTables.due, "")), 10);
  t.strictSame(
    dueRows.map(({ text }) => text),
    [String(dueMs)],
  );
});

t.test("a shard that is told to stop ends by the failure of its last pass", async (t) => {
  const { bench, tables } = await openHeld();
  await bench.pass(2_000);
  tables.hold();
  await bench.ask(a, { kind: "add", by: 5 });
  await bench.pass(2_000);
  await bench.ask(b, { kind: "add", by: 7 });
  bench.shards[0]?.stop();
  await idle();
  tables.failAll(failure);
  tables.release(failure);
  t.equal(await bench.ends[0], failure);
  tables.failAll();
  const next = await restart(bench);
  t.equal(await next.count(a), 5, "acknowledged rows of the failed pass are still there");
  t.equal(await next.count(b), 7);
});

t.test("a pass that failed while a record was in flight is written with it", async (t) => {
  const { bench, journal, tables } = await openHeld();
  await bench.pass(2_000);
  tables.hold();
  await bench.ask(a, { kind: "add", by: 5 });
  await bench.pass(2_000);
  journal.hold();
  void bench.ask(b, { kind: "add", by: 7 });
  await idle();
  bench.shards[0]?.flush();
  tables.release(failure);
  await idle();
  journal.release();
  await idle();
  bench.shards[0]?.stop();
  t.equal(await bench.ends[0], undefined);
  t.equal(tables.get(a), '{"count":5}');
  t.equal(tables.get(b), '{"count":7}');
});
