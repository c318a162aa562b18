/**
 * Canceling a job, and what its hold comes to.
 *
 *   queued, not at a provider ............ nothing is sent, refunded at once
 *   running on the farm .................. stopped part way, charged by its progress
 *   at a provider ........................ asked to stop; its answer, its last word or the limit
 *                                          settles
 *
 * The slot is free at once in every case, and no asset comes of it whatever the provider still
 * delivers.
 */
import { limits } from "../../config/limits.ts";
import type { Reply, TurnView } from "../../engine/actor.ts";
import { refused } from "../refusal.ts";
import { askedKey } from "../tables.ts";
import {
  type CancelAnswer,
  type CanceledJob,
  extendedDeadline,
  type Job,
  type Outcome,
  type QueuedJob,
  type RunningJob,
} from "./job.ts";
import { become, carried, type JobTurn, unchanged, withdrawal } from "./job-turn.ts";
import { jobView } from "./job-view.ts";
import { isCharged } from "./outcome.ts";

export function cancel(job: Job, user: string, turn: TurnView): JobTurn {
  switch (job.phase) {
    case "queued": {
      const stage = job.isAccepted === true ? "provider_queued" : "before_submit";
      return stage === "before_submit"
        ? stopBefore(job, user, turn)
        : askProvider(job, stage, user, turn);
    }
    case "running":
      return job.terms.provider === "farm"
        ? stopFarm(job, user, turn)
        : askProvider(job, "provider_running", user, turn);
    case "canceled":
      return { ...unchanged(job), replies: shown(job, turn, turn.request) };
    case "succeeded":
    case "failed": {
      const reply = refused({ code: "job_not_cancellable" });
      const replies = turn.request === undefined ? [] : [{ to: turn.request, reply }];
      return { ...unchanged(job), replies };
    }
  }
}

function stopBefore(job: QueuedJob, user: string, turn: TurnView): JobTurn {
  const next: CanceledJob = {
    ...canceled(job, user, turn),
    stage: "before_submit",
    settlement: { kind: "settled", charged: 0, atMs: turn.atMs },
  };
  return settled(job, next, 0, turn, turn.request);
}

function stopFarm(job: RunningJob, user: string, turn: TurnView): JobTurn {
  const charge = Math.ceil(job.terms.hold * job.progress);
  const next: CanceledJob = {
    ...canceled(job, user, turn),
    stage: "provider_running",
    providerCancel: "stopped_partway",
    settlement: { kind: "settled", charged: charge, atMs: turn.atMs },
  };
  return settled(job, next, charge, turn, turn.request);
}

/** The caller is answered when the provider has answered. */
function askProvider(
  job: QueuedJob | RunningJob,
  stage: "provider_queued" | "provider_running",
  user: string,
  turn: TurnView,
): JobTurn {
  const deadlineMs = job.phase === "queued" ? extendedDeadline(job, turn.atMs) : job.deadlineMs;
  const limitMs = deadlineMs + limits.jobs.settlementGraceMs;
  const next: CanceledJob = {
    ...canceled(job, user, turn),
    stage,
    settlement: { kind: "pending", limitMs },
  };
  return become(job, next, { effects: [{ kind: "provider.cancel", request: turn.request }] });
}

export function resolveCancel(
  job: Job,
  answer: CancelAnswer,
  request: number | undefined,
  turn: TurnView,
): JobTurn {
  if (job.phase !== "canceled" || job.settlement.kind === "settled") {
    const replies = job.phase === "canceled" ? shown(job, turn, request) : [];
    return { ...unchanged(job), replies };
  }
  const charge = chargeFor(job, answer, turn);
  const answered: CanceledJob = { ...job, ...carried(job, turn), providerCancel: answer.kind };
  if (charge !== undefined)
    return settled(job, settle(answered, charge, turn), charge, turn, request);
  return become(job, answered, { replies: shown(answered, turn, request) });
}

/** Undefined while the provider's last word is still to come. */
function chargeFor(job: CanceledJob, answer: CancelAnswer, turn: TurnView): number | undefined {
  switch (answer.kind) {
    case "cancelled":
      return 0;
    case "stopped_partway": {
      const elapsedMs = turn.atMs - (job.startedAtMs ?? turn.atMs);
      const typicalMs = (turn.get(askedKey(job.terms.job))?.typicalSeconds ?? 1) * 1000;
      const share = answer.billedFraction ?? elapsedMs / typicalMs;
      return Math.ceil(job.terms.hold * Math.min(1, Math.max(0, share)));
    }
    case "requested":
    case "refused":
    case "unsupported":
    case "failed":
      return undefined;
  }
}

/**
 * The provider's last word on a job that is canceled already: it decides the hold and nothing else.
 */
export function resolvePending(job: CanceledJob, outcome: Outcome, turn: TurnView): JobTurn {
  if (job.settlement.kind === "settled") return unchanged(job);
  const isBilled = outcome.kind === "succeeded" || isCharged(outcome);
  const charge = isBilled ? job.terms.hold : 0;
  return settled(job, settle(job, charge, turn), charge, turn, undefined);
}

/** Nobody answered in time: the customer does not pay for silence. */
export function settleAtLimit(job: CanceledJob, turn: TurnView): JobTurn {
  if (job.settlement.kind === "settled") return unchanged(job);
  return settled(job, settle(job, 0, turn), 0, turn, undefined);
}

function canceled(job: QueuedJob | RunningJob, user: string, turn: TurnView) {
  const startedAt = job.phase === "running" ? { startedAtMs: job.startedAtMs } : {};
  return {
    ...carried(job, turn),
    ...startedAt,
    phase: "canceled",
    completedAtMs: turn.atMs,
    canceledBy: user,
  } as const;
}

function settle(job: CanceledJob, charged: number, turn: TurnView): CanceledJob {
  const settlement = { kind: "settled", charged, atMs: turn.atMs } as const;
  return { ...job, ...carried(job, turn), settlement };
}

function settled(
  before: Job,
  next: CanceledJob,
  charge: number,
  turn: TurnView,
  request: number | undefined,
): JobTurn {
  const isOpen = before.phase === "queued" || before.phase === "running";
  return become(before, next, {
    charge,
    replies: shown(next, turn, request),
    effects: isOpen && !isWaiting(before) ? [withdrawal(before)] : [],
  });
}

/** Nobody has heard of it yet. */
function isWaiting(job: Job): boolean {
  return job.phase === "queued" && job.waits === true;
}

/** The reply to a cancel: the job as it is now. */
function shown(job: CanceledJob, turn: TurnView, request: number | undefined): Reply[] {
  const asked = turn.get(askedKey(job.terms.job));
  if (request === undefined || asked === undefined) return [];
  const body = JSON.stringify(jobView(asked, job, []));
  return [{ to: request, reply: { kind: "canceled", body } }];
}
