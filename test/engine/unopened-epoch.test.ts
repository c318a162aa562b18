/**
 * Tests that an owner which has begun, and answered nothing, does not count as the one that knows
 * most when the log has taken its first record and lost it again.
 */
import t from "tap";
import { MemoryLog } from "../../engine/adapters/memory/memory-log.ts";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import type { LogEntry } from "../../engine/ports/log.ts";
import { type Owner, ownerKey, type Position, positionKey } from "../../engine/shard/flush.ts";
import { LatestOwner } from "../../engine/shard/latest-owner.ts";
import { findPlace } from "../../engine/shard/log/log-place.ts";
import { undoUnopened } from "../../engine/shard/log/unopened-epoch.ts";
import { Replica, readPosition } from "../../engine/shard/replica.ts";
import { ClusterHouse, type ClusterNode } from "./cluster-house.ts";
import { counterKey, toys } from "./toys.ts";

const counter = counterKey(1, "a");
const add = { kind: "add", by: 1 } as const;
const look = { kind: "look" } as const;

/**
 * `first` owned the shard and answered what only its disk and the log had. The log hid that from
 * `second`, which began an epoch there, and then the log has what it hid in the place of that. All
 * nodes are down.
 */
async function openForked(isFollowed: boolean) {
  const house = new ClusterHouse(["a", "b", "c"]);
  const [first, second, third] = house.nodes as [ClusterNode, ClusterNode, ClusterNode];
  for (const node of house.nodes) {
    node.start();
    await house.pass(500);
  }
  await house.pass(4_000);
  const log = house.log.open();
  const { logSeq: knownSeq } = await log.end();
  second.isDeaf = true;
  third.isDeaf = true;
  await first.ask(counter, add);
  first.kill();
  const hidden: LogEntry[] = [];
  const { logSeq: endSeq } = await log.end();
  for (let at = knownSeq + 1; at <= endSeq; at++) hidden.push((await log.at(at)) as LogEntry);
  house.log.lose(knownSeq);
  second.isDeaf = false;
  third.isDeaf = !isFollowed;
  while ((await log.end()).logSeq === knownSeq) await house.pass(50);
  await house.pass(500);
  second.kill();
  third.kill();
  third.isDeaf = false;
  house.log.lose(knownSeq);
  for (const { logSeq, record } of hidden) await log.publish(record, `again ${logSeq}`, logSeq - 1);
  return { house, first, second, third };
}

t.test("the owner before goes on with all that it has answered", async (t) => {
  for (const isFollowed of [false, true]) {
    const { house, first, second, third } = await openForked(isFollowed);
    for (const node of [second, third, first]) node.start();
    await house.pass(20_000);
    const [owner] = house.owners;
    t.equal(house.owners.length, 1);
    t.match(await house.nodes[owner ?? 0]?.ask(counter, look), { count: 1 });
    first.kill();
    await house.pass(15_000);
    const [next] = house.owners;
    t.match(await house.nodes[next ?? 0]?.ask(counter, look), { count: 1 }, "the others have it");
  }
});

t.test("a log without records that was begun anew before is refilled", async (t) => {
  const before: Position = { seq: 5, logSeq: 2, epoch: 1, atMs: 0, hash: "a".repeat(64) };
  const first: Position = { seq: 6, logSeq: 6, epoch: 2, atMs: 0, hash: "b".repeat(64) };
  const named = { node: "b", nonce: "n", store: "s", members: ["a", "b"], isQuorum: false };
  const owner: Owner = { ...named, before: { position: before, owner: { ...named, node: "a" } } };
  const tables = memoryTables();
  await tables.write([
    [positionKey, JSON.stringify(first)],
    [ownerKey, JSON.stringify(owner)],
  ]);
  const log = new MemoryLog().open();
  for (const at of [1, 2, 3]) await log.publish(new Uint8Array([at]), `${at}`, at - 1);
  await log.trim(3);
  const latestOwner = new LatestOwner("b", tables);
  const parts = { node: "b", log, journal: memoryJournal(), tables, latestOwner };
  const replica = new Replica({ shard: 0, shardCount: 1 }, tables, toys, 0);
  t.equal(await undoUnopened(parts, replica), true);
  t.match(readPosition(tables), { seq: 5, epoch: 1 });
  t.strictSame(await findPlace(log, readPosition(tables)), { kind: "short" });
});
