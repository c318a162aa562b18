/** Derives from the outcome of the work what is charged and what the customer sees. */
import { limits } from "../../config/limits.ts";
import type { Failure, Outcome } from "../protocol/job.ts";

type FailedOutcome = Extract<Outcome, { kind: "failed" }>;

/**
 * Computes the charge for failed work: the part that the provider billed. A finished result refused
 * for its likeness is always refunded, whether or not the provider billed it.
 */
export function computeCharge(outcome: FailedOutcome, hold: number): number {
  const { billed, billedFraction = 1 } = outcome;
  if (!billed || (outcome.class === "moderation_ip" && outcome.atOutput)) return 0;
  return Math.ceil(hold * Math.min(1, Math.max(0, billedFraction)));
}

/** Returns the failure that the customer sees. */
export function getFailure(outcome: FailedOutcome): Failure {
  const message = outcome.message.slice(0, limits.jobs.failureMessageMax);
  switch (outcome.class) {
    case "moderation_safety":
      return { kind: "moderated", code: "prompt_nsfw", message, status: 422 };
    case "moderation_ip":
      return { kind: "moderated", code: "ip_detected", message, status: 422 };
    case "invalid_input":
    case "billing":
      return { kind: "error", code: "job_failed", message, status: 422 };
    case "upstream":
      return { kind: "error", code: "job_failed", message, status: 502 };
  }
}
