/**
 * Moves a job from queued to running: on the farm by claims and leases, at a provider by its
 * reports.
 */

import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import { isFarm } from "../../config/providers/providers.ts";
import { type Context, decision, put } from "../../engine/actor.ts";
import {
  extendDeadline,
  type Job,
  type JobMessage,
  jobRequestKey,
  type QueuedJob,
  type RunningJob,
  type StatusDetail,
} from "../protocol/job.ts";
import { leaveUnanswered, resolvePending, resolveSubmit } from "./cancellation.ts";
import { fail } from "./ending.ts";
import { become, carryOver, getSent, type JobDecision, withdrawals } from "./job-decision.ts";
import { runFarmTask } from "./run-farm-task.ts";

/**
 * Assigns the task to a farm node; the claim is durable before the node learns of it. If the job
 * has ended, the task is withdrawn instead.
 */
export function claim(job: Job, token: string, ctx: Context): JobDecision {
  if (job.phase !== "queued" && job.phase !== "running")
    return { ...decision(job), effects: [{ kind: "farm.cancel" }] };
  const next = job.phase === "queued" ? startJob(job, ctx) : job;
  const leased = { ...next, ...carryOver(job, ctx), token };
  return become(job, leased, { effects: [{ kind: "farm.lease", token }] });
}

/**
 * Ends a lease: its token is no longer valid. The broker offers the task again, unless this was the
 * last attempt. A task that a node handed back does not count as an attempt.
 */
export function lapse(
  job: Job,
  { token, isReturned }: Extract<JobMessage, { kind: "lapsed" }>,
  ctx: Context,
): JobDecision {
  if (job.phase !== "running" || job.token !== token) return decision(job);
  const { token: _, ...open } = job;
  if (isReturned === true) return become(job, { ...open, ...carryOver(job, ctx) });
  const attempts = job.attempts + 1;
  if (attempts < limits.farm.attemptsMax)
    return become(
      job,
      { ...open, ...carryOver(job, ctx), attempts },
      { event: { type: "provider_status", data: { state: "lost", attempts } } },
    );
  const why = job.isDelivering === true ? undelivered : worn;
  return fail(job, why, 0, ctx, withdrawals(job));
}

const worn = {
  kind: "error",
  code: "job_failed",
  message: "The generation failed on every attempt.",
  status: 502,
} as const;

const undelivered = {
  kind: "error",
  code: "job_failed",
  message: "The provider's result could not be fetched.",
  status: 502,
} as const;

/**
 * Allows the request to the provider to be sent once this step is durable (I8). From then on the
 * provider may have received it, whatever happens here.
 */
export function send(
  job: Job,
  { number, hasLookUp }: Extract<JobMessage, { kind: "submitting" }>,
  ctx: Context,
): JobDecision {
  if (job.phase !== "queued" || job.ref !== undefined || number <= (job.submits ?? 0))
    return decision(job);
  return become(
    job,
    { ...job, submits: number, submitting: { hasLookUp }, ...carryOver(job, ctx) },
    { effects: [{ kind: "provider.send", number }] },
  );
}

/** Stores the provider's name for the job durably before anything else is done with the name. */
export function accept(job: Job, ref: string, ctx: Context): JobDecision {
  if (job.phase === "canceled") return resolveSubmit(job, ref, ctx);
  if (job.phase !== "queued") return decision(job);
  const { submitting: _, detail, ...open } = job;
  const deadlineMs = extendDeadline(job, ctx.atMs);
  const effects = [{ kind: "provider.follow" }] as const;
  const next = { ref, ...open, ...carryOver(job, ctx), deadlineMs };
  if (detail === undefined) return become(job, next, { effects });
  // The job waited until now, perhaps since before a restart, so the history notes the wait's end.
  const event = { type: "status_detail", data: { status_detail: null } } as const;
  return become(job, next, { effects, event });
}

