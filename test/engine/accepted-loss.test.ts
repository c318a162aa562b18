/** Tests the loss that an operator may accept when nodes are gone for good. */
import t from "tap";
import { readPosition } from "../../engine/shard/replica.ts";
import { ClusterHouse, type ClusterNode } from "./cluster-house.ts";
import { counterKey } from "./toys.ts";

const counter = counterKey(1, "a");
const add = { kind: "add", by: 1 } as const;
const look = { kind: "look" } as const;

/** The first node owns the shard, the second follows it; both are stopped, the second earlier. */
async function openPair() {
  const house = new ClusterHouse(["a", "b"]);
  const [first, second] = house.nodes as [ClusterNode, ClusterNode];
  first.start();
  await house.pass(500);
  second.start();
  await house.pass(2_000);
  await first.ask(counter, add);
  await house.pass(2_000);
  first.kill();
  await house.pass(7_000);
  first.start();
  await house.pass(2_000);
  t.match(await second.ask(counter, add), { count: 2 }, "both are members of the second's epoch");
  await house.pass(2_000);
  first.kill();
  for (let count = 0; count < 5; count++) await second.ask(counter, add);
  await house.pass(2_000);
  second.kill();
  return { house, first, second };
}

t.test("a node that is gone for good is forgotten, and the other goes on alone", async (t) => {
  const { house, second } = await openPair();
  second.start();
  await house.pass(10_000);
  t.strictSame(house.owners, [], "one of two members is not most of them");
  second.kill();
  second.forgotten.push("a");
  second.start();
  await house.pass(5_000);
  t.match(await second.ask(counter, look), { count: 7 });
});

t.test("records that no node has any more are given up when the operator says so", async (t) => {
  const { house, first, second } = await openPair();
  house.log.lose();
  first.start();
  await house.pass(10_000);
  t.strictSame(house.owners, [], "the last owner knows more");
  first.kill();
  const { epoch, seq } = readPosition(first.tables);
  first.acceptedLoss = { epoch, seq: seq - 1 };
  first.start();
  await house.pass(10_000);
  t.strictSame(house.owners, [], "it was said of another record");
  first.kill();
  first.acceptedLoss = { epoch, seq };
  first.start();
  await house.pass(7_000);
  t.match(await first.ask(counter, add), { count: 3 });

  await house.pass(2_000);
  t.ok(readPosition(first.tables).epoch > epoch + 100, "numbers that were lost do not come again");
  second.start();
  await house.pass(10_000);
  first.kill();
  await house.pass(7_000);
  t.match(await second.ask(counter, look), { count: 3 }, "who had more gives it up too");
});

t.test("a log that does not lead on from what is left is given up with the loss", async (t) => {
  const { house, first, second } = await openPair();
  const { logSeq } = await house.log.open().end();
  await house.log.open().trim(logSeq - 1);
  second.loseDisk();
  const { epoch, seq } = readPosition(first.tables);
  first.start();
  await house.pass(10_000);
  t.strictSame(house.owners, []);
  first.kill();
  first.acceptedLoss = { epoch, seq };
  first.start();
  await house.pass(10_000);
  t.match(await first.ask(counter, add), { count: 3 });
});

t.test("no loss is accepted beside a node that has more", async (t) => {
  const { house, first, second } = await openPair();
  house.log.lose();
  const { epoch, seq } = readPosition(first.tables);
  first.acceptedLoss = { epoch, seq };
  first.start();
  second.start();
  await house.pass(10_000);
  t.strictSame(house.owners, [1]);
  t.match(await second.ask(counter, look), { count: 7 });
});
