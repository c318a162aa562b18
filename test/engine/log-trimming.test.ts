/** Tests that an owner trims what no standby needs from the log, and half of an oversized log. */
import t from "tap";
import { limits } from "../../config/limits.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryLog } from "../../engine/adapters/memory/memory-log.ts";
import { OwnedLog } from "../../engine/shard/log/owned-log.ts";
import { ClusterHouse, type ClusterNode } from "./cluster-house.ts";
import { counterKey } from "./toys.ts";

const counter = counterKey(1, "a");
const add = { kind: "add", by: 1 } as const;
const look = { kind: "look" } as const;

t.test("the log keeps what a standby lacks, and no more for long", async (t) => {
  // In this order of names, rendezvous hashing leaves the shard with the first node.
  const house = new ClusterHouse(["b", "a"]);
  const [first, second] = house.nodes as [ClusterNode, ClusterNode];
  const log = house.log.open();
  first.start();
  await house.pass(500);
  second.start();
  await house.pass(120_000);
  const { logSeq } = await log.end();
  t.ok((await log.size()).firstSeq > logSeq / 3, "what both have is dropped");
  second.kill();
  await first.ask(counter, add);
  await house.pass(200_000);
  t.ok((await log.size()).firstSeq <= logSeq + 1, "what it lacks stays");
  second.start();
  await house.pass(2_000);
  t.notOk(second.events.includes("joining"), "it follows from where it was");
  first.kill();
  await house.pass(7_000);
  t.match(await second.ask(counter, look), { count: 1 });
});

t.test("an owner that has not heard of a member in its life drops nothing", async (t) => {
  const house = new ClusterHouse(["a", "b", "c"]);
  const [first, second, third] = house.nodes as [ClusterNode, ClusterNode, ClusterNode];
  first.start();
  await house.pass(500);
  second.start();
  await house.pass(2_000);
  first.kill();
  await house.pass(500);
  third.start();
  await house.pass(7_000);
  const owner = second.owns ? second : third;
  const other = second.owns ? third : second;
  owner.kill();
  other.kill();
  const { logSeq } = await house.log.open().end();
  owner.start();
  first.start();
  await house.pass(200_000);
  t.ok(owner.owns, "two of three members are enough");
  t.ok((await house.log.open().size()).firstSeq <= logSeq + 1);
});

t.test("of a log that is too large the older half is dropped, never its end", async (t) => {
  const shared = new MemoryLog().open();
  const large = { ...shared, size: async () => ({ ...(await shared.size()), bytes: bytes + 1 }) };
  const bytes = limits.cluster.logBytesMax;
  for (let after = 0; after < 9; after++)
    await shared.publish(Buffer.from([after]), `${after}`, after);
  const owned = new OwnedLog(large, new ManualClock(0), "nonce", false, () => false);
  await owned.trim(0, 9);
  t.equal((await shared.size()).firstSeq, 6);
  for (let round = 0; round < 9; round++) await owned.trim(0, 9);
  t.equal((await shared.size()).firstSeq, 9);
  await new OwnedLog(shared, new ManualClock(0), "nonce", false, () => false).trim(20, 9);
  t.equal((await shared.size()).firstSeq, 9);
});
