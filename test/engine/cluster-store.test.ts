/** Tests that new nodes agree on one store, whatever NATS servers answered them at first. */
import t from "tap";
import { MemoryLog } from "../../engine/adapters/memory/memory-log.ts";
import { readStore, sayStore, settle } from "../../engine/adapters/nats/nats-store.ts";

const own = { storeId: "own", shardCount: 4 };
const other = { storeId: "other", shardCount: 8 };

t.test("a node begins with the store that it has read twice", async (t) => {
  const stream = new MemoryLog().open();
  await sayStore(stream, own, "own", 0);
  let looks = 0;
  const rest = async () => void looks++;
  t.strictSame(await settle(stream, own, rest), own);
  t.equal(looks, 1);
});

t.test("a node whose word was acknowledged and then lost takes the other's", async (t) => {
  const log = new MemoryLog();
  const stream = log.open();
  await sayStore(stream, own, "own", 0);
  let looks = 0;
  const rest = async () => {
    if (++looks > 1) return;
    log.lose();
    await sayStore(stream, other, "other", 0);
  };
  t.strictSame(await settle(stream, own, rest), other);
  t.equal(looks, 2, "that is read twice as well");
});

t.test("a store that the servers have lost is said again", async (t) => {
  const log = new MemoryLog();
  const stream = log.open();
  await sayStore(stream, own, "own", 0);
  const rest = async () => log.lose();
  t.strictSame(await settle(stream, own, rest), own);
  t.match(await readStore(stream), { store: own });
});
