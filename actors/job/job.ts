/**
 * A job: one generation from acceptance to its end. Two rows: what was asked (`Asked`, written once) and
 * what became of it (`Job`, the head).
 *
 *   queued ----> running ----> succeeded
 *     |  ^          |  \-----> failed
 *     |  +-lapsed---+    \
 *     +------------------> canceled (settled at once, or pending until the provider's last word)
 *
 * I5 terminal exactly once: no message moves a succeeded, failed or canceled job to another phase.
 * I6 the hold is resolved once: each path out of `hold` tells the account once, in the same turn.
 * The account told `create` and stands in `scope`; effects carry the work to the farm or a provider.
 */
import type { Modality } from "../../config/catalogue.ts";
import { type Actor, type Due, put, type TurnView } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import type { Media } from "../asset/asset.ts";
import { refused } from "../refusal.ts";
import { askedKey, jobOfScopeKey } from "../tables.ts";
import { cancel, resolveCancel, settleAtLimit } from "./cancellation.ts";
import { expire, finish } from "./ending.ts";
import { become, carried, type JobTurn, unchanged, withdrawal } from "./job-turn.ts";
import { jobView } from "./job-view.ts";
import { claim, lapse, report, reportDetail } from "./running.ts";

export interface Asked {
  readonly id: Id;
  readonly scope: Id;
  readonly user: Id;
  readonly modality: Modality;
  readonly model: string;
  readonly prompt: string;
  readonly displayName: string;
  readonly tags: readonly string[];
  readonly surface: string | null;
  readonly createdAtMs: number;
  /** What the model is given beside the prompt. */
  readonly input: JobInput;
  /** The model's usual running time, by which a share of the work is estimated. */
  readonly typicalSeconds: number;
  /** 16 bytes in hex; the duplicate window is rebuilt from it. */
  readonly fingerprint: string;
}

export interface JobInput {
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly format: string;
}

/** What was agreed at acceptance: one object through all phases. */
export interface Terms {
  readonly job: Id;
  readonly scope: Id;
  readonly modality: Modality;
  readonly provider: "farm" | "sim";
  /** Credits held at submit. */
  readonly hold: number;
  /** Outputs that the hold pays for. */
  readonly count: number;
  readonly createdAtMs: number;
}

export interface Common {
  readonly terms: Terms;
  /** Rises with every change. */
  readonly revision: number;
  readonly updatedAtMs: number;
}

interface Open extends Common {
  /** Ends the job unless it is terminal; time spent with `detail` set does not count. */
  readonly deadlineMs: number;
  /** Failed attempts on the farm. */
  readonly attempts: number;
}

export type StatusDetail = "provider_down" | "upstream_at_capacity";

export interface QueuedJob extends Open {
  readonly phase: "queued";
  readonly detail?: { readonly name: StatusDetail; readonly sinceMs: number };
  /** The provider has it and has not begun. */
  readonly isAccepted?: true;
}

export interface RunningJob extends Open {
  readonly phase: "running";
  readonly startedAtMs: number;
  readonly progress: number;
  /** Names the farm's lease; reports under another token count for nothing. */
  readonly token?: string;
}

export interface SucceededJob extends Common {
  readonly phase: "succeeded";
  readonly startedAtMs: number;
  readonly completedAtMs: number;
  readonly charged: number;
  readonly assets: readonly Id[];
}

export interface Failure {
  readonly kind: "error" | "moderated" | "timeout";
  readonly code: "job_failed" | "rate_limit" | "prompt_nsfw" | "ip_detected" | "timeout";
  readonly message: string;
  /** The upstream-style status that `error` shows. */
  readonly status: 422 | 429 | 502 | 504;
}

export interface FailedJob extends Common {
  readonly phase: "failed";
  readonly startedAtMs?: number;
  readonly completedAtMs: number;
  readonly charged: number;
  readonly failure: Failure;
}

export type Settlement =
  | { readonly kind: "pending"; readonly limitMs: number }
  | { readonly kind: "settled"; readonly charged: number; readonly atMs: number };

export interface CanceledJob extends Common {
  readonly phase: "canceled";
  readonly startedAtMs?: number;
  readonly completedAtMs: number;
  readonly stage: "before_submit" | "submitting" | "provider_queued" | "provider_running";
  readonly providerCancel?: CancelAnswer["kind"];
  readonly settlement: Settlement;
  readonly canceledBy: string;
}

export type Job = QueuedJob | RunningJob | SucceededJob | FailedJob | CanceledJob;

/** A provider's answer to a cancel. */
export type CancelAnswer =
  | { readonly kind: "cancelled" | "requested" | "refused" | "unsupported" | "failed" }
  | { readonly kind: "stopped_partway"; readonly billedFraction?: number };

/** How the work itself ended. `fraction` is the billed share where the provider reports one. */
export type Outcome =
  | { readonly kind: "succeeded"; readonly outputs: readonly Output[] }
  | {
      readonly kind: "failed";
      readonly class: "moderation_safety" | "moderation_ip" | "invalid_input" | "billing" | "upstream";
      readonly message: string;
      readonly atOutput: boolean;
      readonly billed: boolean;
    };

export interface Output {
  readonly asset: Id;
  readonly media: Media;
}

export interface CreateJob {
  readonly kind: "create";
  readonly asked: Asked;
  readonly provider: "farm" | "sim";
  readonly hold: number;
  readonly deadlineSeconds: number;
  readonly request: number | undefined;
}

export type JobMessage =
  | CreateJob
  | { readonly kind: "claim"; readonly token: string }
  /** The lease went silent, or the attempt failed in a way that another need not. */
  | { readonly kind: "lapsed"; readonly token: string }
  | { readonly kind: "accepted" }
  | { readonly kind: "started" }
  | { readonly kind: "detail"; readonly detail: StatusDetail | null }
  | { readonly kind: "progress"; readonly token?: string; readonly progress: number }
  | { readonly kind: "finished"; readonly token?: string; readonly outcome: Outcome }
  | { readonly kind: "cancel"; readonly user: string }
  | {
      readonly kind: "cancel_answer";
      readonly answer: CancelAnswer;
      readonly request: number | undefined;
    }
  | Due;

export type JobEffect =
  /** Kept until the task has ended, however many attempts that takes. */
  | { readonly kind: "farm.run"; readonly asked: Asked }
  | { readonly kind: "farm.lease"; readonly token: string }
  | { readonly kind: "farm.cancel" }
  | { readonly kind: "provider.submit"; readonly prompt: string; readonly count: number }
  | { readonly kind: "provider.cancel"; readonly request: number | undefined };

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

const dayMs = 86_400_000;

function deadline(job: Open): number {
  return Math.min(job.deadlineMs, lastDeadline(job));
}

/** 24 h from acceptance, whatever the provider is waiting for. */
export function lastDeadline(job: Common): number {
  return job.terms.createdAtMs + dayMs;
}

function create(message: CreateJob, { atMs }: TurnView): JobTurn {
  const { asked, provider, hold, request } = message;
  const { scope, modality, input, createdAtMs } = asked;
  const job: QueuedJob = {
    phase: "queued",
    terms: { job: asked.id, scope, modality, provider, hold, count: input.count, createdAtMs },
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
