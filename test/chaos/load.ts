/**
 * The load: for each account a client that performs one operation after the other, through all
 * nodes of its store. Results go into the history; answers that must never occur are faults.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Dice } from "../hostile/dice.ts";
import { type Account, uploadForm } from "./accounts.ts";
import { ask, isAway, parseReply, type Reply, type Request } from "./client.ts";
import type { EngineNode } from "./cluster.ts";
import type { History, Result, Seen, What } from "./history.ts";

/** Shortest and longest pause between two operations of one client, in milliseconds. */
const pauseMs = { least: 50, most: 250 };
/** Time for which a client repeats a request without an answer. */
const patienceSeconds = 12;
const againMs = 250;
/** Kept small, because renders and pictures of the farm take the processor from all others. */
const shares = { farm: 0.03, render: 0.01 };
const rememberedMax = 50;

interface Thing {
  readonly what: What;
  readonly id: string;
}

/** The last submit, which is repeated at times: the same key must return the same job. */
interface Submit {
  readonly key: string;
  readonly body: object;
}

export class Load {
  /** Answers that a client must never receive. */
  readonly faults: string[] = [];
  private readonly history: History;
  private readonly lanes: Promise<void>[];
  private isOver = false;
  private isHeld = false;
  private busy = 0;

  constructor(history: History, accounts: readonly Account[], seed: number) {
    this.history = history;
    this.lanes = accounts.map((account, index) => {
      const client = new Client(history, account, new Dice(seed * 1_000 + index), this.faults);
      return this.repeat(() => client.act());
    });
  }

  /** Runs `work` while no client has a request pending. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.isHeld = true;
    while (this.busy > 0) await delay(20);
    try {
      return await work();
    } finally {
      this.isHeld = false;
    }
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.lanes);
  }

  get count(): number {
    return this.history.operations.length;
  }

  private async repeat(act: () => Promise<number>): Promise<void> {
    while (!this.isOver) {
      let pause = pauseMs.least;
      if (!this.isHeld) {
        this.busy++;
        pause = await act().finally(() => this.busy--);
      }
      await delay(pause);
    }
  }
}

class Client {
  private readonly history: History;
  private readonly account: Account;
  private readonly dice: Dice;
  private readonly faults: string[];
  private readonly things: Thing[] = [];
  private last: Submit | undefined;
  private number = 0;

  constructor(history: History, account: Account, dice: Dice, faults: string[]) {
    this.history = history;
    this.account = account;
    this.dice = dice;
    this.faults = faults;
  }

  /** Performs one operation; resolves to the pause before the next one. */
  async act(): Promise<number> {
    const turn = this.dice.share();
    if (turn < shares.render) await this.render();
    else if (turn < 0.35) await this.submit();
    else if (turn < 0.42 && this.last !== undefined) await this.submitAgain(this.last);
    else if (turn < 0.48) await this.makeSet();
    else if (turn < 0.54) await this.upload();
    else if (turn < 0.62) await this.cancel();
    else await this.read();
    return pauseMs.least + this.dice.number(pauseMs.most - pauseMs.least);
  }

  private async submit(): Promise<void> {
    const key = this.key();
    const isFarm = this.dice.share() < shares.farm;
    const slow = this.dice.share() < 0.3 ? " sim:slow=3000" : "";
    const body = { model: isFarm ? "studio-image" : "sim-instant", prompt: `${key} a kite${slow}` };
    this.last = { key, body };
    await this.submitAgain(this.last);
  }

  private submitAgain({ key, body }: Submit): Promise<void> {
    return this.create("job", key, { path: "/generate/image", body, idempotencyKey: key });
  }

  private makeSet(): Promise<void> {
    const key = this.key();
    const members = ["red", "blue"].map((label) => ({ label, prompt: `${key} in ${label}` }));
    const body = { name: key, base: { model: "sim-instant", prompt: key }, members };
    return this.create("set", key, { path: "/generate/set", body, idempotencyKey: key });
  }

