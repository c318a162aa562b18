/**
 * An account: the wallet, ceiling and quota of one scope (an organization, or a user's personal space).
 *
 * I6 the ledger balances: granted = available + held + spent, held = sum of the unsettled jobs' holds;
 *    checked by difference in each turn, since a full sum would grow with history. A hold stands with its
 *    job, which settles once (I5), and is told here in the same turn.
 * I7 active holds never exceed the ceiling at the moment of a submit.
 * I9 one job per duplicate fingerprint in its window.
 * A submit's hold, slot, fingerprint, job and reply are one turn: all durable or none.
 */
import { type Modality, modalities } from "../../config/catalogue.ts";
import { type PlanName, plans } from "../../config/plans.ts";
import type { Actor, Due, Reply, RowWrite, Tell, Turn, TurnView } from "../../engine/actor.ts";
import { put, tell } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { invariant } from "../../engine/invariant.ts";
import { vpartOf } from "../../engine/key.ts";
import { type JobStatus, jobStatuses } from "../contract/job.ts";
import type { CreateJob } from "../job/job.ts";
import type { Refusal } from "../refusal.ts";
import { ledgerKey, ticketKey } from "../tables.ts";
import type { Ticket } from "../ticket/ticket.ts";
import { renew } from "./renewal.ts";
import { submit } from "./submit.ts";
import { limits } from "../../config/limits.ts";

/** Which ceiling a job counts against: 3D has one of its own. */
type Pool = "media" | "three_d";

export function poolOf(modality: Modality): Pool {
  return modality === "three_d" ? modality : "media";
}

export interface Account {
  readonly plan: PlanName;
  readonly createdAtMs: number;
  /** All credits ever received, less those that expired. */
  readonly granted: number;
  readonly held: number;
  readonly spent: number;
  /** The part of what is granted that came with the plan and is not spent; expires at `renewsAtMs`. */
  readonly planLeft: number;
  readonly renewsAtMs: number;
  readonly active: Readonly<Record<Pool, number>>;
  /** Jobs by modality and status; see `countIndex`. */
  readonly counts: readonly number[];
  /** Accepted generations of one UTC day, by days since 1970. */
  readonly quota: { readonly day: number; readonly used: number };
  readonly ledgerLength: number;
  readonly tickets: number;
}

export type LedgerEntryType =
  | "grant"
  | "hold"
  | "release"
  | "charge"
  | "refund"
  | "adjust"
  | "expire";

/** What one turn did to the balance; `amount` is the signed change, `balance` what it left. */
export interface LedgerRow {
  readonly atMs: number;
  readonly job?: Id;
  readonly entries: readonly {
    readonly type: LedgerEntryType;
    readonly amount: number;
    readonly balance: number;
  }[];
}

export interface OpenAccount {
  readonly kind: "open";
  readonly plan: PlanName;
  /** The whole opening balance; undefined for the plan's monthly credits. */
  readonly credits: number | undefined;
  readonly request: number | undefined;
  /** What the one who asked the directory gets once the wallet is there. */
  readonly reply: unknown;
}

export interface Submit {
  readonly kind: "submit";
  readonly job: CreateJob;
  /** 16 bytes as a binary string. */
  readonly fingerprint: string;
  readonly hasConfirmationToken: boolean;
  readonly plan: PlanName;
  /** Counted where the request arrived: when it may come again, or undefined when it is in time. */
  readonly rateRetryAfterSeconds: number | undefined;
}

/** A job moved to another phase, or its hold was resolved, or both. */
export interface JobChanged {
  readonly kind: "job_changed";
  readonly job: Id;
  readonly modality: Modality;
  readonly from: JobStatus;
  readonly to: JobStatus;
  readonly settled: { readonly hold: number; readonly charge: number } | undefined;
}

export type AccountMessage =
  | OpenAccount
  | Submit
  | JobChanged
  | {
      readonly kind: "issue_ticket";
      readonly digest: string;
      readonly ticket: Ticket;
    }
  | { readonly kind: "ticket_spent" }
  | Due;

export type AccountTurn = Turn<Account, never>;

export const accountActor: Actor<Account, AccountMessage, never> = {
  kind: "account",
  decide(head, message, turn) {
    if (message.kind === "open") return open(head, message, turn);
    invariant(head !== undefined, `an account exists before it gets ${message.kind}`);
    switch (message.kind) {
      case "submit":
        return submit(head, message, turn);
      case "job_changed":
        return follow(head, message, turn);
      case "issue_ticket":
        return issueTicket(head, message.digest, message.ticket, turn);
      case "ticket_spent":
        return only({ ...head, tickets: Math.max(0, head.tickets - 1) });
      case "due":
        return renew(head, turn);
    }
  },
  dueAt: (account) => account.renewsAtMs,
};

