/** With a quorum, an answered write is on two disks: one may be lost together with the log. */
import t from "tap";
import { PortError } from "../../engine/ports/port-error.ts";
import { ClusterHouse, type ClusterNode } from "./cluster-house.ts";
import { createHeldJournal } from "./held-journal.ts";
import { counterKey } from "./toys.ts";

const counter = counterKey(1, "a");
const add = { kind: "add", by: 1 } as const;
const look = { kind: "look" } as const;

/** Opens a cluster in which the first node owns the shard and the others follow it. */
async function openQuorum(names: readonly string[], shard = 0) {
  const house = new ClusterHouse(names);
  const [first, ...others] = house.nodes as [ClusterNode, ...ClusterNode[]];
  for (const node of house.nodes) Object.assign(node, { isQuorum: true, shard });
  first.start();
  await house.pass(500);
  for (const node of others) node.start();
  await house.pass(2_000);
  return { house, first, others };
}

/** Loses the log and the disks of these nodes: nothing more can be read from them. */
function lose(house: ClusterHouse, ...nodes: readonly ClusterNode[]): void {
  house.log.lose();
  for (const node of nodes) node.loseDisk();
}

t.test("a write is answered when a standby has it, without waiting for its tick", async (t) => {
  const { first } = await openQuorum(["a", "b"]);
  t.match(await first.ask(counter, add), { count: 1 });
  t.match(await first.ask(counter, add), { count: 2 });
});

t.test("without a standby a write has no answer, and the owner keeps its lease", async (t) => {
  const { house, first, others } = await openQuorum(["a", "b"]);
  const [standby] = others as [ClusterNode];
  standby.kill();
  t.equal(await first.ask(counter, add), undefined);
  t.notOk(first.events.includes("unconfirmed"));
  await house.pass(6_000);
  t.ok(first.events.includes("unconfirmed"), "who waited is told so");
  t.strictSame(await first.ask(counter, look), { kind: "busy" }, "and who asks anew");
  await house.pass(20_000);
  t.strictSame(house.owners, [0]);
  t.strictSame(first.ends, []);
  standby.start();
  await house.pass(2_000);
  t.match(await first.ask(counter, look), { count: 1 }, "it was decided once");
});

t.test("an owner that waits for a standby has rows for one that needs a snapshot", async (t) => {
  const { house, first, others } = await openQuorum(["a", "b"]);
  const [standby] = others as [ClusterNode];
  standby.kill();
  standby.loseDisk();
  t.equal(await first.ask(counter, add), undefined);
  await house.pass(6_000);
  const log = house.log.open();
  await log.trim((await log.end()).logSeq - 1);
  standby.start();
  await house.pass(15_000);
  t.equal(standby.wait, undefined);
  t.match(await first.ask(counter, look), { count: 1 });
});

t.test("what was answered outlives the log and the owner's disk", async (t) => {
  const { house, first, others } = await openQuorum(["a", "b", "c"]);
  const [second, third] = others as [ClusterNode, ClusterNode];
  await house.pass(2_000);
  third.isCutOff = true;
  t.match(await first.ask(counter, add), { count: 1 });
  for (const node of house.nodes) node.kill();
  lose(house, first);
  third.isCutOff = false;
  third.start();
  await house.pass(20_000);
  t.strictSame(house.owners, [], "one of three members does not know what the others have");
  second.start();
  await house.pass(10_000);
  t.strictSame(house.owners, [1], "who knows most goes on");
  t.match(await second.ask(counter, look), { count: 1 });
});

t.test("of nodes that know the same one goes on when all were down", async (t) => {
  const { house, first, others } = await openQuorum(["a", "b", "c"]);
  const [second, third] = others as [ClusterNode, ClusterNode];
  t.match(await first.ask(counter, add), { count: 1 });
  await house.pass(1_000);
  for (const node of house.nodes) node.kill();
  second.start();
  third.start();
  await house.pass(10_000);
  t.equal(house.owners.length, 1, "also without the last owner");
  const owner = second.owns ? second : third;
  t.match(await owner.ask(counter, add), { count: 2 });
  t.strictSame([second.ends, third.ends], [[], []]);
});

t.test("a member goes on beside a node that has only read the same log", async (t) => {
  // The names vary which of the two other nodes would come first for the shard.
  for (const name of ["c", "d", "e", "f", "g", "h"]) {
    const house = new ClusterHouse(["a", "b", name]);
    const [first, second, third] = house.nodes as [ClusterNode, ClusterNode, ClusterNode];
    for (const node of house.nodes) node.isQuorum = true;
    first.start();
    await house.pass(500);
    second.start();
    await house.pass(600);
    t.match(await first.ask(counter, add), { count: 1 });
    for (const node of [first, second]) node.kill();
    lose(house, first);
    second.forgotten = ["a"];
    third.isFounder = false;
    for (const node of [second, third]) node.start();
    await house.pass(20_000);
    t.equal(house.owners.length, 1, name);
    const owner = second.owns ? second : third;
    t.match(await owner.ask(counter, look), { count: 1 });
  }
});

