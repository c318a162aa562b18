/**
 * What an account is: the wallet, ceiling and quota of one scope (an organization, or a user's
 * personal space). What it does: `account-actor.ts`.
 */
import { type Modality, modalities } from "../../config/catalogue.ts";
import { type PlanName, type PlanOverrides, plans } from "../../config/plans.ts";
import {
  answer,
  type Draft,
  type Due,
  type Reply,
  type RowWrite,
  type Tell,
  type Turn,
  type TurnView,
} from "../../engine/actor.ts";
import type { Question, RequestId } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import { type AssetStatus, assetStatuses } from "../contract/asset.ts";
import { type JobStatus, jobStatuses } from "../contract/job.ts";
import type { CreateJob, SubmitReply, Terms, TurnOfJob } from "../job/job.ts";
import { type Refusal, type Refused, refused } from "../refusal.ts";
import type { OutputSet } from "../set/set.ts";
import type { Ticket } from "../ticket/ticket.ts";
import type { SetBudget } from "./budget.ts";
import type { PackedSubmit } from "./packed-submit.ts";
import type { FilesChanged } from "./storage.ts";

/** Which ceiling a job counts against: 3D has one of its own. */
type Pool = "media" | "three_d";

export function poolOf(modality: Modality): Pool {
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
  /** Jobs of sets that wait for a slot; their ids stand in a row. */
  readonly waiting: number;
  /** Bodies that a content filter refused and that are not forgotten yet. */
  readonly remembered: number;
  readonly sets: number;
  /** Assets by modality (the last: none) and status; see `assetIndex`. */
  readonly assets: readonly number[];
  /** Bytes; see `storage.ts`. */
  readonly stored: number;
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
  /** What the one who asked the directory gets once the wallet is there. */
  readonly replies: readonly Reply[];
}

/** What was found of a confirmation token where the request arrived; `digest` as in `markKey`. */
export type Confirmation =
  | { readonly kind: "valid"; readonly digest: string; readonly expiresAtMs: number }
  | {
      readonly kind: "rejected";
      readonly reason: "expired" | "invalid" | "foreign" | "mismatch";
    };

/** What one request of a submit brings, whatever it asks for. */
export interface SubmitTerms {
  /** 16 bytes as a binary string. */
  readonly fingerprint: string;
  readonly confirmation: Confirmation | undefined;
  readonly plan: PlanName;
  readonly overrides?: PlanOverrides | undefined;
  /** Counted where the request arrived: when it may come again, or undefined when it is in time. */
  readonly rateRetryAfterSeconds: number | undefined;
}

export interface Submit extends SubmitTerms {
  readonly job: CreateJob;
}

/** A set: each member is a job to be, or was refused already. At least one member. */
export interface SubmitSet
  extends SubmitTerms,
    Question<{ readonly kind: "accepted_set" } | Refused> {
  readonly kind: "submit_set";
  readonly set: Omit<OutputSet, "members">;
  readonly members: readonly SetCandidate[];
}

export interface SetCandidate {
  readonly label: string;
  readonly work: CreateJob | Refusal;
}

/** A synchronous piece of work that is paid at once: no hold, no slot, no duplicate rule. */
export interface Pay
  extends Question<{ readonly kind: "paid"; readonly balance: number } | Refused> {
  readonly kind: "pay";
  readonly credits: number;
  readonly note: string;
  /** In an organization: whose budget it counts against. */
  readonly member?: Id | undefined;
  readonly turn: TurnOfJob | undefined;
  readonly rateRetryAfterSeconds: number | undefined;
}

/** A job moved to another phase, or its hold was resolved, or both. */
export interface JobChanged {
  readonly kind: "job_changed";
  readonly terms: Terms;
  readonly from: JobStatus;
  readonly to: JobStatus;
  /** Whether it had a slot before: a member of a set may have waited for one. */
  readonly hadSlot: boolean;
  readonly charge: number | undefined;
  /** What the assets that it brought are, by their media: a film may come as an animated image. */
  readonly assets: readonly (Modality | undefined)[];
  /** How many bytes those have. */
  readonly bytes: number;
}

