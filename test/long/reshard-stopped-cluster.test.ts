/** `klieg reshard` on the store of a cluster, with real services, NATS servers and a bucket. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { InvariantPage } from "../../contract/admin.ts";
import type { Job, JobPage } from "../../contract/job.ts";
import { openTableReader } from "../../engine/adapters/lmdb.ts";
import { openJetStreamLog } from "../../engine/adapters/nats/jetstream-log.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { findPlace } from "../../engine/shard/log/log-place.ts";
import { readPosition } from "../../engine/shard/replica.ts";
import {
  type Acknowledged,
  allBalance,
  allEnd,
  ask,
  createOwners,
  inTurns,
} from "../crash/accounts.ts";
import { askAny, isFollowed, openCluster } from "../crash/cluster-nodes.ts";
import { firstToken, isOneSentence, type Klieg, startAndFail } from "../crash/klieg-process.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");

type Owners = Awaited<ReturnType<typeof createOwners>>;

/** Runs `klieg reshard <count>`, and kills it when it has printed `until`. */
async function reshard(env: NodeJS.ProcessEnv, count: string, until?: string) {
  const child = spawn(process.execPath, [commandLine, "reshard", count], { env });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (until !== undefined && stderr.includes(until)) child.kill("SIGKILL");
  });
  const [status] = await once(child, "close");
  return { status, stdout, stderr };
}

/** Submits jobs, some of which run for three seconds. */
function makeJobs(nodes: readonly Klieg[], owners: Owners, from: number, count: number) {
  return inTurns(count, 8, async (n): Promise<Acknowledged> => {
    const number = from + n;
    const owner = owners[number % owners.length] ?? { token: "", opening: 0 };
    const prompt = `kite ${number} sim:slow=${number % 4 === 0 ? 3_000 : 1}`;
    const body = { model: "sim-instant", prompt };
    for (;;) {
      const port = nodes[number % nodes.length]?.port ?? 0;
      const path = "/generate/image";
      const { status, json } = await ask<Job & { job_id?: string }>(port, owner.token, path, body);
      // A shard that accepted the job before it moved answers 409; jobs that end make room.
      if (status === 202 || status === 409) return { owner, id: json.job_id ?? json.id };
      if (status !== 503 && status !== 429) throw new Error(`job ${number} was answered ${status}`);
    }
  });
}

/** Lists every job by the operator's list. */
async function listJobs(node: Klieg): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: Static<typeof JobPage> = await askAny([node], `/admin/jobs?limit=100${query}`);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor ?? null;
  }
  return ids.sort();
}

