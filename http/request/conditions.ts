/** Conditions that a client states of what it knows already (RFC 9110, section 13). */

import type { Header, HttpRequest } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { parseTags } from "./etag.ts";

/** By which a client knows whether it has the same bytes. */
export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  readonly modifiedMs?: number;
}

type Headers = HttpRequest["headers"];

export function validatorHeaders({ etag, modifiedMs }: Validators): readonly Header[] {
  const tag: Header = ["ETag", etag];
  return modifiedMs === undefined ? [tag] : [tag, ["Last-Modified", httpDate(modifiedMs)]];
}

/**
 * Whether 304 is the answer to a `GET`, in the order of section 13.2.2. Throws `RefusalError` with
 * 412 for what the client wants only if it is as it knows it.
 */
export function isUnchanged(headers: Headers, { etag, modifiedMs }: Validators): boolean {
  const wanted = parseTags(headers["if-match"]);
  const isSame = wanted === undefined || wanted === "*" || wanted.includes(etag);
  const unmodifiedSince = readDate(headers["if-unmodified-since"]);
  const isLater =
    wanted === undefined &&
    unmodifiedSince !== undefined &&
    modifiedMs !== undefined &&
    wholeSeconds(modifiedMs) > unmodifiedSince;
  if (!isSame || isLater) throw new RefusalError({ code: "precondition_failed" });
  const known = parseTags(headers["if-none-match"]);
  if (known !== undefined)
    return known === "*" || known.some((tag) => tag === etag || tag === `W/${etag}`);
  const modifiedSince = readDate(headers["if-modified-since"]);
  if (modifiedSince === undefined || modifiedMs === undefined) return false;
  return wholeSeconds(modifiedMs) <= modifiedSince;
}

/**
 * Whether a `Range` counts: with an `If-Range` only if the validator is exactly this one; with
 * another, or where there is none, the client wants the whole (13.1.5).
 */
export function isRangeWanted(headers: Headers, validators: Validators | undefined): boolean {
  const known = headers["if-range"];
  if (known === undefined) return true;
  if (validators === undefined) return false;
  const { etag, modifiedMs } = validators;
  return known === etag || (modifiedMs !== undefined && known === httpDate(modifiedMs));
}

function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

function readDate(header: string | undefined): number | undefined {
  const ms = Date.parse(header ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** Dates in headers have no fractions. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
