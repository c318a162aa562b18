/** Do submits, reads and listings cost more as the store grows? */
import { type Contestant, runByTurns } from "../load/by-turns.ts";
import {
  asContestant,
  fillStore,
  type Loaded,
  nextRun,
  openLoaded,
  writeReads,
} from "../load/klieg-load.ts";
import { type LoadOptions, loadOptions, quickLoad, readLoadOptions } from "../load/load-options.ts";
import { writeGet, writeSubmits } from "../load/requests.ts";
import type { Figure, Finding, Series } from "../report/result.ts";
import { median } from "../report/statistics.ts";
import { readCounts, type Scenario, type Setting } from "../scenario.ts";

const readsMax = 50_000;

export const growth: Scenario = {
  question: "Do submits, reads and listings cost more as the store grows?",
  excludes: "deleting what is old, and stores beyond this disk's cache",
  options: [
    ...loadOptions.slice(0, 5),
    "--sizes N,N      jobs in the store (10000,100000,1000000)",
  ],
  quick: [...quickLoad, "--seconds", "2", "--sizes", "10000,100000"],
  plan: (args) => {
    const { sizes, rest } = takeSizes(args);
    const options = readLoadOptions(rest);
    return (setting) => measure(options, sizes, setting);
  },
};

function takeSizes(args: readonly string[]) {
  const at = args.lastIndexOf("--sizes");
  const text = at === -1 ? "10000,100000,1000000" : (args[at + 1] ?? "");
  const rest = args.filter(
    (_, index) => args[index] !== "--sizes" && args[index - 1] !== "--sizes",
  );
  return { sizes: readCounts("sizes", text), rest };
}

async function measure(
  { profile, accounts }: LoadOptions,
  sizes: readonly number[],
  setting: Setting,
): Promise<Finding> {
  const loaded = await openLoaded(setting, accounts);
  const found: { readonly jobs: number; readonly series: readonly Series[] }[] = [];
  let [jobs, wrong] = [0, 0];
  for (const size of sizes) {
    if (size > jobs) jobs += await fillStore(loaded, size - jobs, setting.say);
    const contestants = await prepare(loaded);
    const { series, totals } = await runByTurns(contestants, profile, setting.say);
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

async function prepare(loaded: Loaded): Promise<Contestant[]> {
  const { accounts, host } = loaded;
  const reads = await writeReads(loaded, readsMax);
  const lists = accounts.map(({ token }) => writeGet("/v1/jobs?limit=20", host, token));
  const random = (texts: readonly string[]) => () => ({ kind: "random", texts }) as const;
  return [
    { ...asContestant(loaded, { requests: random(reads) }), name: "read" },
    { ...asContestant(loaded, { requests: random(lists) }), name: "list" },
    {
      ...asContestant(loaded, { requests: () => writeSubmits(accounts, host, nextRun()) }),
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
