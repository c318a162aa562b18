/**
 * How long do requests of all kinds take on a day of mixed use? Of every twenty requests four are
 * submits, one is a quote, eleven are reads of a job and four are listings, at one fixed rate,
 * timed from when they were due (see open-loop.ts).
 */
import { untilSettled } from "../load/accounts.ts";
import {
  fillStore,
  type Loaded,
  listProcesses,
  nextRun,
  openLoaded,
  writeReads,
} from "../load/klieg-load.ts";
import { pace } from "../load/open-loop.ts";
import { writeGet, writeNumbered, writePost, writeSubmits } from "../load/requests.ts";
import { ownTimeUs } from "../machine/processor-time.ts";
import { readOptions } from "../options.ts";
import { Latencies } from "../report/latencies.ts";
import type { Figure, Finding, Series } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

const kinds = ["submit", "quote", "read", "list"] as const;
type Kind = (typeof kinds)[number];

/** The day's mix, in the order in which it is sent. */
const mix: readonly Kind[] = (
  "submit read read list read quote read submit read list " +
  "read submit read read list read submit read list read"
).split(" ") as Kind[];

interface Options {
  readonly rate: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly jobs: number;
}

export const mixed: Scenario = {
  question: "How long do submits, quotes, reads and listings take beside each other?",
  excludes: "streams and waits (see those), films, uploads",
  options: [
    "--rate N         requests a second (4000)",
    "--seconds N      of one round (30)",
    "--rounds N       (3)",
    "--jobs N         in the store before (100000)",
  ],
  quick: ["--rate", "2000", "--seconds", "8", "--rounds", "1", "--jobs", "30000"],
  plan: (args) => {
    const options = readOptions(args, { rate: 4_000, seconds: 30, rounds: 3, jobs: 100_000 });
    return (setting) => measure(options, setting);
  },
};

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const loaded = await openLoaded(setting, 500);
  await fillStore(loaded, options.jobs, setting.say);
  const reads = await writeReads(loaded, Math.min(options.jobs, 50_000));
  const rounds: ReadonlyMap<Kind, Latencies>[] = [];
  const costs: number[] = [];
  let refused = 0;
  const [process] = listProcesses(loaded.subject);
  // The first round warms up and is not counted.
  for (let round = 0; round <= options.rounds; round++) {
    const each = new Map(kinds.map((kind) => [kind, new Latencies()]));
    const before = process && (await ownTimeUs(process.pid));
    const times = { aSecond: options.rate, seconds: round === 0 ? 3 : options.seconds };
    const result = await pace(loaded.subject.origin, times, writeMix(loaded, reads), (n, ms) =>
      each.get(kindOfRequest(n))?.record(ms),
    );
    refused += result.refused;
    const used = process && (await ownTimeUs(process.pid)) - (before ?? 0);
    await untilSettled(loaded.sample);
    if (round === 0) continue;
    rounds.push(each);
    if (used !== undefined) costs.push(used / (options.rate * options.seconds));
    setting.say(`round ${round}: p99 ${result.waits.percentile(99).toFixed(2)} ms of all`);
  }
  return {
    isSound: refused === 0,
    series: kinds.map((kind) => toSeries(kind, rounds, kind === "submit" ? costs : [])),
    lines: [`${options.rate} requests a second, ${refused} refused`],
  };
}

function kindOfRequest(n: number): Kind {
  return mix[n % mix.length] ?? "read";
}

function writeMix({ accounts, host }: Loaded, reads: readonly string[]): (n: number) => string {
  const submit = writeNumbered(writeSubmits(accounts, host, nextRun()));
  const image = { model: "sim-instant", prompt: "a red kite over dunes at dusk" };
  const body = JSON.stringify({ kind: "image", image });
  return (n) => {
    const token = accounts[n % accounts.length]?.token ?? "";
    switch (kindOfRequest(n)) {
      case "submit":
        return submit(n);
      case "quote":
        return writePost("/v1/jobs/cost", host, token, body);
      case "read":
        // This stride is coprime to most counts, so it visits all reads.
        return reads[(n * 7_919) % reads.length] ?? "";
      case "list":
        return writeGet("/v1/jobs?limit=20", host, token);
    }
  };
}

function toSeries(
  kind: Kind,
  rounds: readonly ReadonlyMap<Kind, Latencies>[],
  costs: readonly number[],
): Series {
  const own = rounds.flatMap((round) => round.get(kind) ?? []);
  const latency = (percent: number): Figure => ({
    name: `p${percent}`,
    unit: "ms",
    better: "less",
    rounds: own.map((latencies) => latencies.percentile(percent)),
  });
  const all: Figure = {
    name: "CPU of all kinds",
    unit: "us a request",
    better: "less",
    rounds: costs,
  };
  return {
    name: kind,
    figures: [latency(99), latency(50), latency(99.9), ...(costs.length === 0 ? [] : [all])],
    curves: own[0] === undefined ? [] : [own[0].curve()],
  };
}
