/**
 * A job: one generation from acceptance to its end. It has two rows: the request (`JobRequest`,
 * written once) and its state (`Job`, the head). Its behaviour is in `job-actor.ts`.
 */

import type { Modality } from "../../config/modalities.ts";
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
  /** Prompt sent to the model instead, when a rewriter changed it. */
  readonly enhancedPrompt?: string | undefined;
  readonly displayName?: string | undefined;
  readonly tags: readonly string[];
  readonly surface?: string | undefined;
  readonly createdAtMs: number;
  /** Kind of the farm task; `input` is what its worker gets besides the prompt. */
  readonly task: string;
  readonly input: TaskInput;
  /** Input member in which the worker gets the prompt. */
  readonly promptAs?: "prompt" | "text" | undefined;
  /** The set, agent turn and source job that the job belongs to. */
  readonly set?: Id | undefined;
  readonly turn?: TurnOfJob | undefined;
  readonly parent?: Id | undefined;
  /** The model's usual running time, used to estimate how much of the work is done. */
  readonly typicalSeconds: number;
  /** Fingerprint of the request, 16 bytes in hex, by which the duplicate window knows it. */
  readonly fingerprint: string;
  /** Trace, span and flags of the caller that traces the submit (W3C Trace Context). */
  readonly trace?: string | undefined;
  /** Fingerprint without the Idempotency-Key, if one was sent; moderation is remembered by it. */
  readonly bodyDigest?: string | undefined;
  /** Phase in which the job had ended, set once it is deleted or forgotten. */
  readonly goneAs?: Job["phase"] | undefined;
  /** As in `Generation`; rows of earlier releases have neither `accepted` nor `subject`. */
  readonly accepted?: Readonly<Record<string, unknown>> | undefined;
  readonly subject?: string | undefined;
}

export type TaskInput = Readonly<Record<string, unknown>>;

export interface TurnOfJob {
  readonly session: Id;
  readonly turn: Id;
}

/** Terms agreed at acceptance; the same object is kept through all phases. */
export interface Terms {
  readonly job: Id;
  readonly scope: Id;
  /** In an organization, the member who submitted the job, and whose budget the hold is part of. */
  readonly member?: Id;
  readonly turn?: TurnOfJob;
  /** Digests of the job's tags, if it has any; see `tagDigest` in `job-index.ts`. */
  readonly tags?: readonly string[];
  readonly modality: Modality;
  /** Tag of the model; see `modelTag` in `job-index.ts`. */
  readonly modelTag: number;
  /** Provider that runs the job, by its name in `config/providers/providers.ts`. */
  readonly provider: string;
  /** Credits held at submit. */
  readonly hold: number;
  /** Number of outputs that the hold pays for. */
  readonly count: number;
  /** Shard time of the acceptance, from which days, months and deadlines are counted. */
  readonly createdAtMs: number;
}

export interface Common {
  readonly terms: Terms;
  /** Revision of the job, which rises with every change. */
  readonly revision: number;
  readonly updatedAtMs: number;
  /** Number of event rows; undefined for none. The rest of the history follows from the head. */
  readonly events?: number;
}

/** What was sent to the provider, for a job at a provider. */
export interface Sent {
  /** Number of submissions; it names the last one in the token of its callback. */
  readonly submits?: number;
  /** The provider's name for the job, set once the provider has accepted the job. */
  readonly ref?: string;
}

interface Open extends Common, Sent {
  /** When the job times out unless it has ended; time spent with `detail` set does not count. */
  readonly deadlineMs: number;
  /** Number of failed attempts on the farm. */
  readonly attempts: number;
}

export type StatusDetail = "provider_down" | "upstream_at_capacity";

export interface QueuedJob extends Open {
  readonly phase: "queued";
  readonly detail?: { readonly name: StatusDetail; readonly sinceMs: number };
  /** Set while the request to the provider is under way; whether it arrived is not known. */
  readonly submitting?: Submitting;
  /** Set for a member of a set without a slot: nothing is sent before it has one. */
  readonly waits?: true;
  /** Submit request that waits for the provider's first response, until `untilMs` at the latest. */
  readonly inline?: { readonly request: RequestId<SubmitReply>; readonly untilMs: number };
}

export interface Submitting {
  /** Whether the provider can later be asked for a job whose submit it never answered. */
  readonly hasLookUp: boolean;
}

export interface RunningJob extends Open {
  readonly phase: "running";
  readonly startedAtMs: number;
  readonly progress: number;
  /** Token of the farm's lease; reports under another token are ignored. */
  readonly token?: string;
  /** Set once the provider has finished and the farm fetches the result; no cancel is possible. */
  readonly isDelivering?: true;
}

export interface SucceededJob extends Common {
  readonly phase: "succeeded";
  readonly startedAtMs: number;
  readonly completedAtMs: number;
  readonly charged: number;
  readonly assets: readonly Id[];
  /** Sentences that say what the result lacks. */
  readonly warnings?: readonly string[];
}

