/**
 * The port to providers, which run models behind a protocol of their own. An adapter translates
 * that protocol and nothing more: when to submit, read, retry and give up is decided for all of
 * them in `effects/provider-jobs.ts`.
 *
 * When the provider cannot be reached, `submit` resolves to `down` or `unknown`; the other calls
 * reject with a `PortError`. What a provider answers may be wrong in every way: a reply that cannot
 * be understood rejects with a `ReplyError`, at `submit` it is `unknown`. That is for what the job
 * needs; what it does not need, progress, logs and metrics, is dropped where it is odd. What a
 * fault means for a job is decided in `effects/read-faults.ts`.
 */

import type { CancelAnswer, FailureClass } from "../actors/protocol/job.ts";
import type { Media } from "../actors/protocol/media.ts";
import type { Modality } from "../config/catalogue.ts";
import type { Id } from "../engine/id.ts";
import { PortError } from "../engine/ports/port-error.ts";

export interface Provider {
  /** The same at every call. */
  describe(): ProviderTraits;
  submit(submission: Submission): Promise<SubmitOutcome>;
  /** Asks for a job whose submit was never answered; only where the protocol can. */
  lookUp?(job: Id): Promise<LookUp>;
  /** Gives the provider a file that a submission names by what this resolves to. */
  upload?(file: UploadFile): Promise<string>;
  /** A job that the provider does not know is `lost`. */
  status(ref: ProviderRef): Promise<ProviderStatus>;
  /**
   * Of a job that succeeded. Rejects with a `PortError` when the provider does not know it, and
   * with a `GoneError` when it had it once.
   */
  result(ref: ProviderRef): Promise<ProviderResult>;
  /** For a job that has ended: `refused` or `failed`. */
  cancel(ref: ProviderRef): Promise<CancelAnswer>;
  /** Checks that the provider sent it, and when: an old one may be a replay. */
  verifyCallback(callback: Callback, nowMs: number): Promise<CallbackVerdict>;
  /** One cheap call. Resolves to `down` when the provider cannot be reached. */
  health(): Promise<Health>;
  /** The job is over and will not be asked for again: what is kept of it in memory can go. */
  forget?(ref: ProviderRef): void;
  /** Ends connections that are kept open. */
  close?(): void;
}

export type Health = "up" | "degraded" | "down";

export interface ProviderTraits {
  /** As in `config/providers.ts`. */
  readonly name: string;
  /** Whether it runs in this process and ends with it, so that nothing of it outlives a restart. */
  readonly isInProcess: boolean;
  /** Whether a submit that is sent twice makes one job. */
  readonly idempotentSubmit: boolean;
  /** Which jobs it can stop. */
  readonly cancel: "none" | "queued_only" | "any";
  /** How callbacks are authenticated, if there are any: signed, or by the token in their URL. */
  readonly callback: "none" | "signed" | "token_only";
  /** Whether the status of a running job has `progress`. */
  readonly progress: boolean;
  /** Whether the status of a job that failed or was canceled has `billed`. */
  readonly reportsBilling: boolean;
}

/**
 * The provider's own name of a job, with whatever else the adapter needs to find it again after a
 * restart; at most `limits.providers.refMax` characters.
 */
export type ProviderRef = string;

export interface Submission {
  readonly job: Id;
  /** From 1; how often this job was submitted, this time included. */
  readonly number: number;
  readonly modality: Modality;
  /** Only for the simulated models, which have no mapping. */
  readonly prompt: string;
  /** How many results are asked for. */
  readonly count: number;
  /** The catalogue's `provider_model`. */
  readonly model: string;
  /** The catalogue's mapping, filled in from the request. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Where the provider is to call when the job has ended; undefined for no callback. */
  readonly callbackUrl: string | undefined;
  /** How long the job may still take. */
  readonly timeLeftMs: number;
  readonly typicalSeconds: number;
  /** How many of the model's own billing units the whole job costs, where the entry says so. */
  readonly expectedUnits?: number;
}

