import { type Reply, type Tell, type Turn, type TurnView, tell } from "../../engine/actor.ts";
import { type Id, idOfBytes } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import type { JobChanged } from "../account/account.ts";
import { accountKey } from "../tables.ts";
import type { Common, Job, JobEffect } from "./job.ts";

export type JobTurn = Turn<Job, JobEffect>;

/** What a turn does besides the change of the job; `charge` settles the hold for so many credits. */
interface Consequences {
  readonly charge?: number;
  readonly effects?: readonly (Tell | JobEffect)[];
  readonly replies?: readonly Reply[];
}

export function jobOf(address: Key): Id {
  return idOfBytes(address, 2);
}

export function unchanged(job: Job): JobTurn {
  return { head: job, rows: [], replies: [], effects: [] };
}

/** The one way in which a job changes: the account follows in the same turn. */
export function become(before: Job, next: Job, turn: TurnView, more: Consequences = {}): JobTurn {
  const id = jobOf(turn.self);
  const isMoved = before.phase !== next.phase;
  const { charge, effects = [], replies = [] } = more;
  const notice: JobChanged = {
    kind: "job_changed",
    job: id,
    modality: next.modality,
    pool: next.pool,
    from: before.phase,
    to: next.phase,
    settled: charge === undefined ? undefined : { hold: before.hold, charge },
  };
  const isTold = isMoved || charge !== undefined;
  return {
    head: { ...next, revision: before.revision + 1, updatedAtMs: turn.atMs },
    rows: [],
    replies,
    effects: isTold ? [tell(accountKey(next.scope), notice), ...effects] : effects,
  };
}

/** What every phase carries on. */
export function commonOf(job: Job): Common {
  const { scope, modality, pool, provider, hold, revision, createdAtMs, updatedAtMs } = job;
  const { deadlineMs, typicalSeconds } = job;
  return {
    scope,
    modality,
    pool,
    provider,
    hold,
    revision,
    createdAtMs,
    updatedAtMs,
    deadlineMs,
    typicalSeconds,
  };
}

/** Tells whoever works on the job that nobody wants it any more. */
export function withdrawal(job: Job): JobEffect {
  return job.provider === "farm"
    ? { kind: "farm.cancel" }
    : { kind: "provider.cancel", request: undefined };
}
