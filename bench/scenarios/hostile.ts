/** How are hostile requests answered, and how quickly are other requests answered meanwhile? */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { extname } from "node:path";
import { hostileArchive } from "../../test/hostile/archives.ts";
import { hostileBody, posts } from "../../test/hostile/bodies.ts";
import { Dice } from "../../test/hostile/dice.ts";
import { boundary, hostileForm, manyParts } from "../../test/hostile/forms.ts";
import { createAccounts, inParallel } from "../load/accounts.ts";
import { readOptions } from "../options.ts";
import { verdict } from "../render/render-table.ts";
import type { Finding } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";
import { watchHealth } from "../service/health.ts";
import { readLongTurns } from "../service/loop-turns.ts";

interface Options {
  readonly requests: number;
  readonly archives: number;
  readonly uploads: number;
  readonly seed: number;
}

const probe = new URL(`../service/loop-probe${extname(import.meta.filename)}`, import.meta.url);

export const hostile: Scenario = {
  question: "How are hostile requests answered, and how soon are others answered beside them?",
  excludes: "floods that fill the network",
  options: [
    "--requests N     JSON, forms and addresses of every wrong kind (300000)",
    "--archives N     that lie (100)",
    "--uploads N      that break off (1000)",
    "--seed N         of all of them (1)",
  ],
  plan: (args) => {
    const options = readOptions(args, {
      requests: 300_000,
      archives: 100,
      uploads: 1_000,
      seed: 1,
    });
    return (setting) => measure(options, setting);
  },
};

/** A hostile request. */
interface Shot {
  readonly method: string;
  readonly path: string;
  readonly mediaType: string;
  readonly body: Buffer;
}