  private render(): Promise<void> {
    const key = this.key();
    const path = `/compositions/${this.account.compositionId}/render`;
    return this.create("render", key, { path, body: { target: "still" }, idempotencyKey: key });
  }

  /** Uploads have no idempotency key, so one whose outcome is unknown is not repeated. */
  private upload(): Promise<void> {
    const key = this.key();
    return this.create("asset", key, { path: "/assets", body: uploadForm(key) }, 1);
  }

  private async create(
    what: What,
    key: string,
    request: SomeRequest,
    tries = 1_000,
  ): Promise<void> {
    const result = await this.history.record(
      this.account.name,
      { kind: "create", what, key },
      async (): Promise<Result> => {
        const { reply, isRepeated } = await this.persist(request, tries);
        if (isAway(reply)) return { outcome: reply.status === 0 ? "fail" : "unknown" };
        const { status } = reply;
        // When the key was used before, the problem names the id that was created the first time.
        const id = [201, 202, 409].includes(status) ? idIn(what, reply) : undefined;
        if (id !== undefined) return { outcome: "ok", id };
        this.expect(reply, request.path, [429]);
        return { outcome: isRepeated ? "unknown" : "fail" };
      },
    );
    if (result.outcome !== "ok" || result.id === undefined) return;
    this.things.push({ what, id: result.id });
    if (this.things.length > rememberedMax) this.things.shift();
  }

  private async cancel(): Promise<void> {
    const job = this.things.findLast(({ what }) => what === "job");
    if (job === undefined) return;
    const path = `/jobs/${job.id}/cancel`;
    await this.history.record(
      this.account.name,
      { kind: "cancel", id: job.id },
      async (): Promise<Result> => {
        const { reply, isRepeated } = await this.persist({ path, body: {} });
        if (isAway(reply)) return { outcome: "unknown" };
        if (reply.status === 200) return { outcome: "ok" };
        this.expect(reply, path, [409]);
        return { outcome: isRepeated ? "unknown" : "fail" };
      },
    );
  }

  private async read(): Promise<void> {
    if (this.things.length === 0) return;
    const { what, id } = this.dice.pick(this.things);
    const path = `/${what}s/${id}`;
    await this.history.record(
      this.account.name,
      { kind: "read", id },
      async (): Promise<Result> => {
        const { reply } = await this.persist({ path });
        if (isAway(reply)) return { outcome: "unknown" };
        if (reply.status === 404) return { outcome: "ok", seen: undefined };
        if (reply.status === 200) return { outcome: "ok", seen: statusIn(reply) };
        this.expect(reply, path, []);
        return { outcome: "unknown" };
      },
    );
  }

  /** Repeats unanswered requests at other nodes; `isRepeated` if an earlier one could count. */
  private async persist(request: SomeRequest, tries = 1_000) {
    const until = process.uptime() + patienceSeconds;
    let isRepeated = false;
    for (let attempt = 1; ; attempt++) {
      const node = this.dice.pick(this.account.nodes) as EngineNode;
      const reply = await ask(node, { ...request, token: this.account.token });
      const isLast = attempt >= tries || process.uptime() > until;
      if (!isAway(reply)) return { reply, isRepeated };
      // A refused connection after an attempt of unknown outcome leaves that outcome unknown.
      if (isLast) return { reply: isRepeated ? { ...reply, status: -1 } : reply, isRepeated };
      isRepeated ||= reply.status !== 0;
      await delay(againMs);
    }
  }

  private expect({ status, text }: Reply, path: string, statuses: readonly number[]): void {
    if (!statuses.includes(status))
      this.faults.push(`${this.account.name}: ${path} was answered ${status}: ${text}`);
  }

  private key(): string {
    return `${this.account.name}-${++this.number}`;
  }
}

type SomeRequest = Omit<Request, "token">;

/** Reads the id from an answer or a problem; for a set, the problem names its first job. */
function idIn(what: What, reply: Reply): string | undefined {
  const said = parseReply<Record<string, string | undefined>>(reply);
  return said["id"] ?? said[`${what}_id`];
}

function statusIn(reply: Reply): Seen {
  return { status: parseReply<Seen>(reply).status };
}
