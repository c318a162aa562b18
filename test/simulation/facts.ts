/**
 * What a model of the service remembers of its own: which jobs were accepted when, what was paid,
 * what was refused. It learns from what clients are told and from jobs that begin and end, never
 * from what accounts, sessions or marks write down.
 */

import { type Account, type LedgerRow, ledgerKey } from "../../actors/protocol/account.ts";
import { accountKey, type Pay } from "../../actors/protocol/account-messages.ts";
import {
  type CreateJob,
  type Job,
  type JobRequest,
  jobKey,
  jobRequestKey,
} from "../../actors/protocol/job.ts";
import type { Budget } from "../../actors/protocol/member-spending.ts";
import { sessionKey } from "../../actors/protocol/session.ts";
import { ticketKey } from "../../actors/protocol/ticket.ts";
import { rowCodecs } from "../../actors/row-codecs.ts";
import type { PlanName, PlanOverrides } from "../../config/plans.ts";
import type { Id } from "../../engine/id.ts";
import { getCode } from "../../engine/key.ts";
import { decodeRow } from "../../engine/row-codec.ts";
import type { Step, World } from "./world.ts";

export interface Accepted {
  readonly job: CreateJob;
  readonly atMs: number;
}

export interface Paid {
  readonly scope: Id;
  readonly pay: Pay;
  readonly atMs: number;
}

export interface Ceilings {
  readonly plan: PlanName;
  readonly overrides: PlanOverrides | undefined;
}

export interface RunFact {
  readonly scope: Id;
  readonly session: Id;
  readonly ceiling: number | null;
  readonly isEnded: boolean;
  readonly expiresAtMs: number;
}

const noId = "00000000-0000-7000-8000-000000000000";
const jobCode = getCode(jobKey(noId));
const ticketCode = getCode(ticketKey(0, ""));
const sessionCode = getCode(sessionKey(noId));
const dayMs = 86_400_000;

export class Facts {
  /** Jobs in the order of acceptance, without those that a provider refused at once. */
  readonly accepted = new Map<Id, Accepted>();
  readonly discarded = new Map<Id, Accepted>();
  readonly phases = new Map<Id, Job>();
  readonly fingerprints = new Map<string, { readonly job: Id; readonly atMs: number }>();
  readonly paid = new Map<number, Paid>();
  /** Time until which a body is refused, by scope and digest. */
  readonly moderated = new Map<string, number>();
  /** Jobs that the content filter ended. */
  readonly moderatedJobs = new Map<Id, true>();
  readonly consumed = new Map<string, true>();
  readonly ceilings = new Map<Id, Ceilings>();
  readonly budgets = new Map<Id, Budget>();
  readonly runs = new Map<Id, RunFact>();
  /** Held slots by scope and pool, as they were after the last command. */
  readonly active = new Map<string, number>();
  private readonly ledgers = new Map<Id, Ledger>();
  private world: World | undefined;

  /** Sets the world; called once, since the world needs the listener first. */
  follow(world: World): void {
    this.world = world;
  }

  get of(): World {
    if (this.world === undefined) throw new Error("facts follow a world");
    return this.world;
  }

  hear(step: Step): void {
    if (getCode(step.self) === jobCode) this.hearJob(step);
    if (getCode(step.self) === ticketCode && step.message.kind === "issue" && step.before)
      this.of.wrong.push("a ticket is issued once");
    if (getCode(step.self) === sessionCode && step.message.kind === "due") this.sweep(step);
  }

  private sweep({ self, atMs }: Step): void {
    for (const [id, run] of this.runs)
      if (!run.isEnded && atMs >= run.expiresAtMs && sessionKey(run.session) === self)
        this.of.set(this.runs, id, { ...run, isEnded: true });
  }

  /** Returns what stands in an account's ledger so far; only new rows are read. */
  ledger(scope: Id): Ledger {
    const account = this.of.read<Account>(accountKey(scope));
    let ledger = this.ledgers.get(scope);
    if (ledger === undefined || ledger.length > (account?.ledgerLength ?? 0)) {
      ledger = new Ledger();
      this.ledgers.set(scope, ledger);
    }
    const to = account?.ledgerLength ?? 0;
    while (ledger.length < to)
      ledger.add(this.of.read<LedgerRow>(ledgerKey(accountKey(scope), ledger.length)));
    return ledger;
  }

  /** Forgets all ledgers: after a crash rows may have been taken back and written anew. */
  forgetLedgers(): void {
    this.ledgers.clear();
  }

  pay(scope: Id, pay: Pay): void {
    this.of.set(this.paid, this.paid.size, { scope, pay, atMs: this.of.atMs });
  }

  private hearJob({ message, before, turn, atMs }: Step): void {
    const job = before as Job | undefined;
    const next = turn.head as Job | undefined;
    if (message.kind === "create") this.accept(message as CreateJob, atMs);
    if (job !== undefined && next === undefined) this.discard(job, atMs, turn.replies[0]?.reply);
    if (next !== undefined && next !== job) {
      const wrong = job === undefined ? undefined : wrongMove(job, next);
      if (wrong !== undefined) this.of.wrong.push(`I5: ${wrong}`);
      this.of.set(this.phases, next.terms.job, next);
      if (next.phase === "failed" && job?.phase !== "failed")
        this.moderate(next.terms.job, next.failure.code, atMs);
    }
  }

