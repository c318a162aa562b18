/** Outcomes of jobs that their provider did not finish. */
import type { Outcome } from "../actors/protocol/job.ts";
import type { ProviderFailure } from "../providers/provider.ts";
import type { ModelAtProvider } from "./provider-job.ts";

export function failure(
  { class: why, message, billed = false, billedFraction }: ProviderFailure,
  atOutput: boolean,
  { alwaysRefundModeration }: Pick<ModelAtProvider, "alwaysRefundModeration">,
): Outcome {
  const isModerated = why === "moderation_safety" || why === "moderation_ip";
  return {
    kind: "failed",
    class: why,
    message,
    atOutput,
    billed: billed && !(isModerated && alwaysRefundModeration),
    ...(billedFraction === undefined ? {} : { billedFraction }),
  };
}

/** Outcome of a failure that is not the customer's fault and costs nothing. */
export function endUpstream(message: string): Outcome {
  return failure({ class: "upstream", message }, false, { alwaysRefundModeration: true });
}
