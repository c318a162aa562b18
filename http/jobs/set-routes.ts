/** Routes of output sets: submitting, reading, listing and canceling them. */

import type { Generation } from "../../actors/generation/generation.ts";
import { resolveSet, type SetGeneration } from "../../actors/generation/set.ts";
import {
  accountKey,
  type SetCandidate,
  type SubmitSet,
} from "../../actors/protocol/account-messages.ts";
import { type CancelJob, type Job, jobKey, jobRequestKey } from "../../actors/protocol/job.ts";
import { type OutputSet, setKey, setsKey } from "../../actors/protocol/set.ts";
import { type MemberJob, setView } from "../../actors/set/set-view.ts";
import { limits } from "../../config/limits.ts";
import { strict } from "../../contract/common.ts";
import { GenerateSetRequest } from "../../contract/generation.ts";
import { OutputSetPage, OutputSet as SetSchema } from "../../contract/set.ts";
import { type Id, idBytes, parseId, partitionOfId } from "../../engine/id.ts";
import { getRange } from "../../engine/key.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { requirePermission } from "../auth/permissions.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { buildProblem } from "../problems/problems.ts";
import { expectReply } from "../problems/replies.ts";
import { integer, optionalText } from "../request/query.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { isTerminal } from "../streams/job-watchers.ts";
import { getDeprecationHeaders } from "./deprecation.ts";
import { imagePath } from "./generate-routes.ts";
import {
  buildJob,
  buildRequest,
  buildSubmitTerms,
  createSources,
  digestOfBody,
  getRequester,
} from "./submitting.ts";

const setPath = "/v1/generate/set";
const Nothing = strict({});

export const setRoutes: readonly Route[] = [
  route("POST", setPath, {
    summary: "Generate a set of images",
    answers: { 202: SetSchema },
    access: "generate",
    needs: "submit",
    rate: "submit",
    isSubmit: true,
    body: jsonBody<GenerateSetRequest>(GenerateSetRequest, limits.http.generationBodyMax, [
      "provider_options",
    ]),
    run: generateSet,
  }),
  route("GET", "/v1/sets", {
    summary: "List output sets, newest first",
    answers: { 200: OutputSetPage },
    access: "jobs:read",
    needs: "read",
    rate: "read",
    query: {
      limit: integer(1, limits.jobs.listMax, limits.jobs.listDefault),
      cursor: optionalText(512),
    },
    run: listSets,
  }),
  route("GET", "/v1/sets/{id}", {
    summary: "Read an output set",
    answers: { 200: SetSchema },
    access: "jobs:read",
    needs: "read",
    rate: "read",
    run: (call: Call) => json(200, buildView(call, find(call))),
  }),
  route("POST", "/v1/sets/{id}/cancel", {
    summary: "Cancel the members of a set that have not ended",
    answers: { 200: SetSchema },
    access: "jobs:cancel",
    needs: "cancel_own",
    rate: "write",
    body: jsonBody(Nothing),
    run: cancelSet,
  }),
];

async function generateSet(call: Call<GenerateSetRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  const generation = resolveSet(body, getRequester(call), createSources(call));
  if ("code" in generation) throw new RefusalError(generation);
  const terms = buildSubmitTerms(call, {
    path: setPath,
    kind: "set",
    canonical: generation.canonical,
    model: generation.model.id,
    price: generation.price,
    confirmationToken: body.confirmation_token,
  });
  const { scope, user } = principal;
  const id = service.ids.under(partitionOfId(scope));
  const createdAtMs = service.clock.nowMs();
  const message: SubmitSet = {
    kind: "submit_set",
    ...terms,
    set: {
      id,
      scope,
      user: user.id,
      name: generation.name ?? `Set ${timestamp(createdAtMs)}`,
      model: generation.model.id,
      createdAtMs,
    },
    members: buildCandidates(call, generation, id, terms.fingerprint),
  };
  const reply = await service.gateway.ask(accountKey(scope), message, "work");
  expectReply(reply, "accepted_set");
  const set = requireFound(service.gateway.read(setKey(scope, id)));
  const location = ["Location", `${service.baseUrl}/sets/${id}`] as const;
  return json(202, buildView(call, set), [
    location,
    ...getDeprecationHeaders(generation.model, service),
  ]);
}

