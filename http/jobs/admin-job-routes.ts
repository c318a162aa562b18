/**
 * The jobs of all accounts, newest first. There is no index over all of them: each partition has
 * its jobs in the order of their ids, those that failed once more by themselves, and the listing
 * merges the partitions. Other filters are looked up on the way, so a page ends early when it has
 * looked at many that do not match.
 */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { jobKey } from "../../actors/protocol/job.ts";
import { codes } from "../../actors/table-codes.ts";
import { limits } from "../../config/limits.ts";
import { type Modality, modalities } from "../../config/modalities.ts";
import { Type } from "../../config/schema.ts";
import { JobPage, type JobStatus, type Job as JobView, jobStatuses } from "../../contract/job.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Id, idAtEnd, idBytes, parseId } from "../../engine/id.ts";
import {
  createKey,
  getPartition,
  getPartitions,
  getRange,
  type Key,
  type KeyRange,
} from "../../engine/key.ts";
import type { TableReader } from "../../engine/ports/tables.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { KeyMerge } from "../paging/key-merge.ts";
import { nextCursor } from "../paging/pages.ts";
import { integer, optionalText, parseSome } from "../request/query.ts";
import { anywhere, type Call, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import type { Found } from "./job-reads.ts";

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
    getPartition: anywhere,
    rate: "read",
    query: {
      limit: integer(1, limits.admin.listMax, limits.admin.listDefault),
      cursor: optionalText(512),
      status: parseSome(jobStatuses),
      modality: parseSome(modalities),
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
  const wish = { ...filters, after: parseId(shown ?? ""), limit };
  const { items, last } = await listAllJobs(service, wish);
  return json(200, { items, next_cursor: nextCursor(service, last ?? undefined, bound) });
}

/** Lists the jobs of all nodes. Throws `RefusalError` with 503 while a shard has no owner. */
export async function listAllJobs(service: Service, wish: JobWish): Promise<JobPart> {
  return mergeParts(await gatherParts(service, wish), wish.limit);
}

/** Asks each owner for its jobs. Throws `RefusalError` with 503 while a shard has none. */
function gatherParts(service: Service, wish: JobWish): Promise<readonly JobPart[]> {
  const { gateway, cluster } = service;
  const shards = Array.from({ length: gateway.shardCount }, (_, shard) => shard);
  const isHere = (shard: number) => cluster === undefined || gateway.owns(shard);
  const here = shards.filter(isHere).flatMap((shard) => partitionsIn(gateway, shard));
  const elsewhere = shards.filter((shard) => !isHere(shard));
  const encoded = Buffer.from(JSON.stringify(wish)).toString("base64url");
  const asked = elsewhere.map(async (shard) => {
    const path = `${jobPartPath}${shard}/${encoded}`;
    return (await cluster?.forwarder.askPart(shard, path)) as JobPart;
  });
  return Promise.all([listPart(service, here, wish), ...asked]);
}

/** Merges parts, newest first, down to the oldest job that every part has reached. */
function mergeParts(parts: readonly JobPart[], limit: number): JobPart {
  const bound = parts.reduce(
    (newest, { last }) => (last !== null && last > newest ? last : newest),
    "",
  );
  const items = parts
    .flatMap((part) => part.items.filter(({ id }) => id >= bound))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const kept = items.slice(0, limit);
  const isCut = kept.length < items.length;
  return { items: kept, last: isCut ? (kept.at(-1)?.id ?? null) : bound || null };
}

/** The jobs that one node lists of its shards. */
export interface JobPart {
  readonly items: readonly JobView[];
  /** Last job that was examined; null when there are no more. */
  readonly last: Id | null;
}

/** Which jobs are to be listed, of all partitions or of some. */
export interface JobWish extends Omit<Query, "cursor"> {
  readonly after: Id | undefined;
}

export const jobPartPath = "/parts/jobs/";

/** Lists the jobs of some partitions, all of which this node can read. */
export async function listPart(
  service: Service,
  partitions: readonly number[],
  wish: JobWish,
): Promise<JobPart> {
  const { limit } = wish;
  const keys = await newestFirst(service.gateway, partitions, wish);
  const items: JobView[] = [];
  let last: Id | null = null;
  for (let looked = 1; items.length < limit && looked <= limits.admin.jobsLookedAtMax; looked++) {
    if (looked % limits.jobs.listStride === 0) await turnOfTheLoop();
    const key = keys.next();
    if (key === undefined) return { items, last: null };
    last = idAtEnd(key);
    const found = look(service, last);
    if (found !== undefined && matches(found, wish)) items.push(service.jobs.view(found));
  }
  return { items, last: keys.next() === undefined ? null : last };
}

export function partitionsIn({ shardCount }: Gateway, shard: number): number[] {
  const { first, last } = getPartitions(shard, shardCount);
  return Array.from({ length: last - first + 1 }, (_, place) => first + place);
}

/** Keys that end with job ids below `after`; waits until fresh rows are in the tables. */
async function newestFirst(
  gateway: Gateway,
  partitions: readonly number[],
  { status, after, limit }: JobWish,
) {
  const isOfFailed = status?.length === 1 && status[0] === "failed";
  const code = isOfFailed ? codes.failedJob : codes.job;
  const prefixes = partitions.map((partition) => createKey(partition, code, ""));
  const readers = new Map<number, TableReader["range"]>();
  await Promise.all(
    prefixes.map(async (prefix) => readers.set(getPartition(prefix), await gateway.ranges(prefix))),
  );
  const read = (range: KeyRange, limit: number) =>
    readers.get(getPartition(range.start))?.(range, limit, true) ?? [];
  return new KeyMerge(
    read,
    prefixes.map((prefix) => below(prefix, after)),
    limit,
  );
}

function below(prefix: Key, after: Id | undefined): KeyRange {
  const { start, end } = getRange(prefix);
  return { start, end: after === undefined ? end : prefix + idBytes(after) };
}

function look({ gateway, jobs }: Service, id: Id): Found | undefined {
  const head = gateway.read(jobKey(id));
  return head === undefined ? undefined : jobs.look(id, head.terms.scope);
}

function matches({ request: asked, job }: Found, query: JobWish): boolean {
  return (
    (query.status?.includes(job.phase) ?? true) &&
    (query.modality?.includes(asked.modality) ?? true) &&
    (query.model === undefined || asked.model === query.model) &&
    (query.user_id === undefined || asked.user === query.user_id.toLowerCase())
  );
}
