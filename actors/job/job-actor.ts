/**
 * How a job moves, from acceptance to its end.
 *
 *   queued ----> running ----> succeeded
 *     |  ^          |  \-----> failed
 *     |  +-lapsed---+    \
 *     +------------------> canceled (settled at once, or pending until the provider's last word)
 *
 * I5 terminal exactly once: no message moves a succeeded, failed or canceled job to another phase.
 * I6 the hold is resolved once: each path out of `hold` tells the account once, in the same turn.
 * The account told `create` and stands in `scope`; effects carry the work to the farm or a
 * provider.
 */
import { type Actor, put, type TurnView } from "../../engine/actor.ts";
import { refused } from "../refusal.ts";
import { askedKey, jobOfScopeKey } from "../tables.ts";
import { cancel, resolveCancel, settleAtLimit } from "./cancellation.ts";
import { expire, finish } from "./ending.ts";
import {
  type Asked,
  type CreateJob,
  deadline,
  type Job,
  type JobEffect,
  type JobMessage,
  lastDeadline,
  type QueuedJob,
} from "./job.ts";
import { become, carried, type JobTurn, unchanged, withdrawal } from "./job-turn.ts";
import { jobView } from "./job-view.ts";
import { claim, lapse, report, reportDetail } from "./running.ts";

export const jobActor: Actor<Job, JobMessage, JobEffect> = {
  kind: "job",
  decide(job, message, turn) {
    if (message.kind === "create") return create(message, turn);
    if (job === undefined) return unknown(message, turn);
    switch (message.kind) {
      case "claim":
        return claim(job, message.token, turn);
      case "lapsed":
        return lapse(job, message.token, turn);
      case "accepted":
        if (job.phase !== "queued") return unchanged(job);
        return become(job, { ...job, ...carried(job, turn), isAccepted: true });
      case "started":
        return report(job, undefined, 0, turn);
      case "detail":
        return reportDetail(job, message.detail, turn);
      case "progress":
        return report(job, message.token, message.progress, turn);
      case "finished":
        return finish(job, message.token, message.outcome, turn);
      case "cancel":
        return cancel(job, message.user, turn);
      case "cancel_answer":
        return resolveCancel(job, message.answer, message.request, turn);
      case "due": {
        // The time may have moved since the index was written.
        const dueMs = dueAt(job);
        if (dueMs === undefined || turn.atMs < dueMs) return unchanged(job);
        return job.phase === "canceled" ? settleAtLimit(job, turn) : expire(job, turn);
      }
    }
  },
  resume(job, { get }) {
    const asked = get(askedKey(job.terms.job));
    if (asked === undefined) return [];
    if (job.phase === "canceled") return [work(job, asked), withdrawal(job)];
    return [work(job, asked)];
  },
  listing: (_, job) => ({
    key: jobOfScopeKey(job.terms.scope, job.terms.job),
    value: `${job.terms.modality} ${job.phase}`,
  }),
  dueAt,
};

function dueAt(job: Job): number | undefined {
  switch (job.phase) {
    case "queued":
      return job.detail === undefined ? deadline(job) : lastDeadline(job);
    case "running":
      return deadline(job);
    case "canceled":
      return job.settlement.kind === "pending" ? job.settlement.limitMs : undefined;
    case "succeeded":
    case "failed":
      return undefined;
  }
}

function create(message: CreateJob, { atMs }: TurnView): JobTurn {
  const { asked, provider, hold, request } = message;
  const { scope, user, modality, input, createdAtMs } = asked;
  const common = {
    job: asked.id,
    scope,
    modality,
    provider,
    hold,
    count: input.count,
    createdAtMs,
  };
  const job: QueuedJob = {
    phase: "queued",
    terms: user === scope ? common : { ...common, member: user },
    revision: 1,
    updatedAtMs: atMs,
    deadlineMs: createdAtMs + message.deadlineSeconds * 1000,
    attempts: 0,
  };
  const body = JSON.stringify(jobView(asked, job, []));
  return {
    head: job,
    rows: [put(askedKey(asked.id), asked)],
    replies: request === undefined ? [] : [{ to: request, reply: { kind: "accepted", body } }],
    effects: [work(job, asked)],
  };
}

function work({ terms }: Job, asked: Asked): JobEffect {
  if (terms.provider === "farm") return { kind: "farm.run", asked };
  return { kind: "provider.submit", prompt: asked.prompt, count: asked.input.count };
}

/** Whoever cancels what does not exist is told so; a late report of a lost job concerns nobody. */
function unknown(message: JobMessage, { request }: TurnView): JobTurn {
  const isAsked = message.kind === "cancel" && request !== undefined;
  const replies = isAsked ? [{ to: request, reply: refused({ code: "not_found" }) }] : [];
  return { head: undefined, rows: [], replies, effects: [] };
}
