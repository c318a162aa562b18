/**
 * 100,000 jobs of one machine in a cluster: the store becomes its first node, another node joins
 * from a snapshot, and then it gets more shards. What each step takes is reported; no test fails by
 * it.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openJetStreamLog } from "../../engine/adapters/nats/jetstream-log.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { openObjects } from "../../engine/adapters/objects/open-objects.ts";
import { ask } from "../crash/accounts.ts";
import { isFollowed, openCluster } from "../crash/cluster-nodes.ts";
import { firstToken, type Klieg, startKlieg } from "../crash/klieg-process.ts";
import { audit, makeManyJobs, readCredits } from "./many-jobs.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");
const jobCount = Number(process.env["TEST_JOBS"] ?? 100_000);

/** Runs a step and reports how long it takes. */
async function time<T>(t: Test, what: string, run: () => Promise<T> | T): Promise<T> {
  const began = process.uptime();
  const result = await run();
  t.comment(`${what}: ${(process.uptime() - began).toFixed(1)} s`);
  return result;
}

/** Counts the snapshots of the node's store in the bucket. */
async function countSnapshots(dataDir: string, settings: Record<string, string>): Promise<number> {
  const { KLIEG_S3_ENDPOINT: endpoint = "", KLIEG_S3_BUCKET: bucket = "" } = settings;
  const { KLIEG_S3_ACCESS_KEY: accessKey = "", KLIEG_S3_SECRET_KEY: secretKey = "" } = settings;
  const store = { endpoint, bucket, accessKey, secretKey, region: "us-east-1" };
  const { storeId } = JSON.parse(readFileSync(join(dataDir, "store.json"), "utf8"));
  let count = 0;
  for await (const _ of (await openObjects(dataDir, store)).list(`snapshots/${storeId}`)) count++;
  return count;
}

/** Trims the logs as after a minute: a node that has none of the shards then needs snapshots. */
async function trimLogs(servers: readonly { readonly url: string }[]): Promise<void> {
  const connection = await connectNats({
    servers: servers.map(({ url }) => url),
    credentials: undefined,
    name: "test",
  });
  for (const shard of ["0", "1", "directory"]) {
    const log = await openJetStreamLog(connection, shard);
    await log.trim((await log.end()).logSeq - 1);
  }
  await connection.close();
}

/** Waits until every shard has an owner. */
async function isOwned(node: Klieg, tokens: readonly string[]): Promise<void> {
  while ((await ask(node.port, firstToken, "/admin/invariants?limit=1")).status !== 200);
  for (const token of tokens) while ((await ask(node.port, token, "/me/credits")).status !== 200);
}

t.test("100,000 jobs join a cluster and get more shards", { timeout: 3_600_000 }, async (t) => {
  const { folder, servers, settings, start } = await openCluster(t, { KLIEG_SHARDS: "2" });
  const [firstDir, secondDir] = [join(folder, "first"), join(folder, "second")];
  const { KLIEG_NATS_URL: _, ...bucket } = settings;
  const run = (...args: string[]) => {
    const env = { PATH: process.env["PATH"], ...settings, KLIEG_DATA_DIR: firstDir };
    const { status, stderr } = spawnSync(process.execPath, [commandLine, ...args], { env });
    t.equal(status, 0, `klieg ${args.join(" ")}: ${stderr}`);
  };
  const alone = await startKlieg(t, firstDir, bucket);
  const owners = await time(t, "jobs", () => makeManyJobs(alone.port, jobCount));
  const tokens = owners.map(({ token }) => token);
  const credits = await readCredits(alone.port, owners);
  await alone.kill("SIGTERM");
  const isWhole = async (node: Klieg, name: string) => {
    await isOwned(node, tokens);
    t.strictSame(await audit(node.port), { jobs: jobCount, items: [] }, name);
    t.strictSame(await readCredits(node.port, owners), credits, name);
  };

  await time(t, "klieg cluster join", () => run("cluster", "join"));
  const first = await time(t, "the first node starts", () => start("first"));
  await time(t, "it owns every shard", () => isOwned(first, tokens));
  await trimLogs(servers);
  const second = await time(t, "an empty node starts", () => start("second"));
  await time(t, "it has joined", () => isFollowed(first, 3));
  while ((await countSnapshots(firstDir, settings)) < 3);
  await isWhole(first, "through the node that has the store");
  await isWhole(second, "through the node that joined");
  await first.kill("SIGKILL");
  await isWhole(second, "on the node that joined alone");
  const back = await start("first");
  await isFollowed(back, 3);
  await second.kill("SIGTERM");
  await isOwned(back, tokens);
  await back.kill("SIGTERM");

  await time(t, "klieg reshard 4", () => run("reshard", "4"));
  t.equal(await countSnapshots(secondDir, settings), 0, "snapshots of the old shards are gone");
  rmSync(secondDir, { recursive: true });
  const grown = await time(t, "the first node starts", () => start("first"));
  const joined = await time(t, "an empty node starts", () => start("second"));
  await time(t, "it has joined", () => isFollowed(grown, 5));
  while ((await countSnapshots(firstDir, settings)) < 5);
  await isWhole(grown, "through the node that was resharded");
  await isWhole(joined, "through the node that joined it");
  await grown.kill("SIGKILL");
  await isWhole(joined, "on the node that joined it alone");
  await joined.kill("SIGTERM");
});
