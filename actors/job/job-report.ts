/** What operators learn of a job that has ended; never any content of its request. */
import type { Context, Report } from "../../engine/actor.ts";
import type { Tally } from "../../engine/metrics/tally.ts";
import type { Span } from "../../engine/ports/traces.ts";
import { type Job, type JobRequest, jobRequestKey } from "../protocol/job.ts";

/** Undefined unless this head ended the job; a canceled job ends when its credits are settled. */
export function buildReport(job: Job): Report | undefined {
  if (!("completedAtMs" in job) || job.updatedAtMs !== computeEnd(job)) return undefined;
  const fields = (get: Context["get"]) =>
    buildLogLine(job, get(jobRequestKey(job.terms.job))?.model);
  const level = job.phase === "failed" ? "warn" : "info";
  const span = (get: Context["get"]) => buildSpan(job, get(jobRequestKey(job.terms.job)));
  return { level, message: "job ended", fields, count: (tally) => count(job, tally), span };
}

type Ended = Extract<Job, { completedAtMs: number }>;

/** Counts an ended job. The model is given by its tag, which every node's catalogue can resolve. */
function count(job: Ended, tally: Tally): void {
  const { terms, phase, startedAtMs, completedAtMs } = job;
  const { modality, modelTag, createdAtMs, hold } = terms;
  tally.count("jobs_total", { modality, model: `${modelTag}`, status: phase }).add();
  const observe = (phase: string, ms: number) =>
    tally.histogram("job_duration_seconds", { modality, phase }).observe(ms / 1_000);
  observe("queued", (startedAtMs ?? completedAtMs) - createdAtMs);
  if (startedAtMs !== undefined) observe("running", completedAtMs - startedAtMs);
  const charged = getCharge(job);
  tally.count("credits_settled_total", { outcome: "charged" }).add(charged);
  tally.count("credits_settled_total", { outcome: "released" }).add(hold - charged);
}

/** Builds the trace span of a job, from its submit to its end. */
function buildSpan(job: Ended, request: JobRequest | undefined): Span | undefined {
  if (request?.trace === undefined) return undefined;
  const { terms, phase, completedAtMs } = job;
  return {
    name: `job ${terms.modality}`,
    kind: "internal",
    parent: request.trace,
    startMs: terms.createdAtMs,
    endMs: completedAtMs,
    isFailed: phase === "failed",
    attributes: { "klieg.job": terms.job, "klieg.model": request.model, "klieg.status": phase },
  };
}

function getCharge(job: Ended): number {
  if (job.phase !== "canceled") return job.charged;
  return job.settlement.kind === "settled" ? job.settlement.charged : 0;
}

function computeEnd(job: Ended): number | undefined {
  if (job.phase !== "canceled") return job.completedAtMs;
  return job.settlement.kind === "settled" ? job.settlement.atMs : undefined;
}

function buildLogLine(job: Ended, model: string | undefined): object {
  const { terms, phase, startedAtMs, completedAtMs } = job;
  return {
    job: terms.job,
    model,
    status: phase,
    ...(phase === "failed" ? { failure: job.failure.code } : {}),
    /** Time since the job began at the provider or on the farm; undefined if it never began. */
    ms: startedAtMs === undefined ? undefined : completedAtMs - startedAtMs,
    account: terms.scope,
  };
}
