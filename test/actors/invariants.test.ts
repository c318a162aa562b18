/**
 * Random commands to one account and its jobs, as real turns of real batches: whatever is sent, and
 * however late or often, the ledger balances and each job ends once.
 */
import fc from "fast-check";
import t from "tap";
import type { Account, AccountMessage, LedgerRow } from "../../actors/account/account.ts";
import { available } from "../../actors/account/account.ts";
import { domain } from "../../actors/domain.ts";
import type { Asked, Job, JobMessage } from "../../actors/job/job.ts";
import { accountKey, jobKey, ledgerKey } from "../../actors/tables.ts";
import { plans } from "../../config/plans.ts";
import { memoryTables } from "../../engine/adapters/memory-stores.ts";
import { Batch } from "../../engine/batch.ts";
import type { Key } from "../../engine/key.ts";
import { noHash, seal } from "../../engine/record.ts";
import { ShardRows } from "../../engine/shard-rows.ts";
import { asked, counts, nowMs, scope } from "./accounts.ts";

type Command =
  | {
      readonly kind: "submit";
      readonly hold: number;
      readonly farm: boolean;
      readonly solid: boolean;
    }
  | { readonly kind: "tell"; readonly job: number; readonly message: JobMessage }
  | { readonly kind: "pass"; readonly hours: number }
  | { readonly kind: "due"; readonly job: number }
  | { readonly kind: "renew" }
  | { readonly kind: "commit" };

const token = fc.constantFrom("t1", "t2");
const maybeToken = fc.option(token, { nil: undefined });
const charge = fc.boolean();

const outcome = fc.oneof(
  fc.constant({ kind: "succeeded", outputs: [] } as const),
  charge.map((billed) => {
    return { kind: "failed", class: "upstream", message: "no", atOutput: true, billed } as const;
  }),
);

const message: fc.Arbitrary<JobMessage> = fc.oneof(
  token.map((token) => ({ kind: "claim", token }) as const),
  token.map((token) => ({ kind: "lapsed", token }) as const),
  fc.constantFrom({ kind: "accepted" } as const, { kind: "started" } as const),
  fc
    .constantFrom("provider_down" as const, "upstream_at_capacity" as const, null)
    .map((detail) => ({ kind: "detail", detail }) as const),
  fc.tuple(maybeToken, fc.double({ min: 0, max: 1, noNaN: true })).map(([token, progress]) => {
    return { kind: "progress", ...(token === undefined ? {} : { token }), progress } as const;
  }),
  fc.tuple(maybeToken, outcome).map(([token, outcome]) => {
    return { kind: "finished", ...(token === undefined ? {} : { token }), outcome } as const;
  }),
  fc.constant({ kind: "cancel", user: "u" } as const),
  fc
    .constantFrom("cancelled" as const, "requested" as const, "refused" as const)
    .map((kind) => ({ kind: "cancel_answer", answer: { kind }, request: undefined }) as const),
  fc.double({ min: -1, max: 2, noNaN: true }).map((billedFraction) => {
    const answer = { kind: "stopped_partway", billedFraction } as const;
    return { kind: "cancel_answer", answer, request: undefined } as const;
  }),
);

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat(40), fc.boolean(), fc.boolean())
      .map(([hold, farm, solid]) => ({ kind: "submit", hold, farm, solid }) as const),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.nat(9), message)
      .map(([job, message]) => ({ kind: "tell", job, message }) as const),
  },
  fc.constantFrom(1, 25, 400).map((hours) => ({ kind: "pass", hours }) as const),
  fc.nat(9).map((job) => ({ kind: "due", job }) as const),
  fc.constant({ kind: "renew" } as const),
  { weight: 3, arbitrary: fc.constant({ kind: "commit" } as const) },
);

const account = accountKey(scope);

/** One account, its jobs, and the batches that hold them. */
class World {
  readonly jobs: Key<Job>[] = [];
  readonly holds: number[] = [];
  private readonly rows = new ShardRows(memoryTables(), domain, nowMs);
  private readonly ended = new Map<Key, string>();
  private seq = 1;
  private batch = this.nextBatch();
  private atMs = nowMs;

  constructor() {
    const opening = {
      kind: "open",
      plan: "pro",
      credits: 100,
      request: undefined,
      reply: 0,
    } as const;
    this.send(account, opening);
  }

  run(command: Command): void {
    switch (command.kind) {
      case "submit":
        this.submit(command.hold, command.farm, command.solid);
        break;
      case "tell":
        this.tell(command.job, command.message);
        break;
      case "pass":
        this.atMs += command.hours * 3_600_000;
        break;
      case "due":
        this.tell(command.job, { kind: "due" });
        break;
      case "renew":
        this.send(account, { kind: "due" });
        break;
      case "commit":
        this.commit();
        break;
    }
  }

  check(): string[] {
    const head = this.read(account);
    if (head === undefined) return ["the account is gone"];
    const jobs = this.jobs.map((key) => this.read(key));
    return [...wrongSums(head, jobs), ...this.wrongEnds(jobs), ...this.wrongLedger(head)];
  }

