/**
 * Simulated jobs that take no time and succeed, as those of load tests: they end in the step that
 * begins them, in their shard, and no provider is asked. What else a prompt can ask for, and what
 * is traced, goes to `SimulatedProvider`.
 */

import type { JobEffect, JobMessage } from "../../actors/protocol/job.ts";
import { simulatedProvider } from "../../config/providers/providers.ts";
import type { OutsideEffect } from "../../engine/actor.ts";
import type { Domain } from "../../engine/domain.ts";
import { type IdMint, partitionOfId } from "../../engine/id.ts";
import type { Tally } from "../../engine/metrics/tally.ts";
import { isCalm, parseScenario } from "./scenario.ts";
import { simulatedMedia } from "./simulated-media.ts";

/** Counts the calls that it saves, since a provider would have received them. */
export function concludeAtOnce(
  ids: IdMint,
  tally: Tally,
): Required<Pick<Domain, "conclude" | "onConcluded">> {
  const counted = (op: string, outcome: string) =>
    tally.count("provider_requests_total", { provider: simulatedProvider, op, outcome });
  const submits = counted("submit", "accepted");
  const results = counted("result", "ok");
  const conclude = (outside: OutsideEffect): JobMessage | undefined => {
    const effect = outside as JobEffect;
    if (effect.kind !== "provider.submit" || effect.mayEndAtOnce !== true) return undefined;
    const { provider, job, prompt, modality, count, trace } = effect;
    if (provider !== simulatedProvider || trace !== undefined) return undefined;
    if (!isCalm(parseScenario(prompt))) return undefined;
    const { media } = simulatedMedia[modality];
    const partition = partitionOfId(job);
    const outputs = Array.from({ length: count }, () => ({ asset: ids.under(partition), media }));
    return { kind: "finished", outcome: { kind: "succeeded", outputs } };
  };
  return {
    conclude,
    onConcluded: () => {
      submits.add();
      results.add();
    },
  };
}
