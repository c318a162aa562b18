/**
 * How a job that has ended goes: by its owner, with its prompt and its assets, or by its age, when
 * what it brought stays. Every row by which it is found goes. What stays is what reports, sets and
 * the duplicate rule need, without a word of what the customer wrote unless an asset shows it.
 */

import { limits } from "../../config/limits.ts";
import { answer, type Context, decision, put, tell } from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { accountKey, type JobDeleted } from "../protocol/account-messages.ts";
import { assetKey } from "../protocol/asset.ts";
import {
  type DeleteJob,
  type Job,
  type JobRequest,
  jobEventKey,
  jobRequestKey,
} from "../protocol/job.ts";
import { createRefused, type Refusal } from "../refusal.ts";
import { indexRows } from "./creation.ts";
import type { JobDecision } from "./job-decision.ts";
import { listIndexEntries } from "./job-index.ts";

/** Deletes a job; it is refused while the job's hold is not settled. */
export function remove(job: Job, ctx: Context<ReplyTo<DeleteJob>>): JobDecision {
  const refusal = findRefusal(job);
  if (refusal !== undefined) return decision(job, { replies: answer(ctx, createRefused(refusal)) });
  const assets = job.phase === "succeeded" ? job.assets : [];
  const gone = without(job, false, ctx);
  const removals = assets.map((asset) => {
    return tell(assetKey(job.terms.scope, asset), { kind: "remove" });
  });
  return {
    ...gone,
    replies: answer(ctx, { kind: "deleted" }),
    effects: [...gone.effects, ...removals],
  };
}

/** Forgets an old job. A job that is too young or not settled is tried again in the next sweep. */
export function retire(job: Job, ctx: Context): JobDecision {
  const isOld = "completedAtMs" in job && ctx.atMs >= job.completedAtMs + limits.jobs.retentionMs;
  if (!isOld || findRefusal(job) !== undefined) return decision(job);
  return without(job, job.phase === "succeeded", ctx);
}

function without(job: Job, keepsWords: boolean, ctx: Context): JobDecision {
  const { terms, phase } = job;
  const request = ctx.get(jobRequestKey(terms.job));
  const found = [...listIndexEntries(job, true), ...indexRows(terms)];
  const history = Array.from({ length: job.events ?? 0 }, (_, at) => jobEventKey(terms.job, at));
  const keys = [...found.map(({ key }) => key), ...history];
  const rows = keys.map((key) => ({ key, value: undefined }));
  const left = request === undefined || keepsWords ? request : wordless(request);
  const notice: JobDeleted = { kind: "job_deleted", terms, from: phase };
  return decision(undefined, {
    rows:
      left === undefined
        ? rows
        : [...rows, put(jobRequestKey(left.id), { ...left, goneAs: phase })],
    effects: [tell(accountKey(terms.scope), notice)],
  });
}

function findRefusal(job: Job): Refusal | undefined {
  if (job.phase === "queued" || job.phase === "running")
    return { code: "conflict", detail: "Only a job that has ended can be deleted." };
  if (job.phase === "canceled" && job.settlement.kind === "pending")
    return { code: "conflict", detail: "The credits of this job have not been settled yet." };
  return undefined;
}

function wordless(request: JobRequest): JobRequest {
  const { displayName: _, enhancedPrompt: __, accepted: ___, subject: ____, ...asked } = request;
  return { ...asked, prompt: "", tags: [], input: {} };
}
