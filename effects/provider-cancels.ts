/** Cancels one job at its provider, if it is there and the provider can cancel jobs. */
import type { CancelAnswer } from "../actors/protocol/job.ts";
import type { ProviderJob } from "./provider-job.ts";

export async function cancelAtProvider(job: ProviderJob): Promise<CancelAnswer> {
  const { stage } = job;
  const { provider } = job.at;
  switch (stage.kind) {
    case "waiting":
    case "marking":
      return { kind: "cancelled" };
    case "sending":
    case "unknown":
      return { kind: "failed" };
    case "delivering":
      return { kind: "refused" };
    case "accepting":
    case "queued":
    case "running": {
      const { cancel } = provider.describe();
      const isOffered = cancel === "any" || (cancel === "queued_only" && stage.kind !== "running");
      if (!isOffered) return { kind: "unsupported" };
      try {
        return await provider.cancel(stage.ref);
      } catch (error) {
        job.fault(error);
        return { kind: "failed" };
      }
    }
  }
}
