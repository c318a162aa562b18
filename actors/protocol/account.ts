/**
 * What an account is: the wallet, ceiling and quota of one scope (an organization, or a user's
 * personal space). What it does: `account-actor.ts`.
 */

import { type Modality, modalities } from "../../config/catalogue.ts";
import { type PlanName, type PlanOverrides, plans } from "../../config/plans.ts";
import { type AssetStatus, assetStatuses } from "../../contract/asset.ts";
import { type JobStatus, jobStatuses } from "../../contract/job.ts";
import { answer, type Context, type Decision, type Draft, decision } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { createKey, encodeOrderedNumber, getPartition, type Key } from "../../engine/key.ts";
import { createRefused, type Refusal, type Refused } from "../refusal.ts";
import { codes } from "../table-codes.ts";

/** Which ceiling a job counts against: 3D has one of its own. */
export type Pool = "media" | "three_d";

export function getPool(modality: Modality): Pool {
  return modality === "three_d" ? modality : "media";
}

export interface Account {
  readonly plan: PlanName;
  readonly overrides?: PlanOverrides;
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
  /** Models it has used, as `modality * 65536 + tag`: where a listing has to look. */
  readonly models: readonly number[];
  /** Jobs of sets that wait for a slot; a row holds their ids. */
  readonly waiting: number;
  /** Bodies that a content filter refused and that are not forgotten yet. */
  readonly remembered: number;
  readonly sets: number;
  /** Assets by modality (the last: none) and status; see `assetIndex`. */
  readonly assets: readonly number[];
  /** Bytes; see `storage.ts`. */
  readonly stored: number;
  /** The account of its creator, for an unpaid organization; see `unpaid-use.ts`. */
  readonly countsInto?: Id;
  /** What the organizations use that count into this account: slots and bytes. */
  readonly unpaidUse?: Readonly<Record<Pool, number>> & { readonly stored: number };
}

export type LedgerEntryType =
  | "grant"
  | "hold"
  | "release"
  | "charge"
  | "refund"
  | "adjust"
  | "expire";

/** What one step did to the balance; `amount` is the signed change, `balance` what it left. */
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

export type AccountDecision = Decision<Account, never>;

/** An organization on the free plan has what an operator grants. */
export function getMonthlyCredits({ plan, isOrganization }: Account): number {
  return isOrganization === true && plan === "free" ? 0 : plans[plan].monthlyCredits;
}

/** A copy that a step changes by assignment. */
export type AccountDraft = Draft<Account>;

/** What can still be spent. */
export function available({ granted, held, spent }: Account): number {
  return granted - held - spent;
}

export function refuse(head: Account, refusal: Refusal, ctx: Context<Refused>): AccountDecision {
  return decision(head, { replies: answer(ctx, createRefused(refusal)) });
}

/**
 * Where an account counts its jobs. Stored: modalities and statuses may be appended to, not
 * reordered.
 */
export function countIndex(modality: Modality, status: JobStatus): number {
  return modalities.indexOf(modality) * jobStatuses.length + jobStatuses.indexOf(status);
}

/** Where a listing looks for the jobs of a model. */
export function modelPlace(modality: Modality, modelTag: number): number {
  return modalities.indexOf(modality) * 65_536 + modelTag;
}

/** Where an account counts its assets. */
export function assetIndex(modality: Modality | undefined, status: AssetStatus): number {
  const kind = modality === undefined ? modalities.length : modalities.indexOf(modality);
  return kind * assetStatuses.length + assetStatuses.indexOf(status);
}

/** Counts end where nothing was counted yet, and have no holes: those are slow to encode. */
export function change(counts: number[], index: number, by: number): void {
  while (counts.length <= index) counts.push(0);
  counts[index] = (counts[index] ?? 0) + by;
}

/** UTC, as all months are. */
export function firstOfMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function firstOfNextMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** The ledger of the account at an address. */
export function ledgerKey(account: Key, entry: number): Key<LedgerRow> {
  return createKey(
    getPartition(account),
    codes.ledger,
    account.slice(2) + encodeOrderedNumber(entry),
  );
}

/** What all rows of that ledger begin with. */
export function ledgerRowsKey(account: Key): Key<LedgerRow> {
  return createKey(getPartition(account), codes.ledger, account.slice(2));
}

/** Jobs of sets that were accepted and wait for a slot, in order. */
export function waitingKey(account: Key): Key<readonly Id[]> {
  return createKey(getPartition(account), codes.waiting, account.slice(2));
}
