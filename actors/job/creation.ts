/** How a job comes into being, and how its work leaves for the farm or a provider. */
import { isFarm } from "../../config/providers.ts";
import { answer, type Draft, put, type RowWrite, type TurnView } from "../../engine/actor.ts";
import { idBytes } from "../../engine/id.ts";
import { SpelledRow, spelled } from "../../engine/row-form.ts";
import { forms } from "../forms.ts";
import { codes } from "../table-codes.ts";
import {
  type Asked,
  askedKey,
  type CreateJob,
  type Job,
  type JobEffect,
  type QueuedJob,
  type Terms,
} from "./job.ts";
import { jobsOfTurnKey, tagDigest } from "./job-index.ts";
import { become, carried, type JobTurn, unchanged } from "./job-turn.ts";

type Submission = Extract<JobEffect, { kind: "farm.run" | "provider.submit" }>;

/** How the job of a request is to be made, and what for. */
type Offer = Pick<
  CreateJob,
  "modelTag" | "provider" | "hold" | "count" | "deadlineSeconds" | "inlineMs"
>;

/** The message that brings the job of a request into being. */
export function creationOf(asked: Asked, offer: Offer): CreateJob {
  const { id, scope, user, modality, turn, tags, trace } = asked;
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
    asked: spelled(forms, codes.asked, asked),
    work: workOf(provider, asked),
    bodyDigest: asked.bodyDigest ?? asked.fingerprint,
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

export function create(message: CreateJob, { atMs }: TurnView): JobTurn {
  const { request, inlineMs, waits } = message;
  const job = born(message, atMs);
  const rows = [put(askedKey(job.terms.job), new SpelledRow(message.asked)), ...indexRows(message)];
  const effects = waits === true ? [] : [submission(message, message.work, message.trace)];
  if (request === undefined) return { head: job, rows, replies: [], effects };
  if (inlineMs > 0) {
    const inline = { request, untilMs: atMs + inlineMs };
    return { head: { ...job, inline }, rows, replies: [], effects };
  }
  return { head: job, rows, replies: answer(message, { kind: "accepted", atMs }), effects };
}

/** The job as it begins at `atMs`, in shard time. */
export function born(message: CreateJob, atMs: number): QueuedJob {
  const { waits } = message;
  const job: Draft<QueuedJob> = {
    phase: "queued",
    terms: termsOf(message, atMs),
    revision: 1,
    updatedAtMs: atMs,
    deadlineMs: atMs + message.deadlineSeconds * 1000,
    attempts: 0,
  };
  if (waits !== undefined) job.waits = waits;
  return job;
}

function termsOf(message: CreateJob, createdAtMs: number): Terms {
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

export function takeSlot(job: Job, turn: TurnView): JobTurn {
  const asked = turn.get(askedKey(job.terms.job));
  if (job.phase !== "queued" || job.waits === undefined || asked === undefined)
    return unchanged(job);
  const { waits: _, ...ready } = job;
  return become(
    job,
    { ...ready, ...carried(job, turn) },
    { effects: [work(ready, asked)], event: { type: "submitted", data: {} } },
  );
}

export function work({ terms }: Job, asked: Asked): Submission {
  return submission(terms, workOf(terms.provider, asked), asked.trace);
}

function submission(
  terms: Pick<Terms, "job" | "scope" | "provider" | "modality" | "count">,
  given: CreateJob["work"],
  trace: string | undefined,
): Submission {
  const { job, scope, provider, modality, count } = terms;
  const effect: Submission =
    typeof given === "string"
      ? { kind: "provider.submit", provider, job, modality, prompt: given, count }
      : { kind: "farm.run", scope, task: given };
  return trace === undefined ? effect : { ...effect, trace };
}

function workOf(provider: Terms["provider"], asked: Asked): CreateJob["work"] {
  const { id, task, input, promptAs, prompt, enhancedPrompt } = asked;
  if (!isFarm(provider)) return prompt;
  const text = promptAs === undefined ? {} : { [promptAs]: enhancedPrompt ?? prompt };
  return { kind: task, input: { ...text, ...input }, outputPrefix: `jobs/${id}` };
}
