/** Tests how the size of a store is counted for metrics, whatever the disk does. */
import { join } from "node:path";
import t from "tap";
import { storeBytes } from "../../engine/adapters/store-bytes.ts";

t.test("the written blocks of the shards' folders are counted, and nothing else", async (t) => {
  const folder = t.testdir({
    "shard-0": { journal: "x".repeat(10_000), tables: { "data.mdb": "y".repeat(10_000) } },
    "admin-token": "z".repeat(10_000),
  });
  const bytes = (await storeBytes(folder)) ?? 0;
  t.ok(bytes >= 20_000 && bytes < 30_000, `${bytes} bytes`);
});

t.test("a data directory that cannot be listed has no size, which ends nothing", async (t) => {
  t.equal(await storeBytes(join(t.testdir(), "gone")), undefined);
});
