/**
 * The owner of all jobs is killed again and again under load, now and then with the server of NATS
 * that leads its log: nothing acknowledged is lost, nothing is held or sent to a provider twice,
 * and the books are right. How long no write was taken is told; no test passes or fails by it.
 *
 * `TEST_KILLS` and `TEST_NODES` say how often and of how many nodes;
 * `TEST_LEADER_KILLS=5` that each fifth time a leader dies too.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import type { Static } from "../../config/schema.ts";
import type { AdminNodeList } from "../../contract/admin.ts";
import type { Job, JobPage } from "../../contract/job.ts";
import type { LedgerPage } from "../../contract/ledger.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { askAny, hasAll, openCluster, submit } from "../crash/cluster-nodes.ts";
import { firstToken, ownBuild } from "../crash/klieg-process.ts";
import { providerCases } from "../crash/provider-cases.ts";
import { configureProvider } from "../crash/provider-house.ts";
import type { Simulator } from "../providers/simulator.ts";
import { startFarmNode } from "../render-farm/nats-house.ts";

const kills = Number(process.env["TEST_KILLS"] ?? 10);
const nodeCount = Number(process.env["TEST_NODES"] ?? 3);
const leaderKills = Number(process.env["TEST_LEADER_KILLS"] ?? 0);
const farmNodes = 2;
/** Jobs sent to the provider at each kill, by their own account, as they hold slots for longer. */
const sentOnce = 4;

t.test(`${kills} kills of the owner among ${nodeCount} nodes lose nothing`, async (t) => {
  const { folder, start: startNode, servers, settings } = await openCluster(t);
  const provider = await openProvider(t, folder);
  const start = (name: string) => startNode(name, provider.settings);
  const connection = await connectNats({
    servers: servers.map(({ url }) => url),
    credentials: undefined,
    name: "test",
  });
  t.teardown(() => connection.close());
  /** Finds the server that leads the log of the one shard. */
  const findLeader = async () => {
    const manager = await connection.jetstreamManager({ checkAPI: false });
    const { cluster } = await manager.streams.info("LOG_0");
    return servers[Number(cluster?.leader?.slice("nats-".length))];
  };
  const nodes: Awaited<ReturnType<typeof start>>[] = [];
  for (let node = 0; node < nodeCount; node++) nodes.push(await start(`node-${node}`));
  for (let node = 0; node < farmNodes; node++) {
    const farm = startFarmNode(t, settings.KLIEG_NATS_URL, {});
    void farm.ended.then((code) => t.comment("a farm node ended with", code, farm.said()));
  }
  /** Finds the index of the node that owns the one shard. */
  const findOwner = async () => {
    for (;;) {
      const { items } = await askAny<AdminNodeList>(nodes, "/admin/nodes");
      const owner = items.find(({ shards }) =>
        shards.some(({ shard, role }) => shard === 0 && role === "owner"),
      );
      const at = nodes.findIndex(({ clusterPort }) => owner?.address.endsWith(`:${clusterPort}`));
      if (at >= 0) return at;
    }
  };
  const { token } = await askAny<{ token: string }>(nodes, "/admin/accounts", {
    email: "kites@klieg.example",
    plan: "enterprise",
    credits: 100_000,
    issue_token: true,
  });
  const awaySeconds: number[] = [];
  const withLeader: number[] = [];
  const all = new Set<string>();
  let [ids, sent]: [string[], string[]] = [[], []];
  for (let kill = 0; kill < kills; kill++) {
    const number = kill * 1_000;
    const at = await findOwner();
    const owner = nodes[at] as (typeof nodes)[number];
    const others = nodes.filter((node) => node !== owner);
    const isLeaderKilled = leaderKills > 0 && kill % leaderKills === leaderKills - 1;
    const leader = isLeaderKilled ? await findLeader() : undefined;
    // Requests that arrive after the kill are answered by the other nodes.
    const loads = [0, 1, 2, 3].map((lane) => submit([...nodes], number + lane * 100, 50));
    const sending = submit([...nodes], number, sentOnce, { model: "kite", token });
    ids.push(...(await submit(nodes, number + 500, 20)));
    const began = process.uptime();
    await Promise.all([owner.kill("SIGKILL"), leader?.kill()]);
    ids.push(...(await submit(others, number + 600, 1)));
    (isLeaderKilled ? withLeader : awaySeconds).push(process.uptime() - began);
    await leader?.restart();
    ids.push(...(await Promise.all(loads)).flat());
    sent.push(...(await sending));
    nodes[at] = await start(`node-${at}`);
    if (kill % 10 !== 9 && kill !== kills - 1) continue;
    await hasAll(t, nodes, ids);
    await isSentOnce(t, nodes, sent, token, provider.simulator);
    for (const id of ids) all.add(id);
    const { total } = await askAny<Static<typeof JobPage>>(nodes, "/jobs?limit=1");
    t.equal(total, all.size, "each submit is one job");
    await isHeldOnce(t, nodes, new Set(ids), firstToken);
    await isHeldOnce(t, nodes, new Set(sent), token);
    t.match(await audit(nodes[0]?.port), /no invariant is broken/);
    [ids, sent] = [[], []];
  }
  const sortMembers = (seconds: readonly number[]) =>
    seconds.toSorted((a, b) => a - b).map((each) => each.toFixed(1));
  t.comment(`seconds without writes, of ${awaySeconds.length} kills:`, ...sortMembers(awaySeconds));
  if (leaderKills > 0)
    t.comment(`and of ${withLeader.length} with a leader of NATS:`, ...sortMembers(withLeader));
});