async function measure(options: Options, { start, say }: Setting): Promise<Finding> {
  const subject = await start({ environment: { NODE_OPTIONS: `--import ${probe}` } });
  const [owner] = await createAccounts(subject.origin, subject.token, 1);
  if (owner === undefined) throw new Error("There is no account to send from.");
  const { id } = await owner.client.compositions.create({ name: "hostile" });
  const dice = new Dice(options.seed);
  const statuses = new Map<number, number>();
  const gun = new Gun(subject.origin, owner.token);
  const fire = async (shots: readonly (() => Shot)[]): Promise<void> => {
    await inParallel(shots, async (make) => {
      const status = await gun.send(make());
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
  };
  const beganMs = Date.now();
  const healthy = await watchHealth(subject.origin);
  await fire(times(options.archives, () => archive(dice, id)));
  say(`${options.archives} archives sent`);
  await inParallel(
    times(options.uploads, () => form(dice)),
    (make) => gun.abort(make(), dice),
  );
  say(`${options.uploads} uploads broken off`);
  for (let sent = 0; sent < options.requests; sent += reportEvery) {
    const count = Math.min(reportEvery, options.requests - sent);
    await fire(times(count, () => anyShot(dice)));
    say(`${sent + count} requests sent`);
  }
  const waits = await healthy();
  const failures = [...statuses].filter(([status]) => status >= 500 && status !== 503);
  const counts = [...statuses].sort(([one], [other]) => one - other);
  const isAlive = isRunning(subject.pid) && (await gun.send(healthz)) === 200;
  return {
    isSound: failures.length === 0 && isAlive,
    lines: [
      `answers: ${counts.map(([status, count]) => `${status || "none"} ${count}`).join(", ")}`,
      verdict("no 5xx but 503", failures.length === 0),
      verdict("one process from the first request to the last", isAlive),
      `/healthz beside it: ${waits.length} asked, ${figure(waits, 0.5)}, ${figure(waits, 0.99)}, ` +
        `slowest ${Math.max(...waits).toFixed(0)} ms (bar: p99 50 ms)`,
      ...(subject.pid === undefined ? [] : await loopLines(subject.pid, beganMs)),
    ],
  };
}

/** A service that was running already has no known pid and is only judged by its answers. */
function isRunning(pid: number | undefined): boolean {
  try {
    return pid === undefined || process.kill(pid, 0);
  } catch {
    return false; // Only of a process that has ended.
  }
}

async function loopLines(pid: number, sinceMs: number): Promise<readonly string[]> {
  const turns = await readLongTurns(pid, sinceMs);
  const ownMs = Math.max(0, ...turns.map((turn) => turn.ownMs));
  const wallMs = Math.max(0, ...turns.map((turn) => turn.wallMs));
  return [
    verdict(
      `no turn of the event loop works for over ${loopMs} ms: the longest ${ownMs.toFixed(0)} ms, ` +
        `${wallMs.toFixed(0)} ms with its waits for a processor`,
      ownMs <= loopMs,
    ),
  ];
}

const loopMs = 50;
const reportEvery = 20_000;
const healthz: Shot = { method: "GET", path: "/healthz", mediaType: "", body: Buffer.alloc(0) };

function figure(waits: readonly number[], share: number): string {
  return `p${share * 100} ${percentile(waits, share).toFixed(1)} ms`;
}

function times<T>(count: number, make: T): readonly T[] {
  return Array.from({ length: count }, () => make);
}

function archive(dice: Dice, id: string): Shot {
  const path = `/v1/compositions/${id}/bundle`;
  return { method: "POST", path, mediaType: "application/zip", body: hostileArchive(dice) };
}

function form(dice: Dice): Shot {
  const mediaType = `multipart/form-data; boundary=${boundary}`;
  const body = dice.number(50) === 0 ? crowdedForm : hostileForm(dice);
  return { method: "POST", path: "/v1/assets", mediaType, body };
}

/** A form with about as many parts as the HTTP listener hands over at once. */
const crowdedForm = manyParts(8_000);

const methods = ["GET", "DELETE", "PATCH", "PUT", "POST", "OPTIONS", "HEAD"] as const;
const places = [
  "/v1/jobs/",
  "/v1/jobs?limit=",
  "/v1/assets/",
  "/v1//",
  "/",
  "/v1/%2e%2e/",
] as const;

function anyShot(dice: Dice): Shot {
  const mediaType = "application/json";
  switch (dice.number(10)) {
    case 0:
      return form(dice);
    case 1:
    case 2: {
      const path =
        dice.pick(places) + encodeURIComponent(dice.bytes(dice.number(30)).toString("latin1"));
      return { method: dice.pick(methods), path, mediaType, body: Buffer.alloc(0) };
    }
    default: {
      const [path, members] = dice.pick(posts);
      const body = Buffer.from(hostileBody(dice, members));
      return { method: "POST", path, mediaType, body };
    }
  }
}

class Gun {
  private readonly origin: URL;
  private readonly token: string;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(origin: string, token: string) {
    this.origin = new URL(origin);
    this.token = token;
  }

  /** Sends a request and returns its status, or 0 when the connection was closed without one. */
  send({ method, path, mediaType, body }: Shot): Promise<number> {
    const { hostname, port } = this.origin;
    const headers = {
      authorization: `Bearer ${this.token}`,
      ...(body.length > 0 && { "content-type": mediaType, "content-length": body.length }),
    };
    return new Promise((resolve) => {
      const sent = request({ hostname, port, method, path, headers, agent: this.agent });
      sent.once("error", () => resolve(0));
      sent.once("response", (answer) => {
        answer.once("error", () => resolve(0));
        answer.once("end", () => resolve(answer.statusCode ?? 0));
        answer.resume();
      });
      sent.end(body);
    });
  }

  /** Announces a whole body, sends only a part of it and disconnects. */
  abort({ method, path, mediaType, body }: Shot, dice: Dice): Promise<void> {
    const { hostname, port } = this.origin;
    const head =
      `${method} ${path} HTTP/1.1\r\nHost: klieg\r\nAuthorization: Bearer ${this.token}\r\n` +
      `Content-Type: ${mediaType}\r\nContent-Length: ${body.length + 1}\r\n\r\n`;
    const part = Buffer.concat([Buffer.from(head), body.subarray(0, dice.number(body.length + 1))]);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.once("error", () => undefined);
      socket.once("close", () => resolve());
      socket.write(part, () => socket.resetAndDestroy());
    });
  }
}
