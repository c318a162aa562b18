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
import type { Modality } from "../config/modalities.ts";
import type { Id } from "../engine/id.ts";
import { PortError } from "../engine/ports/port-error.ts";

export interface Provider {
  /** Traits of the provider, the same at every call. */
  describe(): ProviderTraits;
  submit(submission: Submission): Promise<SubmitOutcome>;
  /** Looks up a job whose submit was never answered; only if the protocol supports it. */
  lookUp?(job: Id): Promise<LookUp>;
  /** Uploads a file to the provider; resolves to the name for it in a submission. */
  upload?(file: UploadFile): Promise<string>;
  /** Reads a job's status; a job that the provider does not know is `lost`. */
  status(ref: ProviderRef): Promise<ProviderStatus>;
  /**
   * Reads the result of a job that succeeded. Rejects with a `PortError` when the provider does not
   * know the job, and with a `GoneError` when it no longer has the result.
   */
  result(ref: ProviderRef): Promise<ProviderResult>;
  /** Cancels a job; for one that has ended the answer is `refused` or `failed`. */
  cancel(ref: ProviderRef): Promise<CancelAnswer>;
  /** Checks that the provider sent the callback recently: an old one may be a replay. */
  verifyCallback(callback: Callback, nowMs: number): Promise<CallbackVerdict>;
  /** Makes one cheap call. Resolves to `down` when the provider cannot be reached. */
  health(): Promise<Health>;
  /** Frees memory that is kept for a job, which is over and will not be queried again. */
  forget?(ref: ProviderRef): void;
  /** Closes connections that are kept open. */
  close?(): void;
}

export type Health = "up" | "degraded" | "down";

export interface ProviderTraits {
  /** Name as in `config/providers/providers.ts`. */
  readonly name: string;
  /** Whether the provider runs in this process, so that its jobs do not outlive a restart. */
  readonly isInProcess: boolean;
  /** Whether a repeated submit still creates only one job. */
  readonly idempotentSubmit: boolean;
  /** Which jobs the provider can cancel. */
  readonly cancel: "none" | "queued_only" | "any";
  /** How callbacks are authenticated, if there are any: signed, or by the token in their URL. */
  readonly callback: "none" | "signed" | "token_only";
  /** Whether the status of a running job has `progress`. */
  readonly progress: boolean;
  /** Whether the status of a job that failed or was canceled has `billed`. */
  readonly reportsBilling: boolean;
}

/**
 * The provider's id of a job, with all else that the adapter needs to find it again after a
 * restart; at most `limits.providers.refMax` characters.
 */
export type ProviderRef = string;

export interface Submission {
  readonly job: Id;
  /** Number of submissions of this job, counted from 1, including this one. */
  readonly number: number;
  readonly modality: Modality;
  /** Prompt of the request, used only by simulated models, which have no mapping. */
  readonly prompt: string;
  /** Number of results requested. */
  readonly count: number;
  /** `provider_model` of the catalogue entry. */
  readonly model: string;
  /** Mapping of the catalogue entry, filled from the request. */
  readonly input: Readonly<Record<string, unknown>>;
  /** URL for the provider to call when the job has ended; undefined for no callback. */
  readonly callbackUrl: string | undefined;
  /** Time that the job may still take. */
  readonly timeLeftMs: number;
  readonly typicalSeconds: number;
  /** Cost of the whole job in the model's own billing units, if the catalogue entry states it. */
  readonly expectedUnits?: number;
}

export interface UploadFile {
  /** Characters are `[A-Za-z0-9._-]`; files with equal bytes have equal names. */
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
   * One sentence for the customer, rewritten when the provider's own may name hosts, keys or
   * accounts (`customerMessage` in `replies.ts`).
   */
  readonly message: string;
}

interface Billing {
  /** Whether the provider bills the job; undefined when it does not report it. */
  readonly billed?: boolean;
  /** Share of the whole price that is billed, from 0 to 1, if the provider reports it. */
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
  /** The prompt as rewritten by the provider, if it reports that. */
  readonly enhancedPrompt?: string;
}

export type ResultFile =
  /** A file that is already in the object store. */
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
  /** Job whose token was in the URL, if known; required where callbacks are `token_only`. */
  readonly of?: CalledJob;
  /** The unparsed body, because the signature covers exactly these bytes. */
  readonly rawBody: Uint8Array;
  /** Headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What the submission told the provider about the job. */
export type CalledJob = Pick<Submission, "job" | "model" | "typicalSeconds" | "expectedUnits">;

export type CallbackVerdict =
  | { readonly ok: false }
  /** `ref` where the callback names its job in a way that `status` understands. */
  | { readonly ok: true; readonly ref?: ProviderRef };

/** A reply that cannot be understood: wrong type, invalid JSON, or too large. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";
}

/**
 * A result that reading again cannot improve: no file, too many, too large. The message is a
 * sentence for the customer.
 */
export class ResultError extends ReplyError {}

/** The provider reports that it no longer has a result. */
export class GoneError extends PortError {
  constructor(message: string) {
    super(message, false);
  }
}

/** A fault of the provider that may have passed by a later call: 5xx, 429. */
export class UnavailableError extends PortError {
  /** The header `Retry-After` as it came. */
  readonly retryAfter: string | undefined;

  constructor(status: number, retryAfter: string | undefined) {
    super(`the provider answered ${status}`, true);
    this.retryAfter = retryAfter;
  }
}
