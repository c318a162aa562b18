/** What an operator's log reads of a job that has ended: never a word of what was asked. */
import type { Context, Report } from "../../engine/actor.ts";
import { type Job, jobRequestKey } from "./job.ts";

/** Undefined unless this head ended it; a canceled one has ended when its credits are settled. */
export function reportOf(job: Job): Report | undefined {
  if (!("completedAtMs" in job) || job.updatedAtMs !== endOf(job)) return undefined;
  const fields = (get: Context["get"]) => linesOf(job, get(jobRequestKey(job.terms.job))?.model);
  return { level: job.phase === "failed" ? "warn" : "info", message: "a job ended", fields };
}

type Ended = Extract<Job, { completedAtMs: number }>;

function endOf(job: Ended): number | undefined {
  if (job.phase !== "canceled") return job.completedAtMs;
  return job.settlement.kind === "settled" ? job.settlement.atMs : undefined;
}

function linesOf(job: Ended, model: string | undefined): object {
  const { terms, phase, startedAtMs, completedAtMs } = job;
  return {
    job: terms.job,
    model,
    status: phase,
    ...(phase === "failed" ? { failure: job.failure.code } : {}),
    /** From its start at the provider or on the farm; undefined for one that never ran. */
    ms: startedAtMs === undefined ? undefined : completedAtMs - startedAtMs,
    account: terms.scope,
  };
}
