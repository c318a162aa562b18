/**
 * A job's way from queued to running: on the farm by claims and leases, at a provider by its
 * reports.
 */

import { limits } from "../../config/limits.ts";
import { isFarm } from "../../config/providers.ts";
import type { TurnView } from "../../engine/actor.ts";
import { resolveSubmit } from "./cancellation.ts";
import { fail } from "./ending.ts";
import {
  extendedDeadline,
  type Job,
  type QueuedJob,
  type RunningJob,
  type StatusDetail,
} from "./job.ts";
import { become, carried, type JobTurn, unchanged, withdrawal } from "./job-turn.ts";

/**
 * A farm node may have the task: durable before the node hears of it. A terminal job takes the task
 * away.
 */
export function claim(job: Job, token: string, turn: TurnView): JobTurn {
  if (job.phase !== "queued" && job.phase !== "running")
    return { ...unchanged(job), effects: [withdrawal(job)] };
  const next = job.phase === "queued" ? started(job, turn) : job;
  const leased = { ...next, ...carried(job, turn), token };
  return become(job, leased, { effects: [{ kind: "farm.lease", token }] });
}

/**
 * The lease's token counts no more. The broker offers the task again, unless this was the last
 * attempt.
 */
export function lapse(job: Job, token: string, turn: TurnView): JobTurn {
  if (job.phase !== "running" || job.token !== token) return unchanged(job);
  const { token: _, ...open } = job;
  const attempts = job.attempts + 1;
  if (attempts < limits.farm.attemptsMax)
    return become(
      job,
      { ...open, ...carried(job, turn), attempts },
      { event: { type: "provider_status", data: { state: "lost", attempts } } },
    );
  return fail(job, worn, 0, turn, [withdrawal(job)]);
}

const worn = {
  kind: "error",
  code: "job_failed",
  message: "The generation failed on every attempt.",
  status: 502,
} as const;

/** The request to the provider goes out. */
export function send(job: Job, hasLookUp: boolean, turn: TurnView): JobTurn {
  if (job.phase !== "queued" || job.submitting !== undefined || job.isAccepted === true)
    return unchanged(job);
  return become(job, { submitting: { hasLookUp }, ...job, ...carried(job, turn) });
}

export function accept(job: Job, turn: TurnView): JobTurn {
  if (job.phase === "canceled") return resolveSubmit(job, true, turn);
  if (job.phase !== "queued") return unchanged(job);
  const { submitting: _, ...open } = job;
  return become(job, { isAccepted: true, ...open, ...carried(job, turn) });
}

/** `token` undefined for providers. Progress never falls; a late report is ignored. */
export function report(
  job: Job,
  token: string | undefined,
  progress: number,
  turn: TurnView,
): JobTurn {
  const share = Math.min(1, Math.max(0, progress));
  if (job.phase === "queued" && !isFarm(job.terms.provider))
    return become(job, { ...started(job, turn), progress: share });
  if (job.phase !== "running" || job.token !== token || share <= job.progress)
    return unchanged(job);
  return become(job, { ...job, ...carried(job, turn), progress: share });
}

/**
 * Why a queued job waits, or null when it waits no more. The wait does not count against the
 * deadline.
 */
export function reportDetail(job: Job, name: StatusDetail | null, turn: TurnView): JobTurn {
  // Who is to try again was not accepted.
  if (job.phase === "canceled" && name !== null) return resolveSubmit(job, false, turn);
  if (job.phase !== "queued" || (job.detail?.name ?? null) === name) return unchanged(job);
  const { detail: _, submitting: __, ...open } = job;
  const deadlineMs = extendedDeadline(job, turn.atMs);
  const next: QueuedJob = { ...open, ...carried(job, turn), deadlineMs };
  const event = { type: "status_detail", data: { status_detail: name } } as const;
  if (name === null) return become(job, next, { event });
  return become(job, { ...next, detail: { name, sinceMs: turn.atMs } }, { event });
}

export function started(job: QueuedJob, turn: TurnView): RunningJob {
  return {
    phase: "running",
    deadlineMs: extendedDeadline(job, turn.atMs),
    startedAtMs: turn.atMs,
    progress: 0,
    attempts: job.attempts,
    ...carried(job, turn),
  };
}
