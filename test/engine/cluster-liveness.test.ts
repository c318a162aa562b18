/**
 * Tests that a shard without an owner gets one from the records that its members have, no matter
 * which node owned it last and what the NATS servers lost, and that meanwhile each node reports
 * what it waits for.
 */
import t from "tap";
import { describeWait } from "../../engine/shard/waiting.ts";
import { ClusterHouse, type ClusterNode } from "./cluster-house.ts";
import { counterKey } from "./toys.ts";

const counter = counterKey(1, "a");
const add = { kind: "add", by: 1 } as const;
const look = { kind: "look" } as const;

type Three = [ClusterNode, ClusterNode, ClusterNode];

/** The first node owns the shard and has written once; the others follow it. */
async function openThree() {
  const house = new ClusterHouse(["a", "b", "c"]);
  const [first, second, third] = house.nodes as Three;
  first.start();
  await house.pass(500);
  for (const node of [second, third]) node.start();
  await house.pass(2_000);
  await first.ask(counter, add);
  await house.pass(2_000);
  return { house, first, second, third };
}

function start(...nodes: readonly ClusterNode[]): void {
  for (const node of nodes) node.start();
}

function kill(...nodes: readonly ClusterNode[]): void {
  for (const node of nodes) node.kill();
}

function getOwner(house: ClusterHouse): ClusterNode | undefined {
  return house.nodes[house.owners[0] ?? -1];
}

/** All nodes are down. The last record was never acknowledged; only the standbys have it. */
async function openStuck() {
  const { house, first, second, third } = await openThree();
  const { append } = first.journal;
  first.journal.append = () => new Promise(() => {});
  await house.pass(1_000);
  kill(first);
  await house.pass(1_500);
  kill(second, third);
  first.journal.append = append;
  return { house, first, second, third };
}

t.test("of members that are heard the one with the most records goes on", async (t) => {
  for (const isLost of [false, true]) {
    const { house, first, second, third } = await openStuck();
    const { logSeq } = await house.log.open().end();
    if (isLost) house.log.lose(logSeq - 3);
    start(first, second, third);
    await house.pass(15_000);
    t.equal(house.owners.length, 1);
    t.equal(house.owners[0] === 0, !isLost, "the last owner, unless others have more");
    t.match(await getOwner(house)?.ask(counter, add), { count: 2 });
    await house.pass(3_000);
    kill(getOwner(house) as ClusterNode);
    await house.pass(10_000);
    t.match(await getOwner(house)?.ask(counter, look), { count: 2 }, "the others follow it");
  }
});

t.test("what the log has and does not deliver is read from it", async (t) => {
  const { house, first, second, third } = await openThree();
  kill(second, third);
  second.isDeaf = true;
  start(second);
  await first.ask(counter, add);
  await house.pass(5_000);
  kill(first);
  await house.pass(10_000);
  t.match(await second.ask(counter, look), { count: 2 });
});

t.test("a log that begins behind every record that is left is begun anew", async (t) => {
  const { house, first, second, third } = await openThree();
  kill(first, second, third);
  const log = house.log.open();
  const { logSeq, record = new Uint8Array() } = await log.end();
  await log.publish(record, "an entry that leads on from nothing", logSeq);
  await log.publish(record, "and one behind it", logSeq + 1);
  await log.trim(logSeq + 1);
  start(first, second, third);
  await house.pass(15_000);
  t.match(await getOwner(house)?.ask(counter, add), { count: 2 });
});

t.test("a node that drains gives back what it alone has, and then the shard", async (t) => {
  const { house, first, second, third } = await openStuck();
  const { logSeq } = await house.log.open().end();
  house.log.lose(logSeq - 3);
  second.isDraining = true;
  third.loseDisk();
  start(first, second);
  await house.pass(25_000);
  t.strictSame(house.owners, [0]);
  t.match(await first.ask(counter, look), { count: 1 });
});

