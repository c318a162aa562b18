import { answer, type Context, decision, tell } from "../../engine/actor.ts";
import type { ReplyTo, RequestId } from "../../engine/address.ts";
import { invariant } from "../../engine/invariant.ts";
import { accountKey, type JobDiscarded } from "../protocol/account-messages.ts";
import {
  type CreateJob,
  type Failure,
  type Job,
  type JobMessage,
  jobRequestKey,
  type Outcome,
  type QueuedJob,
} from "../protocol/job.ts";
import { createRefused, type Refusal, type Refused } from "../refusal.ts";
import { indexRows } from "./creation.ts";
import { moderationRecord } from "./ending.ts";
import { become, carryOver, type JobDecision } from "./job-decision.ts";
import { listIndexEntries } from "./job-index.ts";
import { getFailure } from "./outcome.ts";

/**
 * Decides while the submit waits for the provider's first response: a refusal is the answer and
 * undoes the job; any other response, or none in time, leads to a 202.
 */
export function decideInline(
  job: QueuedJob,
  message: Exclude<JobMessage, CreateJob>,
  ctx: Context<ReplyTo<JobMessage>>,
  decide: (
    job: Job,
    message: Exclude<JobMessage, CreateJob>,
    ctx: Context<ReplyTo<JobMessage>>,
  ) => JobDecision,
): JobDecision {
  const { inline, ...open } = job;
  if (inline === undefined) return decide(job, message, ctx);
  const { request, untilMs } = inline;
  const outcome = message.kind === "finished" ? message.outcome : undefined;
  // A failure at the output means that the provider had accepted the job before.
  if (outcome?.kind === "failed" && !outcome.atOutput && job.ref === undefined)
    return discardJob(job, outcome, request, ctx);
  const isLate = message.kind === "due" && ctx.atMs >= untilMs;
  const next = isLate
    ? become(job, { ...open, ...carryOver(job, ctx) })
    : decide(open, message, ctx);
  // The submit keeps waiting if the head is unchanged or its request is only about to be sent.
  if (next.head === undefined || next.head === open) return { ...next, head: job };
  if (message.kind === "submitting" && next.head.phase === "queued")
    return { ...next, head: { ...next.head, inline } };
  const accepted = answer({ request }, { kind: "accepted", job: next.head });
  return { ...next, replies: [...next.replies, ...accepted] };
}

function discardJob(
  job: QueuedJob,
  outcome: Extract<Outcome, { kind: "failed" }>,
  request: RequestId<Refused>,
  ctx: Context,
): JobDecision {
  const jobRequest = ctx.get(jobRequestKey(job.terms.job));
  invariant(jobRequest !== undefined, "what was asked stands beside the job");
  const failure = getFailure(outcome);
  const fingerprint = Buffer.from(jobRequest.fingerprint, "hex").toString("latin1");
  const notice: JobDiscarded = { kind: "job_discarded", terms: job.terms, fingerprint };
  // The job's index entries may have been written already.
  const index = [...indexRows(job.terms), ...listIndexEntries(job, true)].map(({ key }) => ({
    key,
    value: undefined,
  }));
  return decision(undefined, {
    rows: [{ key: jobRequestKey(jobRequest.id), value: undefined }, ...index],
    replies: answer({ request }, createRefused(refusalOfFailure(failure))),
    effects: [tell(accountKey(job.terms.scope), notice), ...moderationRecord(job, failure, ctx)],
  });
}

function refusalOfFailure({ code, message, status }: Failure): Refusal {
  if (code === "prompt_nsfw" || code === "ip_detected")
    return { code: "moderated", as: code, isRemembered: false, detail: message };
  return { code: "generation_failed", status: status === 422 ? 422 : 502, detail: message };
}
