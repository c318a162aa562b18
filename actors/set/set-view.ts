/** Builds the client's view of a set from the set's row and its jobs. */

import { omitUndefined } from "../../config/defined.ts";
import type { Job as JobView } from "../../contract/job.ts";
import type { OutputSetMember, OutputSet as SetView } from "../../contract/set.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { Job } from "../protocol/job.ts";
import type { OutputSet } from "../protocol/set.ts";
import type { Refusal } from "../refusal.ts";

/** Returns the problem for a refusal, as the HTTP layer writes it. */
export type ProblemOf = (refusal: Refusal) => {
  readonly status: number;
  readonly title: string;
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
};

export interface MemberJob {
  readonly job: Job;
  readonly view: JobView;
}

/** `jobs` is by id; `gone` has the last phase of jobs that were deleted since. */
export function setView(
  set: OutputSet,
  jobs: ReadonlyMap<string, MemberJob>,
  gone: ReadonlyMap<string, Job["phase"]>,
  problemOf: ProblemOf,
): SetView {
  const accepted = set.members.flatMap((member) =>
    "job" in member ? (jobs.get(member.job) ?? []) : [],
  );
  const counts = countMembers(set, accepted, gone);
  const updatedAtMs = Math.max(set.createdAtMs, ...accepted.map(({ job }) => job.updatedAtMs));
  const isOpen = counts.queued + counts.running > 0;
  return {
    id: set.id,
    name: set.name,
    status: isOpen ? "generating" : computeEnd(counts),
    model: set.model,
    members: set.members.map((member) => memberView(member, jobs, gone)),
    problems: set.members.flatMap((member) => {
      if (!("refusal" in member)) return [];
      const { status, title, code, detail } = problemOf(member.refusal);
      return [{ label: member.label, code: code ?? null, status, title, detail: detail ?? title }];
    }),
    counts,
    ...sumFiles(accepted),
    created_at: timestamp(set.createdAtMs),
    updated_at: timestamp(updatedAtMs),
    completed_at: isOpen ? null : timestamp(getCompletionTime(set, accepted)),
    user_id: set.user,
  };
}

function countMembers(
  set: OutputSet,
  accepted: readonly MemberJob[],
  gone: ReadonlyMap<string, Job["phase"]>,
): SetView["counts"] {
  const phases = [...accepted.map(({ job }) => job.phase), ...gone.values()];
  const count = (status: Job["phase"]) => phases.filter((phase) => phase === status).length;
  return {
    total: set.members.length,
    accepted: set.members.filter((member) => "job" in member).length,
    queued: count("queued"),
    running: count("running"),
    succeeded: count("succeeded"),
    failed: count("failed"),
    canceled: count("canceled"),
    refused: set.members.filter((member) => "refusal" in member).length,
  };
}

/** Refused, unsubmitted, failed and canceled members all keep a set from being `ready`. */
function computeEnd({ succeeded, total }: SetView["counts"]): SetView["status"] {
  if (succeeded === total) return "ready";
  return succeeded === 0 ? "failed" : "partial";
}

function sumFiles(accepted: readonly MemberJob[]) {
  let held = 0;
  let charged = 0;
  let refunded = 0;
  for (const { view } of accepted) {
    const { credits_held: hold, credits_charged: charge } = view;
    held += hold;
    if (typeof charge !== "number") continue;
    charged += charge;
    refunded += hold - charge;
  }
  return { credits_held: held, credits_charged: charged, credits_refunded: refunded };
}

function getCompletionTime(set: OutputSet, accepted: readonly MemberJob[]): number {
  const ends = accepted.map(({ job }) => ("completedAtMs" in job ? job.completedAtMs : 0));
  return Math.max(set.createdAtMs, ...ends);
}

function memberView(
  member: OutputSet["members"][number],
  jobs: ReadonlyMap<string, MemberJob>,
  gone: ReadonlyMap<string, Job["phase"]>,
): OutputSetMember {
  const { label } = member;
  if ("refusal" in member) return { label, job_id: null, status: "refused" };
  if (!("job" in member)) return { label, job_id: null, status: "not_submitted" };
  const found = jobs.get(member.job);
  if (found === undefined)
    return { label, job_id: member.job, status: gone.get(member.job) ?? "failed" };
  const { status, asset, failure } = found.view;
  return {
    label,
    job_id: member.job,
    status,
    ...omitUndefined({ asset, failure }),
  };
}
