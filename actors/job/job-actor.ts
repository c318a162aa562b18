/**
 * How a job moves, from acceptance to its end.
 *
 *   queued ----> running ----> succeeded
 *     |  ^          |  \-----> failed
 *     |  +-lapsed---+    \
 *     +------------------> canceled (settled at once, or pending until the provider's last word)
 *
 * A job that has ended can be deleted, and is then unknown.
 *
 * I5 terminal exactly once: no message moves a succeeded, failed or canceled job to another phase.
 * I6 the hold is resolved once: each path out of `hold` tells the account once, in the same step.
 * I8 what may have been sent to a provider is marked so before it is sent, and not sent again.
 * The account sent `create` and is named by `scope`; effects carry the work to the farm or a
 * provider.
 */
import { type Actor, answer, type Context, decision } from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import {
  type CreateJob,
  deadline,
  type Job,
  type JobEffect,
  type JobMessage,
  jobRequestKey,
  lastDeadline,
} from "../protocol/job.ts";
import { createRefused, type Refused } from "../refusal.ts";
import { cancel, resolveCancel, settleAtLimit } from "./cancellation.ts";
import { create, resumption, takeSlot } from "./creation.ts";
import { remove, retire } from "./deletion.ts";
import { expire, finish } from "./ending.ts";
import { decideInline } from "./inline.ts";
import type { JobDecision } from "./job-decision.ts";
import { buildReport } from "./job-report.ts";
import {
  accept,
  claim,
  deliver,
  giveUpSubmit,
  lapse,
  noteCallback,
  report,
  reportDetail,
  send,
} from "./running.ts";

export const jobActor: Actor<Job, JobMessage, JobEffect> = {
  kind: "job",
  decide(job, message, ctx) {
    if (message.kind === "create") return create(message, ctx);
    if (job === undefined) return unknown(message, ctx);
    if (job.phase === "queued" && job.inline !== undefined)
      return decideInline(job, message, ctx, decide);
    return decide(job, message, ctx);
  },
  resume(job, ctx) {
    const request = ctx.get(jobRequestKey(job.terms.job));
    if (request === undefined || (job.phase === "queued" && job.waits === true)) return [];
    const resumed = resumption(job, request, ctx);
    if (job.phase !== "canceled" || job.providerCancel !== undefined) return [resumed];
    return [resumed, { kind: "provider.cancel" }];
  },
  dueAt,
  report: buildReport,
};

function decide(
  job: Job,
  message: Exclude<JobMessage, CreateJob>,
  ctx: Context<ReplyTo<JobMessage>>,
): JobDecision {
  switch (message.kind) {
    case "claim":
      return claim(job, message.token, ctx);
    case "lapsed":
      return lapse(job, message, ctx);
    case "slot":
      return takeSlot(job, ctx);
    case "submitting":
      return send(job, message, ctx);
    case "accepted":
      return accept(job, message.ref, ctx);
    case "unanswered":
      return giveUpSubmit(job, ctx);
    case "called_back":
      return noteCallback(job, ctx);
    case "delivering":
      return deliver(job, message, ctx);
    case "started":
      return report(job, undefined, 0, ctx);
    case "detail":
      return reportDetail(job, message.detail, ctx);
    case "progress":
      return report(job, message.token, message.progress, ctx);
    case "finished":
      return finish(job, message.token, message.outcome, ctx);
    case "cancel":
      return cancel(job, message.user, ctx);
    case "delete":
      return remove(job, ctx);
    case "retire":
      return retire(job, ctx);
    case "cancel_answer":
      return resolveCancel(job, message.answer, ctx);
    case "due": {
      // The due time may have moved since the index entry was written.
      const dueMs = dueAt(job);
      if (dueMs === undefined || ctx.atMs < dueMs) return decision(job);
      return job.phase === "canceled" ? settleAtLimit(job, ctx) : expire(job, ctx);
    }
  }
}

function dueAt(job: Job): number | undefined {
  switch (job.phase) {
    case "queued":
      if (job.inline !== undefined) return job.inline.untilMs;
      return job.detail === undefined ? deadline(job) : lastDeadline(job);
    case "running":
      return deadline(job);
    case "canceled":
      if (job.settlement.kind === "settled") return undefined;
      return job.awaits?.untilMs ?? job.settlement.limitMs;
    case "succeeded":
    case "failed":
      return undefined;
  }
}

/** A cancel or deletion of an unknown job is refused; a late report is ignored. */
function unknown(message: JobMessage, ctx: Context<Refused>): JobDecision {
  const isCommand = message.kind === "cancel" || message.kind === "delete";
  const replies = isCommand ? answer(ctx, createRefused({ code: "not_found" })) : [];
  return decision(undefined, { replies });
}
