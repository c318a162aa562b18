/** Do submits, reads and listings cost more as the store grows? */
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

const readsMax = 50_000;
/** Jobs of each account in the smallest store, so that a listing of twenty is full in it too. */
const jobsPerAccountMin = 25;

export const growth: Scenario = {
  question: "Do submits, reads and listings cost more as the store grows?",
  excludes: "deleting what is old, and stores beyond this disk's cache",
  options: [...loadOptions, "--sizes N,N      jobs in the store (10000,100000,1000000)"],
  quick: [...quickLoad, "--seconds", "2", "--sizes", "10000,100000"],
  plan: (args) => {
    const sizes = [10_000, 100_000, 1_000_000];
    const options = readOptions(args, { ...loadDefaults, sizes });
    return (setting) => measure(options, options.sizes, setting);
  },
};

async function measure(
  options: LoadOptions,
  sizes: readonly number[],
  setting: Setting,
): Promise<Finding> {
  const accounts = Math.min(options.accounts, Math.ceil(Math.min(...sizes) / jobsPerAccountMin));
  const loaded = await openLoaded(setting, accounts);
  const found: { readonly jobs: number; readonly series: readonly Series[] }[] = [];
  let [jobs, wrong] = [0, 0];
  for (const size of sizes) {
    if (size > jobs) jobs += await fillStore(loaded, size - jobs, setting.say);
    const targets = await prepare(loaded);
    const { series, totals } = await runByTurns(targets, options, setting.say);
    found.push({ jobs, series });
    wrong += [...totals.values()].reduce((sum, each) => sum + each.refused + each.broken, 0);
    jobs += totals.get("submit")?.answered ?? 0;
  }
  const names = found[0]?.series.map(({ name }) => name) ?? [];
  return {
    isSound: wrong === 0,
    series: names.map((name) => gather(name, found)),
    lines: [`refused or broken: ${wrong}`],
  };
}

async function prepare(loaded: Loaded): Promise<LoadTarget[]> {
  const { accounts, host } = loaded;
  const reads = await writeReads(loaded, readsMax);
  const lists = accounts.map(({ token }) => writeGet("/v1/jobs?limit=20", host, token));
  const random = (texts: readonly string[]) => () => ({ kind: "random", texts }) as const;
  return [
    { ...asTarget(loaded, { requests: random(reads) }), name: "read" },
    { ...asTarget(loaded, { requests: random(lists) }), name: "list" },
    {
      ...asTarget(loaded, { requests: () => writeSubmits(accounts, host, nextRun()) }),
      name: "submit",
    },
  ];
}

/** Returns the series of one kind of request, with a figure for each size of the store. */
function gather(
  name: string,
  found: readonly { readonly jobs: number; readonly series: readonly Series[] }[],
): Series {
  const sized = found.flatMap(({ jobs, series }) => {
    const own = series.find((each) => each.name === name)?.figures ?? [];
    const figure = own.find((each) => each.name === "CPU") ?? own[0];
    return figure === undefined ? [] : [{ jobs, figure }];
  });
  const [first, last] = [sized[0], sized.at(-1)];
  const grown =
    first && last ? median(last.figure.rounds) / median(first.figure.rounds) : Number.NaN;
  const ratio: Figure = {
    name: "largest beside smallest store",
    unit: "times",
    better: sized[0]?.figure.better ?? "less",
    rounds: [grown],
  };
  return {
    name,
    figures: [
      ratio,
      ...sized.map(({ jobs, figure }) => ({ ...figure, name: `${figure.name}, ${jobs} jobs` })),
    ],
    curves: [
      {
        title: "Cost by jobs in the store",
        x: { label: "jobs", scale: "log" },
        y: { label: first?.figure.unit ?? "", scale: "linear" },
        points: sized.map(({ jobs, figure }) => [jobs, median(figure.rounds)]),
      },
    ],
  };
}
