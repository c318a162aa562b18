/** Canceling one job, and many in one request. */

import { type CancelJob, jobKey } from "../../actors/protocol/job.ts";
import type { Refusal } from "../../actors/refusal.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { CanceledJobs, CancelJobsRequest } from "../../contract/job.ts";
import { type Id, parseId } from "../../engine/id.ts";
import { requirePermission } from "../auth/permissions.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { buildProblem } from "../problems/problems.ts";
import { expectReply } from "../problems/replies.ts";
import { optionalInstant } from "../request/query.ts";
import type { Call } from "../route.ts";
import { hasEnded } from "../streams/job-watchers.ts";
import { type ListQuery, search } from "./job-listing.ts";

type Asker = Pick<Call, "service" | "principal">;
type Filter = NonNullable<CancelJobsRequest["filter"]>;
type Result = CanceledJobs["results"][number];

/** Cancels a job and returns its view as text. Throws `RefusalError`. */
export async function cancel({ service, principal }: Asker, job: Id): Promise<string> {
  const { request: asked, job: head } = service.jobs.find(job, principal.scope);
  if (asked.user !== principal.user.id) requirePermission(principal, "cancel_any");
  if (hasEnded(head) && head.phase === "canceled")
    return service.jobs.text(job, principal.scope).text;
  const message: CancelJob = { kind: "cancel", user: principal.user.id };
  const reply = await service.gateway.ask(jobKey(job), message, "settle");
  return expectReply(reply, "canceled").body;
}

/** A job that cannot be canceled does not prevent the others. */
export async function cancelJobs(call: Call<CancelJobsRequest>): Promise<Answer> {
  const { ids, filter } = call.body;
  if ((ids === undefined) === (filter === undefined))
    throw fault("", "must have either ids or filter");
  const named = ids ?? (await listMatching(call, filter ?? {}));
  const results = new Map<string, Result>();
  // Cancels newest first: a waiting member of a set must not get the slot of an earlier one.
  for (const name of [...new Set(named)].sort().reverse())
    results.set(name, await cancelOne(call, name));
  return json(200, { results: named.map((name) => results.get(name)) });
}

async function cancelOne(call: Asker, name: string): Promise<Result> {
  const job = parseId(name);
  const refusal =
    job === undefined ? ({ code: "not_found" } as const) : await findCancelRefusal(call, job);
  if (refusal === undefined) return { job_id: name, status: 200 };
  const { status, code } = buildProblem(refusal);
  return { job_id: name, status, ...omitUndefined({ code }) };
}

/** Why the job is not canceled, or undefined when it is. */
async function findCancelRefusal(call: Asker, job: Id): Promise<Refusal | undefined> {
  try {
    await cancel(call, job);
    return undefined;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
}

/** The caller's own jobs; unless the filter names a status, those that can be canceled. */
async function listMatching(call: Call<CancelJobsRequest>, filter: Filter): Promise<Id[]> {
  const { service, principal } = call;
  const { scope, user } = principal;
  const before = optionalInstant.read(filter.created_before);
  if (typeof before === "string") throw fault("/filter/created_before", before);
  const query: ListQuery = {
    limit: limits.jobs.cancelsMax,
    cursor: undefined,
    status: filter.status === undefined ? ["queued", "running"] : [filter.status].flat(),
    modality: filter.modality === undefined ? undefined : [filter.modality].flat(),
    model: undefined,
    tag: undefined,
    set_id: filter.set_id,
    agent_session_id: filter.agent_session_id,
    created_after: undefined,
    created_before: before.value,
    scope: undefined,
  };
  const member = scope === user.id ? undefined : user.id;
  const open = { service, principal, query };
  return search(open, member, undefined, query.limit, ({ request: asked }) => asked.id);
}

function fault(pointer: string, detail: string): RefusalError {
  return new RefusalError({ code: "validation", faults: [{ pointer, detail }] });
}
