/** Tests a node whose rows the log does not continue, and which takes those of a snapshot. */
import t from "tap";
import { MemoryLog } from "../../engine/adapters/memory/memory-log.ts";
import type { Tables } from "../../engine/ports/tables.ts";
import { noHash, readHead } from "../../engine/record.ts";
import { findPlace } from "../../engine/shard/log/log-place.ts";
import { readPosition } from "../../engine/shard/replica.ts";
import { describeWait } from "../../engine/shard/waiting.ts";
import { ClusterHouse, type ClusterNode } from "./cluster-house.ts";
import { sealRecord } from "./sealed.ts";
import { counterKey } from "./toys.ts";

const counter = counterKey(1, "a");
const onlyThere = counterKey(1, "only there");
const add = { kind: "add", by: 1 } as const;
const look = { kind: "look" } as const;

/** The first node owns the shard, whose counter is at 20. */
async function openFirst() {
  const house = new ClusterHouse(["a", "b"]);
  const [first, second] = house.nodes as [ClusterNode, ClusterNode];
  first.start();
  await house.pass(2_000);
  for (let count = 0; count < 20; count++) await first.ask(counter, add);
  await house.pass(10_000);
  return { house, first, second };
}

/** The log is trimmed to the records that the owner's tables lack. */
async function openTrimmed() {
  const opened = await openFirst();
  await opened.house.log.open().trim(readPosition(opened.first.tables).logSeq);
  return opened;
}

/** Returns the second node's answer after the first was killed. */
async function takeOver(house: ClusterHouse, first: ClusterNode, second: ClusterNode) {
  first.kill();
  await house.pass(7_000);
  return second.ask(counter, look);
}

t.test("a node that lost its disk joins from a snapshot while records go on", async (t) => {
  const { house, first, second } = await openTrimmed();
  second.start();
  for (let count = 0; count < 10; count++) {
    await first.ask(counter, add);
    await house.pass(500);
  }
  t.strictSame(second.ends, [], "one life is enough");
  t.ok(second.events.includes("joining"));
  t.match(await takeOver(house, first, second), { count: 30 });
  second.kill();
  second.start();
  first.start();
  await house.pass(10_000);
  t.strictSame(house.owners, [1], "the last owner goes on from its own disk");
  t.match(await second.ask(counter, look), { count: 30 });
});

/** Makes a disk of another cluster, with five additions of 1000 and a counter of its own. */
async function writeOtherHistory() {
  const elsewhere = new ClusterHouse(["b"]);
  const [other] = elsewhere.nodes as [ClusterNode];
  other.start();
  await elsewhere.pass(2_000);
  for (let count = 0; count < 5; count++) await other.ask(counter, { kind: "add", by: 1_000 });
  await other.ask(onlyThere, add);
  await elsewhere.pass(2_000);
  other.kill();
  return { journal: other.journal, tables: other.tables };
}

t.test("a node with records of an earlier history gives them up and joins", async (t) => {
  const { house, first, second } = await openFirst();
  first.kill();
  first.start();
  await house.pass(10_000);
  t.strictSame(house.owners, [0], "in its second epoch");
  Object.assign(second, await writeOtherHistory());
  second.start();
  await house.pass(5_000);
  t.match(second.faults, [/^it had records up to \d+ \(epoch 1\)$/], "and says so");
  t.match(await takeOver(house, first, second), { count: 20 });
  t.match(await second.ask(onlyThere, look), { count: 0 });
});

t.test("a node keeps its records beside a history that began anew", async (t) => {
  const { house, second } = await openFirst();
  const disk = await writeOtherHistory();
  Object.assign(second, disk);
  second.start();
  await house.pass(20_000);
  t.match(second.faults, [/so this node keeps its own; remove its data directory/], "said once");
  t.match(second.wait, { reason: "rival", epoch: 1 });
  const said = second.wait && describeWait("1", second.wait);
  t.match(
    said,
    /^Shard 1 is not followed here: this node keeps records up to \d+ \(epoch 1\), which/,
  );
  second.kill();
  const alone = new ClusterHouse(["b"]);
  const [again] = alone.nodes as [ClusterNode];
  Object.assign(again, disk);
  again.start();
  await alone.pass(5_000);
  t.match(await again.ask(onlyThere, look), { count: 1 });
});