t.test("a standby that starts beside a living owner leaves the shard to it", async (t) => {
  const { house, first, others } = await openQuorum(["a", "b", "c"]);
  const [second, third] = others as [ClusterNode, ClusterNode];
  for (const node of [second, third, second, third]) {
    node.kill();
    await house.pass(300);
    node.start();
    await house.pass(700);
  }
  await house.pass(10_000);
  t.strictSame(house.owners, [0]);
  t.strictSame(first.ends, []);
});

t.test("a standby that comes later counts once the members before know of it", async (t) => {
  const house = new ClusterHouse(["a", "b", "c", "d"]);
  const [a, b, c, d] = house.nodes as [ClusterNode, ClusterNode, ClusterNode, ClusterNode];
  for (const node of house.nodes) node.isQuorum = true;
  for (const node of [a, b, c]) node.start();
  await house.pass(500);
  for (const node of [a, b, c]) if (node.ends.length > 0) node.start();
  await house.pass(5_000);
  const owner = house.nodes[house.owners[0] ?? 0] as ClusterNode;
  for (const node of [a, b, c]) if (node !== owner) node.isCutOff = true;
  d.start();
  await house.pass(3_000);
  t.equal(await owner.ask(counter, add), undefined, "two of the three could not know of it");
  for (const node of [a, b, c]) node.isCutOff = false;
  await house.pass(2_000);
  t.match(await owner.ask(counter, look), { count: 1 });
});

t.test("an owner that is stopped while no standby is there ends", async (t) => {
  const { house, first, others } = await openQuorum(["a", "b"]);
  const [standby] = others as [ClusterNode];
  standby.kill();
  await first.ask(counter, add);
  first.stop();
  await house.pass(7_000);
  t.strictSame(first.ends, ["stopped"]);
  standby.start();
  first.start();
  await house.pass(5_000);
  t.match(await first.ask(counter, look), { count: 1 }, "what had no answer is there");
});

t.test(
  "what rests on a dead owner's last records is answered when they are on two disks",
  async (t) => {
    const { house, first, others } = await openQuorum(["a", "b"]);
    const [second] = others as [ClusterNode];
    await first.ask(counter, add);
    first.kill();
    await house.pass(7_000);
    t.strictSame(house.owners, [1]);
    t.equal(await second.ask(counter, look), undefined);
    first.start();
    await house.pass(2_000);
    t.match(await second.ask(counter, look), { count: 1 });
  },
);

t.test("rows that are on one disk alone are not read from an owner that starts anew", async (t) => {
  const { house, first, others } = await openQuorum(["a", "b", "c"]);
  t.match(await first.ask(counter, add), { count: 1 });
  await house.pass(2_000);
  for (const node of others) node.kill();
  t.equal(await first.ask(counter, add), undefined);
  t.ok(first.isRead);
  first.kill();
  first.start();
  // The others are heard, and cannot write what the log holds to their disks.
  for (let turn = 0; turn < 20; turn++) {
    for (const node of others) {
      const journal = createHeldJournal(node.journal);
      journal.failNext(new PortError("the disk fails", true));
      node.journal = journal;
      node.start();
    }
    await house.pass(500);
  }
  t.strictSame(house.owners, [0]);
  t.notOk(first.isRead);
  for (const node of others) node.start();
  await house.pass(2_000);
  t.ok(first.isRead);
  t.match(await first.ask(counter, look), { count: 2 });
});

t.test("what waits for a standby is not in the tables, from which anybody may read", async (t) => {
  const { house, first, others } = await openQuorum(["a", "b"]);
  const [standby] = others as [ClusterNode];
  t.match(await first.ask(counter, add), { count: 1 });
  // The next flush is due before the owner gives up waiting.
  await house.pass(6_000);
  const released = first.tables.get(counter);
  t.ok(released);
  standby.kill();
  t.equal(await first.ask(counter, add), undefined);
  await house.pass(4_000);
  t.equal(first.tables.get(counter), released);
  standby.start();
  await house.pass(5_000);
  t.match(await first.ask(counter, look), { count: 2 });
});

t.test(
  "what waits for a standby is not read from an owner of the directory that stops",
  async (t) => {
    const { house, first, others } = await openQuorum(["a", "b"], 1);
    const [standby] = others as [ClusterNode];
    t.match(await first.ask(counter, add), { count: 1 });
    const released = first.tables.get(counter);
    standby.kill();
    t.equal(await first.ask(counter, add), undefined);
    await house.pass(6_000);
    t.ok(first.isRead);
    first.stop();
    await house.pass(1_000);
    t.strictSame(first.ends, ["stopped"]);
    t.not(first.tables.get(counter), released, "the end brings all rows into the tables");
    t.notOk(first.isRead);
  },
);
