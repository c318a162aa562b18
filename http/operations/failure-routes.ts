/** Operator routes: why jobs failed, over all accounts. */

import { limits } from "../../config/limits.ts";
import { type AdminFailure, AdminFailureList } from "../../contract/admin.ts";
import type { Job } from "../../contract/job.ts";
import { firstIdAt, type Id } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { type JobPart, listAllJobs } from "../jobs/admin-job-routes.ts";
import { integer } from "../request/query.ts";
import { anywhere, type Call, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";

interface Query {
  readonly hours: number;
}

const hourMs = 3_600_000;
const { byDefault, max, pages } = limits.admin.failureHours;

export const failureRoutes: readonly Route[] = [
  route("GET", "/v1/admin/failures", {
    summary: "Group the jobs that failed in the last hours by reason",
    answers: { 200: AdminFailureList },
    access: "admin",
    getPartition: anywhere,
    rate: "read",
    query: { hours: integer(1, max, byDefault) },
    run: listFailures,
  }),
];

/** Counts the failed jobs that were created since then. */
async function listFailures({ service, query }: Call<unknown, Query>): Promise<Answer> {
  const sinceMs = service.clock.nowMs() - query.hours * hourMs;
  const groups = new Map<string, AdminFailure>();
  const isComplete = await eachFailure(service, sinceMs, (job) => add(groups, job));
  const items = [...groups.values()].sort((a, b) => b.jobs - a.jobs);
  return json(200, {
    items,
    since: timestamp(sinceMs),
    is_complete: isComplete,
  } satisfies AdminFailureList);
}

/** Visits failed jobs, newest first. Returns false when there are more than the limit. */
async function eachFailure(
  service: Service,
  sinceMs: number,
  visit: (job: Job) => void,
): Promise<boolean> {
  const since = firstIdAt(sinceMs, 0);
  let after: Id | undefined;
  for (let page = 0; page < pages; page++) {
    const { items, last }: JobPart = await listAllJobs(
      service,
      onFailure(after, limits.admin.listMax),
    );
    for (const job of items) if (job.id >= since) visit(job);
    if (last === null || last < since) return true;
    after = last;
  }
  return false;
}

function onFailure(after: Id | undefined, limit: number) {
  const others = { modality: undefined, model: undefined, user_id: undefined };
  return { status: ["failed"] as const, ...others, after, limit };
}

function add(groups: Map<string, AdminFailure>, job: Job): void {
  const { failure, model } = job;
  if (failure === undefined) return;
  const { code = "job_failed", kind, message } = failure;
  const key = JSON.stringify([code, kind, model]);
  const known = groups.get(key);
  if (known !== undefined) known.jobs++;
  else
    groups.set(key, {
      code,
      kind,
      model,
      jobs: 1,
      last_at: job.completed_at ?? job.updated_at,
      last_job_id: job.id,
      last_message: message,
    });
}
