/** A shard that is held for a backup: all its decisions are in the tables, and no more follow. */
import t from "tap";
import { limits } from "../../config/limits.ts";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { readPosition } from "../../engine/shard/replica.ts";
import { failingTables } from "./failing-tables.ts";
import { createHeldJournal } from "./held-journal.ts";
import { type Bench, counterKey, openBench } from "./toys.ts";

const a = counterKey(1, "a");

async function openHeld() {
  const journal = createHeldJournal(memoryJournal());
  const tables = failingTables(memoryTables());
  const bench = await openBench({ disks: [{ journal, tables }] });
  return { bench, journal, tables, shard: bench.shards[0] };
}

function holds(bench: Bench): number[] {
  return bench.events.flatMap(({ event }) => (event.kind === "held" ? [event.number] : []));
}

/** Lets some rounds of the event loop pass. */
async function rounds(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}

t.test("a held shard has all that it committed in its tables, and commits nothing", async (t) => {
  const { bench, journal, tables, shard } = await openHeld();
  await bench.ask(a, { kind: "add", by: 1 });
  shard?.handle({ kind: "hold", number: 7 });
  await rounds();
  t.strictSame(holds(bench), [7]);
  t.equal(readPosition(tables).seq, shard?.reached.seq, "what was durable is in the tables");
  const { appends } = journal;
  const answer = bench.ask(a, { kind: "add", by: 1 });
  await rounds();
  t.equal(journal.appends, appends, "what comes meanwhile waits");
  shard?.handle({ kind: "resume" });
  t.strictSame(await answer, { kind: "counted", count: 2 });
});

t.test("a put that is under way ends before the shard is held", async (t) => {
  const { bench, journal, tables, shard } = await openHeld();
  journal.hold();
  const answer = bench.ask(a, { kind: "add", by: 1 });
  await rounds();
  shard?.handle({ kind: "hold", number: 1 });
  await rounds();
  t.strictSame(holds(bench), []);
  journal.release();
  t.strictSame(await answer, { kind: "counted", count: 1 });
  await rounds();
  t.strictSame(holds(bench), [1]);
  t.equal(readPosition(tables).seq, shard?.reached.seq);
});

t.test("a hold that nothing ends is over after a while", async (t) => {
  const { bench, shard } = await openHeld();
  shard?.handle({ kind: "hold", number: 1 });
  await rounds();
  const answer = bench.ask(a, { kind: "add", by: 1 });
  await bench.pass(2 * limits.engine.holdMs);
  t.strictSame(await answer, { kind: "counted", count: 1 });
});

t.test("a hold that was given up before it began is not told", async (t) => {
  const { bench, journal, shard } = await openHeld();
  journal.hold();
  const answer = bench.ask(a, { kind: "add", by: 1 });
  await rounds();
  shard?.handle({ kind: "hold", number: 1 });
  shard?.handle({ kind: "resume" });
  journal.release();
  t.strictSame(await answer, { kind: "counted", count: 1 });
  await rounds();
  t.strictSame(holds(bench), []);
});

t.test("a shard whose tables cannot be written is not held, and goes on", async (t) => {
  const { bench, tables, shard } = await openHeld();
  await bench.ask(a, { kind: "add", by: 1 });
  tables.failAll(new PortError("the disk is full", true));
  shard?.handle({ kind: "hold", number: 1 });
  await rounds();
  t.strictSame(holds(bench), []);
  t.strictSame(await bench.ask(a, { kind: "add", by: 1 }), { kind: "counted", count: 2 });
});