/** The first member carries the fingerprint of the whole set. */
function buildCandidates(
  call: Call<GenerateSetRequest>,
  { members }: SetGeneration,
  set: Id,
  fingerprint: string,
): SetCandidate[] {
  const { ids } = call.service;
  const partition = partitionOfId(call.principal.scope);
  const candidate = (work: Generation, at: number) => {
    const bodyDigest = digestOfBody(call, imagePath, work.canonical, undefined);
    const own = at === 0 ? fingerprint : "";
    const request = buildRequest(call, ids.under(partition), work, own, { bodyDigest, set });
    return { ...buildJob(request, work), inlineMs: 0 };
  };
  return members.map(({ label, work }, at) => ({
    label,
    work: "code" in work ? work : candidate(work, at),
  }));
}

function find({ service, principal, id }: Call<unknown, unknown>): OutputSet {
  return requireFound(service.gateway.read(setKey(principal.scope, requireFound(parseId(id)))));
}

function buildView({ service }: Call<unknown, unknown>, set: OutputSet) {
  const jobs = new Map<string, MemberJob>();
  const gone = new Map<string, Job["phase"]>();
  for (const member of set.members) {
    if (!("job" in member)) continue;
    const found = service.jobs.look(member.job, set.scope);
    if (found !== undefined) {
      jobs.set(member.job, { job: found.job, view: service.jobs.view(found) });
      continue;
    }
    const phase = service.gateway.read(jobRequestKey(member.job))?.goneAs;
    if (phase !== undefined) gone.set(member.job, phase);
  }
  return setView(set, jobs, gone, buildProblem);
}

async function listSets(
  call: Call<unknown, { limit: number; cursor: string | undefined }>,
): Promise<Answer> {
  const { service, principal, query } = call;
  const { scope } = principal;
  const bound = `sets ${scope}`;
  const after = service.cursors.after(query.cursor, bound, service.clock.nowMs());
  const { start, end } = getRange(setsKey(scope));
  const before = after === undefined ? end : setsKey(scope) + idBytes(after);
  const rows = await service.gateway.range({ start, end: before }, query.limit + 1, true);
  const sets = rows.map((row) => service.gateway.row<OutputSet>(row));
  const page = sets.slice(0, query.limit);
  const last = sets.length > query.limit ? page.at(-1) : undefined;
  return json(200, {
    items: page.map((set) => buildView(call, set)),
    next_cursor:
      last === undefined ? null : service.cursors.make(last.id, bound, service.clock.nowMs()),
    total: service.gateway.read(accountKey(scope))?.sets ?? 0,
  });
}

function isOpen({ gateway }: Service, id: Id): boolean {
  const job = gateway.read(jobKey(id));
  return job !== undefined && !isTerminal(job);
}

/** Cancels last members first: one that waits must not get the slot of an earlier one. */
async function cancelSet(call: Call): Promise<Answer> {
  const { service, principal } = call;
  const set = find(call);
  if (set.user !== principal.user.id) requirePermission(principal, "cancel_any");
  const message: CancelJob = { kind: "cancel", user: principal.user.id };
  let canceled = 0;
  for (const member of set.members.toReversed()) {
    if (!("job" in member) || !isOpen(service, member.job)) continue;
    const reply = await service.gateway.ask(jobKey(member.job), message, "settle");
    if ((reply as { kind: string }).kind === "canceled") canceled++;
  }
  if (canceled === 0)
    throw new RefusalError({ code: "conflict", detail: "No member of this set can be canceled." });
  return json(200, buildView(call, set));
}
