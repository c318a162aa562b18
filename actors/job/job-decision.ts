import { limits } from "../../config/limits.ts";
import { isFarm } from "../../config/providers/providers.ts";
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
 * What a step does besides changing the job; `charge` is the number of credits that settles the
 * hold.
 */
interface Consequences {
  readonly charge?: number;
  readonly effects?: readonly (Tell | JobEffect)[];
  readonly replies?: readonly Reply[];
  /** Modalities of the assets that the job produced. */
  readonly assets?: JobChanged["assets"];
  readonly bytes?: number;
  /** Event to add to the job's history. */
  readonly event?: Omit<JobEvent, "atMs">;
}

/**
 * Returns the members that every change of a job has. They are spread last: V8 makes a separate
 * hidden class for each object whose literal adds members after a spread, which costs fifty times
 * as much.
 */
export function carryOver(job: Job, { atMs }: Context): Common {
  const { terms, revision, events } = job;
  const common = { terms, revision: revision + 1, updatedAtMs: atMs };
  return events === undefined ? common : { ...common, events };
}

/** The only function that changes a job: its account is told in the same step. */
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

/** Adds an event to the history. When the history is full, new events are dropped. */
function noteEvent(job: Job, event: Omit<JobEvent, "atMs">): [Job, RowWrite[]] {
  const { events = 0, updatedAtMs: atMs, terms } = job;
  if (events >= limits.jobs.eventRowsMax) return [job, []];
  return [
    { ...job, events: events + 1 },
    [put(jobEventKey(terms.job, events), { atMs, ...event })],
  ];
}

/** Effects that tell the farm and the provider that the job is no longer wanted. */
export function withdrawals(job: Job): JobEffect[] {
  if (isFarm(job.terms.provider)) return [{ kind: "farm.cancel" }];
  const isFetched = job.phase === "running" && job.isDelivering === true;
  return [...(isFetched ? [{ kind: "farm.cancel" } as const] : []), { kind: "provider.withdraw" }];
}

/** Returns what the next head must keep of a job that was sent to a provider. */
export function getSent({ submits, ref }: Sent): Sent {
  const sent: Draft<Sent> = {};
  if (submits !== undefined) sent.submits = submits;
  if (ref !== undefined) sent.ref = ref;
  return sent;
}
