/** Tests shard ownership, and that no acknowledged write is lost, whatever nodes and log suffer. */
import t from "tap";
import { readPosition } from "../../engine/shard/replica.ts";
import { ClusterHouse, type ClusterNode } from "./cluster-house.ts";
import { counterKey } from "./toys.ts";

const counter = counterKey(1, "a");
const add = { kind: "add", by: 1 } as const;
const look = { kind: "look" } as const;

/** The first node owns the shard; the others follow it. */
async function open(names: readonly string[]) {
  const house = new ClusterHouse(names);
  const [first, ...others] = house.nodes as [ClusterNode, ...ClusterNode[]];
  first.start();
  await house.pass(500);
  for (const node of others) node.start();
  await house.pass(2_000);
  return { house, first, others };
}

t.test("of nodes that begin together one owns the shard, and the others follow", async (t) => {
  const house = new ClusterHouse(["a", "b", "c"]);
  for (const node of house.nodes) node.start();
  await house.pass(500);
  t.equal(house.owners.length, 1);
  const [owner = 0] = house.owners;
  for (const [index, node] of house.nodes.entries())
    if (index !== owner) {
      t.strictSame(node.ends, ["OwnershipLost"]);
      node.start();
    }
  await house.pass(10_000);
  t.strictSame(house.owners, [owner], "heartbeats keep it so without work");
});

t.test("a node to which the store came from another begins no shard", async (t) => {
  const house = new ClusterHouse(["a", "b"]);
  const [founder, joiner] = house.nodes as [ClusterNode, ClusterNode];
  joiner.isFounder = false;
  joiner.start();
  await house.pass(10_000);
  t.strictSame(house.owners, []);
  founder.start();
  await house.pass(1_000);
  t.strictSame(house.owners, [0]);
});

t.test(
  "a standby takes over 3 s after the last sign of the owner, and opens 2 s later",
  async (t) => {
    const { house, first, others } = await open(["a", "b"]);
    const [standby] = others as [ClusterNode];
    for (let count = 0; count < 20; count++) await first.ask(counter, add);
    first.kill();
    await house.pass(2_900);
    t.strictSame(standby.events.includes("opened"), false);
    await house.pass(1_900);
    t.strictSame(standby.events.includes("opened"), false, "the lease of the dead owner runs yet");
    await house.pass(700);
    t.match(await standby.ask(counter, look), { count: 20 }, "nothing acknowledged is lost");
    first.start();
    await house.pass(3_000);
    t.strictSame(house.owners, [1], "who comes back follows");
    t.match(await standby.ask(counter, add), { count: 21 });
    standby.kill();
    await house.pass(6_000);
    t.match(await first.ask(counter, look), { count: 21 });
  },
);

t.test("an owner that was away accepts nothing once another has taken over", async (t) => {
  const { house, first, others } = await open(["a", "b"]);
  const [standby] = others as [ClusterNode];
  await first.ask(counter, add);
  first.isCutOff = true;
  t.equal(await first.ask(counter, add), undefined, "what the log has not, has no answer");
  await house.pass(6_000);
  t.match(await standby.ask(counter, add), { count: 2 });
  first.isCutOff = false;
  t.equal(await first.ask(counter, add), undefined);
  await house.pass(200);
  t.strictSame(first.ends, ["OwnershipLost"]);
  first.start();
  await house.pass(2_000);
  t.strictSame(house.owners, [1]);
  t.match(await standby.ask(counter, look), { count: 2 }, "what it had decided is in no history");
});

t.test("an owner that is stopped hands over at once", async (t) => {
  const { house, first, others } = await open(["a", "b"]);
  const [standby] = others as [ClusterNode];
  await first.ask(counter, add);
  first.stop();
  await house.pass(500);
  t.strictSame(first.ends, ["stopped"]);
  t.match(await standby.ask(counter, look), { count: 1 });
});

t.test("who follows is a standby from the owner's next sign on, and takes over", async (t) => {
  const { house, first } = await open(["a", "b"]);
  const [, late] = house.nodes as [ClusterNode, ClusterNode];
  await first.ask(counter, add);
  late.kill();
  late.events.length = 0;
  late.start();
  await house.pass(50);
  t.strictSame(late.events, ["following"], "the owner may have died long ago");
  await house.pass(500);
  t.ok(late.events.includes("standby"));
  first.kill();
  await house.pass(6_000);
  t.match(await late.ask(counter, look), { count: 1 });
});

t.test("a standby has the owner's records in its tables when it is asked to", async (t) => {
  const { house, first, others } = await open(["a", "b"]);
  const [standby] = others as [ClusterNode];
  await first.ask(counter, add);
  const { epoch = 0, seq = 0 } = first.reached ?? {};
  standby.reach(1, seq + 10);
  await house.pass(200);
  t.strictSame(standby.held, [], "the owner has not gone so far");
  standby.reach(2, seq);
  await house.pass(100);
  t.match(standby.held, [{ number: 2, epoch, seq: readPosition(standby.tables).seq }]);
  t.ok(readPosition(standby.tables).seq >= seq);
});

