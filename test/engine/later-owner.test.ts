/**
 * Tests that records which a later owner released are not replaced when the log has lost them: by a
 * node that owned the shard before, and was away meanwhile or did not hear of that owner; and that
 * no node becomes such an owner for which the others would not look.
 */
import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryLog } from "../../engine/adapters/memory/memory-log.ts";
import { MemoryPeers } from "../../engine/adapters/memory/memory-peers.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { noHash } from "../../engine/record.ts";
import { LatestOwner } from "../../engine/shard/latest-owner.ts";
import { OwnedLog } from "../../engine/shard/log/owned-log.ts";
import { noPosition } from "../../engine/shard/replica.ts";
import { Standbys } from "../../engine/shard/standbys.ts";
import { ClusterHouse, type ClusterNode } from "./cluster-house.ts";
import { sealRecord } from "./sealed.ts";
import { counterKey, idle } from "./toys.ts";

const counter = counterKey(1, "a");
const add = { kind: "add", by: 1 } as const;
const look = { kind: "look" } as const;

/** The first node owns the shard and has written once; the others follow it. */
async function openThree() {
  const house = new ClusterHouse(["a", "b", "c"]);
  const [first, second, third] = house.nodes as [ClusterNode, ClusterNode, ClusterNode];
  first.start();
  await house.pass(500);
  for (const node of [second, third]) node.start();
  await house.pass(2_000);
  await first.ask(counter, add);
  await house.pass(2_000);
  const { logSeq } = await house.log.open().end();
  return { house, first, second, third, logSeq };
}

t.test(
  "a node that handed its shard over refills no log before all members are heard",
  async (t) => {
    const { house, first, second, third } = await openThree();
    second.kill();
    first.stop();
    await house.pass(1_000);
    t.match(await third.ask(counter, add), { count: 2 });
    third.kill();
    house.log.lose(0);
    first.start();
    second.start();
    await house.pass(15_000);
    t.strictSame(house.owners, []);
    t.match(first.wait, { reason: "nodes", missing: ["c"] });
    third.start();
    await house.pass(15_000);
    t.match(await house.nodes[house.owners[0] ?? 0]?.ask(counter, look), { count: 2 });
  },
);

t.test("the last owner that starts anew listens while a member is not heard", async (t) => {
  const { house, first, second, third, logSeq } = await openThree();
  first.kill();
  second.kill();
  await house.pass(10_000);
  t.match(await third.ask(counter, add), { count: 2 });
  third.kill();
  house.log.lose(logSeq);
  third.start();
  await house.pass(5_250);
  t.strictSame(house.owners, [], "most members are down");
  first.start();
  second.start();
  await house.pass(15_000);
  t.match(await house.nodes[house.owners[0] ?? 0]?.ask(counter, look), { count: 2 });
});

t.test("without a quorum, a later owner counts although it is silent", async (t) => {
  const clock = new ManualClock(0);
  const peers = new MemoryPeers();
  const other = peers.open(() => false);
  const survey = (forgotten: readonly string[], isQuorum: boolean) => {
    const owner = { node: "a", nonce: "a 1", store: "store", members: ["a", "b", "c"], isQuorum };
    const standbys = new Standbys(
      0,
      "a",
      forgotten,
      peers.open(() => false),
      clock,
      new LatestOwner("a", memoryTables()),
    );
    const later = { node: "c", state: "owning", epoch: 2, seq: 5, owner: "c", nonce: "c 1" };
    other.announce(later as Parameters<typeof other.announce>[0]);
    clock.advance(60_000);
    return standbys.survey({ ...noPosition, epoch: 1, seq: 9 }, owner).ahead;
  };
  t.match(survey([], false), [{ node: "c", epoch: 2 }]);
  t.strictSame(survey(["c"], false), [], "the operator has forgotten it");
  t.strictSame(survey([], true), [], "what was released is on another member's disk too");
});

t.test("a node that starts anew remembers the later owner", async (t) => {
  const { house, first, second, third, logSeq } = await openThree();
  first.kill();
  second.kill();
  await house.pass(10_000);
  t.match(await third.ask(counter, add), { count: 2 });
  house.log.lose(logSeq);
  third.kill();
  for (const node of house.nodes) node.start();
  await house.pass(1_500);
  for (const node of house.nodes) node.kill();
  first.start();
  second.start();
  await house.pass(30_000);
  t.strictSame(house.owners, []);
  t.match(first.wait, { reason: "ahead", ahead: [{ node: "c", epoch: 2 }] });
  third.start();
  await house.pass(15_000);
  t.match(await house.nodes[house.owners[0] ?? 0]?.ask(counter, look), { count: 2 });
});

