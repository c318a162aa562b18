/** Messages of an account and its replies. Its state: `account.ts`. */

import type { Modality } from "../../config/catalogue.ts";
import type { PlanName, PlanOverrides } from "../../config/plans.ts";
import type { AssetStatus } from "../../contract/asset.ts";
import type { JobStatus } from "../../contract/job.ts";
import type { Reply } from "../../engine/actor.ts";
import {
  type Address,
  createAddress,
  type Question,
  type RequestId,
} from "../../engine/address.ts";
import { type Id, keyOfId } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import type { Refusal, Refused } from "../refusal.ts";
import { codes } from "../table-codes.ts";
import type { Account } from "./account.ts";
import type { BundleFile } from "./bundle-file.ts";
import type { CreateJob, SubmitReply, Terms, TurnOfJob } from "./job.ts";
import type { Budget, MemberSpending } from "./member-spending.ts";
import type { PackedSubmit } from "./packed-submit.ts";
import type { OutputSet } from "./set.ts";
import type { SubmitTerms } from "./submit-terms.ts";
import type { Ticket } from "./ticket.ts";

export interface OpenAccount {
  readonly kind: "open";
  readonly plan: PlanName;
  /** The whole opening balance; undefined for the plan's monthly credits. */
  readonly credits: number | undefined;
  readonly isOrganization?: true;
  /** The account of its creator, into which the use of an organization counts until it pays. */
  readonly countsInto?: Id;
  /** Replies to the directory's request, sent once the wallet is there. */
  readonly replies: readonly Reply[];
}

export interface SubmitJob extends Question<SubmitReply> {
  readonly kind: "submit";
  readonly submit: PackedSubmit;
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

/** `digest` is the SHA-256 of the ticket as a binary string. */
export interface IssueTicket extends Question<{ readonly kind: "issued" } | Refused> {
  readonly kind: "issue_ticket";
  readonly digest: string;
  readonly ticket: Ticket;
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

/** A provider refused at once: the job is undone. */
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

export interface AssetChanged {
  readonly kind: "asset_changed";
  readonly modality: Modality | undefined;
  readonly from: AssetStatus | undefined;
  readonly to: AssetStatus | undefined;
  /** How many bytes more are stored. */
  readonly bytes: number;
}

/** Files of a composition came or went. */
export interface FilesChanged {
  readonly kind: "files_changed";
  readonly added: readonly StoredFile[];
  readonly removed: readonly StoredFile[];
}

export type StoredFile = Pick<BundleFile, "sha256" | "size">;

/** An agent's run opens, ends, or may spend more or less. */
export interface RunChanged {
  readonly kind: "run_changed";
  readonly turn: Id;
  readonly ceiling: number | null;
  readonly isEnded: boolean;
}

/** What an operator changed: renewals and slots follow it. */
export interface SetTerms {
  readonly kind: "set_terms";
  readonly plan: PlanName;
  readonly overrides: PlanOverrides | undefined;
  /** The account of its creator, for an unpaid organization. */
  readonly countsInto: Id | undefined;
}

/** By how much the use of an organization changed that counts into this account. */
export interface UnpaidUseChanged {
  readonly kind: "unpaid_use_changed";
  readonly media: number;
  readonly three_d: number;
  readonly stored: number;
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

export interface SetBudget
  extends Question<{ readonly kind: "budgeted"; readonly spending: MemberSpending }> {
  readonly kind: "set_budget";
  readonly user: Id;
  /** Undefined lifts it. */
  readonly budget: Budget | undefined;
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
  | UnpaidUseChanged
  | Grant
  | SetBudget
  /** The 1st of a month. Any message on that day or later renews the account first. */
  | { readonly kind: "renew" };

/** What the keys of all accounts of a partition begin with. */
export function accountsKey(partition: number): Key<Account> {
  return createKey(partition, codes.account, "");
}

export function accountKey(scope: Id): Address<AccountMessage, Account> {
  return createAddress(keyOfId(codes.account, scope));
}
