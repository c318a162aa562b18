/**
 * Targets by turns under the same load, so that a drifting machine drifts for all: A B C, then
 * C B A, after a warm-up of each. A target's processor time is that of its own processes,
 * without the load generator's; that shares the machine, so it is in the requests a second.
 */
import { heldMebibytes } from "../machine/memory.ts";
import { ownTimeUs } from "../machine/processor-time.ts";
import { compareThreads, readThreadTimes, type ThreadCost } from "../machine/thread-time.ts";
import { latencyCurve, percentiles } from "../report/latencies.ts";
import type { Curve, Figure, Series } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import { drive, type LoadResult, type Requests } from "./closed-loop.ts";

export interface LoadProfile {
  readonly seconds: number;
  readonly connections: number;
  /** Number of threads of the load generator. */
  readonly threads: number;
  readonly rounds: number;
  /** Seconds of warm-up before the first round; 0 when the first requests count. */
  readonly warmUpSeconds?: number;
}

export interface LoadTarget {
  readonly name: string;
  readonly lacks?: string;
  readonly origin: string;
  /** Processes whose time is measured; empty for a service on another machine. */
  readonly processes: readonly NamedProcess[];
  /** Returns the requests of one run; they differ between runs where they must. */
  readonly requests: () => Requests;
  /** Number of requests that make up one unit of what is measured; 1 by default. */
  readonly requestsEach?: number;
  /** Name of one such unit; "request" by default. */
  readonly unit?: string;
  /** Resolves when the work of a run has ended, so that it does not slow down the next run. */
  readonly rest?: () => Promise<unknown>;
}

export interface NamedProcess {
  readonly name: string;
  readonly pid: number;
}

export interface Totals {
  /** Number of answers in all rounds, warm-up included. */
  readonly answered: number;
  readonly refused: number;
  readonly broken: number;
}

export interface Outcome {
  readonly series: readonly Series[];
  /** By target's name. */
  readonly totals: ReadonlyMap<string, Totals>;
}

const usualWarmUpSeconds = 3;

interface Round {
  readonly result: LoadResult;
  readonly costs: readonly ProcessCost[];
  readonly megabytes: readonly (readonly [number, number])[];
}

interface ProcessCost {
  readonly name: string;
  readonly us: number;
  readonly threads: readonly ThreadCost[];
}

export async function runByTurns(
  targets: readonly LoadTarget[],
  profile: LoadProfile,
  say: (line: string) => void,
): Promise<Outcome> {
  const rounds = new Map(targets.map((target) => [target, [] as Round[]]));
  const results = new Map(targets.map((target) => [target, [] as LoadResult[]]));
  const seconds = profile.warmUpSeconds ?? Math.min(usualWarmUpSeconds, profile.seconds);
  for (const target of seconds > 0 ? targets : []) {
    const warm = await runRound(target, { ...profile, seconds });
    results.get(target)?.push(warm.result);
  }
  for (let round = 1; round <= profile.rounds; round++)
    for (const target of round % 2 === 1 ? targets : targets.toReversed()) {
      const measured = await runRound(target, profile);
      rounds.get(target)?.push(measured);
      results.get(target)?.push(measured.result);
      const aSecond = Math.round(perSecond(target, measured.result)).toLocaleString("en-US");
      say(`round ${round} of ${profile.rounds}: ${target.name} ${aSecond} a second`);
    }
  return {
    series: [...rounds].map(([target, each]) => toSeries(target, each)),
    totals: new Map([...results].map(([{ name }, each]) => [name, sumTotals(each)])),
  };
}

async function runRound(target: LoadTarget, profile: LoadProfile): Promise<Round> {
  const { processes, origin, requests, rest } = target;
  const before = await Promise.all(processes.map(readProcess));
  const memory = watchMemory(processes);
  const load = { ...profile, requests: requests() };
  const result = await drive(origin, load);
  const megabytes = memory.stop();
  await rest?.();
  const after = await Promise.all(processes.map(readProcess));
  const costs = processes.map(({ name, pid }, at): ProcessCost => {
    const [first, last] = [before[at], after[at]];
    if (first === undefined || last === undefined) throw new Error("Each process is read twice.");
    const threads = compareThreads(pid, first.threads, last.threads);
    return { name, us: last.us - first.us, threads };
  });
  return { result, costs, megabytes };
}

async function readProcess({ pid }: NamedProcess) {
  return { us: await ownTimeUs(pid), threads: await readThreadTimes(pid) };
}

