import { limits } from "../../config/limits.ts";
import { isFarm } from "../../config/providers.ts";
import {
  type Context,
  type Decision,
  type Draft,
  decision,
  put,
  type Reply,
  type RowWrite,
  type Tell,
  tell,
} from "../../engine/actor.ts";
import { accountKey, type JobChanged } from "../protocol/account-messages.ts";
import {
  type Common,
  type Job,
  type JobEffect,
  type JobEvent,
  jobEventKey,
  type Sent,
} from "../protocol/job.ts";

export type JobDecision = Decision<Job, JobEffect>;

/**
 * What a step does besides the change of the job; `charge` settles the hold for so many credits.
 */
interface Consequences {
  readonly charge?: number;
  readonly effects?: readonly (Tell | JobEffect)[];
  readonly replies?: readonly Reply[];
  /** What the job brought. */
  readonly assets?: JobChanged["assets"];
  readonly bytes?: number;
  /** A line of the job's history. */
  readonly event?: Omit<JobEvent, "atMs">;
}

/**
 * What every change of a job has. To be spread last: V8 makes a hidden class of its own for each
 * object whose literal adds members after a spread, which costs fifty times the literal.
 */
export function carryOver(job: Job, { atMs }: Context): Common {
  const { terms, revision, events } = job;
  const common = { terms, revision: revision + 1, updatedAtMs: atMs };
  return events === undefined ? common : { ...common, events };
}

/** The one way in which a job changes: the account follows in the same step. */
export function become(before: Job, changed: Job, more: Consequences = {}): JobDecision {
  const { charge, effects = [], replies = [], assets = [], bytes = 0, event } = more;
  const [next, rows] = event === undefined ? [changed, []] : noteEvent(changed, event);
  const { terms } = next;
  if (before.phase === next.phase && charge === undefined)
    return decision(next, { rows, replies, effects });
  const notice: JobChanged = {
    kind: "job_changed",
    terms,
    from: before.phase,
    to: next.phase,
    hadSlot: before.phase !== "queued" || before.waits !== true,
    charge,
    assets,
    bytes,
  };
  const account = accountKey(terms.scope);
  return decision(next, { rows, replies, effects: [tell(account, notice), ...effects] });
}

/** A history that is full keeps its beginning. */
function noteEvent(job: Job, event: Omit<JobEvent, "atMs">): [Job, RowWrite[]] {
  const { events = 0, updatedAtMs: atMs, terms } = job;
  if (events >= limits.jobs.eventRowsMax) return [job, []];
  return [
    { ...job, events: events + 1 },
    [put(jobEventKey(terms.job, events), { atMs, ...event })],
  ];
}

/** Tells the farm and the provider that the job is not wanted any more. */
export function withdrawals(job: Job): JobEffect[] {
  if (isFarm(job.terms.provider)) return [{ kind: "farm.cancel" }];
  const isFetched = job.phase === "running" && job.isDelivering === true;
  return [...(isFetched ? [{ kind: "farm.cancel" } as const] : []), { kind: "provider.withdraw" }];
}

/** What the next head keeps of a job at a provider. */
export function getSent({ submits, ref }: Sent): Sent {
  const sent: Draft<Sent> = {};
  if (submits !== undefined) sent.submits = submits;
  if (ref !== undefined) sent.ref = ref;
  return sent;
}
