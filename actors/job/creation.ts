/** How a job comes into being, and how its work leaves for the farm or a provider. */
import {
  put,
  type Reply,
  type RequestId,
  type RowWrite,
  type TurnView,
} from "../../engine/actor.ts";
import { idBytes } from "../../engine/id.ts";
import { askedKey, jobsOfTurnKey } from "../tables.ts";
import type { Asked, CreateJob, FarmTask, Job, JobEffect, QueuedJob } from "./job.ts";
import { tagDigest } from "./job-index.ts";
import { become, carried, type JobTurn, unchanged } from "./job-turn.ts";
import { jobView } from "./job-view.ts";

type Submission = Extract<JobEffect, { kind: "farm.run" | "provider.submit" }>;

export function create(message: CreateJob, { atMs }: TurnView): JobTurn {
  const { asked, request, inlineMs, waits } = message;
  const job: QueuedJob = {
    phase: "queued",
    terms: termsOf(message, atMs),
    revision: 1,
    updatedAtMs: atMs,
    deadlineMs: atMs + message.deadlineSeconds * 1000,
    attempts: 0,
    ...(waits === undefined ? {} : { waits }),
  };
  const rows = [put(askedKey(asked.id), asked), ...indexRows(asked)];
  const effects = waits === true ? [] : [work(job, asked)];
  if (request === undefined) return { head: job, rows, replies: [], effects };
  if (inlineMs > 0) {
    const inline = { request, untilMs: atMs + inlineMs };
    return { head: { ...job, inline }, rows, replies: [], effects };
  }
  return { head: job, rows, replies: [accepted(asked, job, request)], effects };
}

function termsOf(
  { asked, provider, hold, count, modelTag }: CreateJob,
  createdAtMs: number,
): Job["terms"] {
  const { id: job, scope, user, turn, tags, modality } = asked;
  return {
    job,
    scope,
    modality,
    modelTag,
    provider,
    hold,
    count,
    createdAtMs,
    ...(user === scope ? {} : { member: user }),
    ...(turn === undefined ? {} : { turn }),
    ...(tags.length === 0 ? {} : { tags: tags.map(tagDigest) }),
  };
}

export function indexRows({ id, turn }: Asked): RowWrite[] {
  return turn === undefined ? [] : [put(jobsOfTurnKey(turn.turn, idBytes(id)), "")];
}

/** The submit's answer. */
export function accepted(asked: Asked, job: Job, to: RequestId): Reply {
  return { to, reply: { kind: "accepted", body: JSON.stringify(jobView(asked, job, [])) } };
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
  const effect = effectOf(terms, asked);
  return asked.trace === undefined ? effect : { ...effect, trace: asked.trace };
}

function effectOf({ provider, count }: Job["terms"], asked: Asked): Submission {
  if (provider === "farm") return { kind: "farm.run", task: taskOf(asked) };
  const { prompt, modality } = asked;
  return { kind: "provider.submit", prompt, modality, count };
}

function taskOf({ id, task, input, promptAs, prompt, enhancedPrompt }: Asked): FarmTask {
  const text = promptAs === undefined ? {} : { [promptAs]: enhancedPrompt ?? prompt };
  return { kind: task, input: { ...text, ...input }, outputPrefix: `jobs/${id}` };
}
