/**
 * Do submits, reads and listings cost more as the store grows? Each size is a service of its own,
 * and all are measured by turns, so that a machine whose speed drifts is not taken for a cliff.
 */
import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../config/limits.ts";
import { type LoadTarget, runByTurns } from "../load/by-turns.ts";
import {
  asTarget,
  fillStore,
  type Loaded,
  nextRun,
  openLoaded,
  writeReads,
} from "../load/klieg-load.ts";
import { type LoadOptions, loadDefaults, loadOptions, quickLoad } from "../load/load-options.ts";
import { writeGet, writeSubmits } from "../load/requests.ts";
import { readOptions } from "../options.ts";
import type { Figure, Finding, Series } from "../report/result.ts";
import { median } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";

/** Reads of so many jobs: all are in the cache, whatever the size of the store. */
const readsMax = 10_000;
/** Jobs of each account in the smallest store, so that a listing of twenty is full in it too. */
const jobsPerAccountMin = 25;
/** Time within which a round's rows are in the tables: what that costs is part of the round. */
const flushedMs = limits.engine.flushIntervalMs + 2_000;

const kinds = ["read", "list", "submit"] as const;

/** A service with that many jobs, and its own requests of each kind. */
interface Store {
  readonly jobs: number;
  readonly targets: Readonly<Record<(typeof kinds)[number], LoadTarget>>;
}

export const growth: Scenario = {
  question: "Do submits, reads and listings cost more as the store grows?",
  excludes: "deleting what is old, and stores beyond this disk's cache",
  options: [
    ...loadOptions.map((line) => line.replace("(12)", "(4)")),
    "--sizes N,N      jobs in the stores (10000,100000,1000000)",
  ],
  quick: [...quickLoad, "--seconds", "2", "--sizes", "10000,100000"],
  plan: (args) => {
    const sizes = [10_000, 100_000, 1_000_000];
    const options = readOptions(args, { ...loadDefaults, seconds: 4, sizes });
    return (setting) => measure(options, options.sizes, setting);
  },
};

async function measure(
  options: LoadOptions,
  sizes: readonly number[],
  setting: Setting,
): Promise<Finding> {
  const accounts = Math.min(options.accounts, Math.ceil(Math.min(...sizes) / jobsPerAccountMin));
  const stores: Store[] = [];
  for (const size of sizes) {
    const loaded = await openLoaded(setting, accounts, { mustBeOwn: true });
    const jobs = await fillStore(loaded, size, setting.say);
    stores.push({ jobs, targets: await prepare(loaded, jobs) });
  }
  const targets = kinds.flatMap((kind) => stores.map((store) => store.targets[kind]));
  const { series, totals } = await runByTurns(targets, options, setting.say);
  const sums = [...totals.values()];
  const wrong = sums.reduce((sum, { refused, broken }) => sum + refused + broken, 0);
  const submitted = stores.map(({ targets }) => totals.get(targets.submit.name)?.answered ?? 0);
  return {
    isSound: wrong === 0,
    series: kinds.map((kind, at) => {
      const own = series.slice(at * stores.length, (at + 1) * stores.length);
      return gather(kind, stores, own);
    }),
    lines: [`refused or broken: ${wrong}`, `submitted meanwhile: ${submitted.join(", ")}`],
  };
}

async function prepare(loaded: Loaded, jobs: number): Promise<Store["targets"]> {
  const { accounts, host } = loaded;
  const reads = await writeReads(loaded, readsMax);
  const lists = accounts.map(({ token }) => writeGet("/v1/jobs?limit=20", host, token));
  const random = (texts: readonly string[]) => () => ({ kind: "random", texts }) as const;
  const submits = asTarget(loaded, {
    requests: () => writeSubmits(accounts, host, nextRun()),
  });
  const rest = async () => {
    await submits.rest?.();
    await pause(flushedMs);
  };
  return {
    read: { ...asTarget(loaded, { requests: random(reads) }), name: `read, ${jobs} jobs` },
    list: { ...asTarget(loaded, { requests: random(lists) }), name: `list, ${jobs} jobs` },
    submit: { ...submits, name: `submit, ${jobs} jobs`, rest },
  };
}

/** Returns the series of one kind of request, with a figure for each size of the store. */
function gather(kind: string, stores: readonly Store[], own: readonly Series[]): Series {
  const figures = own.flatMap(({ figures, name }): Figure[] => {
    const cost = figures.find((each) => each.name === "CPU") ?? figures[0];
    return cost === undefined ? [] : [{ ...cost, name: `CPU: ${name}` }];
  });
  const [first, last] = [figures[0], figures.at(-1)];
  const ratio: Figure = {
    name: "largest beside smallest store",
    unit: "times",
    better: "less",
    rounds: last?.rounds.map((cost, round) => cost / (first?.rounds[round] ?? Number.NaN)) ?? [],
  };
  return {
    name: kind,
    figures: [ratio, ...figures],
    curves: [
      {
        title: "Cost by jobs in the store",
        x: { label: "jobs", scale: "log" },
        y: { label: first?.unit ?? "", scale: "linear" },
        points: figures.map(({ rounds }, at) => [stores[at]?.jobs ?? 0, median(rounds)]),
      },
    ],
  };
}