t.test("of two standbys one takes over, and the other follows it", async (t) => {
  const { house, first, others } = await open(["a", "b", "c"]);
  await first.ask(counter, add);
  first.kill();
  await house.pass(7_000);
  t.equal(house.owners.filter((owner) => owner > 0).length, 1);
  for (const node of others) t.strictSame(node.ends, []);
});

t.test(
  "a log that was lost whole is written again by the owner, and nothing is lost",
  async (t) => {
    const { house, first, others } = await open(["a", "b"]);
    const [standby] = others as [ClusterNode];
    for (let count = 0; count < 5; count++) await first.ask(counter, add);
    house.log.isReachable = false;
    await house.pass(2_000);
    house.log.lose();
    house.log.reach();
    await house.pass(1_000);
    t.strictSame(first.ends, ["OwnershipLost"], "its next record has no place");
    first.start();
    await house.pass(5_000);
    t.match(await first.ask(counter, add), { count: 6 });
    await house.pass(2_000);
    first.kill();
    await house.pass(6_000);
    t.match(await standby.ask(counter, look), { count: 6 }, "the standby has all of it again");
  },
);

t.test("nodes that start beside a log that has lost its end wait for who knows more", async (t) => {
  const { house, first, others } = await open(["a", "b", "c"]);
  const [second, third] = others as [ClusterNode, ClusterNode];
  await first.ask(counter, add);
  const before = (await house.log.open().end()).logSeq;
  first.kill();
  await house.pass(7_000);
  const owner = second.owns ? second : third;
  const other = second.owns ? third : second;
  t.match(await owner.ask(counter, add), { count: 2 });
  await house.pass(1_000);
  owner.kill();
  other.kill();
  house.log.lose(before);
  first.start();
  other.start();
  await house.pass(10_000);
  t.strictSame(house.owners, [], "the last owner is not there");
  owner.start();
  await house.pass(5_000);
  t.match(await owner.ask(counter, look), { count: 2 });
  t.strictSame(house.owners.length, 1);
});

t.test("all nodes stopped and started: the last owner goes on", async (t) => {
  const { house, first, others } = await open(["a", "b"]);
  const [standby] = others as [ClusterNode];
  await first.ask(counter, add);
  first.kill();
  standby.kill();
  await house.pass(60_000);
  standby.start();
  await house.pass(20_000);
  t.strictSame(house.owners, [], "a standby alone may know less than the last owner");
  first.start();
  await house.pass(3_000);
  t.strictSame(house.owners, [0]);
  t.match(await first.ask(counter, look), { count: 1 });
});

t.test("a shard without work goes to the live node that comes first for it", async (t) => {
  const { house, first, others } = await open(["a", "b", "c"]);
  await first.ask(counter, add);
  await house.pass(50_000);
  const [owner = 0] = house.owners;
  t.strictSame(house.owners.length, 1);
  const node = house.nodes[owner] as ClusterNode;
  t.match(await node.ask(counter, look), { count: 1 });
  t.not(node, first, "of these names another comes first");
  for (const other of others) if (other !== node) other.kill();
  first.start();
  await house.pass(60_000);
  t.strictSame(house.owners, [owner], "and there it stays");
});

t.test("a shard with work stays where it is", async (t) => {
  const { house, first } = await open(["a", "b", "c"]);
  for (let second = 0; second < 60; second++) {
    for (let count = 0; count < 5; count++) await first.ask(counter, add);
    await house.pass(1_000);
  }
  t.strictSame(house.owners, [0]);
});

t.test("a node that drains hands its shard over to one that lives, and gets none", async (t) => {
  const { house, first, others } = await open(["a", "b"]);
  const [standby] = others as [ClusterNode];
  await first.ask(counter, add);
  first.drain();
  await house.pass(1_500);
  t.strictSame(first.ends, ["stopped"]);
  t.match(await standby.ask(counter, add), { count: 2 });
  first.start();
  await house.pass(2_000);
  standby.stop();
  await house.pass(20_000);
  t.strictSame(house.owners, [], "not even what is handed over");
  standby.start();
  await house.pass(2_000);
  t.match(await standby.ask(counter, look), { count: 2 });
  standby.kill();
  await house.pass(20_000);
  t.notOk(first.owns, "nor what has no owner any more");
});

t.test("a node that drains owns its shard until another can take it", async (t) => {
  const { house, first, others } = await open(["a", "b"]);
  const [standby] = others as [ClusterNode];
  standby.kill();
  await house.pass(5_000);
  first.drain();
  await house.pass(10_000);
  t.match(await first.ask(counter, add), { count: 1 });
  standby.start();
  await house.pass(5_000);
  t.strictSame(house.owners, [1]);
  t.match(await standby.ask(counter, look), { count: 1 });
});

t.test("a node that drains is no successor of another that drains", async (t) => {
  const { house, first, others } = await open(["a", "b"]);
  for (const node of [...others, first]) node.drain();
  await house.pass(10_000);
  t.strictSame(house.owners, [0]);
});
