/**
 * How many submits a second does a node bear whose log is replicated, beside one that has a disk
 * alone? Three servers of NATS, the owner and a standby share this machine with the load. The
 * cluster has two shards unless it is told otherwise, as `npm run cluster` gives one that lies on a
 * single machine; the other has as many as it comes with, one for a machine of two processors.
 *
 * The same is then asked of the standby, which forwards all of it to the owner.
 */
import { countBalanced, countJobs, createAccounts, untilSettled } from "../load/accounts.ts";
import { type LoadTarget, runByTurns } from "../load/by-turns.ts";
import { asTarget, nextRun, openLoaded } from "../load/klieg-load.ts";
import { type LoadOptions, loadDefaults, loadOptions } from "../load/load-options.ts";
import { writeSubmits } from "../load/requests.ts";
import { readOptions } from "../options.ts";
import { verdict } from "../render/render-table.ts";
import type { Finding } from "../report/result.ts";
import { median } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";
import { nameProcesses, openCluster } from "../service/cluster.ts";
import type { ServerProcess } from "../service/server-process.ts";

const barOfLocal = 0.35;
const sampled = 20;

export const replicated: Scenario = {
  question: "How many durable submits a second does a node bear whose log is replicated?",
  excludes: "NATS, whose processor time is not counted, and the network: all is on this machine",
  options: [...loadOptions, "--shards N       of the cluster (2, as npm run cluster has)"],
  plan: (args) => {
    const options = readOptions(args, { ...loadDefaults, shards: 2 });
    return (setting) => measure(options, setting);
  },
};

async function measure(
  options: LoadOptions & { readonly shards: number },
  setting: Setting,
): Promise<Finding> {
  const { environment, say } = setting;
  const local = await openLoaded(setting, options.accounts);
  const cluster = await openCluster(environment, { nodes: 2, shards: options.shards });
  try {
    const [owner, standby] = cluster.nodes;
    if (owner === undefined || standby === undefined) throw new Error("There are two nodes.");
    const accounts = await createAccounts(owner.origin, cluster.token, options.accounts);
    const before = await countJobs(accounts);
    const names = ["owner", "standby"];
    const processes = nameProcesses(cluster.nodes, (number) => names[number - 1] ?? "");
    const ask = (name: string, node: ServerProcess): LoadTarget => ({
      name,
      origin: node.origin,
      processes,
      requests: () => writeSubmits(accounts, new URL(node.origin).host, nextRun()),
      unit: "submit",
      rest: () => untilSettled(accounts.slice(0, sampled)),
    });
    const targets = [
      asTarget(local, {
        requests: () => writeSubmits(local.accounts, local.host, nextRun()),
        unit: "submit",
      }),
      ask("owner of a cluster", owner),
      ask("standby, forwards", standby),
    ];
    const { series, totals } = await runByTurns(targets, options, say);
    const refused = [...totals.values()].reduce((sum, each) => sum + each.refused + each.broken, 0);
    const open = await untilSettled(accounts);
    const jobs = (await countJobs(accounts)) - before;
    const balanced = await countBalanced(accounts.slice(0, sampled));
    const answered = targets
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
