/** A store of 100,000 jobs gets four shards: measures the time, and checks that no row changes. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import t from "tap";
import { domain } from "../../actors/domain.ts";
import { codes } from "../../actors/table-codes.ts";
import { shardNames } from "../../engine/adapters/backup/write-backup.ts";
import { openTableReader } from "../../engine/adapters/lmdb.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { reshardStore } from "../../engine/adapters/reshard-store.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { getCode, getShard } from "../../engine/key.ts";
import { rowsIn } from "../../engine/shard/replica.ts";
import { allRows } from "../../engine/shard/snapshot.ts";
import { startKlieg } from "../crash/klieg-process.ts";
import { audit, makeManyJobs, readCredits } from "./many-jobs.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");
const jobCount = 100_000;

/**
 * Counts the rows of the domain in each table and those that are not where they are looked for, and
 * digests all of them. Shards follow each other in the order of partitions, however many there are.
 */
async function readRows(dataDir: string, shardCount: number) {
  const counts: Record<number, number> = {};
  const digest = createHash("sha256");
  let strays = 0;
  for (const [shard, name] of shardNames(shardCount).entries()) {
    const tables = openTableReader(join(dataDir, name, "tables"));
    for (const { key, text } of rowsIn(tables, allRows)) {
      const code = getCode(key);
      if (code < codes.account) continue;
      counts[code] = (counts[code] ?? 0) + 1;
      digest.update(key, "latin1").update(text);
      if (getShard(key, shardCount) !== shard) strays++;
    }
    await tables.close();
  }
  return { counts, strays, digest: digest.digest("hex") };
}

t.test("100,000 jobs are the same on four shards as on one", { timeout: 1_800_000 }, async (t) => {
  const dataDir = join(t.testdir(), "data");
  const service = await startKlieg(t, dataDir, { KLIEG_SHARDS: "1" });
  const owners = await makeManyJobs(service.port, jobCount);
  const before = await audit(service.port);
  t.strictSame(before, { jobs: jobCount, items: [] });
  const credits = await readCredits(service.port, owners);
  await service.kill("SIGTERM");

  const killed = new Error("killed");
  const onStep = () => {
    throw killed;
  };
  const resharding = reshardStore({
    path: dataDir,
    shardCount: 4,
    domain,
    nowMs: systemClock.nowMs(),
    onStep,
    access: undefined,
    openObjects: async () => memoryObjects(),
  });
  await t.rejects(resharding, killed, "its journals are in its tables");
  const rows = await readRows(dataDir, 1);
  t.equal(rows.counts[codes.job], jobCount);
  const startMs = systemClock.nowMs();
  const env = { PATH: process.env["PATH"], KLIEG_DATA_DIR: dataDir };
  const { status } = spawnSync(process.execPath, [commandLine, "reshard", "4"], { env });
  t.equal(status, 0);
  const total = Object.values(rows.counts).reduce((sum, count) => sum + count, 0);
  t.comment(`${total} rows in ${systemClock.nowMs() - startMs} ms`);
  t.strictSame(await readRows(dataDir, 4), rows);

  const again = await startKlieg(t, dataDir);
  t.strictSame(await audit(again.port), before);
  t.strictSame(await readCredits(again.port, owners), credits);
  t.equal((await again.kill("SIGTERM")).code, 0);
});
