/**
 * Canceling a job, and what its hold comes to.
 *
 *   queued, not at a provider ............ nothing is sent, refunded at once
 *   its submit is under way .............. as one of the others once its outcome is known
 *   running on the farm .................. stopped part way, charged by its progress
 *   at a provider ........................ asked to stop; its answer, its last word or the limit
 *                                          settles
 *
 * Concurrent cancels get the same answer, at the latest after ten seconds. The slot is free at once
 * in every case, and no asset comes of it whatever the provider still delivers.
 */

import { limits } from "../../config/limits.ts";
import { isFarm } from "../../config/providers/providers.ts";
import { answer, type Context, decision, type Reply } from "../../engine/actor.ts";
import type { ReplyTo, RequestId } from "../../engine/address.ts";
import {
  type CancelAnswer,
  type Canceled,
  type CanceledJob,
  type CancelJob,
  extendDeadline,
  type Job,
  jobRequestKey,
  type Outcome,
  type QueuedJob,
  type RunningJob,
  type Submitting,
} from "../protocol/job.ts";
import { createRefused } from "../refusal.ts";
import { become, carryOver, getSent, type JobDecision, withdrawals } from "./job-decision.ts";
import { jobView } from "./job-view.ts";
import { computeCharge } from "./outcome.ts";

export function cancel(job: Job, user: string, ctx: Context<ReplyTo<CancelJob>>): JobDecision {
  switch (job.phase) {
    case "queued":
      if (job.ref !== undefined) return askProvider(job, "provider_queued", user, ctx);
      return job.submitting === undefined
        ? stopBefore(job, user, ctx)
        : awaitSubmit(job, job.submitting, user, ctx);
    case "running":
      if (job.isDelivering === true) return refuseCancel(job, ctx);
      return isFarm(job.terms.provider)
        ? stopFarm(job, user, ctx)
        : askProvider(job, "provider_running", user, ctx);
    case "canceled":
      return cancelAgain(job, ctx);
    case "succeeded":
    case "failed":
      return refuseCancel(job, ctx);
  }
}

function refuseCancel(job: Job, ctx: Context<ReplyTo<CancelJob>>): JobDecision {
  return decision(job, { replies: answer(ctx, createRefused({ code: "job_not_cancellable" })) });
}

function stopBefore(job: QueuedJob, user: string, ctx: Context<Canceled>): JobDecision {
  const next: CanceledJob = {
    ...cancelFields(job, user, ctx),
    stage: "before_submit",
    settlement: { kind: "settled", charged: 0, atMs: ctx.atMs },
  };
  return becomeSettled(job, next, 0, ctx, asList(ctx.request));
}

function stopFarm(job: RunningJob, user: string, ctx: Context<Canceled>): JobDecision {
  const charge = Math.ceil(job.terms.hold * job.progress);
  const next: CanceledJob = {
    ...cancelFields(job, user, ctx),
    stage: "provider_running",
    providerCancel: "stopped_partway",
    settlement: { kind: "settled", charged: charge, atMs: ctx.atMs },
  };
  return becomeSettled(job, next, charge, ctx, asList(ctx.request));
}

/** Lets another cancel wait too, so that all get the provider's answer. */
function cancelAgain(job: CanceledJob, ctx: Context<Canceled>): JobDecision {
  const { awaits } = job;
  const { request } = ctx;
  if (awaits === undefined || awaits.requests.length >= limits.jobs.cancelAnswersMax)
    return decision(job, { replies: showJob(job, ctx, asList(request)) });
  const requests = [...awaits.requests, ...asList(request)];
  return become(job, { ...job, awaits: { ...awaits, requests }, ...carryOver(job, ctx) });
}

function asList(request: RequestId<Canceled> | undefined): readonly RequestId<Canceled>[] {
  return request === undefined ? [] : [request];
}

function createAwaiting(ctx: Context<Canceled>) {
  return { requests: asList(ctx.request), untilMs: getAnswerDeadline(ctx) };
}

function getAnswerDeadline({ atMs }: Context): number {
  return atMs + limits.jobs.cancelAnswerMs;
}

/** Asks the provider to stop; the caller gets the reply when the provider has answered. */
function askProvider(
  job: QueuedJob | RunningJob,
  stage: "provider_queued" | "provider_running",
  user: string,
  ctx: Context<Canceled>,
): JobDecision {
  const next: CanceledJob = {
    ...cancelFields(job, user, ctx),
    stage,
    settlement: { kind: "pending", limitMs: settlementLimit(job, ctx) },
    awaits: createAwaiting(ctx),
  };
  return become(job, next, { effects: [{ kind: "provider.cancel" }] });
}

function settlementLimit(job: QueuedJob | RunningJob, { atMs }: Context): number {
  const deadlineMs = job.phase === "queued" ? extendDeadline(job, atMs) : job.deadlineMs;
  return deadlineMs + limits.jobs.settlementGraceMs;
}

/** Defers the reply to the caller until it is known whether the provider has the job. */
function awaitSubmit(
  job: QueuedJob,
  { hasLookUp }: Submitting,
  user: string,
  ctx: Context<Canceled>,
): JobDecision {
  const limitMs = hasLookUp ? ctx.atMs + limits.jobs.reconciledMs : settlementLimit(job, ctx);
  const next: CanceledJob = {
    ...cancelFields(job, user, ctx),
    stage: "submitting",
    settlement: { kind: "pending", limitMs },
    awaits: createAwaiting(ctx),
  };
  return become(job, next);
}

