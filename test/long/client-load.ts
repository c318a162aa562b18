/**
 * Clients of a cluster behind a load balancer. Each repeats what was answered 503 or 429 when it
 * was told to, with the same idempotency key, and asks another node where a connection is refused.
 * Whatever else is no proper answer is a failure.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import type { Job } from "../../contract/job.ts";
import { type Acknowledged, createOwners, type Owner } from "../crash/accounts.ts";
import { firstToken } from "../crash/klieg-process.ts";

/** Pause between two actions of one client. */
const pauseMs = 25;

/** Where a node listens now; a restart changes it. */
export interface Place {
  port: number;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

class Failure extends Error {}

export class ClientLoad {
  readonly acknowledged: Acknowledged[] = [];
  readonly failures: string[] = [];
  /**
   * Number of connections that were closed while a request was under way on them, as happens to
   * those that a stopping node has not accepted yet. Clients and balancers repeat it by its
   * idempotency key.
   */
  untaken = 0;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly places: readonly Place[];
  private readonly owners: readonly Owner[];
  private readonly lanes: Promise<void>[];
  private asked = 0;
  private slowestSeconds = 0;
  /** The slowest single attempt, among requests that are answered as soon as they can be. */
  private slowest = { seconds: 0, what: "" };
  private isOver = false;
  /** Whether the nodes are gone too. */
  private isClosed = false;

  private constructor(places: readonly Place[], owners: readonly Owner[]) {
    this.places = places;
    this.owners = owners;
    this.lanes = owners.map((owner, number) => {
      const acts = [this.submitAndRead, this.submitAndWait, this.submitAndStream];
      return this.repeat((turn) => acts[(turn + number) % acts.length]?.call(this, owner));
    });
    this.lanes.push(this.repeat((turn) => this.meetNewcomer(turn)));
  }

  /** Starts `accounts` clients, each with its own account, and one that makes accounts. */
  static async begin(t: Test, places: readonly Place[], accounts: number): Promise<ClientLoad> {
    const load = new ClientLoad(places, await createOwners(places[0]?.port ?? 0, accounts));
    t.teardown(() => {
      load.isOver = true;
      load.isClosed = true;
      load.agent.destroy();
    });
    return load;
  }

  /** Returns the slowest since the last call: a write with all its attempts, and one answer. */
  takeSlowest(): string {
    const { seconds, what } = this.slowest;
    const slowest = this.slowestSeconds.toFixed(1);
    this.slowestSeconds = 0;
    this.slowest = { seconds: 0, what: "" };
    return `the slowest write took ${slowest} s, the slowest answer ${seconds.toFixed(1)} s (${what})`;
  }

  /** Resolves when `jobs` further jobs are acknowledged. */
  async pass(jobs: number): Promise<void> {
    const enough = this.acknowledged.length + jobs;
    while (this.acknowledged.length < enough) await delay(pauseMs);
  }

  /** Stops all clients; resolves to the owners of the jobs. */
  async end(): Promise<readonly Owner[]> {
    this.isOver = true;
    await Promise.all(this.lanes);
    return this.owners;
  }

  private async repeat(act: (turn: number) => Promise<void> | undefined): Promise<void> {
    for (let turn = 0; !this.isOver; turn++) {
      try {
        await act(turn);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        this.failures.push(error.message);
      }
      await delay(pauseMs);
    }
  }

  private async submitAndRead(owner: Owner): Promise<void> {
    const id = await this.submit(owner, "a kite");
    for (const path of [`/jobs/${id}`, "/jobs?limit=5", "/me/credits"])
      demand(200, await this.ask(owner.token, path), path);
  }

  private async submitAndWait(owner: Owner): Promise<void> {
    const path = `/jobs/${await this.submit(owner, "a kite sim:slow=300")}/wait?timeout_seconds=20`;
    for (;;) {
      const reply = await this.ask(owner.token, path);
      if (reply.status === 408) continue;
      const { status, asset } = demand(200, reply, path) as Job;
      if (status !== "succeeded") throw new Failure(`a job ended as ${reply.text}`);
      const { pathname, search } = new URL(`${asset?.signed_url}`);
      const bytes = await this.ask(owner.token, `${pathname}${search}`);
      if (bytes.status !== 200) throw new Failure(`an asset was answered ${bytes.text}`);
      return;
    }
  }

