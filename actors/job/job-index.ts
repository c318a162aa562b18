/**
 * How jobs are found: by owner, class and model, newest last. A class is a modality and what became
 * of the job (`open` while it is queued or running), so filters of a listing are ranges and not
 * searches. Owners are a scope and, in an organization, each of its members.
 *
 * A terminal job never changes its class: its row is written once. The materialiser writes these
 * rows from heads.
 */
import { hash } from "node:crypto";
import { type Modality, modalities } from "../../config/catalogue.ts";
import { put, type RowWrite } from "../../engine/actor.ts";
import { type Id, idBytes, vpartOfId } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import type { JobStatus } from "../contract/job.ts";
import { jobsOfOwnerKey } from "../tables.ts";
import type { Job, Terms } from "./job.ts";

const ends = ["open", "succeeded", "failed", "canceled"] as const;
type End = (typeof ends)[number];

export function endOf(status: JobStatus): End {
  return status === "queued" || status === "running" ? "open" : status;
}

/** One byte of a model's name; two models may share one. */
export function modelTag(model: string): number {
  return hash("sha256", model, "binary").charCodeAt(0);
}

/** 8 bytes as a binary string. */
export function tagDigest(tag: string): string {
  return hash("sha256", tag, "binary").slice(0, 8);
}

/** 16 bytes as a binary string. `member` is undefined for all of a scope's jobs. */
export function ownerOf(scope: Id, member: Id | undefined): string {
  if (member === undefined) return idBytes(scope);
  const a = idBytes(scope);
  const b = idBytes(member);
  let owner = "";
  for (let at = 0; at < 16; at++) owner += String.fromCharCode(a.charCodeAt(at) ^ b.charCodeAt(at));
  return owner;
}

/** Where the jobs of one class and model of an owner begin. */
export function jobsOf(
  scope: Id,
  owner: string,
  modality: Modality,
  end: End,
  model: number,
): Key<string> {
  const byte = modalities.indexOf(modality) * ends.length + ends.indexOf(end);
  return jobsOfOwnerKey(vpartOfId(scope), owner, String.fromCharCode(byte, model));
}

/** The rows that a job's head stands for. */
export function listingOf({ terms, phase }: Job): RowWrite[] {
  const rows = rowsOf(terms, undefined, endOf(phase));
  return terms.member === undefined
    ? rows
    : [...rows, ...rowsOf(terms, terms.member, endOf(phase))];
}

function rowsOf(terms: Terms, member: Id | undefined, end: End): RowWrite[] {
  const { scope, modality, modelTag, job } = terms;
  const owner = ownerOf(scope, member);
  const open = jobsOf(scope, owner, modality, "open", modelTag) + idBytes(job);
  if (end === "open") return [put(open, "")];
  const ended = jobsOf(scope, owner, modality, end, modelTag) + idBytes(job);
  return [put(ended, ""), { key: open, value: undefined }];
}