t.test("a shard that waits says after five seconds what for, and when that is over", async (t) => {
  const { house, first, second, third } = await openThree();
  kill(first, second, third);
  start(second, third);
  await house.pass(4_000);
  t.equal(second.wait, undefined);
  await house.pass(4_000);
  t.match(second.wait, { reason: "nodes", owner: "a", missing: ["a"], ahead: [] });
  const said = second.wait && describeWait("1", second.wait);
  t.match(said, /^Shard 1 has no owner: this node has records up to \d+ \(epoch 1\)/);
  t.match(said, /; nodes that do not answer may have records after \d+: a, the last owner/);
  t.match(said, /Start them\..* `klieg shard rebuild 1`\.$/);
  start(first);
  await house.pass(5_000);
  t.strictSame(house.owners, [0]);
  t.equal(second.wait, undefined);
});

t.test("a node that is cut off from the log says so", async (t) => {
  const { house, second } = await openThree();
  second.isCutOff = true;
  await house.pass(15_000);
  t.match(second.wait, { reason: "log" });
  second.isCutOff = false;
  await house.pass(3_000);
  t.equal(second.wait, undefined);
});

t.test("a node that has waited says that it no longer does once it owns the shard", async (t) => {
  const { house, first, second, third } = await openStuck();
  const { logSeq } = await house.log.open().end();
  house.log.lose(logSeq - 3);
  start(second, third);
  await house.pass(8_000);
  t.match([second.wait, third.wait], [{ reason: "nodes" }, { reason: "nodes" }]);
  start(first);
  await house.pass(15_000);
  t.strictSame(house.owners, [1]);
  t.strictSame([first.wait, second.wait, third.wait], [undefined, undefined, undefined]);
});

t.test("an owner may be followed by a member with more, also while a third is down", async (t) => {
  const { house, first, second, third } = await openStuck();
  const { logSeq } = await house.log.open().end();
  house.log.lose(logSeq - 1);
  start(first, second);
  await house.pass(15_000);
  t.strictSame(house.owners, [1], "most members are there, and the owner has no more");
  kill(first, second, third);
  house.log.lose();
  start(first);
  await house.pass(10_000);
  t.match(first.wait, { reason: "nodes", missing: ["b"] });
});

t.test("a standby that knows of more than the log leaves the shard to who has it", async (t) => {
  const { house, first, second, third } = await openThree();
  kill(third);
  const { epoch = 0, seq = 0 } = first.reached ?? {};
  const said = { node: "a", state: "owning", owner: "a", nonce: "a 1" } as const;
  house.peers.open().announce({ ...said, epoch, seq: seq + 5 });
  kill(first);
  await house.pass(20_000);
  t.strictSame(house.owners, [], "the log must have lost what the owner had made durable");
  t.match(second.wait, { reason: "ahead", ahead: [{ node: "a" }] });
  start(first, third);
  await house.pass(15_000);
  t.match(await getOwner(house)?.ask(counter, look), { count: 1 });
});

t.test("a new owner says that it is one before the earlier one's lease has ended", async (t) => {
  const house = new ClusterHouse(["a", "b"]);
  const [first, second] = house.nodes as [ClusterNode, ClusterNode];
  first.start();
  await house.pass(500);
  second.start();
  await house.pass(2_000);
  const saidWhileClosed: boolean[] = [];
  house.peers.open().onAnnounced(({ node, state }) => {
    if (node === "b" && state === "owning") saidWhileClosed.push(!second.owns);
  });
  first.kill();
  await house.pass(7_000);
  t.strictSame(saidWhileClosed.slice(0, 2), [true, true]);
  t.ok(second.owns);
});

t.test("what a node has missed of the directory is there before it is read again", async (t) => {
  const house = new ClusterHouse(["a", "b"]);
  const [first, second] = house.nodes as [ClusterNode, ClusterNode];
  for (const node of [first, second]) node.shard = 1;
  first.start();
  await house.pass(500);
  second.start();
  await house.pass(3_000);
  second.isCutOff = true;
  await house.pass(15_000);
  const before = second.events.length;
  second.isCutOff = false;
  await house.pass(700);
  const news = second.events.slice(before).filter((kind) => kind === "applied" || kind === "lease");
  t.strictSame(news, ["applied", "lease"], "some thirty records came before it");
});