/** What an operator changed: renewals and slots follow it. */
export interface SetTerms {
  readonly kind: "set_terms";
  readonly plan: PlanName;
  readonly overrides: PlanOverrides | undefined;
}

/** An operator's credits, which do not expire; a negative amount takes back. */
export interface Grant {
  readonly kind: "grant";
  readonly amount: number;
  readonly note: string | undefined;
  readonly request: RequestId<GrantReply> | undefined;
}

/** What can be spent now, and what is held. */
export type GrantReply =
  | { readonly kind: "granted"; readonly balance: number; readonly held: number }
  | Refused;

/** A provider refused within the first moment: the job is as if it had never been. */
export interface JobDiscarded {
  readonly kind: "job_discarded";
  readonly terms: Terms;
  /** 16 bytes as a binary string. */
  readonly fingerprint: string;
}

/** A job that had ended was deleted. */
export interface JobDeleted {
  readonly kind: "job_deleted";
  readonly terms: Terms;
  readonly from: JobStatus;
}

/** An agent's run opens, ends, or may spend more or less. */
export interface RunChanged {
  readonly kind: "run_changed";
  readonly turn: Id;
  readonly ceiling: number | null;
  readonly isEnded: boolean;
}

export interface AssetChanged {
  readonly kind: "asset_changed";
  readonly modality: Modality | undefined;
  readonly from: AssetStatus | undefined;
  readonly to: AssetStatus | undefined;
  /** How many bytes more are stored. */
  readonly bytes: number;
}

export interface SubmitJob extends Question<SubmitReply> {
  readonly kind: "submit";
  readonly submit: PackedSubmit;
}

/** `digest` is the SHA-256 of the ticket as a binary string. */
export interface IssueTicket extends Question<{ readonly kind: "issued" } | Refused> {
  readonly kind: "issue_ticket";
  readonly digest: string;
  readonly ticket: Ticket;
}

export type AccountMessage =
  | OpenAccount
  | SubmitJob
  | SubmitSet
  | Pay
  | JobChanged
  | JobDiscarded
  | JobDeleted
  | AssetChanged
  | FilesChanged
  | { readonly kind: "remembered"; readonly by: 1 | -1 }
  | RunChanged
  | IssueTicket
  | { readonly kind: "ticket_spent" }
  | SetTerms
  | Grant
  | SetBudget
  | Due;

export type AccountTurn = Turn<Account, never>;

/** An organization on the free plan has what an operator grants. */
export function monthlyCreditsOf({ plan, isOrganization }: Account): number {
  return isOrganization === true && plan === "free" ? 0 : plans[plan].monthlyCredits;
}

/** A copy that a turn changes by assignment. */
export type AccountDraft = Draft<Account>;

/** Each member by its name: accounts have several hidden classes, and V8 spreads those slowly. */
export function draftOf(account: Account): AccountDraft {
  const { overrides, isOrganization } = account;
  const draft: AccountDraft = {
    plan: account.plan,
    createdAtMs: account.createdAtMs,
    granted: account.granted,
    held: account.held,
    spent: account.spent,
    planLeft: account.planLeft,
    renewsAtMs: account.renewsAtMs,
    active: account.active,
    counts: account.counts,
    quota: account.quota,
    ledgerLength: account.ledgerLength,
    tickets: account.tickets,
    models: account.models,
    waiting: account.waiting,
    remembered: account.remembered,
    sets: account.sets,
    assets: account.assets,
    stored: account.stored,
  };
  if (overrides !== undefined) draft.overrides = overrides;
  if (isOrganization !== undefined) draft.isOrganization = isOrganization;
  return draft;
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

export function refuse(head: Account, refusal: Refusal, turn: TurnView<Refused>): AccountTurn {
  return only(head, [], answer(turn, refused(refusal)));
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

/** Counts end where nothing was counted yet, and have no holes: those are slow to spell. */
export function change(counts: number[], index: number, by: number): void {
  while (counts.length <= index) counts.push(0);
  counts[index] = (counts[index] ?? 0) + by;
}

export function firstOfNextMonth(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