/** What can still be spent. */
export function available({ granted, held, spent }: Account): number {
  return granted - held - spent;
}

export function only(
  head: Account,
  rows: readonly RowWrite[] = [],
  replies: readonly Reply[] = [],
  effects: readonly Tell[] = [],
): AccountTurn {
  return { head, rows, replies, effects };
}

/** Said to whoever waits, if anybody does. */
export function answer({ request }: TurnView, reply: unknown): Reply[] {
  return request === undefined ? [] : [{ to: request, reply }];
}

export function refuse(head: Account, refusal: Refusal, turn: TurnView): AccountTurn {
  return only(head, [], answer(turn, { kind: "refused", refusal }));
}

/** At least once: an account that is open already only repeats its answer. */
function open(head: Account | undefined, message: OpenAccount, turn: TurnView): AccountTurn {
  const replies =
    message.request === undefined ? [] : [{ to: message.request, reply: message.reply }];
  if (head !== undefined) return only(head, [], replies);
  const { monthlyCredits } = plans[message.plan];
  const credits = message.credits ?? monthlyCredits;
  const account: Account = {
    plan: message.plan,
    createdAtMs: turn.atMs,
    granted: credits,
    held: 0,
    spent: 0,
    planLeft: Math.min(credits, monthlyCredits),
    renewsAtMs: firstOfNextMonth(turn.atMs),
    active: { media: 0, three_d: 0 },
    counts: new Array<number>(modalities.length * jobStatuses.length).fill(0),
    quota: { day: 0, used: 0 },
    ledgerLength: 1,
    tickets: 0,
  };
  const entries = [{ type: "grant", amount: credits, balance: credits }] as const;
  return only(account, [put(ledgerKey(turn.self, 0), { atMs: turn.atMs, entries })], replies);
}

function follow(account: Account, message: JobChanged, turn: TurnView): AccountTurn {
  const moved = message.from === message.to ? account : recount(account, message);
  if (message.settled === undefined) return only(moved);
  return settle(moved, message.job, message.settled, turn);
}

/** Counts by status, and the slot that the end of a job frees. */
function recount(account: Account, { modality, from, to }: JobChanged): Account {
  const counts = account.counts.slice();
  change(counts, countIndex(modality, from), -1);
  change(counts, countIndex(modality, to), 1);
  if (isActive(to)) return { ...account, counts };
  const pool = poolOf(modality);
  const active = { ...account.active, [pool]: account.active[pool] - 1 };
  invariant(active[pool] >= 0, "a slot is freed once (I7)");
  return { ...account, counts, active };
}

/** Where an account counts its jobs of a modality and status. */
export function countIndex(modality: Modality, status: JobStatus): number {
  return modalities.indexOf(modality) * jobStatuses.length + jobStatuses.indexOf(status);
}

export function change(counts: number[], index: number, by: number): void {
  counts[index] = (counts[index] ?? 0) + by;
}

function isActive(status: JobStatus): boolean {
  return status === "queued" || status === "running";
}

/** The whole hold comes back, then the charge goes off; together they are the one resolution of the hold. */
function settle(
  account: Account,
  job: Id,
  { hold, charge }: { hold: number; charge: number },
  turn: TurnView,
): AccountTurn {
  if (hold === 0) return only(account);
  invariant(charge >= 0 && charge <= hold, "a charge is a share of its hold (I6)");
  const next: Account = {
    ...account,
    held: account.held - hold,
    spent: account.spent + charge,
    planLeft: Math.max(0, account.planLeft - charge),
    ledgerLength: account.ledgerLength + 1,
  };
  invariant(next.held >= 0, "held credits are the sum of open holds (I6)");
  const balance = available(next);
  const release = { type: "release", amount: hold, balance: balance + charge } as const;
  const entries =
    charge === 0
      ? [release]
      : [release, { type: "charge", amount: -charge, balance } as const];
  const row = put(ledgerKey(turn.self, account.ledgerLength), {
    atMs: turn.atMs,
    job,
    entries,
  });
  return only(next, [row]);
}

function issueTicket(
  account: Account,
  digest: string,
  ticket: Ticket,
  turn: TurnView,
): AccountTurn {
  if (account.tickets >= limits.jobs.ticketsMax) {
    const detail = "Too many stream tickets of this account are unredeemed.";
    const retryAfterSeconds = limits.jobs.ticketMs / 1000;
    return refuse(account, { code: "rate_limit", retryAfterSeconds, detail }, turn);
  }
  const address = ticketKey(vpartOf(turn.self), digest);
  return only({ ...account, tickets: account.tickets + 1 }, [], answer(turn, { kind: "issued" }), [
    tell(address, { kind: "issue", ticket }),
  ]);
}

export function firstOfNextMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
