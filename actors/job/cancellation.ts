/**
 * Canceling a job, and what its hold comes to.
 *
 *   queued, not at a provider ............ nothing is sent, refunded at once
 *   its submit is under way .............. as one of the others once its outcome is known
 *   running on the farm .................. stopped part way, charged by its progress
 *   at a provider ........................ asked to stop; its answer, its last word or the limit
 *                                          settles
 *
 * Whoever cancels meanwhile hears the one answer, at the latest after ten seconds. The slot is free
 * at once in every case, and no asset comes of it whatever the provider still delivers.
 */

import { limits } from "../../config/limits.ts";
import { isFarm } from "../../config/providers.ts";
import { answer, type Reply, type TurnView } from "../../engine/actor.ts";
import type { ReplyTo, RequestId } from "../../engine/address.ts";
import { refused } from "../refusal.ts";
import {
  askedKey,
  type CancelAnswer,
  type Canceled,
  type CanceledJob,
  type CancelJob,
  extendedDeadline,
  type Job,
  type Outcome,
  type QueuedJob,
  type RunningJob,
  type Submitting,
} from "./job.ts";
import { become, carried, type JobTurn, unchanged, withdrawal } from "./job-turn.ts";
import { jobView } from "./job-view.ts";
import { isCharged } from "./outcome.ts";

export function cancel(job: Job, user: string, turn: TurnView<ReplyTo<CancelJob>>): JobTurn {
  switch (job.phase) {
    case "queued":
      if (job.isAccepted === true) return askProvider(job, "provider_queued", user, turn);
      return job.submitting === undefined
        ? stopBefore(job, user, turn)
        : awaitSubmit(job, job.submitting, user, turn);
    case "running":
      return isFarm(job.terms.provider)
        ? stopFarm(job, user, turn)
        : askProvider(job, "provider_running", user, turn);
    case "canceled":
      return cancelAgain(job, turn);
    case "succeeded":
    case "failed": {
      const replies = answer(turn, refused({ code: "job_not_cancellable" }));
      return { ...unchanged(job), replies };
    }
  }
}

function stopBefore(job: QueuedJob, user: string, turn: TurnView<Canceled>): JobTurn {
  const next: CanceledJob = {
    ...canceled(job, user, turn),
    stage: "before_submit",
    settlement: { kind: "settled", charged: 0, atMs: turn.atMs },
  };
  return settled(job, next, 0, turn, asList(turn.request));
}

function stopFarm(job: RunningJob, user: string, turn: TurnView<Canceled>): JobTurn {
  const charge = Math.ceil(job.terms.hold * job.progress);
  const next: CanceledJob = {
    ...canceled(job, user, turn),
    stage: "provider_running",
    providerCancel: "stopped_partway",
    settlement: { kind: "settled", charged: charge, atMs: turn.atMs },
  };
  return settled(job, next, charge, turn, asList(turn.request));
}

/** Whoever cancels while the provider is asked hears what it answers. */
function cancelAgain(job: CanceledJob, turn: TurnView<Canceled>): JobTurn {
  const { awaits } = job;
  const { request } = turn;
  if (awaits === undefined || awaits.requests.length >= limits.jobs.cancelAnswersMax)
    return { ...unchanged(job), replies: shown(job, turn, asList(request)) };
  const requests = [...awaits.requests, ...asList(request)];
  return become(job, { ...job, awaits: { ...awaits, requests }, ...carried(job, turn) });
}

function asList(request: RequestId<Canceled> | undefined): readonly RequestId<Canceled>[] {
  return request === undefined ? [] : [request];
}

function awaiting(turn: TurnView<Canceled>) {
  return { requests: asList(turn.request), untilMs: answeredBy(turn) };
}

function answeredBy({ atMs }: TurnView): number {
  return atMs + limits.jobs.cancelAnswerMs;
}

/** The caller is answered when the provider has answered. */
function askProvider(
  job: QueuedJob | RunningJob,
  stage: "provider_queued" | "provider_running",
  user: string,
  turn: TurnView<Canceled>,
): JobTurn {
  const next: CanceledJob = {
    ...canceled(job, user, turn),
    stage,
    settlement: { kind: "pending", limitMs: settlementLimit(job, turn) },
    awaits: awaiting(turn),
  };
  return become(job, next, { effects: [{ kind: "provider.cancel" }] });
}

