/** The loop of a shard; engine tests run with one shard and with two. */
import t, { type Test } from "tap";
import { limits } from "../../config/limits.ts";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { engineTables } from "../../engine/key.ts";
import { createHeldJournal } from "./held-journal.ts";
import { type Call, counterKey, idle, memoryDisks, noteKey, openBench } from "./toys.ts";

/** With two shards `low` is in the first and `high` in the second. */
const low = counterKey(1, "a");
const high = counterKey(200, "b");

const parts = [
  testTurns,
  testTells,
  testRefusals,
  testBroken,
  testDue,
  testPunctual,
  testEffectsAlone,
  testBrokenDue,
  testFull,
  testEffects,
];

for (const shardCount of [1, 2])
  t.test(`with ${shardCount} shard${shardCount === 1 ? "" : "s"}`, async (t) => {
    for (const part of parts) await t.test(part.name, (t) => part(t, shardCount));
  });

async function testTurns(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  const replies = await bench.askAll([
    [low, { kind: "add", by: 2 }],
    [low, { kind: "add", by: 3 }],
    [high, { kind: "add", by: 7 }],
    [low, { kind: "look" }],
  ]);
  t.strictSame(replies, [
    { kind: "counted", count: 2 },
    { kind: "counted", count: 5 },
    { kind: "counted", count: 7 },
    { kind: "counted", count: 5 },
  ]);
  await bench.ask(low, { kind: "note", name: "n", text: "written" });
  const noted = bench.releases(0).at(-1);
  t.strictSame(noted, [
    [low, '{"count":6}'],
    [noteKey(low, "n"), '"written"'],
  ]);
  await bench.ask(low, { kind: "end" });
  t.strictSame(bench.releases(0).at(-1), [[low, undefined]], "an actor that ends is deleted");
  t.equal(await bench.count(low), 0);
  t.strictSame(bench.broken, []);
}

async function testTells(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  const others = [high, counterKey(2, "c"), counterKey(250, "d")];
  await bench.ask(low, { kind: "spread", to: others, message: { kind: "add", by: 5 } });
  await bench.ask(low, { kind: "spread", to: others, message: { kind: "add", by: 1 } });
  await idle();
  const counts = await Promise.all(others.map((key) => bench.count(key)));
  t.strictSame(counts, [6, 6, 6], "a told actor hears once of each tell, wherever it lives");
  t.equal(await bench.count(low), 2);
  await bench.pass(5_000);
  const left = bench.disks.flatMap(({ tables }) =>
    tables.range({ start: "", end: "\xff\xff" }, 100),
  );
  const outbox = left.filter(({ key }) => key.charCodeAt(1) === engineTables.outbox);
  t.strictSame(outbox, [], "no tell stays in the outbox");
}

async function testRefusals(t: Test, shardCount: number): Promise<void> {
  const journals = memoryDisks(shardCount).map(({ journal }) => createHeldJournal(journal));
  const disks = journals.map((journal) => ({ journal, tables: memoryTables() }));
  const bench = await openBench({ disks });
  const opened = journals.map(({ appends }) => appends);
  t.strictSame(
    opened,
    journals.map(() => 1),
    "opening writes one record: the epoch's start",
  );
  t.equal(await bench.count(low), 0);
  t.equal(await bench.count(high), 0);
  t.strictSame(
    journals.map(({ appends }) => appends),
    opened,
    "what changes nothing needs no record",
  );
}

async function testBroken(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  const asks = [
    bench.ask(low, { kind: "add", by: 1 }),
    bench.ask(low, { kind: "spread", to: [low], message: { kind: "break" } }),
    bench.ask(low, { kind: "add", by: 1 }),
  ];
  t.strictSame(
    await Promise.all(asks),
    [{ kind: "counted", count: 1 }, { kind: "broken" }, { kind: "counted", count: 2 }],
    "a broken turn is dropped whole, the turns beside it stand",
  );
  t.strictSame(await bench.ask(low, { kind: "break" }), { kind: "broken" });
  t.equal(await bench.count(low), 2, "after two broken promises the actor still works");
  t.strictSame(await bench.ask(low, { kind: "break" }), { kind: "broken" });
  t.strictSame(
    await bench.ask(low, { kind: "add", by: 1 }),
    { kind: "broken" },
    "the third sets the actor aside",
  );
  t.equal(await bench.count(high), 0, "its neighbours work");
  t.equal(await bench.count(counterKey(1, "neighbour")), 0);
  t.ok(bench.broken.length >= 3);
}

async function testDue(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  await bench.askAll([low, high].map((key) => [key, { kind: "sleep", untilMs: 1_010_000 }]));
  await bench.pass(9_750);
  t.strictSame([await bench.count(low), await bench.count(high)], [0, 0], "not before its time");
  await bench.pass(1_000);
  t.strictSame([await bench.count(low), await bench.count(high)], [1_000, 1_000]);
  await bench.pass(60_000);
  t.strictSame([await bench.count(low), await bench.count(high)], [1_000, 1_000], "told once");

  await bench.ask(low, { kind: "sleep", untilMs: 1_100_000 });
  await bench.pass(2_000);
  await bench.ask(low, { kind: "sleep", untilMs: 1_090_000 });
  await bench.pass(19_000);
  t.equal(await bench.count(low), 2_000, "the last time that an actor names counts");
}

