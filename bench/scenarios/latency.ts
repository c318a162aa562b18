/**
 * How long does a submit take at rates that users have? An open loop: submits come at their own
 * times whether or not earlier ones were answered, and each is timed from when it was due, so that
 * a pause of the service is in every answer that it delays (no coordinated omission). The rates
 * rise step by step, as shares of the highest that a closed loop reaches.
 */
import { untilSettled } from "../load/accounts.ts";
import { drive } from "../load/closed-loop.ts";
import { type Loaded, nextRun, openLoaded, sampleAnswer } from "../load/klieg-load.ts";
import { type PacedResult, pace } from "../load/open-loop.ts";
import { writeNumbered, writeSubmits } from "../load/requests.ts";
import { chooseNames, readCounts, readOptions } from "../options.ts";
import { openHttpPeers } from "../peers/http-peers.ts";
import type { Curve, Figure, Finding, Series } from "../report/result.ts";
import { median } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";

const accounts = 500;
const peerNames = ["uws-bullmq", "fastify-bullmq"] as const;

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  /** Submits per second; undefined when the rates are shares of a rate that is measured first. */
  readonly rates: readonly number[] | undefined;
  readonly shares: readonly number[];
  readonly peers: readonly (typeof peerNames)[number][];
}

export const latency: Scenario = {
  question: "How long does a submit take at fixed rates, timed from when it was due?",
  excludes: "the highest rate (see submit); rates above what one load generator can send",
  options: [
    "--seconds N      of one round (30)",
    "--rounds N       of each rate (3)",
    "--shares N,N     of the highest rate, in hundredths (10,25,50,75)",
    "--rates N,N      submits a second instead of shares",
    '--peers NAMES    with commas between (all); "" for none',
  ],
  quick: ["--seconds", "5", "--rounds", "1", "--shares", "25,50"],
  plan: (args) => {
    const { rates, peers, ...rest } = readOptions(args, {
      seconds: 30,
      rounds: 3,
      shares: [10, 25, 50, 75],
      rates: undefined,
      peers: undefined,
    });
    const options = {
      ...rest,
      rates: rates === undefined ? undefined : readCounts("rates", rates),
      peers: chooseNames(peers, peerNames),
    };
    return (setting) => measure(options, setting);
  },
};

/** A service under load, with its results at each rate. */
interface Side {
  readonly name: string;
  readonly lacks?: string;
  readonly origin: string;
  readonly rest: () => Promise<unknown>;
  readonly results: Map<number, PacedResult[]>;
}

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const { say } = setting;
  const loaded = await openLoaded(setting, accounts);
  const { subject, host, sample } = loaded;
  const rates = options.rates ?? (await shareRates(loaded, options.shares));
  say(`rates: ${rates.join(", ")} submits a second`);
  const request = '{"model":"sim-instant","prompt":"a red kite over dunes at dusk, sample"}';
  const body = await sampleAnswer(loaded, "/v1/generate/image", request);
  const opened = await openHttpPeers(options.peers, { setting, folder: subject.folder, body });
  const klieg = { name: "klieg", origin: subject.origin, rest: () => untilSettled(sample) };
  const sides: Side[] = [klieg, ...opened.peers].map((side) => ({
    rest: async () => undefined,
    ...side,
    results: new Map(),
  }));
  try {
    for (const rate of rates)
      for (let round = 1; round <= options.rounds; round++)
        for (const side of sides) {
          const writeRequest = writeNumbered(writeSubmits(loaded.accounts, host, nextRun()));
          const times = { aSecond: rate, seconds: options.seconds };
          const result = await pace(side.origin, times, writeRequest);
          side.results.set(rate, [...(side.results.get(rate) ?? []), result]);
          const { waits, delays } = result;
          say(
            `${side.name} at ${rate} a second: p50 ${waits.percentile(50).toFixed(2)} ms, ` +
              `p99 ${waits.percentile(99).toFixed(2)} ms; sent late by ` +
              `${delays.percentile(99).toFixed(2)} ms at p99`,
          );
          await side.rest();
        }
  } finally {
    await opened.close();
  }
  const results = sides.flatMap((side) => [...side.results.values()].flat());
  return {
    isSound: results.every(({ refused }) => refused === 0),
    series: sides.map((side) => toSeries(side, chooseMiddle(rates))),
    lines: opened.lines,
  };
}

/** Returns the rate in the middle, or the lower of the two in the middle. */
function chooseMiddle(rates: readonly number[]): number {
  return rates[Math.floor((rates.length - 1) / 2)] ?? 0;
}

async function shareRates(
  { subject, accounts: owners, host, sample }: Loaded,
  shares: readonly number[],
): Promise<number[]> {
  const load = { connections: 256, threads: 2 };
  const writes = () => writeSubmits(owners, host, nextRun());
  await drive(subject.origin, { ...load, seconds: 3, requests: writes() });
  const result = await drive(subject.origin, { ...load, seconds: 6, requests: writes() });
  await untilSettled(sample);
  const highest = result.requests / result.seconds;
  return shares.map((share) => Math.max(1, Math.floor((highest * share) / 100)));
}

function toSeries({ name, lacks, results }: Side, middle: number): Series {
  const figures = [...results].flatMap(([rate, rounds]) => [
    latencyFigure(rate, rounds, 50),
    latencyFigure(rate, rounds, 99),
    latencyFigure(rate, rounds, 99.9),
  ]);
  const headline = figures.find((figure) => figure.name === figureName(middle, 99));
  const ordered = figures.toSorted((one) => (one === headline ? -1 : 0));
  const byRate: Curve = {
    title: "p99 by rate",
    x: { label: "submits a second", scale: "linear" },
    y: { label: "ms", scale: "log" },
    points: [...results].map(([rate, rounds]) => [
      rate,
      median(rounds.map(({ waits }) => waits.percentile(99))),
    ]),
  };
  const own = results.get(middle)?.[0];
  const curves = [...(own === undefined ? [] : [own.waits.curve()]), byRate];
  return { name, ...(lacks === undefined ? {} : { lacks }), figures: ordered, curves };
}

const figureName = (rate: number, percent: number): string => `p${percent} at ${rate} a second`;

function latencyFigure(rate: number, rounds: readonly PacedResult[], percent: number): Figure {
  return {
    name: figureName(rate, percent),
    unit: "ms",
    better: "less",
    rounds: rounds.map(({ waits }) => waits.percentile(percent)),
  };
}
