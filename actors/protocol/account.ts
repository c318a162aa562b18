/**
 * An account: the wallet, ceiling and quota of one scope (an organization, or a user's personal
 * space). Its behaviour is in `account-actor.ts`.
 */

import { type Modality, modalities } from "../../config/modalities.ts";
import { type PlanName, type PlanOverrides, plans } from "../../config/plans.ts";
import { type AssetStatus, assetStatuses } from "../../contract/asset.ts";
import { type JobStatus, jobStatuses } from "../../contract/job.ts";
import { answer, type Context, type Decision, type Draft, decision } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { createKey, encodeOrderedNumber, getPartition, type Key } from "../../engine/key.ts";
import { createRefused, type Refusal, type Refused } from "../refusal.ts";
import { codes } from "../table-codes.ts";

/** The ceiling that a job counts against: 3D has its own. */
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
  /** Credits granted with the plan that are not spent yet; they expire at `renewsAtMs`. */
  readonly planLeft: number;
  readonly renewsAtMs: number;
  readonly active: Readonly<Record<Pool, number>>;
  /** Number of jobs by modality and status; see `countIndex`. */
  readonly counts: readonly number[];
  /** Number of generations accepted in one UTC day; `day` counts days since 1970. */
  readonly quota: { readonly day: number; readonly used: number };
  readonly ledgerLength: number;
  readonly tickets: number;
  /** Models that the account has used, as `modality * 65536 + tag`; listings look only there. */
  readonly models: readonly number[];
  /** Number of jobs of sets that wait for a slot; a separate row holds their ids. */
  readonly waiting: number;
  /** Number of request bodies that a content filter refused and that are still remembered. */
  readonly remembered: number;
  readonly sets: number;
  /** Number of assets by modality (the last stands for none) and status; see `assetIndex`. */
  readonly assets: readonly number[];
  /** Number of stored bytes; see `storage.ts`. */
  readonly stored: number;
  /** Account of the creator of an unpaid organization; see `unpaid-use.ts`. */
  readonly countsInto?: Id;
  /** Slots and bytes used by the organizations that count into this account. */
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

/** Ledger entries of one step: `amount` is a signed change, `balance` the balance after it. */
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

/** An organization on the free plan gets no monthly credits, only what an operator grants. */
export function getMonthlyCredits({ plan, isOrganization }: Account): number {
  return isOrganization === true && plan === "free" ? 0 : plans[plan].monthlyCredits;
}

/** A copy that a step changes by assignment. */
export type AccountDraft = Draft<Account>;

/** Credits that can still be spent. */
export function available({ granted, held, spent }: Account): number {
  return granted - held - spent;
}

export function refuse(head: Account, refusal: Refusal, ctx: Context<Refused>): AccountDecision {
  return decision(head, { replies: answer(ctx, createRefused(refusal)) });
}

/**
 * Index of a job count. Counts are stored, so modalities and statuses may be appended but not
 * reordered.
 */
export function countIndex(modality: Modality, status: JobStatus): number {
  return modalities.indexOf(modality) * jobStatuses.length + jobStatuses.indexOf(status);
}

/** Entry in `models` by which a listing finds the jobs of a model. */
export function modelPlace(modality: Modality, modelTag: number): number {
  return modalities.indexOf(modality) * 65_536 + modelTag;
}

/** Index of an asset count. */
export function assetIndex(modality: Modality | undefined, status: AssetStatus): number {
  const kind = modality === undefined ? modalities.length : modalities.indexOf(modality);
  return kind * assetStatuses.length + assetStatuses.indexOf(status);
}

/** Adds to a count. The list is only as long as needed and has no holes, which encode slowly. */
export function change(counts: number[], index: number, by: number): void {
  while (counts.length <= index) counts.push(0);
  counts[index] = (counts[index] ?? 0) + by;
}

/** Start of the month in UTC, as for all months here. */
export function firstOfMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function firstOfNextMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Key of a row in the ledger of the account at `account`. */
export function ledgerKey(account: Key, entry: number): Key<LedgerRow> {
  return createKey(
    getPartition(account),
    codes.ledger,
    account.slice(2) + encodeOrderedNumber(entry),
  );
}

/** Key prefix of all ledger rows of the account. */
export function ledgerRowsKey(account: Key): Key<LedgerRow> {
  return createKey(getPartition(account), codes.ledger, account.slice(2));
}

/** Key of the accepted jobs of sets that wait for a slot, in order. */
export function waitingKey(account: Key): Key<readonly Id[]> {
  return createKey(getPartition(account), codes.waiting, account.slice(2));
}
