/**
 * A job's way from queued to running: on the farm by claims and leases, at a provider by its
 * reports.
 */

import { limits } from "../../config/limits.ts";
import { isFarm } from "../../config/providers.ts";
import { type Context, decision } from "../../engine/actor.ts";
import { resolveSubmit } from "./cancellation.ts";
import { fail } from "./ending.ts";
import {
  extendedDeadline,
  type Job,
  type QueuedJob,
  type RunningJob,
  type StatusDetail,
} from "./job.ts";
import { become, carryOver, type JobDecision, withdrawal } from "./job-decision.ts";

/**
 * A farm node may have the task: durable before the node learns of it. A terminal job takes the
 * task away.
 */
export function claim(job: Job, token: string, ctx: Context): JobDecision {
  if (job.phase !== "queued" && job.phase !== "running")
    return { ...decision(job), effects: [withdrawal(job)] };
  const next = job.phase === "queued" ? started(job, ctx) : job;
  const leased = { ...next, ...carryOver(job, ctx), token };
  return become(job, leased, { effects: [{ kind: "farm.lease", token }] });
}

/**
 * The lease's token counts no more. The broker offers the task again, unless this was the last
 * attempt.
 */
export function lapse(job: Job, token: string, ctx: Context): JobDecision {
  if (job.phase !== "running" || job.token !== token) return decision(job);
  const { token: _, ...open } = job;
  const attempts = job.attempts + 1;
  if (attempts < limits.farm.attemptsMax)
    return become(
      job,
      { ...open, ...carryOver(job, ctx), attempts },
      { event: { type: "provider_status", data: { state: "lost", attempts } } },
    );
  return fail(job, worn, 0, ctx, [withdrawal(job)]);
}

const worn = {
  kind: "error",
  code: "job_failed",
  message: "The generation failed on every attempt.",
  status: 502,
} as const;

/** The request to the provider goes out. */
export function send(job: Job, hasLookUp: boolean, ctx: Context): JobDecision {
  if (job.phase !== "queued" || job.submitting !== undefined || job.isAccepted === true)
    return decision(job);
  return become(job, { submitting: { hasLookUp }, ...job, ...carryOver(job, ctx) });
}

export function accept(job: Job, ctx: Context): JobDecision {
  if (job.phase === "canceled") return resolveSubmit(job, true, ctx);
  if (job.phase !== "queued") return decision(job);
  const { submitting: _, ...open } = job;
  return become(job, { isAccepted: true, ...open, ...carryOver(job, ctx) });
}

/** `token` undefined for providers. Progress never falls; a late report is ignored. */
export function report(
  job: Job,
  token: string | undefined,
  progress: number,
  ctx: Context,
): JobDecision {
  const share = Math.min(1, Math.max(0, progress));
  if (job.phase === "queued" && !isFarm(job.terms.provider))
    return become(job, { ...started(job, ctx), progress: share });
  if (job.phase !== "running" || job.token !== token || share <= job.progress) return decision(job);
  return become(job, { ...job, ...carryOver(job, ctx), progress: share });
}

/**
 * Why a queued job waits, or null when it waits no more. The wait does not count against the
 * deadline.
 */
export function reportDetail(job: Job, name: StatusDetail | null, ctx: Context): JobDecision {
  // A job that is to be submitted again was not accepted.
  if (job.phase === "canceled" && name !== null) return resolveSubmit(job, false, ctx);
  if (job.phase !== "queued" || (job.detail?.name ?? null) === name) return decision(job);
  const { detail: _, submitting: __, ...open } = job;
  const deadlineMs = extendedDeadline(job, ctx.atMs);
  const next: QueuedJob = { ...open, ...carryOver(job, ctx), deadlineMs };
  const event = { type: "status_detail", data: { status_detail: name } } as const;
  if (name === null) return become(job, next, { event });
  return become(job, { ...next, detail: { name, sinceMs: ctx.atMs } }, { event });
}

export function started(job: QueuedJob, ctx: Context): RunningJob {
  return {
    phase: "running",
    deadlineMs: extendedDeadline(job, ctx.atMs),
    startedAtMs: ctx.atMs,
    progress: 0,
    attempts: job.attempts,
    ...carryOver(job, ctx),
  };
}