t.test("also where its own last record is in the log no more", async (t) => {
  const { house, second } = await openTrimmed();
  Object.assign(second, await writeOtherHistory());
  const { epoch } = readPosition(second.tables);
  second.start();
  await house.pass(20_000);
  t.equal(epoch, 1, "the other history is of the same epoch, and its owner another");
  t.match(second.faults, [/so this node keeps its own; remove its data directory/]);
});

t.test("a log that begins with the next record of another history is none to follow", async (t) => {
  const log = new MemoryLog().open();
  const head = { shard: 0, epoch: 1, seq: 1, atMs: 1 };
  const other = sealRecord(head, { [counter]: "{}" }, noHash);
  const next = sealRecord({ ...head, seq: 2 }, {}, other.hash);
  await log.publish(other.bytes, "1", 0);
  await log.publish(next.bytes, "2", 1);
  await log.trim(1);
  const ours = { seq: 1, logSeq: 1, epoch: 1, atMs: 1 };
  t.strictSame(await findPlace(log, { ...ours, hash: other.hash }), { kind: "found", logSeq: 1 });
  t.strictSame(await findPlace(log, { ...ours, hash: noHash }), {
    kind: "diverged",
    logEpoch: 1,
  });
});

t.test("a record that does not follow while the log is followed ends in a snapshot", async (t) => {
  const { house, first, second } = await openFirst();
  second.start();
  await house.pass(2_000);
  first.kill();
  const { logSeq, record } = await house.log.open().end();
  const { epoch, seq } = readHead(record ?? new Uint8Array());
  const head = { shard: 0, epoch: epoch + 1, seq: seq + 1, atMs: 1 };
  await house.log.open().publish(sealRecord(head, {}, noHash).bytes, "other", logSeq);
  await house.pass(500);
  t.strictSame(second.ends, [], "its store is not damaged");
});

t.test("a node joins a cluster whose first node was a machine of its own", async (t) => {
  const disk = await writeOtherHistory();
  await disk.journal.trim(readPosition(disk.tables).seq);
  const house = new ClusterHouse(["b", "a"]);
  const [first, second] = house.nodes as [ClusterNode, ClusterNode];
  Object.assign(first, disk);
  first.start();
  await house.pass(3_000);
  t.strictSame(house.owners, [0]);
  second.start();
  await house.pass(5_000);
  t.match(await first.ask(counter, add), { count: 5_001 });
  await house.pass(500);
  t.match(await takeOver(house, first, second), { count: 5_001 });
});

t.test("a node that was killed while it joined joins again, wherever that was", async (t) => {
  let hasJoined = false;
  for (let writes = 0; !hasJoined; writes++) {
    const { house, first, second } = await openTrimmed();
    await second.tables.write([[counterKey(1, "old"), "{}"]]);
    const whole = second.tables;
    second.tables = endingTables(whole, writes);
    second.start();
    await house.pass(3_000);
    hasJoined = second.events.includes("following");
    second.kill();
    second.tables = whole;
    second.start();
    await house.pass(3_000);
    t.match(await takeOver(house, first, second), { count: 20 }, `after ${writes} writes`);
    t.equal(second.tables.get(counterKey(1, "old")), undefined);
    t.ok(writes < 10);
  }
});

t.test("a node joins as soon as there is an owner that can be asked", async (t) => {
  const { house, first, second } = await openTrimmed();
  first.kill();
  second.start();
  await house.pass(30_000);
  t.strictSame(house.owners, [], "it has nothing to own the shard with");
  first.start();
  await house.pass(10_000);
  t.match(await takeOver(house, first, second), { count: 20 });
});

t.test("a node gives nothing up for a snapshot that is not whole", async (t) => {
  const { house, first, second } = await openTrimmed();
  await second.tables.write([[counterKey(1, "own"), "{}"]]);
  const { objects } = house;
  const put = objects.put.bind(objects);
  objects.put = async (key, bytes) => {
    const stored = await put(key, bytes);
    await put(key, [Buffer.from("other bytes")]);
    return stored;
  };
  second.start();
  await house.pass(10_000);
  t.match(second.faults, [/is not what was stored there/], "it is said once");
  t.equal(second.tables.get(counterKey(1, "own")), "{}");
  objects.put = put;
  await house.pass(40_000);
  t.match(await takeOver(house, first, second), { count: 20 }, "the next one is");
});

/** Tables that stop after `writes` writes, like those of a process that was killed. */
function endingTables(inner: Tables, writes: number): Tables {
  let left = writes;
  return {
    ...inner,
    async write(rows) {
      if (left-- <= 0) await new Promise(() => {});
      await inner.write(rows);
    },
  };
}
