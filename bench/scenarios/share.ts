/**
 * Do guesses at passwords slow submits, and do unknown tokens tell anything? Submits come at a
 * fixed pace and are timed from the moment at which they were due, at rest and beside a storm of
 * wrong passwords by turns, so that a drifting machine drifts for both.
 */
import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type Account, createAccounts, inParallel } from "../load/accounts.ts";
import { type OptionValues, readOptions } from "../options.ts";
import type { Finding } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";

type Options = OptionValues<typeof defaults>;

const accountCount = 20;
/** Number of links that one asset may have. */
const linksEach = 50;
const idleMs = 3_000;
const defaults = {
  seconds: 15,
  rounds: 3,
  submits: 100,
  guesses: 200,
  links: 1_000,
  addresses: 200,
  tokens: 10_000,
} as const;

export const share: Scenario = {
  question: "Do guesses at passwords slow submits, and do unknown tokens tell anything?",
  excludes: "guesses from many machines",
  options: [
    "--seconds N      of one round (15)",
    "--rounds N       at rest and in the storm each (3)",
    "--submits N      a second (100)",
    "--guesses N      a second (200)",
    "--links N        that are guessed at (1000)",
    "--addresses N    that the guesses come from (200)",
    "--tokens N       at random (10000)",
  ],
  plan: (args) => {
    const options = readOptions(args, defaults);
    return (setting) => measure(options, setting);
  },
};

