/** A shard whose stores cannot be written can be read, and opens when they can be (C10). */

import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { Opening } from "../../engine/shard/opening.ts";
import { openShard } from "../../engine/shard/ownership.ts";
import type { ShardOutlets } from "../../engine/shard/shard-ports.ts";
import type { ShardEvent } from "../../engine/wire.ts";
import { failingTables } from "./failing-tables.ts";
import { counterKey, idle, openBench, readTexts, toys } from "./toys.ts";

const counter = counterKey(1, "a");
const full = new PortError("could not write the tables", true);

/** Opens a one-shard store on a full disk, with a record that no pass has moved to the tables. */
async function stage() {
  const tables = failingTables(memoryTables());
  const journal = memoryJournal();
  const bench = await openBench({ disks: [{ journal, tables }] });
  await bench.ask(counter, { kind: "add", by: 3 });
  tables.failAll(full);
  const clock = new ManualClock(bench.clock.nowMs());
  const events: ShardEvent[] = [];
  const passes: unknown[] = [];
  const stores = { clock, journal, tables, startMs: clock.nowMs() };
  const owner = {
    node: "node",
    nonce: "nonce",
    store: "store",
    members: ["node"],
    isQuorum: false,
  };
  const outlets: ShardOutlets = {
    event: (event) => events.push(event),
    deliver: () => {},
    brokenStep: () => {},
    report: () => {},
    flushes: (error) => passes.push(error),
  };
  const place = { shard: 0, shardCount: 1 };
  const open = () => openShard(place, toys, stores, { owner }, outlets);
  const opening = new Opening(open, stores, outlets);
  const opened = opening.run();
  await idle();
  return { tables, clock, events, passes, opening, opened };
}

t.test("while the tables refuse, the shard can be read, once told", async (t) => {
  const { clock, events, passes, opening, opened } = await stage();
  clock.advance(1_000);
  await idle();
  const [only, ...others] = events;
  t.strictSame(others, []);
  const records = only?.kind === "readable" ? only.records : [];
  const keys = records.flatMap((record) => readTexts(record).map(([key]) => key));
  t.strictSame(keys, [counter], "with what is durable and not in the tables");
  t.strictSame(passes, [full]);
  opening.stop();
  t.equal(await opened, undefined);
});

t.test("when they take writes again, it opens", async (t) => {
  const { tables, clock, events, passes, opened } = await stage();
  tables.failAll();
  clock.advance(1_000);
  const shard = await opened;
  t.strictSame(
    events.map(({ kind }) => kind),
    ["readable", "opened"],
  );
  t.strictSame(passes, [full, undefined]);
  shard?.stop();
  await shard?.run();
});

t.test("what no later attempt mends is thrown", async (t) => {
  const { tables, clock, opened } = await stage();
  tables.failAll(new Error("a bug"));
  clock.advance(1_000);
  await t.rejects(opened, { message: "a bug" });
});
