/**
 * The port to those who run models behind a protocol of their own. An adapter speaks the protocol
 * and nothing else: when to submit again, to read, to wait and to give up is said once for all of
 * them in `effects/provider-jobs.ts`.
 *
 * A provider that cannot be reached makes `status`, `result`, `cancel` and `verifyCallback` reject
 * with a `PortError`; of a submit the same is an outcome.
 */
import type { Modality } from "../../config/catalogue.ts";
import type { Id } from "../../engine/id.ts";
import type { Media } from "../asset/media.ts";
import type { CancelAnswer, FailureClass } from "../job/job.ts";

export interface Provider {
  /** The same at every call. */
  describe(): ProviderTraits;
  submit(submission: Submission): Promise<SubmitOutcome>;
  /** A job that the provider does not know is `lost`. */
  status(ref: ProviderRef): Promise<ProviderStatus>;
  /** Of a job that succeeded. Rejects with a `PortError` when the provider does not know it. */
  result(ref: ProviderRef): Promise<ProviderResult>;
  /** What the provider did about it, or will do. Of a job that is over: `refused` or `failed`. */
  cancel(ref: ProviderRef): Promise<CancelAnswer>;
  /** Whether the provider sent it, by its signature and its age at `nowMs`. */
  verifyCallback(callback: Callback, nowMs: number): Promise<CallbackVerdict>;
  health(): Promise<"up" | "degraded" | "down">;
}

export interface ProviderTraits {
  /** By which catalogue and jobs name it. */
  readonly name: string;
  /** Whether a submit that is sent twice makes one job. */
  readonly idempotentSubmit: boolean;
  /** Whether the provider can be asked for a job whose submit it never answered. */
  readonly hasLookUp: boolean;
  /** Which jobs it can stop. */
  readonly cancel: "none" | "queued_only" | "any";
  /** How it says that a job has moved on, if it does: signed, or by the secret of its URL alone. */
  readonly callback: "none" | "signed" | "token_only";
  /** Whether running jobs say how far they are. */
  readonly progress: boolean;
  /** Whether it ever says what it bills. */
  readonly reportsBilling: boolean;
}

/** The provider's own name of a job. */
export type ProviderRef = string;

export interface Submission {
  readonly job: Id;
  /** From 1; how often this job was submitted, this time included. */
  readonly number: number;
  readonly modality: Modality;
  readonly prompt: string;
  /** How many results are asked for. */
  readonly count: number;
}

export type SubmitOutcome =
  | { readonly kind: "accepted"; readonly ref: ProviderRef; readonly status: ProviderStatus }
  | ({ readonly kind: "refused" } & ProviderFailure)
  /** It takes nothing now; `retryAfterMs` is its own word on when it will. */
  | { readonly kind: "busy"; readonly retryAfterMs?: number }
  /** The request did not reach it. */
  | { readonly kind: "down" }
  /** The request was sent and nothing says what became of it. */
  | { readonly kind: "unknown" };

export interface ProviderFailure extends Billing {
  readonly class: FailureClass;
  /** One sentence for the customer. */
  readonly message: string;
}

interface Billing {
  /** Whether the provider bills it; undefined when it does not say. */
  readonly billed?: boolean;
}

export type ProviderStatus =
  | { readonly state: "queued" }
  /** `progress` is the share that is done, from 0 to 1. */
  | { readonly state: "running"; readonly progress?: number }
  | { readonly state: "succeeded" }
  /** `atOutput`: what it had made was the fault, not what it was asked. */
  | ({ readonly state: "failed"; readonly atOutput: boolean } & ProviderFailure)
  | ({ readonly state: "canceled" } & Billing)
  | { readonly state: "lost" };

export interface ProviderResult {
  /** Each stands in the object store. */
  readonly files: readonly Media[];
}

export interface Callback {
  /** As it came; a signature is made of these very bytes. */
  readonly rawBody: Uint8Array;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export type CallbackVerdict =
  | { readonly ok: false }
  /** `ref` is the job that it names, where callbacks name one. */
  | { readonly ok: true; readonly ref?: ProviderRef };