t.test("the store of a cluster gets more shards while all nodes are stopped", async (t) => {
  const { folder, servers, settings, start } = await openCluster(t, { KLIEG_SHARDS: "2" });
  const [firstDir, secondDir] = [join(folder, "first"), join(folder, "second")];
  const env = (dir: string) => ({ PATH: process.env["PATH"], ...settings, KLIEG_DATA_DIR: dir });
  const first = await start("first");
  const second = await start("second");
  const owners = await createOwners(first.port, 8);
  const jobs = await makeJobs([first, second], owners, 0, 64);
  t.equal((await second.kill("SIGTERM")).code, 0);
  jobs.push(...(await makeJobs([first], owners, 64, 64)));
  const living = await reshard(env(secondDir), "4");
  t.match(living, {
    status: 1,
    stderr: /Node [\w-]+ is running \(at 127\.0\.0\.1:\d+\); stop every/,
  });
  t.equal((await first.kill("SIGTERM")).code, 0);
  const { KLIEG_NATS_URL: _, ...noNats } = env(secondDir);
  t.match(await reshard(noNats, "4"), { status: 1, stderr: /a node of a cluster; set KLIEG_NATS/ });
  const nowhere = { ...env(secondDir), KLIEG_NATS_URL: "nats://127.0.0.1:9" };
  t.match(await reshard(nowhere, "4"), { status: 1, stderr: /is unreachable [^\n]*[^.]\.\n$/ });

  const connection = await connectNats({
    servers: servers.map(({ url }) => url),
    credentials: undefined,
    name: "test",
  });
  t.teardown(() => connection.close());
  const ends = new Map<string, number>();
  for (const name of ["0", "1", "directory"])
    ends.set(name, (await (await openJetStreamLog(connection, name)).end()).logSeq);

  await reshard(env(secondDir), "4", "shard-1 of 4 is built.");
  isOneSentence(t, await startAndFail(t, secondDir, settings), /run klieg reshard 4 again/);
  isOneSentence(
    t,
    await startAndFail(t, firstDir, settings),
    /is being changed to 4 shards; start this/,
  );
  isOneSentence(
    t,
    await startAndFail(t, join(folder, "x"), settings),
    /is being changed to 4 shards/,
  );
  t.match(await reshard(env(firstDir), "4"), {
    status: 1,
    stderr: /has begun to change the store to 4/,
  });
  t.match(await reshard(env(secondDir), "8"), { status: 1, stderr: /run klieg reshard 4\./ });

  await reshard(env(secondDir), "4", "start afresh with 4 shards.");
  isOneSentence(t, await startAndFail(t, secondDir, settings), /run klieg reshard 4 again/);
  isOneSentence(
    t,
    await startAndFail(t, firstDir, settings),
    /is being changed to 4 shards; start this/,
  );
  await reshard(env(secondDir), "4", "shard-2 of 4 is in place.");
  t.match(await reshard(env(secondDir), "4"), { status: 0, stdout: /has 4 shards; start/ });
  t.match(await reshard(env(secondDir), "4"), { status: 1, stderr: /already has 4 shards/ });
  const { storeId } = JSON.parse(readFileSync(join(secondDir, "store.json"), "utf8"));

  for (const [name, logSeq] of ends) {
    const log = await openJetStreamLog(connection, name);
    t.notOk(
      await log.publish(Buffer.from("old"), `old:${name}`, logSeq),
      "an old owner is refused",
    );
    const tables = openTableReader(join(firstDir, `shard-${name}`, "tables"));
    const { kind } = await findPlace(log, readPosition(tables));
    t.match(kind, /diverged|trimmed/, "an old standby does not go on");
    await tables.close();
  }
  for (let attempt = 0; attempt < 2; attempt++)
    isOneSentence(t, await startAndFail(t, firstDir, settings), /predates the change .*remove it/);
  t.match(await reshard(env(firstDir), "4"), { status: 1, stderr: /predates the change / });

  const grown = await start("second");
  rmSync(firstDir, { recursive: true });
  const joined = await start("first");
  const joinedStore = JSON.parse(readFileSync(join(firstDir, "store.json"), "utf8"));
  t.match(joinedStore, { storeId, shardCount: 4 });
  jobs.push(...(await makeJobs([grown, joined], owners, 128, 64)));
  const ids = jobs.map(({ id }) => id).sort();
  for (const node of [grown, joined]) {
    await allEnd(t, node.port, jobs);
    await allBalance(t, node.port, owners);
    t.strictSame(await listJobs(node), ids);
    const audit = await askAny<InvariantPage>([node], "/admin/invariants?limit=100");
    t.match(audit, { items: [], jobs: ids.length });
  }

  await isFollowed(joined, 5);
  await grown.kill("SIGKILL");
  while ((await ask(joined.port, firstToken, "/admin/jobs?limit=1")).status !== 200);
  for (const { token } of owners)
    while ((await ask(joined.port, token, "/me/credits")).status !== 200);
  jobs.push(...(await makeJobs([joined], owners, 192, 32)));
  await allEnd(t, joined.port, jobs);
  await allBalance(t, joined.port, owners);
  t.match(await askAny([joined], "/admin/invariants?limit=100"), { items: [] });
  t.equal((await joined.kill("SIGTERM")).code, 0);
});

t.test("a node that may know less than another is not resharded", async (t) => {
  const { folder, settings, start } = await openCluster(t, { KLIEG_SHARDS: "1" });
  const env = (dir: string) => ({ PATH: process.env["PATH"], ...settings, KLIEG_DATA_DIR: dir });
  const first = await start("first");
  const second = await start("second");
  const owners = await createOwners(first.port, 2);
  const jobs = await makeJobs([first, second], owners, 0, 16);
  await second.kill("SIGTERM");
  jobs.push(...(await makeJobs([first], owners, 16, 16)));
  await first.kill("SIGKILL");
  const refused = await reshard(env(join(folder, "second")), "2");
  t.match(refused, {
    status: 1,
    stderr: /owned shard 0, crashed instead of being stopped; start the n/,
  });
  t.match(await reshard(env(join(folder, "first")), "2"), { status: 0 });
  const again = await start("first");
  await allEnd(t, again.port, jobs);
  await allBalance(t, again.port, owners);
  t.match(await askAny([again], "/admin/invariants?limit=100"), { items: [], jobs: 32 });
});

t.test("with a quorum the new shards take writes when another node has joined", async (t) => {
  const more = { KLIEG_SHARDS: "1", KLIEG_DURABILITY: "quorum" };
  const { folder, settings, start } = await openCluster(t, more);
  const [first, second] = await Promise.all([start("first"), start("second")]);
  const owners = await createOwners(first.port, 4);
  const jobs = await makeJobs([first, second], owners, 0, 32);
  await second.kill("SIGTERM");
  await first.kill("SIGTERM");
  const env = { PATH: process.env["PATH"], ...settings, KLIEG_DATA_DIR: join(folder, "first") };
  t.match(await reshard(env, "2"), { status: 0 });
  rmSync(join(folder, "second"), { recursive: true });
  const nodes = await Promise.all([start("first"), start("second")]);
  jobs.push(...(await makeJobs(nodes, owners, 32, 32)));
  for (const node of nodes) {
    await allEnd(t, node.port, jobs);
    await allBalance(t, node.port, owners);
    t.match(await askAny([node], "/admin/invariants?limit=100"), { items: [], jobs: 64 });
  }
});