export interface UploadFile {
  /** Of `[A-Za-z0-9._-]`; equal bytes have equal names. */
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

export type SubmitOutcome =
  | { readonly kind: "accepted"; readonly ref: ProviderRef; readonly status: ProviderStatus }
  | ({ readonly kind: "refused" } & ProviderFailure)
  /** At capacity. `retryAfterMs` where the provider says when to try again. */
  | { readonly kind: "busy"; readonly retryAfterMs?: number }
  /** The request did not reach it, or it said that it did not take it (5xx before any work). */
  | { readonly kind: "down"; readonly retryAfterMs?: number }
  /** The request was sent, and no answer came, or one that cannot be understood. */
  | { readonly kind: "unknown" };

export type LookUp =
  | { readonly kind: "found"; readonly ref: ProviderRef; readonly status: ProviderStatus }
  /** It never arrived, so it may be sent again. */
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" };

export interface ProviderFailure extends Billing {
  readonly class: FailureClass;
  /**
   * One sentence for the customer, in our own words where the provider's may name hosts, keys or
   * accounts (`customerMessage` in `replies.ts`).
   */
  readonly message: string;
}

interface Billing {
  /** Whether the provider bills it; undefined when it does not say. */
  readonly billed?: boolean;
  /** The share of the whole price that it bills, from 0 to 1, where it says. */
  readonly billedFraction?: number;
}

export type ProviderStatus =
  | { readonly state: "queued" }
  /** `progress` is the share that is done, from 0 to 1. */
  | { readonly state: "running"; readonly progress?: number }
  | { readonly state: "succeeded" }
  /** `atOutput`: after it ran, and not for its input. */
  | ({ readonly state: "failed"; readonly atOutput: boolean } & ProviderFailure)
  | ({ readonly state: "canceled" } & Billing)
  | { readonly state: "lost" };

export interface ProviderResult {
  readonly files: readonly ResultFile[];
  /** What the provider made of the prompt, when it says so. */
  readonly enhancedPrompt?: string;
}

export type ResultFile =
  /** In the object store already. */
  | { readonly kind: "stored"; readonly media: Media }
  /** Anybody may fetch it; a farm node does, over hosts that the provider's entry allows. */
  | { readonly kind: "url"; readonly url: string }
  /**
   * Only the provider's own API gives it, against the provider's key. `open` may be called again
   * when its bytes broke off; it rejects with a `PortError`, or with a `ReplyError`.
   */
  | { readonly kind: "stream"; readonly open: OpenStream };

export type OpenStream = (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

export interface Callback {
  /** The job whose token its URL had, if known. Needed where callbacks are `token_only`. */
  readonly of?: CalledJob;
  /** Unparsed, because the signature covers these bytes. */
  readonly rawBody: Uint8Array;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What a submission told the provider of it. */
export type CalledJob = Pick<Submission, "job" | "model" | "typicalSeconds" | "expectedUnits">;

export type CallbackVerdict =
  | { readonly ok: false }
  /** `ref` where the callback names its job in a way that `status` understands. */
  | { readonly ok: true; readonly ref?: ProviderRef };

/** A provider's reply that cannot be understood: another type, no JSON, without end. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";
}

/**
 * A result that no further read makes any better: no file, too many, too large. What it says is a
 * sentence for the customer.
 */
export class ResultError extends ReplyError {}

/** The provider says that it has a result no more. */
export class GoneError extends PortError {
  constructor(message: string) {
    super(message, false);
  }
}

/** A fault of the provider that a later call may not meet: 5xx, 429. */
export class UnavailableError extends PortError {
  /** The header `Retry-After` as it came. */
  readonly retryAfter: string | undefined;

  constructor(status: number, retryAfter: string | undefined) {
    super(`the provider answered ${status}`, true);
    this.retryAfter = retryAfter;
  }
}