t.test("a later owner that has lost its disk is not waited for", async (t) => {
  const tables = memoryTables();
  const heard = { node: "c", state: "owning", epoch: 2, seq: 5, owner: "c", nonce: "c 1" } as const;
  const latestOwner = new LatestOwner("a", tables);
  latestOwner.note(heard);
  await idle();
  t.match(new LatestOwner("a", tables).heard, { node: "c", epoch: 2, seq: 5 });
  latestOwner.note({ ...heard, state: "following", epoch: 1 });
  await idle();
  t.equal(new LatestOwner("a", tables).heard, undefined);
});

/** The first node owns the shard and has just heard that the second, which is new, follows it. */
async function openNewcomer() {
  const house = new ClusterHouse(["a", "b"]);
  const [first, newcomer] = house.nodes as [ClusterNode, ClusterNode];
  first.start();
  await house.pass(1_000);
  await first.ask(counter, add);
  let isHeard = false;
  house.peers.open().onAnnounced(({ node, nonce }) => {
    isHeard ||= node === "b" && nonce !== undefined;
  });
  newcomer.start();
  while (!isHeard) await house.pass(10);
  return { house, first, newcomer };
}

t.test("a node that is no member yet does not take over", async (t) => {
  const { house, first, newcomer } = await openNewcomer();
  first.kill();
  await house.pass(20_000);
  t.strictSame(house.owners, []);
  t.notOk(newcomer.events.includes("standby"));
  t.match(newcomer.wait, { reason: "nodes", missing: ["a"] });
  first.start();
  await house.pass(10_000);
  t.match(await house.nodes[house.owners[0] ?? 1]?.ask(counter, look), { count: 1 });
});

t.test("the record alone that makes a node a member does not make it a standby", async (t) => {
  const { house, first, newcomer } = await openNewcomer();
  const { logSeq } = await house.log.open().end();
  while ((await house.log.open().end()).logSeq === logSeq) await house.pass(10);
  first.kill();
  await house.pass(20_000);
  t.strictSame(house.owners, [], "it may not be on the owner's disk");
  t.notOk(newcomer.events.includes("standby"));
});

t.test("a new node is a standby a second after its owner has heard of it", async (t) => {
  const { house, first, newcomer } = await openNewcomer();
  await house.pass(1_100);
  t.ok(newcomer.events.includes("standby"));
  first.kill();
  await house.pass(10_000);
  t.match(await newcomer.ask(counter, look), { count: 1 });
});

t.test("an owner that stops hands over to a node that it has heard only now", async (t) => {
  const { house, first, newcomer } = await openNewcomer();
  first.stop();
  await house.pass(1_000);
  t.strictSame(house.owners, [1]);
  t.match(await newcomer.ask(counter, look), { count: 1 });
});

t.test("a standby that stood still listens for 3 s before it takes over", async (t) => {
  const { house, first } = await openThree();
  first.kill();
  house.clock.advance(20_000);
  await house.pass(2_900);
  t.strictSame(house.owners, []);
  await house.pass(3_100);
  t.equal(house.owners.length, 1);
});

t.test("a standby that hears none of several other nodes waits 4 s longer", async (t) => {
  const { house, first, second, third } = await openThree();
  first.kill();
  second.kill();
  await house.pass(8_500);
  t.strictSame(house.owners, [], "3 s of silence, 4 s more, 2 s of the lease");
  await house.pass(1_500);
  t.strictSame(house.owners, [2]);
  t.match(await third.ask(counter, look), { count: 1 });
});

t.test("an owner that stood still hears of its successor before it appends", async (t) => {
  const clock = new ManualClock(0);
  let isSuperseded = false;
  const owned = new OwnedLog(new MemoryLog().open(), clock, "a 1", false, () => isSuperseded);
  const order = (seq: number) => ({ shard: 0, epoch: 1, seq, atMs: 0 });
  const first = sealRecord(order(1), {}, noHash);
  clock.advance(1);
  await owned.append(first.bytes, order(1), 0);
  clock.advance(60_000);
  let end: unknown;
  const second = sealRecord(order(2), {}, first.hash);
  owned.append(second.bytes, order(2), 1).catch((error: Error) => {
    end = error.message;
  });
  await idle();
  isSuperseded = true;
  clock.advance(1_000);
  await idle();
  t.equal(end, "another node has owned the shard since");
});
