/** What the end of the work means for the hold and for the customer. */
import { limits } from "../../config/limits.ts";
import type { Failure, Outcome } from "./job.ts";

type FailedOutcome = Extract<Outcome, { kind: "failed" }>;

/** A refusal of a finished likeness is always refunded, whether or not the provider billed it. */
export function isCharged(outcome: FailedOutcome): boolean {
  return outcome.billed && !(outcome.class === "moderation_ip" && outcome.atOutput);
}

/** What the customer reads of it. */
export function failureOf(outcome: FailedOutcome): Failure {
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
