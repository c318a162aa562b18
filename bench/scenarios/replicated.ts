/**
 * How many submits a second does a node bear whose log is replicated, beside one that has a disk
 * alone? Three servers of NATS, the owner and a standby share this machine with the load. The
 * cluster has two shards unless it is told otherwise, as `npm run cluster` gives one that lies on a
 * single machine; the other has as many as it comes with, one for a machine of two processors.
 *
 * The same is then asked of the standby, which forwards all of it to the owner.
 */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNatsClusterIn } from "../../test/nats-server.ts";
import { startSwift } from "../../test/s3/swift.ts";
import { countBalanced, countJobs, createAccounts, untilSettled } from "../load/accounts.ts";
import { type Contestant, type NamedProcess, runByTurns } from "../load/by-turns.ts";
import { asContestant, nextRun, openLoaded } from "../load/klieg-load.ts";
import { type LoadOptions, loadOptions, readLoadOptions } from "../load/load-options.ts";
import { writeSubmits } from "../load/requests.ts";
import { verdict } from "../render/render-table.ts";
import type { Finding } from "../report/result.ts";
import { median } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";
import { freePort, type ServerProcess, startNode } from "../service/server-process.ts";

const barOfLocal = 0.35;
const sampled = 20;

export const replicated: Scenario = {
  question: "How many durable submits a second does a node bear whose log is replicated?",
  excludes: "NATS, whose processor time is not counted, and the network: all is on this machine",
  options: [...loadOptions, "--shards N       of the cluster (2, as npm run cluster has)"],
  plan: (args) => {
    const options = readLoadOptions(args);
    return (setting) => measure(options, setting);
  },
};

async function measure(options: LoadOptions, setting: Setting): Promise<Finding> {
  const { environment, say } = setting;
  const local = await openLoaded(setting, options.accounts);
  const cluster = await openCluster(environment, options.shards);
  try {
    const { owner, standby, token } = cluster;
    const accounts = await createAccounts(owner.origin, token, options.accounts);
    const before = await countJobs(accounts);
    const nodes = [nodeProcess("owner", owner), nodeProcess("standby", standby)];
    const ask = (name: string, node: ServerProcess): Contestant => ({
      name,
      origin: node.origin,
      processes: nodes,
      requests: () => writeSubmits(accounts, new URL(node.origin).host, nextRun()),
      unit: "submit",
      rest: () => untilSettled(accounts.slice(0, sampled)),
    });
    const contestants = [
      asContestant(local, {
        requests: () => writeSubmits(local.accounts, local.host, nextRun()),
        unit: "submit",
      }),
      ask("owner of a cluster", owner),
      ask("standby, forwards", standby),
    ];
    const { series, totals } = await runByTurns(contestants, options.profile, say);
    const refused = [...totals.values()].reduce((sum, each) => sum + each.refused + each.broken, 0);
    const open = await untilSettled(accounts);
    const jobs = (await countJobs(accounts)) - before;
    const balanced = await countBalanced(accounts.slice(0, sampled));
    const answered = contestants
      .slice(1)
      .reduce((n, { name }) => n + (totals.get(name)?.answered ?? 0), 0);
    const [alone, shared] = series.map(({ figures }) => median(figures[0]?.rounds ?? []));
    const share = (shared ?? 0) / (alone ?? 1);
    return {
      isSound: refused === 0 && open === 0 && jobs >= answered && balanced === sampled,
      series,
      lines: [
        `cluster: ${jobs} jobs, ${open} not ended, ${balanced} of ${sampled} ledgers balance`,
        verdict(
          `replicated is ${(share * 100).toFixed(0)} % of local, bar ${barOfLocal * 100} %`,
          share >= barOfLocal,
        ),
      ],
    };
  } finally {
    await cluster.close();
  }
}

function nodeProcess(name: string, { pid }: ServerProcess): NamedProcess {
  if (pid === undefined) throw new Error("The nodes are of this machine.");
  return { name, pid };
}

interface Cluster {
  readonly owner: ServerProcess;
  readonly standby: ServerProcess;
  readonly token: string;
  close(): Promise<void>;
}

/** Opens a cluster. The node that started first owns all shards, and the standby follows it. */
async function openCluster(environment: Setting["environment"], shards: number): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), "klieg-bench-"));
  const nats = await startNatsClusterIn(folder);
  const { store, close: closeStore } = await startSwift();
  const nodes: ServerProcess[] = [];
  const close = async () => {
    for (const node of nodes.toReversed()) await node.stop();
    await closeStore();
    for (const server of nats) await server.kill();
    await rm(folder, { recursive: true });
  };
  const start = async (name: string) => {
    const data = join(folder, name);
    await mkdir(data);
    const node = await startNode(data, 0, {
      ...environment,
      KLIEG_SHARDS: `${shards}`,
      KLIEG_NATS_URL: nats.map(({ url }) => url).join(","),
      KLIEG_S3_ENDPOINT: store.endpoint,
      KLIEG_S3_BUCKET: store.bucket,
      KLIEG_S3_ACCESS_KEY: store.accessKey,
      KLIEG_S3_SECRET_KEY: store.secretKey,
      KLIEG_CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
    });
    nodes.push(node);
    return node;
  };
  try {
    const owner = await start("owner");
    const token = (await readFile(join(folder, "owner", "admin-token"), "utf8")).trim();
    return { owner, standby: await start("standby"), token, close };
  } catch (fault) {
    await close();
    throw fault;
  }
}