/** Opens a provider whose submits are not idempotent, and which calls back. */
async function openProvider(t: Test, folder: string) {
  const [fal] = providerCases;
  if (fal === undefined) throw new Error("There is no provider.");
  const { simulator, house } = await fal.open();
  t.teardown(() => simulator.close());
  const settings = configureProvider(folder, house);
  return {
    simulator,
    settings: { ...settings, KLIEG_MODELS: `shipped,${settings["KLIEG_MODELS"]}` },
  };
}

/** Checks that a submit whose answer died with its owner ends by the callback or is given up. */
async function isSentOnce(
  t: Test,
  nodes: Parameters<typeof submit>[0],
  ids: readonly string[],
  token: string,
  simulator: Simulator,
): Promise<void> {
  const open = { status: "queued", credits_charged: null } as Job;
  let givenUp = 0;
  for (const id of ids) {
    let job = open;
    while (job.status === "queued" || job.status === "running" || job.credits_charged === null)
      job = await askAny<Job>(nodes, `/jobs/${id}/wait?timeout_seconds=10`, undefined, token);
    if (job.status !== "succeeded") givenUp++;
  }
  t.comment(`${ids.length} jobs at the provider, ${givenUp} of them given up`);
  const submits = simulator.calls("POST", "/fal-ai/kite").map(({ path }) => {
    const callback = new URL(path, simulator.url).searchParams.get("fal_webhook");
    return new URL(`${callback}`).searchParams.get("job");
  });
  t.equal(new Set(submits).size, submits.length, "no job was sent to the provider twice");
}

/** Checks the holds in the ledger, back to the first of these jobs. */
async function isHeldOnce(
  t: Test,
  nodes: Parameters<typeof submit>[0],
  ids: ReadonlySet<string>,
  token: string,
): Promise<void> {
  const holds: string[] = [];
  let cursor: string | null | undefined;
  do {
    const query = cursor === undefined ? "" : `&cursor=${cursor}`;
    const path = `/me/credits/ledger?limit=100${query}`;
    const page = await askAny<Static<typeof LedgerPage>>(nodes, path, undefined, token);
    for (const { type, job_id: job } of page.items)
      if (type === "hold" && job && ids.has(job)) holds.push(job);
    cursor = page.next_cursor;
  } while (cursor && new Set(holds).size < ids.size);
  t.equal(new Set(holds).size, holds.length, "no job is held twice");
  t.ok(holds.length > 0, `${holds.length} holds`);
}

/** Runs `klieg audit` and returns its output. */
async function audit(port: number | undefined): Promise<string> {
  const child = spawn(process.execPath, [join(ownBuild, "cli", "main.js"), "audit"], {
    env: { KLIEG_URL: `http://127.0.0.1:${port}`, KLIEG_TOKEN: firstToken },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return out + err;
}
