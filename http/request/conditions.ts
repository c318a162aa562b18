/** Conditional requests: what a client states about its own copy (RFC 9110, section 13). */

import type { Header, HttpRequest } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { parseTags } from "./etag.ts";

/** Validators by which a client knows whether its copy is current. */
export interface Validators {
  /** A strong entity tag, including its quotes. */
  readonly etag: string;
  readonly modifiedMs?: number;
}

type Headers = HttpRequest["headers"];

export function validatorHeaders({ etag, modifiedMs }: Validators): readonly Header[] {
  const tag: Header = ["ETag", etag];
  return modifiedMs === undefined ? [tag] : [tag, ["Last-Modified", httpDate(modifiedMs)]];
}

/**
 * Whether to answer a `GET` with 304, checked in the order of section 13.2.2. Throws `RefusalError`
 * with 412 when a precondition of the client does not hold.
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
 * Whether to honour a `Range`: an `If-Range` must match this validator exactly; if it does not, or
 * if there is no validator, the client gets the whole (13.1.5).
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

/** Drops milliseconds, because dates in headers have whole seconds. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
