/**
 * How jobs are found: by owner, class and model, newest last. A class is a modality and what became
 * of the job (`open` while it is queued or running), so filters of a listing are ranges and not
 * searches. Owners are a scope and, in an organization, each of its members; and of either those
 * jobs that carry a tag, that belong to an agent's session, or both.
 *
 * Operators find the jobs that failed, of all accounts, among those of each partition.
 *
 * A terminal job never changes its class: its row is written once. The flush writes these
 * rows from heads, so a submit writes none of them.
 */

import { hash } from "node:crypto";
import { type Modality, modalities } from "../../config/modalities.ts";
import type { JobStatus } from "../../contract/job.ts";
import { put, type RowWrite } from "../../engine/actor.ts";
import type { IndexRule } from "../../engine/domain.ts";
import { type Id, idBytes, partitionOfId } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import type { Job, Terms } from "../protocol/job.ts";
import { codes } from "../table-codes.ts";

const ends = ["open", "succeeded", "failed", "canceled"] as const;
type End = (typeof ends)[number];

export function computeEnd(status: JobStatus): End {
  return status === "queued" || status === "running" ? "open" : status;
}

/** Two bytes of a hash of the model's name, as a number; on collisions readers compare names. */
export function modelTag(model: string): number {
  const digest = hash("sha256", model, "binary");
  return (digest.charCodeAt(0) << 8) | digest.charCodeAt(1);
}

/** A tag's digest: 66 bits as text, since digests are stored in heads. */
export function tagDigest(tag: string): string {
  return hash("sha256", tag, "base64url").slice(0, 11);
}

/** Returns an owner: 16 bytes as a binary string. An undefined `member` means the whole scope. */
export function getIndexOwner(scope: Id, member: Id | undefined): string {
  if (member === undefined) return idBytes(scope);
  const a = idBytes(scope);
  const b = idBytes(member);
  let owner = "";
  for (let at = 0; at < 16; at++) owner += String.fromCharCode(a.charCodeAt(at) ^ b.charCodeAt(at));
  return owner;
}

/**
 * Returns the index owner for those jobs of `owner` that belong to an agent's session, carry a tag,
 * or both. Every job is listed under each of its owners, so no combination of filters needs a
 * search.
 */
export function narrowOwner(
  owner: string,
  session: Id | undefined,
  tag: string | undefined,
): string {
  if (session === undefined && tag === undefined) return owner;
  const name = `${session ?? ""} ${tag ?? ""} ${owner}`;
  return hash("sha256", Buffer.from(name, "latin1"), "binary").slice(0, 16);
}

/** Key prefix of an owner's jobs of one class and model. */
export function jobsKey(
  scope: Id,
  owner: string,
  modality: Modality,
  end: End,
  model: number,
): Key<string> {
  const byte = modalities.indexOf(modality) * ends.length + ends.indexOf(end);
  const place = String.fromCharCode(byte, model >> 8, model & 255);
  return jobsOfOwnerKey(partitionOfId(scope), owner, place);
}

type Listed = Pick<Job, "terms" | "phase">;

export const jobIndex: IndexRule = {
  pick(head): Listed {
    const { terms, phase } = head as Job;
    return { terms, phase };
  },
  entries: (picked, hasEarlier) => listIndexEntries(picked as Listed, hasEarlier),
};

/** Index entries for a job's head; the entries of an open job are deleted if it `wasOpen`. */
export function listIndexEntries({ terms, phase }: Listed, wasOpen: boolean): RowWrite[] {
  const { scope, modality, modelTag } = terms;
  const job = idBytes(terms.job);
  const end = computeEnd(phase);
  const rows: RowWrite[] = end === "failed" ? [put(createFailedJobKey(terms.job), "")] : [];
  for (const owner of listOwners(terms)) {
    rows.push(put(jobsKey(scope, owner, modality, end, modelTag) + job, ""));
    if (end === "open" || !wasOpen) continue;
    const open = jobsKey(scope, owner, modality, "open", modelTag) + job;
    rows.push({ key: open, value: undefined });
  }
  return rows;
}

function listOwners({ scope, member, turn, tags = [] }: Terms): string[] {
  const owners = [getIndexOwner(scope, undefined)];
  if (member !== undefined) owners.push(getIndexOwner(scope, member));
  const session = turn?.session;
  if (session === undefined && tags.length === 0) return owners;
  return owners.flatMap((owner) => {
    const narrow = tags.map((tag) => narrowOwner(owner, undefined, tag));
    if (session === undefined) return [owner, ...narrow];
    const ofSession = tags.map((tag) => narrowOwner(owner, session, tag));
    return [owner, narrowOwner(owner, session, undefined), ...narrow, ...ofSession];
  });
}

/**
 * Key of the jobs of an owner (a scope, or one member of an organization, or the jobs of either
 * with a tag or a session) by class, by model and then by id. `owner` is 16 bytes; see
 * `job/job-index.ts`.
 */
export function jobsOfOwnerKey(partition: number, owner: string, place: string): Key<string> {
  return createKey(partition, codes.jobOfOwner, owner + place);
}

function createFailedJobKey(job: Id): Key<string> {
  return createKey(partitionOfId(job), codes.failedJob, idBytes(job));
}

export function jobsOfTurnKey(turn: Id, job: string): Key<string> {
  return createKey(partitionOfId(turn), codes.jobOfTurn, idBytes(turn) + job);
}
