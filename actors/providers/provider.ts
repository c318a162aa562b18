/**
 * The port to providers, which run models behind a protocol of their own. An adapter translates
 * that protocol and nothing more: when to submit, read, retry and give up is decided for all of
 * them in `effects/provider-jobs.ts`.
 *
 * When the provider cannot be reached, `submit` resolves to `down` or `unknown`; the other calls
 * reject with a `PortError`.
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
  /** For a job that has ended: `refused` or `failed`. */
  cancel(ref: ProviderRef): Promise<CancelAnswer>;
  /** Checks that the provider sent it, and when: an old one may be a replay. */
  verifyCallback(callback: Callback, nowMs: number): Promise<CallbackVerdict>;
  health(): Promise<"up" | "degraded" | "down">;
}

export interface ProviderTraits {
  /** As in `config/providers.ts`. */
  readonly name: string;
  /** Whether a submit that is sent twice makes one job. */
  readonly idempotentSubmit: boolean;
  /** Whether the provider can be asked for a job whose submit it never answered. */
  readonly hasLookUp: boolean;
  /** Which jobs it can stop. */
  readonly cancel: "none" | "queued_only" | "any";
  /** How callbacks are authenticated, if there are any: signed, or by the token in their URL. */
  readonly callback: "none" | "signed" | "token_only";
  /** Whether the status of a running job has `progress`. */
  readonly progress: boolean;
  /** Whether the status of a job that failed or was canceled has `billed`. */
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
  /** At capacity. `retryAfterMs` where the provider says when to try again. */
  | { readonly kind: "busy"; readonly retryAfterMs?: number }
  /** The request did not reach it. */
  | { readonly kind: "down" }
  /** The request was sent, and no answer came. */
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
  /** `atOutput`: after it ran, and not for its input. */
  | ({ readonly state: "failed"; readonly atOutput: boolean } & ProviderFailure)
  | ({ readonly state: "canceled" } & Billing)
  | { readonly state: "lost" };

export interface ProviderResult {
  /** In the object store. */
  readonly files: readonly Media[];
}

export interface Callback {
  /** Unparsed, because the signature covers these bytes. */
  readonly rawBody: Uint8Array;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export type CallbackVerdict =
  | { readonly ok: false }
  /** `ref` where the callback names its job. */
  | { readonly ok: true; readonly ref?: ProviderRef };
