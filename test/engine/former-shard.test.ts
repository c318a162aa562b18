/** Tests the remains of a shard in whose log `klieg reshard` has begun another one. */
import t from "tap";
import { ClusterHouse } from "./cluster-house.ts";
import { sealRecord } from "./sealed.ts";
import { counterKey } from "./toys.ts";

const counter = counterKey(1, "a");

/** The new shard continues the numbers of a parent, which may have had fewer records, or more. */
for (const seq of [2, 1_000])
  t.test(`no node owns or follows it where the new one begins with ${seq}`, async (t) => {
    const house = new ClusterHouse(["a", "b"]);
    for (const node of house.nodes) {
      node.start();
      await house.pass(2_000);
    }
    for (let count = 0; count < 5; count++)
      await house.nodes[0]?.ask(counter, { kind: "add", by: 1 });
    await house.pass(2_000);
    t.strictSame(house.owners, [0]);

    const log = house.log.open();
    const { logSeq } = await log.end();
    const head = { shard: 0, epoch: 3, seq, atMs: house.clock.nowMs() };
    const { bytes } = sealRecord(head, {}, "f".repeat(64));
    t.ok(await log.publish(bytes, "first", logSeq));
    await log.trim(logSeq);
    for (let life = 0; life < 3; life++) {
      await house.pass(20_000);
      t.strictSame(house.owners, []);
      t.strictSame(await log.end(), { logSeq: logSeq + 1, record: bytes });
      for (const node of house.nodes) {
        node.kill();
        node.start();
      }
    }
  });