  private async submitAndStream(owner: Owner): Promise<void> {
    const id = await this.submit(owner, "a kite sim:slow=300");
    for (;;) {
      const path = `/jobs/${id}/sse-ticket`;
      const minted = demand(201, await this.ask(owner.token, path, {}), path);
      const { ticket } = minted as { ticket: string };
      const stream = await this.ask(owner.token, `/jobs/${id}/sse?ticket=${ticket}`, undefined, 1);
      if (stream.status === 503) continue;
      if (stream.status !== 200) throw new Failure(`a stream was answered ${stream.text}`);
      if (/event: complete\n.*\n.*succeeded.*\n\n$/.test(stream.text)) return;
      if (!stream.text.endsWith("event: reconnect\ndata: {}\n\n"))
        throw new Failure(`a stream ended with ${stream.text.slice(-200)}`);
    }
  }

  /** Checks that every serving node knows a credential that was just issued. */
  private async meetNewcomer(turn: number): Promise<void> {
    const email = `newcomer-${turn}-${randomUUID()}@klieg.example`;
    const body = { email, issue_token: true };
    const reply = await this.ask(firstToken, "/admin/accounts", body);
    // An earlier attempt of unknown outcome had created the account.
    if (reply.status === 409) return;
    const { token } = demand(201, reply, "/admin/accounts") as { token: string };
    for (const place of this.places) {
      const met = await this.askOnce(place, token, "/me");
      if (met !== undefined && met.status !== 503) demand(200, met, `/me at ${place.port}`);
    }
  }

  private async submit(owner: Owner, prompt: string): Promise<string> {
    const began = process.uptime();
    const body = { model: "sim-instant", prompt: `${prompt} ${randomUUID()}` };
    const reply = await this.ask(owner.token, "/generate/image", body);
    this.slowestSeconds = Math.max(this.slowestSeconds, process.uptime() - began);
    // A node that went away before it answered had accepted the job, which the problem names.
    const made = demand(reply.status === 409 ? 409 : 202, reply, "/generate/image");
    const { id, job_id: other } = made as { id: string; job_id?: string };
    this.acknowledged.push({ owner, id: other ?? id });
    return other ?? id;
  }

  private async ask(
    token: string,
    path: string,
    body?: object,
    attempts = Number.POSITIVE_INFINITY,
  ): Promise<Reply> {
    const key = randomUUID();
    for (let attempt = 1; ; ) {
      const place = this.places[this.asked++ % this.places.length] as Place;
      const reply = await this.askOnce(place, token, path, body, key);
      if (this.isClosed) throw new Failure("the test is over");
      if (reply === undefined) continue;
      if ((reply.status !== 503 && reply.status !== 429) || attempt++ >= attempts) return reply;
      await delay(reply.retryAfterSeconds * 1_000);
    }
  }

  /** Sends a request; undefined if it was refused, or closed before a byte of an answer. */
  private async askOnce(
    { port }: Place,
    token: string,
    path: string,
    body?: object,
    key = "",
  ): Promise<(Reply & { readonly retryAfterSeconds: number }) | undefined> {
    const sent = request({
      agent: this.agent,
      host: "127.0.0.1",
      port,
      // Signed links have no version in their path.
      path: path.startsWith("/objects/") ? path : `/v1${path}`,
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    if (body !== undefined) sent.setHeader("idempotency-key", key);
    sent.end(body && JSON.stringify(body));
    const began = process.uptime();
    let reply: IncomingMessage | undefined;
    try {
      [reply] = (await once(sent, "response")) as [IncomingMessage];
      const answer = await text(reply);
      const retryAfter = reply.headers["retry-after"];
      if (reply.statusCode === 503 && retryAfter === undefined)
        throw new Failure(`${path} was refused without Retry-After: ${answer}`);
      const status = reply.statusCode ?? 0;
      const seconds = process.uptime() - began;
      if (seconds > this.slowest.seconds && !/\/(wait|sse)\?/.test(path))
        this.slowest = { seconds, what: `${status} of ${path.split("?")[0]}` };
      return { status, text: answer, retryAfterSeconds: Number(retryAfter ?? 0) };
    } catch (error) {
      if (error instanceof Failure) throw error;
      const { code } = error as { code?: string };
      if (code === "ECONNREFUSED") return undefined;
      if (code === "ECONNRESET" && reply === undefined) {
        this.untaken++;
        return undefined;
      }
      throw new Failure(`${path} got no answer: ${String(error)}`);
    }
  }
}

function demand(status: number, reply: Reply, path: string): unknown {
  if (reply.status !== status)
    throw new Failure(`${path} was answered ${reply.status}: ${reply.text}`);
  return JSON.parse(reply.text);
}
