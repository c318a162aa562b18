/**
 * `GET /jobs`: newest first. Jobs are indexed by owner, class (modality and end) and model, and
 * once more by tag and session, so filters choose ranges and the listing merges them; a set names
 * its members. What is left (queued or running) is looked up on the way. `total` comes from counts,
 * so it costs nothing however many jobs there are.
 */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { memberCountsKey } from "../../actors/account/member-counts.ts";
import {
  computeEnd,
  getIndexOwner,
  jobsKey,
  modelTag,
  narrowOwner,
  tagDigest,
} from "../../actors/job/job-index.ts";
import { countIndex, modelPlace } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { type Job, jobKey } from "../../actors/protocol/job.ts";
import { setKey } from "../../actors/protocol/set.ts";
import { codes } from "../../actors/table-codes.ts";
import { limits } from "../../config/limits.ts";
import { type Modality, modalities } from "../../config/modalities.ts";
import { type JobStatus, jobStatuses } from "../../contract/job.ts";
import { firstIdAt, type Id, idBytes, parseId, partitionOfId } from "../../engine/id.ts";
import { createKey, getPartition, getRange, type Key, type KeyRange } from "../../engine/key.ts";
import { type Answer, jsonText } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { KeyMerge } from "../paging/key-merge.ts";
import type { Call } from "../route.ts";
import type { Found } from "./job-reads.ts";

export interface ListQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly status: readonly JobStatus[] | undefined;
  readonly modality: readonly Modality[] | undefined;
  readonly model: string | undefined;
  readonly tag: string | undefined;
  readonly set_id: string | undefined;
  readonly agent_session_id: string | undefined;
  readonly created_after: number | undefined;
  readonly created_before: number | undefined;
  readonly scope: readonly "organization"[] | undefined;
}

type ListCall = Pick<Call<unknown, ListQuery>, "service" | "principal" | "query">;

export async function listJobs(call: ListCall): Promise<Answer> {
  const { service, principal, query } = call;
  const { cursor, limit, ...filters } = query;
  const { scope, user } = principal;
  const isShared = query.scope !== undefined;
  if (isShared && scope === user.id) throw new RefusalError(noOrganization);
  const member = isShared || scope === user.id ? undefined : user.id;
  const bound = JSON.stringify([scope, member, filters]);
  const nowMs = service.clock.nowMs();
  const after = service.cursors.after(cursor, bound, nowMs);
  // The text of a job that follows the page is written too: it is kept for the next page or poll.
  const found = await search(call, member, parseId(after ?? ""), limit + 1, (job) =>
    service.jobs.writeText(job),
  );
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const rest = JSON.stringify({
    next_cursor: last === undefined ? null : service.cursors.make(last.request.id, bound, nowMs),
    total: countTotal(readCounts(call, member), query),
  });
  // Added strings are copied once, when they are sent; a join would copy them twice.
  let items = "";
  for (const { text } of page) items += items === "" ? text : `,${text}`;
  return jsonText(200, `{"items":[${items}],${rest.slice(1)}`);
}

const noOrganization = {
  code: "validation",
  faults: [{ pointer: "?scope", detail: "is only for callers acting in an organization" }],
} as const;

/**
 * Finds up to `count` jobs below `after`, newest first; of the whole scope if `member` is
 * undefined. `take` is called with each at once, since its rows may change while others are sought.
 */
export async function search<Taken>(
  call: ListCall,
  member: Id | undefined,
  after: Id | undefined,
  count: number,
  take: (job: Found) => Taken,
): Promise<Taken[]> {
  const { service, principal, query } = call;
  const { gateway } = service;
  const found: Taken[] = [];
  const ranges = await gateway.ranges(accountKey(principal.scope));
  const read = (range: KeyRange, limit: number) => ranges(range, limit, true);
  const inSet = query.set_id === undefined ? undefined : jobsOfSet(call, query.set_id, after);
  const merge = new KeyMerge(
    read,
    inSet === undefined ? limitRange(call, member, after) : [],
    count,
  );
  for (let looked = 1; ; looked++) {
    // Long searches let other requests through.
    if (looked % limits.jobs.listStride === 0) await turnOfTheLoop();
    const key = inSet === undefined ? jobAtEnd(merge.next()) : inSet.shift();
    if (key === undefined) return found;
    const job = listMatching(call, key, member);
    if (job !== undefined) found.push(take(job));
    if (found.length === count) return found;
  }
}

