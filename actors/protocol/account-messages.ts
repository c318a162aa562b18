/** Messages of an account and the replies to them. For its state, see `account.ts`. */

import type { Modality } from "../../config/modalities.ts";
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
  /** Account of an unpaid organization's creator, into which its use counts until it pays. */
  readonly countsInto?: Id;
  /** Replies to the directory's request, sent once the wallet exists. */
  readonly replies: readonly Reply[];
}

export interface SubmitJob extends Question<SubmitReply> {
  readonly kind: "submit";
  readonly submit: PackedSubmit;
}

/** Submits a set of at least one member, each either a job to create or already refused. */
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

/** Pays at once for synchronous work: there is no hold, no slot and no duplicate check. */
export interface Pay
  extends Question<{ readonly kind: "paid"; readonly balance: number } | Refused> {
  readonly kind: "pay";
  readonly credits: number;
  readonly note: string;
  /** In an organization, the member whose budget the payment counts against. */
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

/** A job changed its phase, its hold was resolved, or both. */
export interface JobChanged {
  readonly kind: "job_changed";
  readonly terms: Terms;
  readonly from: JobStatus;
  readonly to: JobStatus;
  /** Whether the job had a slot before the change; a member of a set may have waited for one. */
  readonly hadSlot: boolean;
  readonly charge: number | undefined;
  /** Modality of each produced asset, by its media type: a video may be an animated image. */
  readonly assets: readonly (Modality | undefined)[];
  /** Total size of the new assets in bytes. */
  readonly bytes: number;
}

/** A provider refused the job at once, so the job is undone. */
export interface JobDiscarded {
  readonly kind: "job_discarded";
  readonly terms: Terms;
  /** Fingerprint of the request: 16 bytes as a binary string. */
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
  /** Change in the number of stored bytes. */
  readonly bytes: number;
}

/** Files of a composition were added or removed. */
export interface FilesChanged {
  readonly kind: "files_changed";
  readonly added: readonly StoredFile[];
  readonly removed: readonly StoredFile[];
}

export type StoredFile = Pick<BundleFile, "sha256" | "size">;

/** An agent's run begins, ends, or gets another ceiling. */
export interface RunChanged {
  readonly kind: "run_changed";
  readonly turn: Id;
  readonly ceiling: number | null;
  readonly isEnded: boolean;
}

/** Terms that an operator changed; renewals and slots follow them. */
export interface SetTerms {
  readonly kind: "set_terms";
  readonly plan: PlanName;
  readonly overrides: PlanOverrides | undefined;
  /** Account of the creator of an unpaid organization. */
  readonly countsInto: Id | undefined;
}

/** Change in the use of an organization that counts into this account. */
export interface UnpaidUseChanged {
  readonly kind: "unpaid_use_changed";
  readonly media: number;
  readonly three_d: number;
  readonly stored: number;
}

/** Credits from an operator, which do not expire; a negative amount takes credits back. */
export interface Grant {
  readonly kind: "grant";
  readonly amount: number;
  readonly note: string | undefined;
  readonly request: RequestId<GrantReply> | undefined;
}

/** Credits that can be spent after the grant, and those that are held. */
export type GrantReply =
  | { readonly kind: "granted"; readonly balance: number; readonly held: number }
  | Refused;

export interface SetBudget
  extends Question<{ readonly kind: "budgeted"; readonly spending: MemberSpending }> {
  readonly kind: "set_budget";
  readonly user: Id;
  /** The member's new budget, or undefined to remove it. */
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

/** Key prefix of all accounts of a partition. */
export function accountsKey(partition: number): Key<Account> {
  return createKey(partition, codes.account, "");
}

export function accountKey(scope: Id): Address<AccountMessage, Account> {
  return createAddress(keyOfId(codes.account, scope));
}