function settlementLimit(job: QueuedJob | RunningJob, { atMs }: TurnView): number {
  const deadlineMs = job.phase === "queued" ? extendedDeadline(job, atMs) : job.deadlineMs;
  return deadlineMs + limits.jobs.settlementGraceMs;
}

/** The caller is answered when it is known whether the provider has the job. */
function awaitSubmit(
  job: QueuedJob,
  { hasLookUp }: Submitting,
  user: string,
  turn: TurnView<Canceled>,
): JobTurn {
  const limitMs = hasLookUp ? turn.atMs + limits.jobs.reconciledMs : settlementLimit(job, turn);
  const next: CanceledJob = {
    ...canceled(job, user, turn),
    stage: "submitting",
    settlement: { kind: "pending", limitMs },
    awaits: awaiting(turn),
  };
  return become(job, next);
}

/** The outcome of a submit during which the job was canceled. */
export function resolveSubmit(job: CanceledJob, isAccepted: boolean, turn: TurnView): JobTurn {
  if (job.stage !== "submitting" || job.settlement.kind === "settled") return unchanged(job);
  const { awaits, ...known } = job;
  if (!isAccepted) {
    const next = settle(known, 0, turn);
    const replies = shown(next, turn, awaits?.requests ?? []);
    return become(job, next, { charge: 0, replies, effects: [withdrawal(job)] });
  }
  const asked = { requests: awaits?.requests ?? [], untilMs: answeredBy(turn) };
  const next = { ...known, awaits: asked, ...carried(job, turn) };
  return become(job, next, { effects: [{ kind: "provider.cancel" }] });
}

export function resolveCancel(job: Job, answer: CancelAnswer, turn: TurnView): JobTurn {
  if (job.phase !== "canceled" || job.settlement.kind === "settled") return unchanged(job);
  const charge = chargeFor(job, answer, turn);
  const { awaits, ...known } = job;
  const answered: CanceledJob = { ...known, ...carried(job, turn), providerCancel: answer.kind };
  if (charge !== undefined)
    return settled(job, settle(answered, charge, turn), charge, turn, awaits?.requests);
  return become(job, answered, { replies: shown(answered, turn, awaits?.requests) });
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
  const { awaits, ...known } = job;
  return settled(job, settle(known, charge, turn), charge, turn, awaits?.requests);
}

/** Nobody answered in time: the customer does not pay for silence. */
export function settleAtLimit(job: CanceledJob, turn: TurnView): JobTurn {
  if (job.settlement.kind === "settled") return unchanged(job);
  if (job.awaits !== undefined) return leaveUnknown(job, turn);
  const next = settle(job, 0, turn);
  // A submit without an outcome may still be remembered by whoever sent it.
  const effects = job.stage === "submitting" ? [withdrawal(job)] : [];
  return become(job, next, { charge: 0, effects });
}

/** The provider is silent: of a submit nobody knows, of a cancel only that it was asked. */
function leaveUnknown({ awaits, ...known }: CanceledJob, turn: TurnView): JobTurn {
  const providerCancel = known.stage === "submitting" ? "failed" : "requested";
  const next: CanceledJob = { ...known, ...carried(known, turn), providerCancel };
  return become(known, next, { replies: shown(next, turn, awaits?.requests) });
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
  requests: readonly RequestId<Canceled>[] = [],
): JobTurn {
  const isOpen = before.phase === "queued" || before.phase === "running";
  return become(before, next, {
    charge,
    replies: shown(next, turn, requests),
    effects: isOpen && !isWaiting(before) ? [withdrawal(before)] : [],
  });
}

/** Nobody has heard of it yet. */
function isWaiting(job: Job): boolean {
  return job.phase === "queued" && job.waits === true;
}

/** The reply to a cancel: the job as it is now. */
function shown(
  job: CanceledJob,
  turn: TurnView,
  requests: readonly RequestId<Canceled>[] = [],
): Reply[] {
  const asked = turn.get(askedKey(job.terms.job));
  if (requests.length === 0 || asked === undefined) return [];
  const body = JSON.stringify(jobView(asked, job, []));
  return requests.flatMap((request) => answer({ request }, { kind: "canceled", body }));
}