function watchMemory(processes: readonly NamedProcess[]) {
  const begunMs = performance.now();
  const looks: [number, number][] = [];
  const look = async () => {
    const each = await Promise.all(processes.map(({ pid }) => heldMebibytes(pid)));
    const sum = each.reduce((total, mebibytes) => total + mebibytes, 0);
    looks.push([(performance.now() - begunMs) / 1_000, sum]);
  };
  const watch = processes.length > 0 ? setInterval(() => void look(), 1_000) : undefined;
  return {
    stop() {
      clearInterval(watch);
      return looks;
    },
  };
}

function perSecond({ requestsEach = 1 }: LoadTarget, { requests, seconds }: LoadResult): number {
  return requests / requestsEach / seconds;
}

function toSeries(target: LoadTarget, rounds: readonly Round[]): Series {
  const { name, lacks } = target;
  const middle = pickMiddle(target, rounds);
  return {
    name,
    ...(lacks === undefined ? {} : { lacks }),
    figures: [...loadFigures(target, rounds), ...costFigures(target, rounds)],
    curves: middle === undefined ? [] : toCurves(middle),
  };
}

/** Picks the round with the median throughput, which represents all rounds in the plots. */
function pickMiddle(target: LoadTarget, rounds: readonly Round[]): Round | undefined {
  const speeds = rounds.map(({ result }) => perSecond(target, result));
  return rounds[speeds.indexOf(percentile(speeds, 0.5))];
}

function loadFigures(target: LoadTarget, rounds: readonly Round[]): Figure[] {
  const { unit = "request" } = target;
  const latency = (percent: (typeof percentiles)[number]): Figure => ({
    name: `p${percent}`,
    unit: "ms",
    better: "less",
    rounds: rounds.map(({ result }) => result.latencies[percentiles.indexOf(percent)] ?? 0),
  });
  const speeds = rounds.map(({ result }) => perSecond(target, result));
  return [
    { name: `${unit}s`, unit: "a second", better: "more", rounds: speeds },
    latency(50),
    latency(99),
    latency(99.9),
  ];
}

function costFigures(target: LoadTarget, rounds: readonly Round[]): Figure[] {
  const { processes, unit = "request", requestsEach = 1 } = target;
  if (processes.length === 0) return [];
  const figure = (name: string, cost: (round: Round) => number): Figure => ({
    name,
    unit: `us a ${unit}`,
    better: "less",
    rounds: rounds.map((round) => (requestsEach * cost(round)) / round.result.requests),
  });
  const sum = (round: Round) => round.costs.reduce((total, { us }) => total + us, 0);
  const ofProcess = (at: number) => (round: Round) => round.costs[at]?.us ?? 0;
  const threads = rounds.at(-1)?.costs[0]?.threads ?? [];
  const ofThread = (name: string) => (round: Round) =>
    round.costs[0]?.threads.find((thread) => thread.name === name)?.us ?? 0;
  const memory: Figure = {
    name: "memory",
    unit: "MiB at most",
    better: "less",
    rounds: rounds.map(({ megabytes }) => Math.max(0, ...megabytes.map(([, each]) => each))),
  };
  return [
    figure("CPU", sum),
    ...(processes.length > 1
      ? processes.map(({ name }, at) => figure(`CPU: ${name}`, ofProcess(at)))
      : threads.map(({ name }) => figure(`CPU: ${name}`, ofThread(name)))),
    memory,
  ];
}

function toCurves({ result, megabytes }: Round): Curve[] {
  const latencies = percentiles.map((percent, at) => [percent, result.latencies[at] ?? 0] as const);
  const throughput = result.perSecond.map((count, at) => [at + 1, count] as const);
  const seconds = { label: "seconds", scale: "linear" } as const;
  const curves: Curve[] = [
    latencyCurve(latencies),
    {
      title: "Requests sent over time",
      x: seconds,
      y: { label: "a second", scale: "linear" },
      points: throughput,
    },
  ];
  if (megabytes.length === 0) return curves;
  const y = { label: "MiB", scale: "linear" } as const;
  return [...curves, { title: "Memory over time", x: seconds, y, points: megabytes }];
}

function sumTotals(results: readonly LoadResult[]): Totals {
  const sum = (pick: (result: LoadResult) => number) =>
    results.reduce((total, result) => total + pick(result), 0);
  return {
    answered: sum(({ requests }) => requests),
    refused: sum(({ refused }) => refused),
    broken: sum(({ broken }) => broken),
  };
}
