/**
 * The jobs of all accounts, newest first. There is no index over all of them: each partition has
 * its jobs in the order of their ids, and the listing merges the partitions. Filters are looked up
 * on the way, so a page ends early when it has looked at many that do not match.
 */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { JobPage, type JobStatus, jobStatuses } from "../../actors/contract/job.ts";
import { jobKey } from "../../actors/job/job.ts";
import { codes } from "../../actors/table-codes.ts";
import { type Modality, modalities } from "../../config/catalogue.ts";
import { limits } from "../../config/limits.ts";
import { Type } from "../../config/schema.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Id, idAtEnd, idBytes, parseId } from "../../engine/id.ts";
import { type Key, type KeyRange, keyOf, partitionOf, rangeOf } from "../../engine/key.ts";
import type { Found } from "../jobs/job-reads.ts";
import { KeyMerge } from "../paging/key-merge.ts";
import { nextCursor } from "../paging/pages.ts";
import { integer, optionalText, someOf } from "../request/query.ts";
import { type Call, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { type Answer, json } from "../transport/answer.ts";

interface Query {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly status: readonly JobStatus[] | undefined;
  readonly modality: readonly Modality[] | undefined;
  readonly model: string | undefined;
  readonly user_id: string | undefined;
}

const AdminJobPage = Type.Object(
  { items: JobPage.properties.items, next_cursor: JobPage.properties.next_cursor },
  { title: "AdminJobPage" },
);

export const adminJobRoutes: readonly Route[] = [
  route("GET", "/v1/admin/jobs", {
    summary: "List the jobs of all accounts, newest first",
    answers: { 200: AdminJobPage },
    access: "admin",
    rate: "read",
    query: {
      limit: integer(1, limits.admin.listMax, limits.admin.listDefault),
      cursor: optionalText(512),
      status: someOf(jobStatuses),
      modality: someOf(modalities),
      model: optionalText(64),
      user_id: optionalText(36),
    },
    run: listJobs,
  }),
];

async function listJobs({ service, query }: Call<unknown, Query>): Promise<Answer> {
  const { cursor, limit, ...filters } = query;
  const bound = `admin jobs ${JSON.stringify(filters)}`;
  const shown = service.cursors.after(cursor, bound, service.clock.nowMs());
  const keys = await newestFirst(service.gateway, parseId(shown ?? ""), limit);
  const items: unknown[] = [];
  let last: Id | undefined;
  for (let looked = 1; items.length < limit && looked <= limits.admin.jobsLookedAtMax; looked++) {
    if (looked % limits.jobs.listStride === 0) await turnOfTheLoop();
    const key = keys.next();
    if (key === undefined) return json(200, { items, next_cursor: null });
    last = idAtEnd(key);
    const found = look(service, last);
    if (found !== undefined && matches(found, query)) items.push(service.jobs.view(found));
  }
  const isOver = keys.next() === undefined;
  return json(200, { items, next_cursor: nextCursor(service, isOver ? undefined : last, bound) });
}

/** Keys of jobs below `after`; waits until what is fresh is in the tables. */
async function newestFirst(gateway: Gateway, after: Id | undefined, count: number) {
  const prefixes = Array.from({ length: 256 }, (_, partition) => keyOf(partition, codes.job, ""));
  const readers = await Promise.all(prefixes.map((prefix) => gateway.ranges(prefix)));
  const read = (range: KeyRange, limit: number) =>
    readers[partitionOf(range.start)]?.(range, limit, true) ?? [];
  return new KeyMerge(
    read,
    prefixes.map((prefix) => below(prefix, after)),
    count,
  );
}

function below(prefix: Key, after: Id | undefined): KeyRange {
  const { start, end } = rangeOf(prefix);
  return { start, end: after === undefined ? end : prefix + idBytes(after) };
}

function look({ gateway, jobs }: Service, id: Id): Found | undefined {
  const head = gateway.read(jobKey(id));
  return head === undefined ? undefined : jobs.look(id, head.terms.scope);
}

function matches({ request: asked, job }: Found, query: Query): boolean {
  return (
    (query.status?.includes(job.phase) ?? true) &&
    (query.modality?.includes(asked.modality) ?? true) &&
    (query.model === undefined || asked.model === query.model) &&
    (query.user_id === undefined || asked.user === query.user_id.toLowerCase())
  );
}
