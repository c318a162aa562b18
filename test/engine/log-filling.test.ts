/**
 * Tests that a log that has lost records is put together again by one node, however many want to,
 * and that nothing that a silent owner answered is lost by it.
 */
import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryLog } from "../../engine/adapters/memory/memory-log.ts";
import { memoryJournal } from "../../engine/adapters/memory/memory-stores.ts";
import type { Log } from "../../engine/ports/log.ts";
import type { Announcement } from "../../engine/ports/peers.ts";
import { LogFilling } from "../../engine/shard/log/log-filling.ts";
import { describeWait } from "../../engine/shard/waiting.ts";
import { ClusterHouse, type ClusterNode } from "./cluster-house.ts";
import { counterKey, idle } from "./toys.ts";

const records = [1, 2, 3, 4, 5, 6].map((seq) => ({ seq, record: Uint8Array.of(seq) }));

async function openFilling() {
  const clock = new ManualClock(0);
  const servers = new MemoryLog();
  const log = servers.open();
  const journal = memoryJournal();
  for (const { seq, record } of records) await journal.append(seq, record);
  for (const after of [0, 1]) await log.publish(Uint8Array.of(9), `left over ${after}`, after);
  return { clock, servers, log, journal, filling: new LogFilling(log, clock) };
}

/** Passes that time while the log is looked at every 500 ms. */
async function watchFor(ms: number, clock: ManualClock, filling: LogFilling): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= 500) {
    clock.advance(500);
    await filling.watch();
  }
}

t.test("a log is emptied when its end has stood still for two seconds", async (t) => {
  const { clock, log, journal, filling } = await openFilling();
  await filling.watch();
  await watchFor(1_500, clock, filling);
  t.equal(await filling.fill(journal, "b", false), undefined);
  t.equal((await log.end()).logSeq, 2);
  await log.publish(Uint8Array.of(9), "another node's", 2);
  await watchFor(2_000, clock, filling);
  t.equal(await filling.fill(journal, "b", false), undefined, "it has moved meanwhile");
  t.equal((await log.end()).logSeq, 3);
  await watchFor(500, clock, filling);
  t.equal(await filling.fill(journal, "b", false), 6);
  t.strictSame(await log.end(), { logSeq: 6, record: Uint8Array.of(6) });
});

t.test("a log whose servers know of more than one of them shows is left alone", async (t) => {
  const { clock, log, journal } = await openFilling();
  const old = await log.end();
  await log.publish(Uint8Array.of(3), "an owner's that is gone", old.logSeq);
  const filling = new LogFilling({ ...log, end: async () => old }, clock);
  await filling.watch();
  await watchFor(2_000, clock, filling);
  t.equal(await filling.fill(journal, "b", false), undefined);
  t.equal((await log.end()).logSeq, 3);
});

t.test("behind a fence a log is filled when it has been empty for three seconds", async (t) => {
  const { clock, log, journal, filling } = await openFilling();
  await filling.watch();
  await watchFor(2_000, clock, filling);
  t.equal(await filling.fill(journal, "b", true), undefined);
  t.equal((await log.end()).logSeq, 0, "a silent owner's next record has no place any more");
  await watchFor(3_000, clock, filling);
  t.equal(await filling.fill(journal, "b", true), undefined);
  await watchFor(500, clock, filling);
  t.equal(await filling.fill(journal, "b", true), 6);
});

t.test("a fence that was not watched for more than a second counts anew", async (t) => {
  const { clock, servers, journal, filling } = await openFilling();
  servers.lose();
  await filling.watch();
  await watchFor(2_500, clock, filling);
  clock.advance(1_001);
  await filling.watch();
  t.equal(await filling.fill(journal, "b", true), undefined);
  await watchFor(3_500, clock, filling);
  t.equal(await filling.fill(journal, "b", true), 6);
});

t.test("a node that takes long to fill a log is left alone by the others", async (t) => {
  const { clock, servers, log, journal, filling } = await openFilling();
  servers.lose();
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const slow: Log = {
    ...log,
    publish: async (record, id, after) => {
      await wait(1_500);
      return log.publish(record, id, after);
    },
  };
  const first = new LogFilling(slow, clock);
  await first.watch();
  const filled = first.fill(journal, "a", false);
  await filling.watch();
  for (let passedMs = 0; passedMs < 8_500; passedMs += 500) {
    await watchFor(500, clock, filling);
    await idle();
    if (passedMs >= 1_500) t.equal(await filling.fill(journal, "b", true), undefined);
  }
  await watchFor(500, clock, filling);
  t.equal(await filled, 6);
});

t.test("of two nodes that fill an empty log the one whose record is first does", async (t) => {
  const { clock, servers, log, journal, filling } = await openFilling();
  servers.lose();
  const other = new LogFilling(log, clock);
  for (const one of [filling, other]) await one.watch();
  const both = [filling.fill(journal, "a", false), other.fill(journal, "b", false)];
  t.strictSame(await Promise.all(both), [6, undefined]);
  t.equal((await log.end()).logSeq, 6);
});

const counter = counterKey(1, "a");

/**
 * The log has lost its end; `b` has the same records as `a`, which owned the shard, comes first and
 * says so without going on. Resolves when `b` has emptied the log.
 */
async function openEmptied() {
  const house = new ClusterHouse(["a", "b"]);
  const [first, second] = house.nodes as [ClusterNode, ClusterNode];
  const log = house.log.open();
  const { announce, onAnnounced } = house.peers.open();
  let last: Announcement | undefined;
  onAnnounced((announcement) => {
    if (announcement.node === "b") last = announcement;
  });
  first.start();
  await house.pass(500);
  second.start();
  await house.pass(2_000);
  await first.ask(counter, { kind: "add", by: 1 });
  await house.pass(500);
  for (const node of [first, second]) node.kill();
  house.log.lose((await log.end()).logSeq - 2);
  second.start();
  const pass = async (more: number) => {
    await house.pass(100);
    if (last !== undefined) announce({ ...last, node: "a", seq: last.seq + more });
  };
  await pass(0);
  let passedMs = 0;
  for (; passedMs < 15_000 && (await log.end()).logSeq > 0; passedMs += 100) await pass(0);
  return { house, log, second, pass, passedMs };
}

t.test("a standby fills a log three seconds after it has emptied it", async (t) => {
  const { house, log, second, pass, passedMs } = await openEmptied();
  t.ok(passedMs >= 2_000 && passedMs < 6_000, "the last owner's turn has passed");
  for (let fencedMs = 0; fencedMs < 3_000; fencedMs += 100) {
    t.equal((await log.end()).logSeq, 0);
    await pass(0);
  }
  const said = second.wait && describeWait("1", second.wait);
  t.match(said, /^Shard 1 has no owner: .* and the log, which had lost .*, is being refilled\.$/);
  for (let leftMs = 3_000; leftMs > 0; leftMs -= 100) await pass(0);
  t.strictSame(house.owners, [1]);
  t.match(await second.ask(counter, { kind: "look" }), { count: 1 });
});

t.test("a last owner that has answered more is heard before a standby fills the log", async (t) => {
  const { house, log, second, pass } = await openEmptied();
  for (let passedMs = 0; passedMs < 10_000; passedMs += 100) await pass(1);
  t.equal((await log.end()).logSeq, 0);
  t.strictSame(house.owners, []);
  t.match(second.wait, { reason: "ahead", ahead: [{ node: "a" }] });
});
