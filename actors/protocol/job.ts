/**
 * A job: one generation from acceptance to its end. Two rows: the request (`JobRequest`, written
 * once) and its state (`Job`, the head). How it moves: `job-actor.ts`.
 */

import type { Modality } from "../../config/catalogue.ts";
import type { Due } from "../../engine/actor.ts";
import {
  type Address,
  createAddress,
  type Question,
  type RequestId,
} from "../../engine/address.ts";
import { type Id, idBytes, keyOfId, partitionOfId } from "../../engine/id.ts";
import { createKey, encodeOrderedNumber, type Key } from "../../engine/key.ts";
import type { Refused } from "../refusal.ts";
import { codes } from "../table-codes.ts";
import type { FarmTask, RunFarmTask } from "./farm-task.ts";
import type { Media } from "./media.ts";

export interface JobRequest {
  readonly id: Id;
  readonly scope: Id;
  readonly user: Id;
  readonly modality: Modality;
  readonly model: string;
  readonly prompt: string;
  /** What the model gets instead of the prompt, when a rewriter changed it. */
  readonly enhancedPrompt?: string | undefined;
  readonly displayName?: string | undefined;
  readonly tags: readonly string[];
  readonly surface?: string | undefined;
  readonly createdAtMs: number;
  /** The kind of the farm's task, and what its worker is given beside the prompt. */
  readonly task: string;
  readonly input: TaskInput;
  /** Under which name the worker gets the prompt. */
  readonly promptAs?: "prompt" | "text" | undefined;
  /** The set, agent turn and source job that it belongs to. */
  readonly set?: Id | undefined;
  readonly turn?: TurnOfJob | undefined;
  readonly parent?: Id | undefined;
  /** The model's usual running time, by which a share of the work is estimated. */
  readonly typicalSeconds: number;
  /** 16 bytes in hex; the duplicate window is rebuilt from it. */
  readonly fingerprint: string;
  /** Trace, span and flags of the caller, who traces the submit (W3C Trace Context). */
  readonly trace?: string | undefined;
  /** The same without the Idempotency-Key, when there was one: moderation is remembered by it. */
  readonly bodyDigest?: string | undefined;
  /** How it had ended, once it is deleted or forgotten. */
  readonly goneAs?: Job["phase"] | undefined;
  /** See `Generation`; rows of earlier releases have neither. */
  readonly accepted?: Readonly<Record<string, unknown>> | undefined;
  readonly subject?: string | undefined;
}

export type TaskInput = Readonly<Record<string, unknown>>;

export interface TurnOfJob {
  readonly session: Id;
  readonly turn: Id;
}

/** What was agreed at acceptance: one object through all phases. */
export interface Terms {
  readonly job: Id;
  readonly scope: Id;
  /** Who asked, and whose budget the hold counts against, when the scope is an organization. */
  readonly member?: Id;
  readonly turn?: TurnOfJob;
  /** Digests of its tags, when it has any; see `tagDigest` in `job-index.ts`. */
  readonly tags?: readonly string[];
  readonly modality: Modality;
  /** See `modelTag` in `job-index.ts`. */
  readonly modelTag: number;
  /** Who runs it, by the name in `config/providers.ts`. */
  readonly provider: string;
  /** Credits held at submit. */
  readonly hold: number;
  /** Outputs that the hold pays for. */
  readonly count: number;
  /** Shard time of the acceptance, by which days, months and deadlines count. */
  readonly createdAtMs: number;
}

export interface Common {
  readonly terms: Terms;
  /** Rises with every change. */
  readonly revision: number;
  readonly updatedAtMs: number;
  /** Rows of its history; undefined for none. The rest of the history follows from the head. */
  readonly events?: number;
}

/** What the provider was sent, of a job that is at one. */
export interface Sent {
  /** How often it was submitted; names the last submission in the token of its callback. */
  readonly submits?: number;
  /** The provider's name of the job; it has accepted the job then. */
  readonly ref?: string;
}

interface Open extends Common, Sent {
  /** Ends the job unless it is terminal; time spent with `detail` set does not count. */
  readonly deadlineMs: number;
  /** Failed attempts on the farm. */
  readonly attempts: number;
}

export type StatusDetail = "provider_down" | "upstream_at_capacity";