/** Fails a job when it cannot be found out whether the provider has it. */
export function giveUpSubmit(job: Job, ctx: Context): JobDecision {
  if (job.phase === "canceled") return leaveUnanswered(job, ctx);
  if (job.phase !== "queued" || job.submitting === undefined) return decision(job);
  return fail(job, unanswered, 0, ctx, withdrawals(job));
}

const unanswered = {
  kind: "error",
  code: "job_failed",
  message: "The provider did not answer the submit. It may have done the work.",
  status: 502,
} as const;

export function noteCallback(job: Job, ctx: Context): JobDecision {
  if (job.phase !== "queued" && job.phase !== "running") return decision(job);
  const event = { type: "callback_received", data: {} } as const;
  return become(job, { ...job, ...carryOver(job, ctx) }, { event });
}

/** The provider has finished; a farm node fetches the result. */
export function deliver(
  job: Job,
  { input, enhancedPrompt }: Extract<JobMessage, { kind: "delivering" }>,
  ctx: Context,
): JobDecision {
  // The provider finished a canceled job: the outcome decides the hold and nothing else.
  if (job.phase === "canceled") return resolvePending(job, { kind: "succeeded", outputs: [] }, ctx);
  if (job.phase !== "queued" && job.phase !== "running") return decision(job);
  const open = job.phase === "queued" ? startJob(job, ctx) : job;
  const { job: id, scope } = job.terms;
  const task = input && { kind: "fetch", input, outputPrefix: `jobs/${id}` };
  const next = become(
    job,
    { ...open, ...carryOver(job, ctx), isDelivering: true },
    { effects: task === undefined ? [] : [runFarmTask(scope, task, ctx)] },
  );
  const request = enhancedPrompt === undefined ? undefined : ctx.get(jobRequestKey(id));
  if (request === undefined) return next;
  const row = put(jobRequestKey(id), { ...request, enhancedPrompt });
  return { ...next, rows: [...next.rows, row] };
}

/** `token` is undefined for providers. Progress never falls; a late report is ignored. */
export function report(
  job: Job,
  token: string | undefined,
  progress: number,
  ctx: Context,
): JobDecision {
  const share = Math.min(1, Math.max(0, progress));
  if (job.phase === "queued" && !isFarm(job.terms.provider))
    return become(job, { ...startJob(job, ctx), progress: share });
  if (job.phase !== "running" || job.token !== token || share <= job.progress) return decision(job);
  return become(job, { ...job, ...carryOver(job, ctx), progress: share });
}

/**
 * Records why a queued job waits, or null when it no longer waits. Time spent waiting does not
 * count against the deadline.
 */
export function reportDetail(job: Job, name: StatusDetail | null, ctx: Context): JobDecision {
  // A provider did not accept a job that is to be submitted again.
  if (job.phase === "canceled" && name !== null) return resolveSubmit(job, undefined, ctx);
  if (job.phase !== "queued") return decision(job);
  const { detail, submitting, ...open } = job;
  if ((detail?.name ?? null) === name) {
    if (submitting === undefined || name === null) return decision(job);
    return become(job, { ...open, ...omitUndefined({ detail }), ...carryOver(job, ctx) });
  }
  const deadlineMs = extendDeadline(job, ctx.atMs);
  const next: QueuedJob = { ...open, ...carryOver(job, ctx), deadlineMs };
  const event = { type: "status_detail", data: { status_detail: name } } as const;
  if (name === null) return become(job, next, { event });
  return become(job, { ...next, detail: { name, sinceMs: ctx.atMs } }, { event });
}

export function startJob(job: QueuedJob, ctx: Context): RunningJob {
  return {
    phase: "running",
    deadlineMs: extendDeadline(job, ctx.atMs),
    startedAtMs: ctx.atMs,
    progress: 0,
    attempts: job.attempts,
    ...getSent(job),
    ...carryOver(job, ctx),
  };
}
