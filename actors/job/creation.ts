/** Creates a job and hands its work to the farm or to a provider. */

import { omitUndefined } from "../../config/defined.ts";
import { isFarm, simulatedProvider } from "../../config/providers/providers.ts";
import {
  answer,
  type Context,
  type Draft,
  decision,
  put,
  type RowWrite,
} from "../../engine/actor.ts";
import { idBytes } from "../../engine/id.ts";
import { EncodedRow, encodeText } from "../../engine/row-codec.ts";
import {
  type CreateJob,
  type Job,
  type JobEffect,
  type JobRequest,
  jobRequestKey,
  type ProviderTask,
  type ProviderWork,
  type QueuedJob,
  type Sent,
  type Terms,
} from "../protocol/job.ts";
import type { Rows } from "../protocol/owner.ts";
import { rowCodecs } from "../row-codecs.ts";
import { codes } from "../table-codes.ts";
import { become, carryOver, type JobDecision } from "./job-decision.ts";
import { jobsOfTurnKey, tagDigest } from "./job-index.ts";
import { runFarmTask } from "./run-farm-task.ts";

type Submission = Extract<JobEffect, { kind: "farm.run" | "provider.submit" }>;

/** What a job takes from its offer: model, provider, price and limits. */
type Offer = Pick<
  CreateJob,
  "modelTag" | "provider" | "hold" | "count" | "deadlineSeconds" | "inlineMs"
>;

/** Builds the message that creates the job of a request. */
export function buildCreation(jobRequest: JobRequest, offer: Offer): CreateJob {
  const { id, scope, user, modality, turn, tags, trace } = jobRequest;
  const { modelTag, provider, hold, count, deadlineSeconds, inlineMs } = offer;
  const create: Draft<CreateJob> = {
    kind: "create",
    job: id,
    scope,
    modality,
    modelTag,
    provider,
    hold,
    count,
    asked: encodeText(rowCodecs, codes.jobRequest, jobRequest),
    work: buildWork(provider, jobRequest),
    bodyDigest: jobRequest.bodyDigest ?? jobRequest.fingerprint,
    deadlineSeconds,
    inlineMs,
    request: undefined,
  };
  if (user !== scope) create.member = user;
  if (turn !== undefined) create.turn = turn;
  if (tags.length > 0) create.tags = tags.map(tagDigest);
  if (trace !== undefined) create.trace = trace;
  return create;
}

export function create(message: CreateJob, ctx: Context): JobDecision {
  const { atMs } = ctx;
  const { request, inlineMs, waits } = message;
  const job = born(message, atMs);
  const rows = [
    put(jobRequestKey(job.terms.job), new EncodedRow(message.asked)),
    ...indexRows(message),
  ];
  const effects = waits === true ? [] : [submission(message, message.work, message.trace, ctx)];
  // A member of a set gets no reply of its own; the set's answer shows its members as they begin.
  if (request === undefined) return decision(job, { rows, effects });
  if (inlineMs > 0) {
    const inline = { request, untilMs: atMs + inlineMs };
    return decision({ ...job, inline }, { rows, effects });
  }
  const replies = answer(message, { kind: "accepted", atMs });
  return decision(job, { rows, replies, effects: effects.map(endingAtOnce) });
}

/** Lets the first step end the job; the answer shows the job as it began, so this is harmless. */
function endingAtOnce(effect: Submission): Submission {
  return effect.kind === "provider.submit" ? { ...effect, mayEndAtOnce: true } : effect;
}

/** Returns a new job that begins at `atMs`, in shard time. */
export function born(message: CreateJob, atMs: number): QueuedJob {
  const { waits } = message;
  const job: Draft<QueuedJob> = {
    phase: "queued",
    terms: buildTerms(message, atMs),
    revision: 1,
    updatedAtMs: atMs,
    deadlineMs: atMs + message.deadlineSeconds * 1000,
    attempts: 0,
  };
  if (waits !== undefined) job.waits = waits;
  return job;
}

function buildTerms(message: CreateJob, createdAtMs: number): Terms {
  const { job, scope, modality, modelTag, provider, hold, count, member, turn, tags } = message;
  const terms: Draft<Terms> = {
    job,
    scope,
    modality,
    modelTag,
    provider,
    hold,
    count,
    createdAtMs,
  };
  if (member !== undefined) terms.member = member;
  if (turn !== undefined) terms.turn = turn;
  if (tags !== undefined) terms.tags = tags;
  return terms;
}

export function indexRows({ job, turn }: Pick<Terms, "job" | "turn">): RowWrite[] {
  return turn === undefined ? [] : [put(jobsOfTurnKey(turn.turn, idBytes(job)), "")];
}

export function takeSlot(job: Job, ctx: Context): JobDecision {
  const request = ctx.get(jobRequestKey(job.terms.job));
  if (job.phase !== "queued" || job.waits === undefined || request === undefined)
    return decision(job);
  const { waits: _, ...ready } = job;
  return become(
    job,
    { ...ready, ...carryOver(job, ctx) },
    { effects: [work(ready, request, ctx)], event: { type: "submitted", data: {} } },
  );
}

export function work({ terms }: Job, request: JobRequest, rows: Rows): Submission {
  return submission(terms, buildWork(terms.provider, request), request.trace, rows);
}

/**
 * Returns the effect that resumes a job after a restart. Work at a simulated provider ended with
 * the process; at other providers, a job that may have been sent is looked up and never submitted
 * again.
 */
export function resumption(job: Job & Sent, request: JobRequest, rows: Rows): JobEffect {
  const { terms, submits, ref } = job;
  const wasSent = ref !== undefined || ("submitting" in job && job.submitting !== undefined);
  const isCanceled = job.phase === "canceled";
  const isEphemeral = isFarm(terms.provider) || terms.provider === simulatedProvider;
  if (isEphemeral || !(wasSent || isCanceled))
    return { ...work(job, request, rows), ...omitUndefined({ submits }) };
  const { kind: _, ...task } = providerTask(terms, workAtProvider(terms.provider, request));
  return { kind: "provider.resume", isCanceled, ...task, ...omitUndefined({ submits, ref }) };
}

function submission(
  terms: Pick<Terms, "job" | "scope" | "provider" | "modality" | "count">,
  given: CreateJob["work"],
  trace: string | undefined,
  rows: Rows,
): Submission {
  const { scope } = terms;
  const traced = omitUndefined({ trace });
  return "prompt" in given
    ? { ...providerTask(terms, given), ...traced }
    : { ...runFarmTask(scope, { ...given, ...traced }, rows), ...traced };
}

function providerTask(
  { job, provider, modality, count }: Pick<Terms, "job" | "provider" | "modality" | "count">,
  given: ProviderWork,
): { readonly kind: "provider.submit" } & ProviderTask {
  return { kind: "provider.submit", provider, job, modality, count, ...given };
}

function workAtProvider(provider: string, { model, prompt, input }: JobRequest): ProviderWork {
  return provider === simulatedProvider ? { prompt } : { prompt, model, input };
}

function buildWork(provider: Terms["provider"], request: JobRequest): CreateJob["work"] {
  if (!isFarm(provider)) return workAtProvider(provider, request);
  const { id, task, input, promptAs, prompt, enhancedPrompt } = request;
  const text = promptAs === undefined ? {} : { [promptAs]: enhancedPrompt ?? prompt };
  return { kind: task, input: { ...text, ...input }, outputPrefix: `jobs/${id}` };
}
