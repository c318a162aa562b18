/**
 * What an account is: the wallet, ceiling and quota of one scope (an organization, or a user's
 * personal space). What it does: `account-actor.ts`.
 */
import { type Modality, modalities } from "../../config/catalogue.ts";
import { type PlanName, type PlanOverrides, plans } from "../../config/plans.ts";
import type { Due, Reply, RowWrite, Tell, Turn, TurnView } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { type JobStatus, jobStatuses } from "../contract/job.ts";
import type { CreateJob } from "../job/job.ts";
import type { Refusal } from "../refusal.ts";
import type { Ticket } from "../ticket/ticket.ts";
import type { HeldBy, SetBudget } from "./budget.ts";

/** Which ceiling a job counts against: 3D has one of its own. */
type Pool = "media" | "three_d";

export function poolOf(modality: Modality): Pool {
  return modality === "three_d" ? modality : "media";
}

export interface Account {
  readonly plan: PlanName;
  readonly isOrganization?: true;
  readonly createdAtMs: number;
  /** All credits ever received, less those that expired. */
  readonly granted: number;
  readonly held: number;
  readonly spent: number;
  /**
   * The part of what is granted that came with the plan and is not spent; expires at `renewsAtMs`.
   */
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
  readonly note?: string;
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
  readonly isOrganization?: true;
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
  readonly overrides?: PlanOverrides | undefined;
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
  /** Absent in a personal space. */
  readonly heldBy?: HeldBy;
}

/** An operator's credits, which do not expire; a negative amount takes back. */
export interface Grant {
  readonly kind: "grant";
  readonly amount: number;
  readonly note: string | undefined;
  readonly request: number | undefined;
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
  | { readonly kind: "set_plan"; readonly plan: PlanName }
  | Grant
  | SetBudget
  | Due;

export type AccountTurn = Turn<Account, never>;

/** An organization on the free plan has what an operator grants. */
export function monthlyCreditsOf({ plan, isOrganization }: Account): number {
  return isOrganization === true && plan === "free" ? 0 : plans[plan].monthlyCredits;
}

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

/**
 * Where an account counts its jobs. Stored: modalities and statuses may be appended to, not
 * reordered.
 */
export function countIndex(modality: Modality, status: JobStatus): number {
  return modalities.indexOf(modality) * jobStatuses.length + jobStatuses.indexOf(status);
}

export function change(counts: number[], index: number, by: number): void {
  counts[index] = (counts[index] ?? 0) + by;
}

export function firstOfNextMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
