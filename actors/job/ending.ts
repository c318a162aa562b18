/** Ends a job without a cancel: with media, with a failure, or at its deadline. */

import { limits } from "../../config/limits.ts";
import { isFarm } from "../../config/providers/providers.ts";
import { birth, type Context, type Draft, decision, type Tell, tell } from "../../engine/actor.ts";
import { getPartition } from "../../engine/key.ts";
import { assetKey, getModality, type ReadyAsset } from "../protocol/asset.ts";
import {
  type Failure,
  type Job,
  type JobEffect,
  jobRequestKey,
  lastDeadline,
  type Outcome,
  type Output,
  type QueuedJob,
  type RunningJob,
  type SucceededJob,
} from "../protocol/job.ts";
import { countBytes } from "../protocol/media.ts";
import { tombstoneKey } from "../protocol/tombstone.ts";
import { resolvePending } from "./cancellation.ts";
import { become, carryOver, type JobDecision, withdrawals } from "./job-decision.ts";
import { computeCharge, getFailure } from "./outcome.ts";

type Open = QueuedJob | RunningJob;

/**
 * Handles the final report of the provider or the farm. A report under an old lease, or after the
 * job has ended, is ignored.
 */
export function finish(
  job: Job,
  token: string | undefined,
  outcome: Outcome,
  ctx: Context,
): JobDecision {
  if (job.phase === "canceled") return resolvePending(job, outcome, ctx);
  if (job.phase !== "queued" && job.phase !== "running") return decision(job);
  const isOfLease = job.phase === "queued" || job.token === token;
  // The provider may send its final report while the farm holds the lease that fetches the result.
  const isOfProvider = token === undefined && !isFarm(job.terms.provider);
  if (!isOfLease && !isOfProvider) return decision(job);
  if (outcome.kind === "succeeded") return succeed(job, outcome, ctx);
  // A failure while fetching is the result's fault, not the request's, so its class is `upstream`.
  const isDelivering = job.phase === "running" && job.isDelivering === true;
  const why = isDelivering ? ({ ...outcome, class: "upstream" } as const) : outcome;
  const effects = isDelivering ? withdrawals(job) : [];
  return fail(job, getFailure(why), computeCharge(why, job.terms.hold), ctx, effects);
}

/** Ends a job at its deadline, or 24 h after acceptance, which no wait extends. */
export function expire(job: Job, ctx: Context): JobDecision {
  if (job.phase !== "queued" && job.phase !== "running") return decision(job);
  const wasRefused =
    job.phase === "queued" &&
    job.detail?.name === "upstream_at_capacity" &&
    ctx.atMs >= lastDeadline(job);
  return fail(job, wasRefused ? refusedForLoad : outOfTime, 0, ctx, withdrawals(job));
}

const outOfTime: Failure = {
  kind: "timeout",
  code: "timeout",
  message: "The generation exceeded its time budget.",
  status: 504,
};

const nothingCame: Failure = {
  kind: "error",
  code: "job_failed",
  message: "The model delivered nothing.",
  status: 502,
};

const refusedForLoad: Failure = {
  kind: "error",
  code: "rate_limit",
  message: "The model provider stayed at capacity for 24 hours.",
  status: 429,
};

/** Fails a job. `charge` is deducted from the hold; the rest of the hold is returned. */
export function fail(
  job: Open,
  failure: Failure,
  charge: number,
  ctx: Context,
  effects: readonly JobEffect[] = [],
): JobDecision {
  const startedAt = job.phase === "running" ? { startedAtMs: job.startedAtMs } : {};
  const next: Job = {
    phase: "failed",
    completedAtMs: ctx.atMs,
    charged: charge,
    failure,
    ...startedAt,
    ...carryOver(job, ctx),
  };
  const memory = moderationRecord(job, failure, ctx);
  return become(job, next, { charge, effects: [...effects, ...memory] });
}

/** Remembers a body that a filter refused: for a day it is refused without another check. */
export function moderationRecord({ terms }: Open, { code }: Failure, ctx: Context): Tell[] {
  if (code !== "prompt_nsfw" && code !== "ip_detected") return [];
  const request = ctx.get(jobRequestKey(terms.job));
  if (request === undefined) return [];
  const digest = Buffer.from(request.bodyDigest ?? request.fingerprint, "hex").toString("latin1");
  const expiresAtMs = ctx.atMs + limits.jobs.moderationMemoryMs;
  const tombstone = { kind: "refused", code, scope: terms.scope, expiresAtMs } as const;
  return [
    tell(tombstoneKey(getPartition(ctx.self), "refused", digest), { kind: "set", tombstone }),
  ];
}

function succeed(
  job: Open,
  { outputs, warnings = [] }: Extract<Outcome, { kind: "succeeded" }>,
  ctx: Context,
): JobDecision {
  const { terms } = job;
  if (outputs.length === 0) return fail(job, nothingCame, 0, ctx);
  // Outputs that were requested but not delivered are not charged.
  const charge = Math.ceil(terms.hold * Math.min(1, outputs.length / terms.count));
  const { revision, updatedAtMs, events } = carryOver(job, ctx);
  const next: Draft<SucceededJob> = {
    phase: "succeeded",
    startedAtMs: job.phase === "running" ? job.startedAtMs : ctx.atMs,
    completedAtMs: ctx.atMs,
    charged: charge,
    assets: outputs.map(({ asset }) => asset),
    terms,
    revision,
    updatedAtMs,
  };
  if (events !== undefined) next.events = events;
  if (warnings.length > 0) next.warnings = limitWarnings(warnings);
  const assets = outputs.map(({ media }) => getModality(media.mimeType));
  const bytes = outputs.reduce((sum, { media }) => sum + countBytes(media), 0);
  const isDelivered = job.phase === "running" && job.isDelivering === true;
  const effects = [...births(job, outputs, ctx), ...(isDelivered ? [forgotten] : [])];
  return become(job, next, { charge, effects, assets, bytes });
}

const forgotten = { kind: "provider.withdraw" } as const;

/** Limits warnings to a few sentences, because a head must stay small. */
function limitWarnings(warnings: readonly string[]): readonly string[] {
  const { warningsMax, warningMax } = limits.jobs;
  return warnings.slice(0, warningsMax).map((text) => text.slice(0, warningMax));
}

function births({ terms }: Open, outputs: readonly Output[], ctx: Context): Tell[] {
  const { job, scope } = terms;
  return outputs.map(({ asset: id, media }) => {
    const createdAtMs = ctx.atMs;
    const asset: ReadyAsset = { phase: "ready", id, scope, createdAtMs, origin: { job }, media };
    return birth(assetKey(scope, id), { kind: "create", asset });
  });
}
