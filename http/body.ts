/** From bytes to a checked JSON value, or a refusal that names what is wrong. */

import type { Refusal } from "../actors/refusal.ts";
import { limits } from "../config/limits.ts";
import type { Check } from "../config/schema.ts";
import { RefusalError } from "./refusal-error.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
const acceptedType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Of a client that began to send and then sent nothing for too long. */
export const stalledBody: Refusal = {
  code: "validation",
  detail: `Nothing of the body came for ${limits.http.bodyIdleMs / 1000} seconds.`,
  faults: [],
};

/** A missing type counts as JSON. Throws `RefusalError` with 415. */
export function checkMediaType(contentType: string | undefined): void {
  if (contentType !== undefined && !acceptedType.test(contentType))
    throw new RefusalError({ code: "unsupported_media_type" });
}

/**
 * Members that are null are dropped at every depth but inside `open` members: an optional member
 * may be null with the meaning of absent, but for those that `nulls` names. Throws `RefusalError`
 * with 400.
 */
export function parseBody<T>(
  bytes: Uint8Array,
  check: Check<T>,
  open: readonly string[] = [],
  nulls: readonly string[] = [],
): T {
  const text = decode(bytes);
  const value = parse(text === "" ? "{}" : text);
  refuseDuplicates(text, value);
  dropNulls(value, open, nulls);
  if (check(value)) return value;
  throw new RefusalError({ code: "validation", faults: check.faults(value) });
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw malformed("the body is not valid UTF-8", error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed("the body is not valid JSON", error);
  }
}

function malformed(detail: string, cause?: unknown): RefusalError {
  const refusal: Refusal = { code: "validation", faults: [{ pointer: "", detail }] };
  return Object.assign(new RefusalError(refusal), { cause });
}

/**
 * JSON.parse keeps the last of equal keys silently. Each member has one colon outside strings, so
 * the text has more colons than the value has members exactly when a key came twice.
 */
function refuseDuplicates(text: string, value: unknown): void {
  if (colonsOf(text) !== membersOf(value, 1))
    throw malformed("an object has the same member twice");
}

function colonsOf(text: string): number {
  let colons = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === colon) colons++;
    else if (code === quote) at = endOfString(text, at + 1);
  }
  return colons;
}

const quote = 34;
const colon = 58;
const backslash = 92;

function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
  return slashes % 2 === 1;
}

function membersOf(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > limits.http.jsonDepthMax)
    throw malformed(`the body is nested deeper than ${limits.http.jsonDepthMax} levels`);
  let members = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const member of Object.values(value)) members += membersOf(member, depth + 1);
  return members;
}

/** In place: the value is ours, fresh from the parser. */
function dropNulls(value: unknown, open: readonly string[], nulls: readonly string[]): void {
  if (Array.isArray(value)) for (const item of value) dropNulls(item, open, nulls);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const isNull = members[name] === null;
    if (isNull && !nulls.includes(name)) delete members[name];
    else if (!open.includes(name)) dropNulls(members[name], open, nulls);
  }
}
