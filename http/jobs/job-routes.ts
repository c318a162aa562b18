/** Routes for reading, awaiting and canceling jobs. */

import { type Job, jobKey } from "../../actors/protocol/job.ts";
import { limits } from "../../config/limits.ts";
import { modalities } from "../../config/modalities.ts";
import { strict } from "../../contract/common.ts";
import {
  CanceledJobs,
  CancelJobsRequest,
  JobEvents,
  JobPage,
  Job as JobView,
  jobStatuses,
} from "../../contract/job.ts";
import { type Id, parseId } from "../../engine/id.ts";
import { requirePermission } from "../auth/permissions.ts";
import { requireScope } from "../auth/principals.ts";
import { type Answer, json, jsonText } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { withETag } from "../request/etag.ts";
import { integer, optionalInstant, optionalText, parseSome } from "../request/query.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import { isTerminal } from "../streams/job-watchers.ts";
import { cancel, cancelJobs } from "./job-cancels.ts";
import { readHistory } from "./job-history.ts";
import { listJobs } from "./job-listing.ts";

const Nothing = strict({});

export const listParameters = {
  limit: integer(1, limits.jobs.listMax, limits.jobs.listDefault),
  cursor: optionalText(512),
  status: parseSome(jobStatuses),
  modality: parseSome(modalities),
  model: optionalText(64),
  tag: optionalText(64),
  created_after: optionalInstant,
  created_before: optionalInstant,
  set_id: optionalText(36),
  agent_session_id: optionalText(36),
  scope: parseSome(["organization"]),
};

export const jobRoutes: readonly Route[] = [
  route("GET", "/v1/jobs", {
    summary: "List jobs, newest first",
    answers: { 200: JobPage },
    access: "jobs:read",
    needs: "read",
    rate: "read",
    query: listParameters,
    run: listJobs,
  }),
  route("GET", "/v1/jobs/{id}", {
    summary: "Read a job",
    answers: { 200: JobView, 304: null },
    access: "jobs:read",
    needs: "read",
    rate: "read",
    run: readJob,
  }),
  route("GET", "/v1/jobs/{id}/wait", {
    summary: "Wait until a job is terminal",
    answers: { 200: JobView },
    access: "jobs:read",
    needs: "read",
    rate: "read",
    query: {
      timeout_seconds: integer(1, limits.jobs.waitSecondsMax, limits.jobs.waitSecondsDefault),
    },
    run: waitForJob,
  }),
  route("GET", "/v1/jobs/{id}/events", {
    summary: "Read a job's history, oldest first",
    answers: { 200: JobEvents },
    access: "jobs:read",
    needs: "read",
    rate: "read",
    run: readEvents,
  }),
  route("POST", "/v1/jobs/{id}/cancel", {
    summary: "Cancel a job",
    answers: { 200: JobView },
    access: "jobs:cancel",
    needs: "cancel_own",
    rate: "write",
    body: jsonBody(Nothing),
    run: cancelJob,
  }),
  route("DELETE", "/v1/jobs/{id}", {
    summary: "Delete a job that has ended, its prompt and its assets",
    answers: { 204: null },
    access: "jobs:cancel",
    needs: "edit_own",
    rate: "write",
    run: deleteJob,
  }),
  route("POST", "/v1/jobs:cancel", {
    summary: "Cancel many jobs",
    answers: { 200: CanceledJobs },
    access: "jobs:cancel",
    needs: "cancel_own",
    rate: "write",
    body: jsonBody<CancelJobsRequest>(CancelJobsRequest),
    run: cancelJobs,
  }),
];

/** Returns the id of the path; an id that is not a UUID answers 404. */
export function getJobId({ id }: Call): Id {
  return requireFound(parseId(id));
}

function readJob(call: Call): Answer {
  const { service, principal, request } = call;
  const { text, etag } = service.jobs.detail(getJobId(call), principal.scope);
  return etag === undefined ? jsonText(200, text) : withETag(request, etag, text);
}

function readEvents(call: Call): Answer {
  const { service, principal } = call;
  const found = service.jobs.find(getJobId(call), principal.scope);
  return json(200, readHistory(service.gateway, found));
}

async function cancelJob(call: Call): Promise<Answer> {
  return jsonText(200, await cancel(call, getJobId(call)));
}

/** Deletes the assets with the job, so the credential must be allowed to change assets. */
async function deleteJob(call: Call): Promise<Answer> {
  const { service, principal } = call;
  requireScope(principal, "assets:write");
  const job = getJobId(call);
  const { request: asked } = service.jobs.find(job, principal.scope);
  if (asked.user !== principal.user.id) requirePermission(principal, "edit_any");
  expectReply(await service.gateway.ask(jobKey(job), { kind: "delete" }, "settle"), "deleted");
  return { status: 204, headers: [], body: "" };
}

/** Calls `end` once the caller loses access; a removed member is refused as elsewhere. */
function whileReadable({ service, principal }: Call<unknown, unknown>, end: () => void) {
  const { organization, user, scope } = principal;
  if (organization === undefined) return () => {};
  return service.following.atRemoval({ user: user.id, scope }, end);
}

function waitForJob(call: Call<unknown, { timeout_seconds: number }>): Answer | Promise<Answer> {
  const { service, principal, query } = call;
  const id = getJobId(call);
  const { scope } = principal;
  const { job } = service.jobs.find(id, scope);
  const onEnd = () => jsonText(200, service.jobs.detail(id, scope).text);
  if (isTerminal(job)) return onEnd();
  if (!service.following.enter("wait", principal.counter, limits.jobs.waitsMax))
    throw new RefusalError({
      code: "rate_limit",
      retryAfterSeconds: limits.http.retryAfterSeconds,
      detail: `An account can have at most ${limits.jobs.waitsMax} waits open at once.`,
    });
  return new Promise<Job>((resolve, reject) => {
    let last = job;
    const stop = service.following.watch(id, (next) => {
      last = next;
      if (isTerminal(next)) settle(() => resolve(next));
    });
    const timeUp = () => {
      const refusal = { code: "wait_timeout", job: id, status: last.phase } as const;
      settle(() => reject(new RefusalError(refusal)));
    };
    const stopTimer = service.clock.after(query.timeout_seconds * 1000, timeUp);
    const stopDrain = service.following.atDrain(principal.scope, timeUp);
    const stopGone = call.request.onGone(timeUp);
    const stopReading = whileReadable(call, () => {
      settle(() => reject(new RefusalError({ code: "not_found" })));
    });
    const settle = (then: () => void) => {
      stop();
      stopTimer();
      stopDrain();
      stopGone();
      stopReading();
      service.following.leave("wait", principal.counter);
      then();
    };
  }).then(onEnd);
}
