/**
 * `GET /jobs`: newest first, by the listing rows of a scope, which say modality and status. What
 * only the jobs themselves know (model, tag) is looked up on the way. `total` comes from the
 * account's counts, so it costs nothing however many jobs there are. Long searches let other
 * requests through between strides.
 */

import { countIndex } from "../actors/account/account.ts";
import { type JobStatus, jobStatuses } from "../actors/contract/job.ts";
import {
  accountKey,
  askedKey,
  jobKey,
  jobOfListing,
  jobOfScopeKey,
  jobsOfScopeKey,
} from "../actors/tables.ts";
import { type Modality, modalities } from "../config/catalogue.ts";
import { limits } from "../config/limits.ts";
import type { KeyRange } from "../engine/actor.ts";
import { firstIdAt, type Id, parseId, vpartOfId } from "../engine/id.ts";
import { rangeOf } from "../engine/key.ts";
import type { TableRow } from "../engine/ports/tables.ts";
import { type Answer, json } from "./answer.ts";
import type { Found } from "./job-reads.ts";
import { requirePermission } from "./permissions.ts";
import { RefusalError } from "./refusal-error.ts";
import type { Call } from "./route.ts";

interface ListQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly status: readonly JobStatus[] | undefined;
  readonly modality: readonly Modality[] | undefined;
  readonly model: string | undefined;
  readonly tag: string | undefined;
  readonly created_after: number | undefined;
  readonly created_before: number | undefined;
}

export async function listJobs({
  service,
  principal,
  query,
}: Call<unknown, ListQuery>): Promise<Answer> {
  requirePermission(principal, "read");
  const { cursor, limit, ...filters } = query;
  const { scope } = principal;
  const bound = JSON.stringify([scope, filters]);
  const nowMs = service.clock.nowMs();
  const after = cursor === undefined ? undefined : service.cursors.read(cursor, bound, nowMs);
  if (cursor !== undefined && after === undefined) throw new RefusalError(badCursor);

  const found = await search(service, scope, query, parseId(after ?? ""), limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return json(200, {
    items: page.map((job) => service.jobs.view(job)),
    next_cursor: last === undefined ? null : service.cursors.make(last.asked.id, bound, nowMs),
    total: totalOf(service.gateway.read(accountKey(scope))?.counts ?? [], query),
  });
}

const badCursor = {
  code: "validation",
  faults: [{ pointer: "?cursor", detail: "is malformed, expired or of another listing" }],
} as const;

/** Up to `count` jobs below `after`. */
async function search(
  service: Call["service"],
  scope: Id,
  query: ListQuery,
  after: Id | undefined,
  count: number,
): Promise<Found[]> {
  const found: Found[] = [];
  const range = bounds(scope, query, after);
  let { end } = range;
  for (;;) {
    const stride = Math.min(limits.jobs.listStride, Math.max(count * 2, 64));
    const rows = await service.gateway.range({ start: range.start, end }, stride, true);
    for (const row of rows) {
      const job = matching(service, row, query);
      if (job !== undefined) found.push(job);
      if (found.length === count) return found;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < stride) return found;
    end = last.key;
  }
}

function bounds(scope: Id, query: ListQuery, after: Id | undefined): KeyRange {
  const all = rangeOf(jobsOfScopeKey(scope));
  const at = (ms: number) => jobOfScopeKey(scope, firstIdAt(Math.max(0, ms), vpartOfId(scope)));
  const { created_after: from, created_before: to } = query;
  const start = from === undefined ? all.start : at(from + 1);
  // A cursor is bound to its filters, so what was shown last lies within them.
  if (after !== undefined) return { start, end: jobOfScopeKey(scope, after) };
  return { start, end: to === undefined ? all.end : at(to) };
}

function matching(service: Call["service"], row: TableRow, query: ListQuery): Found | undefined {
  const [modality = "", status = ""] = (JSON.parse(row.text) as string).split(" ");
  if (query.status?.some((wanted) => wanted === status) === false) return undefined;
  if (query.modality?.some((wanted) => wanted === modality) === false) return undefined;
  const id = jobOfListing(row.key);
  const asked = service.gateway.read(askedKey(id));
  const job = service.gateway.read(jobKey(id));
  if (asked === undefined || job === undefined) return undefined;
  if (query.model !== undefined && asked.model !== query.model) return undefined;
  if (query.tag !== undefined && !asked.tags.includes(query.tag)) return undefined;
  return { asked, job };
}

function totalOf(counts: readonly number[], query: ListQuery): number {
  let total = 0;
  for (const modality of query.modality ?? modalities)
    for (const status of query.status ?? jobStatuses)
      total += counts[countIndex(modality, status)] ?? 0;
  return total;
}