async function measure(options: Options, { start, say }: Setting): Promise<Finding> {
  // The bench is a trusted proxy, so that it can name the address that a request comes from.
  const subject = await start({ environment: { KLIEG_TRUSTED_PROXIES: "127.0.0.1" } });
  const accounts = await createAccounts(subject.origin, subject.token, accountCount);
  const tokens = await makeLinks(accounts, options.links);
  say(`${tokens.length} links with passwords made`);
  const caller = new Caller(subject.origin);
  const unknown = await askUnknown(caller, tokens, options.tokens);
  say(`${options.tokens} unknown tokens asked for`);
  const statuses = new Map<number, number>();
  const [rest, storm]: [number[][], number[][]] = [[], []];
  let made = 0;
  const submits = () =>
    runPaced(options.submits, options.seconds, async () => {
      const owner = accounts[made++ % accounts.length];
      const status = await caller.submit(owner?.token ?? "", made);
      if (status !== 202) throw new Error(`A submit was answered ${status}.`);
    });
  const guesses = () =>
    runPaced(options.guesses, options.seconds, async (number) => {
      const token = tokens[number % tokens.length] ?? "";
      const status = await caller.guess(token, getAddress(number % options.addresses));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
  await submits();
  for (let round = 1; round <= options.rounds; round++) {
    rest.push(await submits());
    const [beside] = await Promise.all([submits(), guesses()]);
    storm.push(beside);
    say(`round ${round}: p99 ${figure(rest.at(-1), 0.99)} at rest, ${figure(beside, 0.99)} in it`);
  }
  caller.close();
  const [calm, wild] = [p99(rest), p99(storm)];
  const known = [...statuses].sort(([one], [other]) => one - other);
  return {
    isSound: unknown.isEqual && known.every(([status]) => status === 401 || status === 429),
    lines: [
      `submits at ${options.submits} a second: p99 ${calm.toFixed(2)} ms at rest, ` +
        `${wild.toFixed(2)} ms beside ${options.guesses} wrong passwords a second, ` +
        `${(wild / calm).toFixed(2)} times (bar: 2)`,
      `the guesses' answers: ${known.map(([status, count]) => `${status} ${count}`).join(", ")}`,
      ...unknown.lines,
    ],
  };
}

/** Returns the 99th percentile of the middle round. */
function p99(rounds: readonly number[][]): number {
  return percentile(
    rounds.map((waits) => percentile(waits, 0.99)),
    0.5,
  );
}

function figure(waits: readonly number[] = [], share: number): string {
  return `${percentile(waits, share).toFixed(2)} ms`;
}

/** Runs `act` at a fixed rate; returns the time of each run from when it was due, in ms. */
async function runPaced(
  aSecond: number,
  seconds: number,
  act: (number: number) => Promise<void>,
): Promise<number[]> {
  const begin = performance.now();
  const running: Promise<number>[] = [];
  for (let number = 0; number < aSecond * seconds; number++) {
    const dueMs = begin + (number * 1_000) / aSecond;
    const aheadMs = dueMs - performance.now();
    if (aheadMs > 0) await pause(aheadMs);
    running.push(act(number).then(() => performance.now() - dueMs));
  }
  return Promise.all(running);
}

async function makeLinks(accounts: readonly Account[], count: number): Promise<string[]> {
  const assets = await inParallel(
    Array.from({ length: Math.ceil(count / linksEach) }, (_, index) => index),
    async (index) => {
      const owner = accounts[index % accounts.length];
      if (owner === undefined) throw new Error("There is no account to share from.");
      const { client } = owner;
      const { id } = await client.generate.image({ model: "sim-instant", prompt: `kite ${index}` });
      const job = await client.jobs.awaitEnd(id, 60);
      return { client, asset: job?.asset?.id ?? "" };
    },
  );
  return inParallel(
    Array.from({ length: count }, (_, index) => index),
    async (index) => {
      const target = assets[Math.floor(index / linksEach)];
      const password = randomBytes(9).toString("base64url");
      const link = await target?.client.shares.create("assets", target.asset, { password });
      return link?.token ?? "";
    },
  );
}

/**
 * Requests tokens that lead nowhere, of three kinds by turns: of a partition that has links, of one
 * that has none, and tokens that begin like a link's.
 */
async function askUnknown(caller: Caller, tokens: readonly string[], count: number) {
  const bytes = tokens.map((token) => Buffer.from(token, "base64url"));
  const used = [...new Set(bytes.map((token) => token.at(-1) ?? 0))];
  const unused = Array.from({ length: 256 }, (_, at) => at).filter((at) => !used.includes(at));
  const kinds = {
    "partition with links": (at: number) => random(used[at % used.length] ?? 0),
    "partition without": (at: number) => random(unused[at % unused.length] ?? 0),
    "known beginning": (at: number) => {
      const known = bytes[at % bytes.length] ?? Buffer.alloc(17);
      return Buffer.concat([known.subarray(0, 8), randomBytes(8), known.subarray(16)]);
    },
  };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const waits = new Map(names.map((name) => [name, [] as number[]]));
  const answers = new Set<string>();
  for (let at = 0; at < count; at++) {
    const name = names[at % names.length] ?? "known beginning";
    const token = kinds[name](at).toString("base64url");
    const begin = performance.now();
    answers.add(await caller.resolve(token));
    waits.get(name)?.push(performance.now() - begin);
  }
  return {
    isEqual: answers.size === 1 && [...answers][0]?.startsWith("404 ") === true,
    lines: [
      `unknown tokens: ${count} asked for, ${answers.size} different answer`,
      ...[...waits].map(
        ([name, each]) => `    ${name}: p50 ${figure(each, 0.5)}, p99 ${figure(each, 0.99)}`,
      ),
    ],
  };
}

function random(partition: number): Buffer {
  return Buffer.concat([randomBytes(16), Buffer.of(partition)]);
}

function getAddress(number: number): string {
  return `198.51.${Math.floor(number / 250)}.${(number % 250) + 1}`;
}

interface Received {
  readonly status: number;
  readonly text: string;
}

class Caller {
  private readonly origin: URL;
  /** Idle connections are closed here before the service closes them. */
  private readonly agent = new Agent({ keepAlive: true, timeout: idleMs });

  constructor(origin: string) {
    this.origin = new URL(origin);
  }

  async submit(token: string, number: number): Promise<number> {
    const body = JSON.stringify({ model: "sim-instant", prompt: `a red kite, number ${number}` });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return (await this.send("POST", "/v1/generate/image", headers, body)).status;
  }

  async guess(token: string, address: string): Promise<number> {
    const password = randomBytes(9).toString("base64url");
    const headers = { "x-share-password": password, "x-forwarded-for": address };
    return (await this.send("GET", `/v1/share/${token}`, headers)).status;
  }

  /** Returns everything in the answer except its time. */
  async resolve(token: string): Promise<string> {
    const headers = { "x-request-id": "same" };
    const { status, text } = await this.send("GET", `/v1/share/${token}`, headers);
    return `${status} ${text}`;
  }

  close(): void {
    this.agent.destroy();
  }

  private send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<Received> {
    const { hostname, port } = this.origin;
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path, headers, agent: this.agent });
      sent.once("error", reject);
      sent.once("response", (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (part: string) => {
          text += part;
        });
        answer.once("error", reject);
        answer.once("end", () => {
          const { date: _, ...others } = answer.headers;
          resolve({ status: answer.statusCode ?? 0, text: JSON.stringify(others) + text });
        });
      });
      sent.end(body);
    });
  }
}