export interface QueuedJob extends Open {
  readonly phase: "queued";
  readonly detail?: { readonly name: StatusDetail; readonly sinceMs: number };
  /** The request to the provider is under way; whether it arrived is not known. */
  readonly submitting?: Submitting;
  /** A member of a set without a slot: nothing is sent before it has one. */
  readonly waits?: true;
  /** The submit is answered with the provider's first response, at the latest then. */
  readonly inline?: { readonly request: RequestId<SubmitReply>; readonly untilMs: number };
}

export interface Submitting {
  /** Whether the provider can be asked later for a job whose submit it never answered. */
  readonly hasLookUp: boolean;
}

export interface RunningJob extends Open {
  readonly phase: "running";
  readonly startedAtMs: number;
  readonly progress: number;
  /** Names the farm's lease; reports under another token count for nothing. */
  readonly token?: string;
  /** The provider has finished, and the farm fetches its result: it cannot be canceled any more. */
  readonly isDelivering?: true;
}

export interface SucceededJob extends Common {
  readonly phase: "succeeded";
  readonly startedAtMs: number;
  readonly completedAtMs: number;
  readonly charged: number;
  readonly assets: readonly Id[];
  /** Sentences about what the result lacks. */
  readonly warnings?: readonly string[];
}

export interface Failure {
  readonly kind: "error" | "moderated" | "timeout";
  readonly code: "job_failed" | "rate_limit" | "prompt_nsfw" | "ip_detected" | "timeout";
  readonly message: string;
  /** The upstream-style status that `error` shows. */
  readonly status: 422 | 429 | 502 | 504;
}

export interface FailedJob extends Common {
  readonly phase: "failed";
  readonly startedAtMs?: number;
  readonly completedAtMs: number;
  readonly charged: number;
  readonly failure: Failure;
}

export type Settlement =
  | { readonly kind: "pending"; readonly limitMs: number }
  | { readonly kind: "settled"; readonly charged: number; readonly atMs: number };

export interface CanceledJob extends Common, Sent {
  readonly phase: "canceled";
  readonly startedAtMs?: number;
  readonly completedAtMs: number;
  readonly stage: "before_submit" | "submitting" | "provider_queued" | "provider_running";
  readonly providerCancel?: CancelAnswer["kind"];
  readonly settlement: Settlement;
  readonly canceledBy: string;
  /**
   * While the provider's answer is awaited: the requests to answer with it, at the latest then.
   */
  readonly awaits?: {
    readonly requests: readonly RequestId<Canceled>[];
    readonly untilMs: number;
  };
}

export type Job = QueuedJob | RunningJob | SucceededJob | FailedJob | CanceledJob;

/** A provider's answer to a cancel. */
export type CancelAnswer =
  | { readonly kind: "cancelled" | "requested" | "refused" | "unsupported" | "failed" }
  | { readonly kind: "stopped_partway"; readonly billedFraction?: number };

export type FailureClass =
  | "moderation_safety"
  | "moderation_ip"
  | "invalid_input"
  | "billing"
  | "upstream";

/** How the work itself ended. `fraction` is the billed share where the provider reports one. */
export type Outcome =
  | {
      readonly kind: "succeeded";
      readonly outputs: readonly Output[];
      /** What a worker says beside its outputs; see `TaskOutcome`. */
      readonly warnings?: readonly string[];
      readonly details?: object;
    }
  | {
      readonly kind: "failed";
      readonly class: FailureClass;
      readonly message: string;
      readonly atOutput: boolean;
      readonly billed: boolean;
      /** The share of the price that is billed, where the provider says. */
      readonly billedFraction?: number;
      /** Sentences about the input, found before it failed. */
      readonly warnings?: readonly string[];
    };

export interface Output {
  readonly asset: Id;
  readonly media: Media;
}

/** Terms but for their time, and what the job brings along. */
export interface CreateJob extends Omit<Terms, "createdAtMs"> {
  readonly kind: "create";
  /** The encoded row of the request; the shard only stores it. */
  readonly asked: string;
  readonly work: FarmTask | ProviderWork;
  readonly trace?: string;
  /** 16 bytes in hex, by which moderation is remembered. */
  readonly bodyDigest: string;
  readonly deadlineSeconds: number;
  /** How long the answer may wait for the provider's first word. */
  readonly inlineMs: number;
  readonly waits?: true;
  readonly request: RequestId<SubmitReply> | undefined;
}

/** The answer to a submit: the job as it is by then, or only when it began, in shard time. */
export type Accepted =
  | { readonly kind: "accepted"; readonly job: Job }
  | { readonly kind: "accepted"; readonly atMs: number };