  private accept(job: CreateJob, atMs: number): void {
    const { id, scope, fingerprint } = buildRequest(job);
    if (this.accepted.has(id)) this.of.wrong.push("a job is made once");
    this.of.set(this.accepted, id, { job, atMs });
    if (fingerprint === "") return;
    const name = `${scope} ${fingerprint}`;
    const earlier = this.fingerprints.get(name);
    if (earlier !== undefined && atMs - earlier.atMs < 300_000)
      this.of.wrong.push("I9: one job per fingerprint in its window");
    this.of.set(this.fingerprints, name, { job: id, atMs });
  }

  private discard(job: Job, atMs: number, reply: unknown): void {
    const id = job.terms.job;
    const accepted = this.accepted.get(id);
    if (accepted === undefined) return;
    const { scope, fingerprint } = buildRequest(accepted.job);
    this.moderate(id, (reply as { refusal?: { as?: string } })?.refusal?.as ?? "", atMs);
    this.of.set(this.accepted, id, undefined);
    this.of.set(this.discarded, id, accepted);
    this.of.set(this.phases, id, undefined);
    this.of.set(this.fingerprints, `${scope} ${fingerprint}`, undefined);
  }

  private moderate(id: Id, code: string, atMs: number): void {
    if (code !== "prompt_nsfw" && code !== "ip_detected") return;
    const job = this.accepted.get(id)?.job;
    if (job === undefined) return;
    const request = buildRequest(job);
    const name = `${request.scope} ${request.bodyDigest ?? request.fingerprint}`;
    this.of.set(this.moderated, name, atMs + dayMs);
    this.of.set(this.moderatedJobs, id, true);
  }
}

export function buildRequest({ job, asked }: CreateJob): JobRequest {
  return decodeRow(rowCodecs, jobRequestKey(job), asked) as JobRequest;
}

/** Checks I5: returns what a job may not do, or undefined. */
export function wrongMove(before: Job, after: Job): string | undefined {
  const moves: Record<Job["phase"], readonly Job["phase"][]> = {
    queued: ["queued", "running", "succeeded", "failed", "canceled"],
    running: ["running", "succeeded", "failed", "canceled"],
    succeeded: [],
    failed: [],
    canceled: ["canceled"],
  };
  if (!moves[before.phase].includes(after.phase)) return `${before.phase} became ${after.phase}`;
  if (before.phase === "canceled" && before.settlement.kind === "settled")
    return "what was settled changed";
  if (after.revision <= before.revision) return `revision ${after.revision} comes late`;
  if (after.phase === "running" && !(after.progress >= 0 && after.progress <= 1))
    return `the progress is ${after.progress}`;
  if (after.phase === "canceled" && after.settlement.kind === "pending")
    if (!isOverdue(before, after.updatedAtMs) && after.settlement.limitMs <= after.updatedAtMs)
      return "a settlement may take no time at all";
  return undefined;
}

/** Whether the job's time is over, though the job may not have been told so. */
function isOverdue(job: Job, atMs: number): boolean {
  if (job.phase === "canceled") return true;
  if (job.phase !== "queued" && job.phase !== "running") return false;
  const isPaused = job.phase === "queued" && job.detail !== undefined;
  return atMs >= job.terms.createdAtMs + dayMs || (!isPaused && atMs >= job.deadlineMs);
}

/** Sums of an account's ledger, and what became of each job's hold. */
export class Ledger {
  length = 0;
  balance = 0;
  wrong: string | undefined;
  readonly sums = new Map<string, number>();
  readonly jobs = new Map<Id, { hold: number; release: number; charge: number }>();

  add(row: LedgerRow | undefined): void {
    this.length++;
    if (row === undefined) this.wrong = `I6: entry ${this.length - 1} is missing`;
    for (const { type, amount, balance } of row?.entries ?? []) {
      this.balance += amount;
      if (balance !== this.balance) this.wrong = `I6: ${type} leaves ${balance}`;
      this.sums.set(type, (this.sums.get(type) ?? 0) + amount);
      if (row?.job !== undefined) this.addOfJob(row.job, type, amount);
    }
  }

  sum(...types: readonly string[]): number {
    return types.reduce((sum, type) => sum + (this.sums.get(type) ?? 0), 0);
  }

  private addOfJob(id: Id, type: string, amount: number): void {
    const job = this.jobs.get(id) ?? { hold: 0, release: 0, charge: 0 };
    this.jobs.set(id, job);
    if (type !== "hold" && type !== "release" && type !== "charge") return;
    if (job[type] !== 0) this.wrong = `I6: two entries ${type} of one job`;
    job[type] = amount;
  }
}

export function isOpen(job: Job): boolean {
  return job.phase === "queued" || job.phase === "running";
}

export function isWaiting(job: Job): boolean {
  return job.phase === "queued" && job.waits === true;
}

/** Whether the hold is not resolved yet. */
export function isHeld(job: Job): boolean {
  return isOpen(job) || (job.phase === "canceled" && job.settlement.kind === "pending");
}

export function computeCharge(job: Job): number {
  if (job.phase === "succeeded" || job.phase === "failed") return job.charged;
  return job.phase === "canceled" && job.settlement.kind === "settled" ? job.settlement.charged : 0;
}

/** Returns what a job has of its payer's credits: the hold while it is open, then the charge. */
export function getCommitted(job: Job): number {
  return isHeld(job) ? job.terms.hold : computeCharge(job);
}

export function getMonth(atMs: number): number {
  const date = new Date(atMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

export function getDay(atMs: number): number {
  return Math.floor(atMs / dayMs);
}