  private submit(hold: number, farm: boolean, solid: boolean): void {
    const number = this.jobs.length;
    const id = `${scope.slice(0, -3)}${String(100 + number)}`;
    const fingerprint = String(number).padStart(16, "f");
    const modality = solid ? "three_d" : "image";
    const job: Asked = { ...asked, id, modality, createdAtMs: this.atMs };
    const before = this.read(account);
    this.send(account, {
      kind: "submit",
      job: {
        kind: "create",
        asked: job,
        provider: farm ? "farm" : "sim",
        hold,
        count: 1,
        deadlineSeconds: 600,
        modelTag: 7,
        inlineMs: 0,
        request: undefined,
      },
      fingerprint,
      confirmation: undefined,
      plan: "pro",
      rateRetryAfterSeconds: undefined,
    });
    if (this.read(account) !== before) this.jobs.push(jobKey(id));
  }

  private tell(number: number, message: JobMessage): void {
    const job = this.jobs[number % Math.max(1, this.jobs.length)];
    if (job !== undefined) this.send(job, message);
  }

  private send(to: Key, message: JobMessage | AccountMessage): void {
    this.batch.turn({ to, message }, this.atMs);
  }

  private commit(): void {
    const head = { shard: 0, epoch: 1, seq: this.seq, atMs: this.atMs };
    const { bytes } = seal(head, this.batch.writes, noHash);
    this.rows.fresh.add(bytes, this.batch.writes.size);
    this.seq++;
    this.batch = this.nextBatch();
  }

  private nextBatch(): Batch {
    return new Batch(this.rows, domain, this.seq, () => true);
  }

  private read<Row>(key: Key<Row>): Row | undefined {
    return this.rows.head(key, this.batch.writes.get(key)) as Row | undefined;
  }

  /** I5: a terminal phase is the last one. */
  private wrongEnds(jobs: readonly (Job | undefined)[]): string[] {
    const wrong: string[] = [];
    for (const [at, key] of this.jobs.entries()) {
      const phase = jobs[at]?.phase ?? "gone";
      const before = this.ended.get(key);
      if (before !== undefined && before !== phase) wrong.push(`I5: ${before} became ${phase}`);
      if (phase !== "queued" && phase !== "running") this.ended.set(key, phase);
    }
    return wrong;
  }

  private wrongLedger(head: Account): string[] {
    let balance = 0;
    for (let entry = 0; entry < head.ledgerLength; entry++) {
      const row = this.batch.read(ledgerKey(account, entry), this.atMs) as LedgerRow | undefined;
      for (const { amount, balance: left } of row?.entries ?? []) {
        balance += amount;
        if (left !== balance) return [`I6: entry ${entry} leaves ${left}, the sum is ${balance}`];
      }
    }
    return balance === available(head) ? [] : [`I6: the ledger says ${balance}`];
  }
}

function wrongSums(account: Account, jobs: readonly (Job | undefined)[]): string[] {
  const wrong: string[] = [];
  const expect = (what: string, found: number, wanted: number) => {
    if (found !== wanted) wrong.push(`${what} is ${found}, not ${wanted}`);
  };
  const isOpen = (job: Job | undefined) => job?.phase === "queued" || job?.phase === "running";
  const isHeld = (job: Job | undefined) =>
    isOpen(job) || (job?.phase === "canceled" && job.settlement.kind === "pending");
  const sum = (held: readonly (Job | undefined)[]) =>
    held.reduce((sum, job) => sum + (job?.terms.hold ?? 0), 0);
  const charges = jobs.map((job) => (job === undefined ? 0 : charged(job)));
  expect("I6: held", account.held, sum(jobs.filter(isHeld)));
  expect(
    "I6: spent",
    account.spent,
    charges.reduce((sum, charge) => sum + charge, 0),
  );
  if (available(account) < 0) wrong.push(`I6: ${available(account)} are available`);
  const byName: Record<string, number> = {};
  for (const job of jobs) {
    const name = `${job?.terms.modality} ${job?.phase}`;
    byName[name] = (byName[name] ?? 0) + 1;
  }
  if (String(account.counts) !== String(counts(byName))) wrong.push(`counts: ${account.counts}`);
  for (const pool of ["media", "three_d"] as const) {
    const inPool = jobs.filter(
      (job) => (job?.terms.modality === "three_d") === (pool === "three_d"),
    );
    expect(`I7: active ${pool}`, account.active[pool], inPool.filter(isOpen).length);
    if (account.active[pool] > plans.pro.concurrentMax) wrong.push(`I7: ${account.active[pool]}`);
  }
  return wrong;
}

function charged(job: Job): number {
  if (job.phase === "succeeded" || job.phase === "failed") return job.charged;
  return job.phase === "canceled" && job.settlement.kind === "settled" ? job.settlement.charged : 0;
}

t.test("I5, I6, I7 hold after any commands in any order", async (t) => {
  let jobs = 0;
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60, size: "max" }), (commands) => {
      const world = new World();
      for (const command of commands) {
        world.run(command);
        const [wrong] = world.check();
        if (wrong !== undefined) throw new Error(wrong);
      }
      jobs += world.jobs.length;
    }),
    { numRuns: 1_000, seed: 20_261_120 },
  );
  t.ok(jobs > 3_000, `${jobs} jobs lived`);
});