/** Checks how late an actor that sleeps from now on is woken. */
async function testPunctual(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  const stepMs = 1;
  const lateMs = async (sleepMs: number, before: () => Promise<void>) => {
    const awake = bench.releases(0).length;
    const untilMs = bench.clock.nowMs() + sleepMs;
    await bench.ask(low, { kind: "sleep", untilMs });
    await before();
    while (bench.releases(0).length < awake + 2) {
      bench.clock.advance(stepMs);
      await idle();
    }
    return bench.clock.nowMs() - untilMs;
  };
  const nothing = async () => {};
  await bench.pass(3_000);
  for (const sleepMs of [1, 3, 7, 40, 249, 250, 251, 1_000]) {
    const late = await lateMs(sleepMs, nothing);
    t.ok(late >= 0 && late <= 10, `asleep for ${sleepMs} ms: ${late} ms late`);
  }
  // The head that a pass writes is older than what the actor was told while the pass ran.
  await bench.ask(low, { kind: "sleep", untilMs: bench.clock.nowMs() + 60_000 });
  const late = await lateMs(600, async () => {
    bench.shards[0]?.flush();
    await idle();
  });
  t.ok(late >= 0 && late <= 10, `told again before a pass: ${late} ms late`);
}

async function testEffectsAlone(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  bench.shards[0]?.receive({ to: low, message: { kind: "hail", name: "now" } }, "settle");
  await idle();
  const names = bench.performed.map(({ effect }) => effect as Call);
  t.match(names, [{ name: "now" }], "effects without a write do not wait for the next write");
}

async function testBrokenDue(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  await bench.ask(low, { kind: "sleep", untilMs: 1_010_000, soundFromMs: 1_011_000 });
  await bench.ask(high, { kind: "sleep", untilMs: 1_010_000, soundFromMs: 2_000_000 });
  await bench.pass(10_500);
  t.equal(await bench.count(low), 0);
  await bench.pass(2_000);
  t.equal(await bench.count(low), 1_000, "an actor that dropped its due turn hears it again");
  const broken = bench.broken.length;
  await bench.pass(60_000);
  t.equal(bench.broken.length, broken + 1, "the third sets it aside");
}

async function testFull(t: Test, shardCount: number): Promise<void> {
  const disks = memoryDisks(shardCount).map(({ tables }) => {
    return { journal: createHeldJournal(memoryJournal()), tables };
  });
  const bench = await openBench({ disks });
  for (const { journal } of disks) journal.hold();
  const { inboxMax, batchBytes } = limits.engine;
  const text = "x".repeat(batchBytes);
  const notes = ["one", "two"].map((name) => bench.ask(low, { kind: "note", name, text }));
  const work = Array.from({ length: inboxMax - notes.length }, () =>
    bench.ask(low, { kind: "add", by: 1 }),
  );
  t.strictSame(
    await bench.ask(low, { kind: "add", by: 1 }),
    { kind: "busy" },
    "new work for a full inbox is refused at once, while a record is in flight",
  );
  const settled = bench.ask(low, { kind: "add", by: 1_000_000 }, "settle");
  for (const { journal } of disks) journal.release();
  t.strictSame(await settled, { kind: "counted", count: 1_000_001 }, "what settles goes first");
  await Promise.all([...notes, ...work]);
  t.equal(await bench.count(low), 1_000_000 + inboxMax);
}

async function testEffects(t: Test, shardCount: number): Promise<void> {
  const bench = await openBench({ disks: memoryDisks(shardCount) });
  await bench.askAll([
    [low, { kind: "call", names: ["one", "two"] }],
    [high, { kind: "call", names: ["three"] }],
  ]);
  const effects = bench.performed.map(({ from, effect }) => ({ from, effect }));
  t.strictSame(
    effects.sort((a, b) => (a.from < b.from ? -1 : 1)),
    [
      { from: low, effect: { kind: "call", name: "one" } },
      { from: low, effect: { kind: "call", name: "two" } },
      { from: high, effect: { kind: "call", name: "three" } },
    ],
    "effects leave in the order in which their actor caused them",
  );
  bench.outbox.send(low, { kind: "answered", by: 9 });
  bench.outbox.send(high, { kind: "answered", by: 4 });
  await idle();
  t.strictSame([await bench.count(low), await bench.count(high)], [9, 4]);
}

t.test(
  "a tell that breaks in the other shard is dropped once, and told to the operator",
  async (t) => {
    const bench = await openBench({ disks: memoryDisks(2) });
    const broken = { kind: "spread", to: [high], message: { kind: "break" } } as const;
    t.strictSame(await bench.ask(low, broken), { kind: "counted", count: 1 });
    await bench.ask(low, { kind: "spread", to: [high], message: { kind: "add", by: 1 } });
    await bench.pass(6_000);
    t.strictSame(bench.broken, [high]);
    t.equal(await bench.count(high), 1, "later tells arrive");
    const rows = bench.disks[0]?.tables.range({ start: "", end: "\xff\xff" }, 100) ?? [];
    t.notOk(rows.some(({ key }) => key.charCodeAt(1) === engineTables.outbox));
  },
);
