/** What a failed read of a job's state or result means for the job, for all providers. */
import type { Outcome } from "../actors/protocol/job.ts";
import { GoneError, ReplyError, ResultError, UnavailableError } from "../providers/provider.ts";
import { retryAfterMs } from "../providers/replies.ts";
import { endUpstream } from "./provider-outcomes.ts";

export type ReadFault =
  /** The fault may be temporary: the job is read again. */
  | { readonly kind: "again"; readonly retryAfterMs: number }
  | Doubt
  | { readonly kind: "ended"; readonly outcome: Outcome };

/** A fault that ends the job if it persists for `limits.providers.lostAgainMs`. */
export interface Doubt {
  readonly kind: "doubted";
  readonly outcome: Outcome;
  /** Whether the provider may still be working on the job. */
  readonly goesOn: boolean;
}

/** The doubt about a job that its provider does not know. */
export const lost: Doubt = {
  kind: "doubted",
  outcome: endUpstream("The provider lost this generation."),
  goesOn: false,
};

export function judge(error: unknown, nowMs: number): ReadFault {
  if (error instanceof ResultError) return { kind: "ended", outcome: endUpstream(error.message) };
  if (error instanceof ReplyError) return incomprehensible;
  if (error instanceof GoneError) return gone;
  const given = error instanceof UnavailableError ? error.retryAfter : undefined;
  return { kind: "again", retryAfterMs: retryAfterMs(given, nowMs) ?? 0 };
}

const incomprehensible: Doubt = {
  kind: "doubted",
  outcome: endUpstream("The provider's response could not be interpreted."),
  goesOn: true,
};

const gone: Doubt = {
  kind: "doubted",
  outcome: endUpstream("The provider no longer has the result of this generation."),
  goesOn: false,
};
