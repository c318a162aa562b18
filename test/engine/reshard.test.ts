/** `klieg reshard` gives a store more shards, and keeps all its rows and all its pending work. */
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { shardNames } from "../../engine/adapters/backup/write-backup.ts";
import { openDataDirectory } from "../../engine/adapters/data-directory.ts";
import { openJournal } from "../../engine/adapters/file-journal.ts";
import { openTableReader, openTables } from "../../engine/adapters/lmdb.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { reshardStore } from "../../engine/adapters/reshard-store.ts";
import { getCode, getShard, type Key } from "../../engine/key.ts";
import { rowsIn } from "../../engine/shard/replica.ts";
import { allRows } from "../../engine/shard/snapshot.ts";
import { type Bench, counterKey, createListedKey, idle, openBench, toys } from "./toys.ts";

const nowMs = 1_000_000;
/** Counters in every shard of up to four, in some of sixteen, and in the directory. */
const counters = [
  ...Array.from({ length: 6 }, (_, n) => counterKey(n * 48, `counter-${n}`)),
  createListedKey("a"),
];

/** The count of each counter after each of them has told all the others. */
const round = counters.length;

function makeStore(path: string, shardCount: number): void {
  const data = openDataDirectory(path, shardCount);
  data.complete();
  data.release();
}

function openLife(path: string, shardCount: number): Promise<Bench> {
  const disks = shardNames(shardCount).map((name) => ({
    journal: openJournal(join(path, name, "journal")),
    tables: openTables(join(path, name, "tables")),
  }));
  return openBench({ disks, hasDirectory: true, startMs: nowMs });
}

/** Ends the bench like a process that dies: nothing is flushed. */
async function end(bench: Bench): Promise<void> {
  for (const { journal, tables } of bench.disks) {
    await journal.close();
    await tables.close();
  }
}

/** Lets each counter add 1 to itself and 1 to each of the others. */
async function spreadAll(bench: Bench): Promise<void> {
  for (const key of counters) {
    const to = counters.filter((other) => other !== key);
    await bench.ask(key, { kind: "spread", to, message: { kind: "add", by: 1 } });
  }
}

/** Waits until each counter has reached `count` and no tell under way would add to it. */
async function countTo(t: Test, bench: Bench, count: number, name: string): Promise<void> {
  const counts = () => Promise.all(counters.map((key) => bench.count(key)));
  while ((await counts()).some((it) => Number(it) < count)) await idle();
  for (let turn = 0; turn < 200; turn++) await idle();
  t.strictSame(await counts(), Array(counters.length).fill(count), name);
}

function run(path: string, shardCount: number, onStep: (sentence: string) => void = () => {}) {
  const openObjects = async () => memoryObjects();
  return reshardStore({
    path,
    shardCount,
    domain: toys,
    nowMs,
    access: undefined,
    openObjects,
    onStep,
  });
}

const killed = new Error("killed");

/** Calls `run` and kills it after its `step`th step. */
function runUntil(path: string, shardCount: number, step: number) {
  let steps = 0;
  return run(path, shardCount, () => {
    if (++steps === step) throw killed;
  });
}

