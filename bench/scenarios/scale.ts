/**
 * What do further shards give, and what do further engine nodes cost? Each shard has a thread and a
 * journal of its own, so shards help where processors are idle. A cluster spreads its shards over
 * its nodes while they rest; under this load, which comes at once, they stay with the node that was
 * first. That one is loaded, and each further node writes and applies all records too.
 *
 * On two processors neither can show a gain: shards, nodes, the three servers of NATS and the load
 * generator share them. What they show is the processor time that one more of each costs a submit,
 * and that throughput does not break down. The sizes are measured one after the other, since they
 * would take each other's processors.
 */
import { availableParallelism } from "node:os";
import { createAccounts, untilSettled } from "../load/accounts.ts";
import { type LoadTarget, type Outcome, runByTurns } from "../load/by-turns.ts";
import { asTarget, nextRun, openLoaded } from "../load/klieg-load.ts";
import { type LoadOptions, loadDefaults, loadOptions, quickLoad } from "../load/load-options.ts";
import { writeSubmits } from "../load/requests.ts";
import { readOptions } from "../options.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";
import { nameProcesses, openCluster } from "../service/cluster.ts";

export const scale: Scenario = {
  question: "What do further shards give to submits, and what do further engine nodes cost?",
  excludes: "nodes on machines of their own; NATS, whose processor time is not counted; reshard",
  options: [...loadOptions, "--shards N,N     (1,2,4,8)", "--nodes N,N      of a cluster (1,2,3)"],
  quick: [...quickLoad, "--shards", "1,2,4", "--nodes", "1,2"],
  plan: (args) => {
    const sizes = { shards: [1, 2, 4, 8], nodes: [1, 2, 3] };
    const options = readOptions(args, { ...loadDefaults, ...sizes });
    return (setting) => measure(options, setting);
  },
};

interface Options extends LoadOptions {
  readonly shards: readonly number[];
  readonly nodes: readonly number[];
}

/** As `npm run cluster` has on a single machine. */
const clusterShards = 2;
const sampled = 20;

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const outcomes: Outcome[] = [];
  for (const shards of options.shards)
    outcomes.push(await loadService(describeCount(shards, "shard"), shards, options, setting));
  for (const nodes of options.nodes)
    outcomes.push(await loadCluster(describeCount(nodes, "node"), nodes, options, setting));
  const totals = outcomes.flatMap((outcome) => [...outcome.totals.values()]);
  const wrong = totals.reduce((sum, { refused, broken }) => sum + refused + broken, 0);
  return {
    isSound: wrong === 0,
    series: outcomes.flatMap(({ series }) => series),
    lines: [`processors: ${availableParallelism()}; refused or broken: ${wrong}`],
  };
}

function describeCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

async function loadService(
  name: string,
  shards: number,
  options: LoadOptions,
  setting: Setting,
): Promise<Outcome> {
  const environment = { KLIEG_SHARDS: `${shards}` };
  const start = () => setting.start({ environment, mustBeOwn: true });
  const loaded = await openLoaded({ ...setting, start }, options.accounts);
  const { accounts, host, subject } = loaded;
  const requests = () => writeSubmits(accounts, host, nextRun());
  const target = { ...asTarget(loaded, { requests, unit: "submit" }), name };
  return runByTurns([target], options, setting.say).finally(() => subject.stop());
}

async function loadCluster(
  name: string,
  nodes: number,
  options: LoadOptions,
  { environment, say }: Setting,
): Promise<Outcome> {
  const cluster = await openCluster(environment, { nodes, shards: clusterShards });
  try {
    const origin = cluster.nodes[0]?.origin ?? "";
    const accounts = await createAccounts(origin, cluster.token, options.accounts);
    const target: LoadTarget = {
      name,
      origin,
      processes: nameProcesses(cluster.nodes, (number) => `node ${number}`),
      requests: () => writeSubmits(accounts, new URL(origin).host, nextRun()),
      unit: "submit",
      rest: () => untilSettled(accounts.slice(0, sampled)),
    };
    return await runByTurns([target], options, say);
  } finally {
    await cluster.close();
  }
}
