/**
 * What do further shards give? Each shard has a thread and a journal of its own, so they help where
 * processors are idle; on few they show what a shard costs. A service by itself for each count, one
 * after the other: they would take each other's processors. For nodes see replicated.
 */
import { availableParallelism } from "node:os";
import { runByTurns } from "../load/by-turns.ts";
import { asContestant, nextRun, openLoaded } from "../load/klieg-load.ts";
import { type LoadOptions, loadOptions, quickLoad, readLoadOptions } from "../load/load-options.ts";
import { writeSubmits } from "../load/requests.ts";
import type { Finding, Series } from "../report/result.ts";
import { readCounts, type Scenario, type Setting } from "../scenario.ts";

export const scale: Scenario = {
  question: "What do further shards and their threads give to submits?",
  excludes: "further machines (see replicated); reshard of a store that is there",
  options: [...loadOptions.slice(0, 5), "--shards N,N     (1,2,4,8)"],
  quick: [...quickLoad, "--shards", "1,2,4"],
  plan: (args) => {
    const at = args.lastIndexOf("--shards");
    const counts = readCounts("shards", at === -1 ? "1,2,4,8" : (args[at + 1] ?? ""));
    const rest = args.filter(
      (_, index) => args[index] !== "--shards" && args[index - 1] !== "--shards",
    );
    const options = readLoadOptions(rest);
    return (setting) => measure(options, counts, setting);
  },
};

async function measure(
  { profile, accounts: count }: LoadOptions,
  counts: readonly number[],
  setting: Setting,
): Promise<Finding> {
  const all: Series[] = [];
  let wrong = 0;
  for (const shards of counts) {
    const environment = { KLIEG_SHARDS: `${shards}` };
    const start = () => setting.start({ environment, mustBeOwn: true });
    const loaded = await openLoaded({ ...setting, start }, count);
    const { accounts, host, subject } = loaded;
    const requests = () => writeSubmits(accounts, host, nextRun());
    const name = `${shards} ${shards === 1 ? "shard" : "shards"}`;
    const contestant = { ...asContestant(loaded, { requests, unit: "submit" }), name };
    const { series, totals } = await runByTurns([contestant], profile, setting.say);
    all.push(...series);
    const { refused = 1, broken = 1 } = totals.get(name) ?? {};
    wrong += refused + broken;
    await subject.stop();
  }
  return {
    isSound: wrong === 0,
    series: all,
    lines: [`processors: ${availableParallelism()}; refused or broken: ${wrong}`],
  };
}