/** Returns the domain's rows by key, each read from the shard that owns it. */
async function domainRows(path: string, shardCount: number): Promise<[Key, string][]> {
  const found: [Key, string][] = [];
  for (const [shard, name] of shardNames(shardCount).entries()) {
    const tables = openTableReader(join(path, name, "tables"));
    for (const { key, text } of rowsIn(tables, allRows))
      if (getCode(key) >= 16 && getShard(key, shardCount) === shard) found.push([key, text]);
    await tables.close();
  }
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Leaves tells that arrived, some that arrived unacknowledged, and some that did not arrive. */
async function fillStore(t: Test, path: string, shardCount: number, before = 0): Promise<void> {
  const bench = await openLife(path, shardCount);
  await spreadAll(bench);
  await countTo(t, bench, before + round, "tells come");
  const { outbox } = bench;
  outbox.acknowledge = () => {};
  await spreadAll(bench);
  await countTo(t, bench, before + 2 * round, "and come without being acknowledged");
  outbox.deliver = () => {};
  await spreadAll(bench);
  await end(bench);
}

t.test("what was asked once in the window stays asked after resharding", async (t) => {
  const path = join(t.testdir(), "data");
  makeStore(path, 1);
  const ask = (bench: Bench) =>
    Promise.all(
      [counterKey(0, "low"), counterKey(255, "high")].map((key, at) =>
        bench.ask(key, { kind: "once", digest: `digest of 16 b.${at}` }),
      ),
    );
  const first = await openLife(path, 1);
  t.strictSame(await ask(first), [
    { kind: "counted", count: 1 },
    { kind: "counted", count: 1 },
  ]);
  await end(first);
  await run(path, 4);
  const second = await openLife(path, 4);
  t.strictSame(await ask(second), [{ kind: "again" }, { kind: "again" }]);
  await end(second);
});

t.test("every tell is received once, before and after resharding", async (t) => {
  const path = join(t.testdir(), "data");
  makeStore(path, 2);
  await fillStore(t, path, 2);
  await run(path, 4);
  const second = await openLife(path, 4);
  await countTo(t, second, 3 * round, "what was under way arrives once");
  await spreadAll(second);
  await countTo(t, second, 4 * round, "and so do tells of the new shards");
  await end(second);

  await fillStore(t, path, 4, 4 * round);
  await run(path, 16);
  const third = await openLife(path, 16);
  await countTo(t, third, 7 * round, "after it was resharded twice");
  await spreadAll(third);
  await countTo(t, third, 8 * round, "and so do tells of the newest");
  await end(third);
  const fourth = await openLife(path, 16);
  await countTo(t, fourth, 8 * round, "nothing comes again");
  await end(fourth);
});

t.test("a run that is interrupted at any step is gone on with", async (t) => {
  const folder = t.testdir();
  const source = join(folder, "source");
  makeStore(source, 1);
  await fillStore(t, source, 1);
  const steps: string[] = [];
  const whole = join(folder, "whole");
  cpSync(source, whole, { recursive: true });
  await run(whole, 2, (sentence) => steps.push(sentence));
  t.strictSame(steps, [
    "shard-0 of 2 is built.",
    "shard-1 of 2 is built.",
    "shard-directory of 2 is built.",
    "shard-0 of 2 is in place.",
    "shard-1 of 2 is in place.",
    "shard-directory of 2 is in place.",
  ]);
  const rows = await domainRows(whole, 2);
  t.equal(rows.length, counters.length);
  t.notOk(existsSync(join(whole, "reshard")));

  for (let step = 1; step <= steps.length; step++) {
    const path = join(folder, `step-${step}`);
    cpSync(source, path, { recursive: true });
    await t.rejects(runUntil(path, 2, step), killed);
    if (step <= 3) {
      t.strictSame(await domainRows(path, 1), rows, "the old store has what it had");
      const copy = join(folder, `start-${step}`);
      cpSync(path, copy, { recursive: true });
      const data = openDataDirectory(copy, 1);
      data.release();
      t.equal(data.shardCount, 1, "the service starts with the old store");
      t.notOk(existsSync(join(copy, "reshard")), "which needs no room for the other");
    } else {
      const sentence = /The change of .* to 2 shards was interrupted; run klieg reshard 2 again\./;
      t.throws(() => openDataDirectory(path, 1), { message: sentence });
      await t.rejects(run(path, 4), { message: /was interrupted; run klieg reshard 2\./ });
    }
    if (step < steps.length)
      await t.rejects(runUntil(path, 2, 1), killed, "it may be interrupted again");
    await run(path, 2);
    t.strictSame(await domainRows(path, 2), rows);
    const bench = await openLife(path, 2);
    await countTo(t, bench, 3 * round, `interrupted at step ${step}`);
    await end(bench);
  }
});

t.test("a store that cannot have so many shards is left as it is", async (t) => {
  const folder = t.testdir();
  const path = join(folder, "data");
  await t.rejects(run(path, 2), { message: /does not contain a store/ });
  openDataDirectory(path, 2).release();
  await t.rejects(run(path, 4), { message: /never completed/ });
  makeStore(path, 2);
  await t.rejects(run(path, 2), { message: /already has 2 shards/ });
  await t.rejects(run(path, 4), { message: /shard-0: tables\/data.mdb is missing/ });
  const file = join(path, "store.json");
  const store = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...store, isClustered: true }));
  await t.rejects(run(path, 4), { message: /a node of a cluster; set KLIEG_NATS_URL/ });
});