export type SubmitReply = Accepted | Refused;

export interface CancelJob extends Question<Canceled | Refused> {
  readonly kind: "cancel";
  readonly user: string;
}

/** The job as clients see it, in JSON. */
export interface Canceled {
  readonly kind: "canceled";
  readonly body: string;
}

export interface DeleteJob extends Question<{ readonly kind: "deleted" } | Refused> {
  readonly kind: "delete";
}

/** An event that the head does not keep. */
export interface JobEvent {
  readonly type: "submitted" | "provider_status" | "callback_received" | "status_detail";
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export type JobMessage =
  | CreateJob
  | { readonly kind: "claim"; readonly token: string }
  /** The lease went silent, or the attempt failed in a way that another need not. */
  | {
      readonly kind: "lapsed";
      readonly token: string;
      readonly reason?: string;
      /** The node handed the task back: no attempt was made. */
      readonly isReturned?: true;
    }
  | { readonly kind: "slot" }
  | ({ readonly kind: "submitting"; readonly number: number } & Submitting)
  | { readonly kind: "accepted"; readonly ref: string }
  /** The outcome of its submit stays unknown. */
  | { readonly kind: "unanswered" }
  | { readonly kind: "called_back" }
  | { readonly kind: "started" }
  | { readonly kind: "detail"; readonly detail: StatusDetail | null }
  | { readonly kind: "progress"; readonly token?: string; readonly progress: number }
  | { readonly kind: "finished"; readonly token?: string; readonly outcome: Outcome }
  /** The provider has finished: a farm node is to bring its result. */
  | {
      readonly kind: "delivering";
      /** Of the farm's task; undefined while the bytes are still on their way to the store. */
      readonly input?: TaskInput;
      /** What the provider made of the prompt. */
      readonly enhancedPrompt?: string;
    }
  | CancelJob
  | DeleteJob
  /** It may have ended long enough ago. */
  | { readonly kind: "retire" }
  | { readonly kind: "cancel_answer"; readonly answer: CancelAnswer }
  | Due;

export type JobEffect =
  | (RunFarmTask & { readonly trace?: string })
  | { readonly kind: "farm.lease"; readonly token: string }
  | { readonly kind: "farm.cancel" }
  | ({
      readonly kind: "provider.submit";
      readonly trace?: string;
      /** The step that begins it may end it as well. */
      readonly mayEndAtOnce?: true;
    } & ProviderTask)
  /** The mark that the submission may have been sent is durable: it may go out. */
  | { readonly kind: "provider.send"; readonly number: number }
  /** The provider's name of the job is durable: the job may be read. */
  | { readonly kind: "provider.follow" }
  /** After a restart: what may have been sent, or was accepted, is never submitted again. */
  | ({ readonly kind: "provider.resume"; readonly isCanceled: boolean } & ProviderTask)
  | { readonly kind: "provider.cancel" }
  /** Whatever becomes of it there is not wanted any more. */
  | { readonly kind: "provider.withdraw" };

/** What a provider is to make of a request. */
export interface ProviderWork {
  readonly prompt: string;
  /** By its id in the catalogue, whose mapping takes `input`; undefined for simulated models. */
  readonly model?: string;
  readonly input?: TaskInput;
}

export interface ProviderTask extends ProviderWork, Sent {
  readonly provider: string;
  readonly job: Id;
  readonly modality: Modality;
  readonly count: number;
}

const dayMs = 86_400_000;

/** When an open job times out. */
export function deadline(job: Open): number {
  return Math.min(job.deadlineMs, lastDeadline(job));
}

/** The deadline, moved by how long the job has waited for its provider until now. */
export function extendDeadline({ deadlineMs, detail }: QueuedJob, atMs: number): number {
  return detail === undefined ? deadlineMs : deadlineMs + atMs - detail.sinceMs;
}

/** 24 h from acceptance, whatever the provider is waiting for. */
export function lastDeadline(job: Common): number {
  return job.terms.createdAtMs + dayMs;
}

export function jobKey(job: Id): Address<JobMessage, Job> {
  return createAddress(keyOfId(codes.job, job));
}

export function jobRequestKey(job: Id): Key<JobRequest> {
  return keyOfId(codes.jobRequest, job);
}

/** A line of a job's history, by its place there. */
export function jobEventKey(job: Id, event: number): Key<JobEvent> {
  return createKey(partitionOfId(job), codes.jobEvent, idBytes(job) + encodeOrderedNumber(event));
}