/**
 * Handles the outcome of a submit during which the job was canceled; `ref` is undefined when the
 * provider did not accept the job.
 */
export function resolveSubmit(
  job: CanceledJob,
  ref: string | undefined,
  ctx: Context,
): JobDecision {
  if (job.stage !== "submitting" || job.settlement.kind === "settled") return decision(job);
  const { awaits, ...known } = job;
  if (ref === undefined) {
    const next = settle(known, 0, ctx);
    const replies = showJob(next, ctx, awaits?.requests ?? []);
    return become(job, next, { charge: 0, replies, effects: withdrawals(job) });
  }
  const asked = { requests: awaits?.requests ?? [], untilMs: getAnswerDeadline(ctx) };
  const next = { ref, ...known, awaits: asked, ...carryOver(job, ctx) };
  return become(job, next, {
    effects: [{ kind: "provider.follow" }, { kind: "provider.cancel" }],
  });
}

/** Leaves a submit's outcome unknown; a later report of the provider may still settle the job. */
export function leaveUnanswered(job: CanceledJob, ctx: Context): JobDecision {
  if (job.stage !== "submitting" || job.awaits === undefined) return decision(job);
  return leaveUnknown(job, ctx);
}

export function resolveCancel(job: Job, answer: CancelAnswer, ctx: Context): JobDecision {
  if (job.phase !== "canceled" || job.settlement.kind === "settled") return decision(job);
  const charge = chargeFor(job, answer, ctx);
  const { awaits, ...known } = job;
  const answered: CanceledJob = { ...known, ...carryOver(job, ctx), providerCancel: answer.kind };
  if (charge !== undefined)
    return becomeSettled(job, settle(answered, charge, ctx), charge, ctx, awaits?.requests);
  return become(job, answered, { replies: showJob(answered, ctx, awaits?.requests) });
}

/** Returns the charge, or undefined while the provider's final report is still pending. */
function chargeFor(job: CanceledJob, answer: CancelAnswer, ctx: Context): number | undefined {
  switch (answer.kind) {
    case "cancelled":
      return 0;
    case "stopped_partway": {
      const elapsedMs = ctx.atMs - (job.startedAtMs ?? ctx.atMs);
      const typicalMs = (ctx.get(jobRequestKey(job.terms.job))?.typicalSeconds ?? 1) * 1000;
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

/** Handles the provider's final report on a canceled job: it decides the hold and nothing else. */
export function resolvePending(job: CanceledJob, outcome: Outcome, ctx: Context): JobDecision {
  if (job.settlement.kind === "settled") return decision(job);
  const { hold } = job.terms;
  const charge = outcome.kind === "succeeded" ? hold : computeCharge(outcome, hold);
  const { awaits, ...known } = job;
  return becomeSettled(job, settle(known, charge, ctx), charge, ctx, awaits?.requests);
}

/** Settles a job without a charge when the provider did not answer in time. */
export function settleAtLimit(job: CanceledJob, ctx: Context): JobDecision {
  if (job.settlement.kind === "settled") return decision(job);
  if (job.awaits !== undefined) return leaveUnknown(job, ctx);
  const next = settle(job, 0, ctx);
  const effects = withdrawals(job);
  return become(job, next, { charge: 0, effects });
}

/** Without the provider's answer, a submit's outcome is unknown and a cancel was only requested. */
function leaveUnknown({ awaits, ...known }: CanceledJob, ctx: Context): JobDecision {
  const providerCancel = known.stage === "submitting" ? "failed" : "requested";
  const next: CanceledJob = { ...known, ...carryOver(known, ctx), providerCancel };
  return become(known, next, { replies: showJob(next, ctx, awaits?.requests) });
}

function cancelFields(job: QueuedJob | RunningJob, user: string, ctx: Context) {
  const startedAt = job.phase === "running" ? { startedAtMs: job.startedAtMs } : {};
  return {
    ...carryOver(job, ctx),
    ...startedAt,
    ...getSent(job),
    phase: "canceled",
    completedAtMs: ctx.atMs,
    canceledBy: user,
  } as const;
}

function settle(job: CanceledJob, charged: number, ctx: Context): CanceledJob {
  const settlement = { kind: "settled", charged, atMs: ctx.atMs } as const;
  return { ...job, ...carryOver(job, ctx), settlement };
}

function becomeSettled(
  before: Job,
  next: CanceledJob,
  charge: number,
  ctx: Context,
  requests: readonly RequestId<Canceled>[] = [],
): JobDecision {
  const isOpen = before.phase === "queued" || before.phase === "running";
  return become(before, next, {
    charge,
    replies: showJob(next, ctx, requests),
    effects: isOpen && !isWaiting(before) ? withdrawals(before) : [],
  });
}

/** Whether the job waits for a slot and was sent to neither the farm nor a provider yet. */
function isWaiting(job: Job): boolean {
  return job.phase === "queued" && job.waits === true;
}

/** Replies to cancels with the job as it is now. */
function showJob(
  job: CanceledJob,
  ctx: Context,
  requests: readonly RequestId<Canceled>[] = [],
): Reply[] {
  const jobRequest = ctx.get(jobRequestKey(job.terms.job));
  if (requests.length === 0 || jobRequest === undefined) return [];
  const body = JSON.stringify(jobView(jobRequest, job, []));
  return requests.flatMap((request) => answer({ request }, { kind: "canceled", body }));
}
