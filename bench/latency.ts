/** How long does a submit take at half of the rate that the service can bear? */
import { parseArgs } from "node:util";
import { measureDisk } from "./disk.ts";
import { createCrowd, type Member, settled } from "./load/crowd.ts";
import { drive, numberDigits } from "./load/load.ts";
import { type PacedResult, pace } from "./load/open-loop.ts";
import { writeSubmits } from "./load/requests.ts";
import { countOf, type Finding, type Question, type Setting } from "./question.ts";
import { percentile } from "./report/statistics.ts";

const accounts = 500;
const barMs = 20;

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  /** A second; undefined for half of what is measured first. */
  readonly submits: number | undefined;
}

export const latency: Question = {
  summary: "submits at half of the highest rate, each timed from when it was due",
  options: [
    "--seconds N      of one round (30)",
    "--rounds N       (3)",
    "--submits N      a second (half of the highest rate)",
  ],
  farmWorkers: 0,
  plan: (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: "string", default: "30" },
        rounds: { type: "string", default: "3" },
        submits: { type: "string" },
      },
    });
    const options = {
      seconds: countOf("seconds", values.seconds),
      rounds: countOf("rounds", values.rounds),
      submits: values.submits === undefined ? undefined : countOf("submits", values.submits),
    };
    return (setting) => measure(options, setting);
  },
};

async function measure(options: Options, { subject, say }: Setting): Promise<Finding> {
  const { origin, token, folder } = subject;
  const crowd = await createCrowd(origin, token, accounts);
  const aSecond = options.submits ?? Math.floor((await highestRate(origin, crowd)) / 2);
  await settled(crowd);
  say(`${aSecond} submits a second`);
  const rounds: PacedResult[] = [];
  let number = 0;
  const host = new URL(origin).host;
  for (let round = 1; round <= options.rounds; round++) {
    const result = await pace(origin, { aSecond, seconds: options.seconds }, () =>
      submitOf(crowd[number % crowd.length]?.token ?? "", host, number++),
    );
    rounds.push(result);
    const { waits, delays } = result;
    say(
      `round ${round}: p50 ${figure(waits, 0.5)}, p99 ${figure(waits, 0.99)}, ` +
        `p99.9 ${figure(waits, 0.999)}; sent late by ${figure(delays, 0.99)} at p99`,
    );
    await settled(crowd);
  }
  const disk = await measureDisk(folder);
  const p99Ms = percentile(
    rounds.map(({ waits }) => percentile(waits, 0.99)),
    0.5,
  );
  return {
    isSound: rounds.every(({ refused }) => refused === 0),
    lines: [
      `submits at ${aSecond} a second: p99 ${p99Ms.toFixed(2)} ms (bar: ${barMs} ms), ` +
        `a flush of the disk takes ${disk.p50Ms.toFixed(2)} ms`,
    ],
  };
}

async function highestRate(origin: string, crowd: readonly Member[]): Promise<number> {
  const load = { connections: 256, threads: 2, countStatuses: false };
  const requests = writeSubmits(crowd, new URL(origin).host, 0);
  await drive(origin, { ...load, seconds: 3, requests });
  const result = await drive(origin, {
    ...load,
    seconds: 10,
    requests: writeSubmits(crowd, new URL(origin).host, 1),
  });
  return result.requests / result.seconds;
}

function submitOf(token: string, host: string, number: number): string {
  const digits = String(number).padStart(numberDigits, "0");
  const body = `{"model":"sim-instant","prompt":"a red kite over dunes at dusk, paced ${digits}"}`;
  return (
    `POST /v1/generate/image HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function figure(values: readonly number[], share: number): string {
  return `${percentile(values, share).toFixed(2)} ms`;
}