/** Key ranges to search, limited to the requested times and to rows below the last one shown. */
function limitRange(call: ListCall, member: Id | undefined, after: Id | undefined) {
  const { principal, query } = call;
  const partition = partitionOfId(principal.scope);
  const at = (ms: number) => idBytes(firstIdAt(Math.max(0, ms), partition));
  const { created_after: from, created_before: to } = query;
  // A cursor is bound to its filters, so the last row shown lies within the times.
  const below = after === undefined ? to && at(to) : idBytes(after);
  return prefixes(call, member).map((prefix) => {
    const all = getRange(prefix);
    return {
      start: from === undefined ? all.start : prefix + at(from + 1),
      end: below === undefined ? all.end : prefix + below,
    };
  });
}

function prefixes(call: ListCall, member: Id | undefined): Key[] {
  const { principal, query } = call;
  const { scope } = principal;
  const named = query.agent_session_id;
  const session = named === undefined ? undefined : parseId(named);
  if (named !== undefined && session === undefined) return [];
  const tag = query.tag === undefined ? undefined : tagDigest(query.tag);
  const owner = narrowOwner(getIndexOwner(scope, member), session, tag);
  return classes(call).map(({ modality, end, model }) =>
    jobsKey(scope, owner, modality, end, model),
  );
}

/** Key of the job that an index entry names. */
function jobAtEnd(entry: Key | undefined): Key<Job> | undefined {
  return entry && createKey(getPartition(entry), codes.job, entry.slice(-16));
}

/** Lists the members of a set, whose row names them oldest first. */
function jobsOfSet(
  { service, principal }: ListCall,
  name: string,
  after: Id | undefined,
): Key<Job>[] {
  const id = parseId(name);
  const set = id === undefined ? undefined : service.gateway.read(setKey(principal.scope, id));
  const jobs = set?.members.flatMap((member) => ("job" in member ? [member.job] : [])) ?? [];
  const shown = jobs.filter((job) => after === undefined || job < after);
  return shown.map((job): Key<Job> => jobKey(job)).reverse();
}

/**
 * Covers only models that the account has used and end states that its jobs have reached. When jobs
 * leave `open`, the account may know it before the tables do, so that class is always searched.
 */
function classes({ service, principal, query }: ListCall) {
  const account = service.gateway.read(accountKey(principal.scope));
  if (account === undefined) return [];
  const tag = query.model === undefined ? undefined : modelTag(query.model);
  return (query.modality ?? modalities).flatMap((modality) => {
    const first = modelPlace(modality, 0);
    const models = account.models
      .filter((place) => place >= first && place < modelPlace(modality, 65_536))
      .map((place) => place - first)
      .filter((model) => tag === undefined || model === tag);
    const statuses = (query.status ?? jobStatuses).filter(
      (status) =>
        computeEnd(status) === "open" || (account.counts[countIndex(modality, status)] ?? 0) > 0,
    );
    const ends = [...new Set(statuses.map(computeEnd))];
    return ends.flatMap((end) => models.map((model) => ({ modality, end, model })));
  });
}

/** Applies the filters that the key ranges do not cover. */
function listMatching(
  { service, principal, query }: ListCall,
  key: Key<Job>,
  member: Id | undefined,
) {
  const found = service.jobs.lookAt(key, principal.scope);
  if (found === undefined) return undefined;
  const { request: asked, job } = found;
  const isWanted =
    (member === undefined || asked.user === member) &&
    (query.status?.includes(job.phase) ?? true) &&
    (query.modality?.includes(asked.modality) ?? true) &&
    (query.model === undefined || asked.model === query.model) &&
    (query.tag === undefined || asked.tags.includes(query.tag)) &&
    isBetween(asked.createdAtMs, query) &&
    (query.agent_session_id === undefined ||
      asked.turn?.session === query.agent_session_id.toLowerCase());
  return isWanted ? found : undefined;
}

function isBetween(atMs: number, { created_after: from, created_before: to }: ListQuery) {
  return (from === undefined || atMs > from) && (to === undefined || atMs < to);
}

function readCounts({ service, principal }: ListCall, member: Id | undefined): readonly number[] {
  const account = accountKey(principal.scope);
  if (member !== undefined) return service.gateway.read(memberCountsKey(account, member)) ?? [];
  return service.gateway.read(account)?.counts ?? [];
}

function countTotal(counts: readonly number[], query: ListQuery): number {
  let total = 0;
  for (const modality of query.modality ?? modalities)
    for (const status of query.status ?? jobStatuses)
      total += counts[countIndex(modality, status)] ?? 0;
  return total;
}