export interface Failure {
  readonly kind: "error" | "moderated" | "timeout";
  readonly code: "job_failed" | "rate_limit" | "prompt_nsfw" | "ip_detected" | "timeout";
  readonly message: string;
  /** HTTP status that `error` shows, in the style of an upstream's response. */
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
   * Set while the provider's answer to a cancel is awaited: the requests that get it as their
   * reply, and when they are answered at the latest.
   */
  readonly awaits?: {
    readonly requests: readonly RequestId<Canceled>[];
    readonly untilMs: number;
  };
}

export type Job = QueuedJob | RunningJob | SucceededJob | FailedJob | CanceledJob;

/** A provider's answer to a request to cancel. */
export type CancelAnswer =
  | { readonly kind: "cancelled" | "requested" | "refused" | "unsupported" | "failed" }
  | { readonly kind: "stopped_partway"; readonly billedFraction?: number };

export type FailureClass =
  | "moderation_safety"
  | "moderation_ip"
  | "invalid_input"
  | "billing"
  | "upstream";

/** How the work itself ended; `billedFraction` is the billed share where a provider reports it. */
export type Outcome =
  | {
      readonly kind: "succeeded";
      readonly outputs: readonly Output[];
      /** What a worker reports besides its outputs; see `TaskOutcome`. */
      readonly warnings?: readonly string[];
      readonly details?: object;
    }
  | {
      readonly kind: "failed";
      readonly class: FailureClass;
      readonly message: string;
      readonly atOutput: boolean;
      readonly billed: boolean;
      /** Share of the price that is billed, where the provider reports it. */
      readonly billedFraction?: number;
      /** Sentences about the input that were found before the work failed. */
      readonly warnings?: readonly string[];
    };

export interface Output {
  readonly asset: Id;
  readonly media: Media;
}

/** Creates a job: its terms without the acceptance time, and what its first step needs. */
export interface CreateJob extends Omit<Terms, "createdAtMs"> {
  readonly kind: "create";
  /** Encoded row of the request, which the shard stores without decoding it. */
  readonly asked: string;
  readonly work: FarmTask | ProviderWork;
  readonly trace?: string;
  /** Digest of the request body, 16 bytes in hex; moderation is remembered by it. */
  readonly bodyDigest: string;
  readonly deadlineSeconds: number;
  /** How long the answer may wait for the provider's first response, in milliseconds. */
  readonly inlineMs: number;
  readonly waits?: true;
  readonly request: RequestId<SubmitReply> | undefined;
}

/** The answer to a submit: the job as it is by then, or only the shard time at which it began. */
export type Accepted =
  | { readonly kind: "accepted"; readonly job: Job }
  | { readonly kind: "accepted"; readonly atMs: number };

export type SubmitReply = Accepted | Refused;

export interface CancelJob extends Question<Canceled | Refused> {
  readonly kind: "cancel";
  readonly user: string;
}

/** The reply to a cancel: the job as clients see it, in JSON. */
export interface Canceled {
  readonly kind: "canceled";
  readonly body: string;
}

export interface DeleteJob extends Question<{ readonly kind: "deleted" } | Refused> {
  readonly kind: "delete";
}

/** An event of a job's history that does not follow from the head. */
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
      /** Set when the node handed the task back, so that no attempt counts. */
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
      /** Input of the farm's task; undefined while the bytes are still on the way to the store. */
      readonly input?: TaskInput;
      /** Prompt as the provider rewrote it. */
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
      /** Set when the step that begins the submission may also end it. */
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

/** The work that a provider is given for a request. */
export interface ProviderWork {
  readonly prompt: string;
  /** Catalogue id of the model, whose mapping takes `input`; undefined for simulated models. */
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

/** Returns when an open job times out. */
export function deadline(job: Open): number {
  return Math.min(job.deadlineMs, lastDeadline(job));
}

/** Returns the deadline, extended by the time the job has waited for its provider until now. */
export function extendDeadline({ deadlineMs, detail }: QueuedJob, atMs: number): number {
  return detail === undefined ? deadlineMs : deadlineMs + atMs - detail.sinceMs;
}

/** Returns the time 24 h after acceptance, which no wait for a provider extends. */
export function lastDeadline(job: Common): number {
  return job.terms.createdAtMs + dayMs;
}

export function jobKey(job: Id): Address<JobMessage, Job> {
  return createAddress(keyOfId(codes.job, job));
}

export function jobRequestKey(job: Id): Key<JobRequest> {
  return keyOfId(codes.jobRequest, job);
}

/** Key of an event in a job's history, by its number. */
export function jobEventKey(job: Id, event: number): Key<JobEvent> {
  return createKey(partitionOfId(job), codes.jobEvent, idBytes(job) + encodeOrderedNumber(event));
}
