/** What the end of the work means for the hold and for the customer. */
import { limits } from "../../config/limits.ts";
import type { Failure, Outcome } from "../protocol/job.ts";

type FailedOutcome = Extract<Outcome, { kind: "failed" }>;

/**
 * What work that failed costs of its hold: what the provider billed of it. A refusal of a finished
 * likeness is always refunded, whether or not the provider billed it.
 */
export function computeCharge(outcome: FailedOutcome, hold: number): number {
  const { billed, billedFraction = 1 } = outcome;
  if (!billed || (outcome.class === "moderation_ip" && outcome.atOutput)) return 0;
  return Math.ceil(hold * Math.min(1, Math.max(0, billedFraction)));
}

/** What the customer reads of it. */
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
