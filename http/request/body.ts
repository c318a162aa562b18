/** Parses bytes into a validated JSON value, or throws a refusal that names the fault. */

import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import { type Check, escapePointer } from "../../config/schema.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
const acceptedType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** A missing type counts as JSON. Throws `RefusalError` with 415. */
export function checkMediaType(contentType: string | undefined): void {
  if (contentType !== undefined && !acceptedType.test(contentType))
    throw new RefusalError({ code: "unsupported_media_type" });
}

/** Throws `RefusalError` with 415: compressed bodies are not accepted. */
export function checkContentEncoding(encoding: string | undefined): void {
  if (encoding?.split(",").some(isCoding)) throw new RefusalError({ code: "encoded_body" });
}

/**
 * Drops null members at every depth except inside `open` members: null in an optional member means
 * absence, unless `nulls` names the member. Throws `RefusalError` with 400.
 */
export function parseBody<T>(
  bytes: Uint8Array,
  check: Check<T>,
  open: readonly string[] = [],
  nulls: readonly string[] = [],
): T {
  const text = decode(bytes);
  const value = parseJson(text === "" ? "{}" : text, open);
  dropNulls(value, open, nulls);
  if (check(value)) return value;
  throw new RefusalError({ code: "validation", faults: check.faults(value) });
}

/**
 * Parses untrusted JSON, whose size is bounded first. Throws `RefusalError` with 400: invalid JSON,
 * too deep, too many entries outside `open` members, or a duplicate member.
 */
export function parseJson(text: string, open: readonly string[] = []): unknown {
  const members = countMembers(text);
  const value = parse(text);
  // JSON.parse silently keeps the last of duplicate keys.
  if (members !== countValueMembers(value))
    throw refuseMalformed("an object has the same member twice");
  refuseCrowd(value, open);
  if (surrogate.test(text)) refuseHalfCharacters(value, "");
  return value;
}

function isCoding(name: string): boolean {
  const coding = name.trim().toLowerCase();
  return coding !== "" && coding !== "identity";
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw refuseMalformed("the body is not valid UTF-8", error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuseMalformed("the body is not valid JSON", error);
  }
}

function refuseMalformed(detail: string, cause?: unknown): RefusalError {
  const refusal: Refusal = { code: "validation", faults: [{ pointer: "", detail }] };
  return Object.assign(new RefusalError(refusal), { cause });
}

/**
 * Counts the members of all objects by their colons. JSON.parse takes half a second for a megabyte
 * of keys or brackets, so their number and depth are bounded before. Invalid JSON is left to
 * JSON.parse. Throws `RefusalError` with 400.
 */
function countMembers(text: string): number {
  const { jsonDepthMax, jsonTokensMax } = limits.http;
  let colons = 0;
  let commas = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === colon) colons++;
    else if (code === comma) commas++;
    else if (code === bracket || code === brace) depth++;
    else if (code === closingBracket || code === closingBrace) depth--;
    else if (code === quote) at = endOfString(text, at + 1);
    if (depth > jsonDepthMax)
      throw refuseMalformed(`the body is nested deeper than ${jsonDepthMax} levels`);
    if (colons + commas > jsonTokensMax)
      throw refuseMalformed(`the body has more than ${jsonTokensMax} members and items`);
  }
  return colons;
}

const quote = 34;
const comma = 44;
const bracket = 91;
const closingBracket = 93;
const brace = 123;
const closingBrace = 125;
const colon = 58;
const backslash = 92;

/** Index of the closing quote, or the text's length when there is none. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
  return slashes % 2 === 1;
}

function countValueMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const member of Object.values(value)) members += countValueMembers(member);
  return members;
}

/** UTF-8 cannot contain lone surrogates, but an escape can produce one. */
const surrogate = /\\u[dD][89a-fA-F]/;

/** Throws `RefusalError` with 400 for a name or text that is not valid Unicode. */
function refuseHalfCharacters(value: unknown, pointer: string): void {
  const detail = "has half of a surrogate pair";
  const refusal = { code: "validation", faults: [{ pointer, detail }] } as const;
  if (typeof value === "string" && !value.isWellFormed()) throw new RefusalError(refusal);
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!name.isWellFormed()) throw new RefusalError(refusal);
    refuseHalfCharacters(member, `${pointer}/${escapePointer(name)}`);
  }
}

/**
 * Bounds the number of entries first, because a schema's check costs time for each of them. Members
 * that are passed on unchanged are bounded by their bytes.
 */
function refuseCrowd(value: unknown, open: readonly string[]): void {
  const pointer = findCrowdedMember(value, open);
  if (pointer === undefined) return;
  const detail = `has more than ${limits.http.jsonEntriesMax} entries`;
  throw new RefusalError({ code: "validation", faults: [{ pointer, detail }] });
}

/** Pointer to an object or array that has too many entries, including nested ones. */
function findCrowdedMember(value: unknown, open: readonly string[]): string | undefined {
  const crowd = { pointer: undefined as string | undefined };
  countEntries(value, "", open, crowd);
  return crowd.pointer;
}

function countEntries(
  value: unknown,
  pointer: string,
  open: readonly string[],
  crowd: { pointer: string | undefined },
): number {
  if (typeof value !== "object" || value === null) return 0;
  const names = Object.keys(value);
  let entries = names.length;
  for (let at = 0; at < names.length && entries <= limits.http.jsonEntriesMax; at++) {
    const name = names[at] ?? "";
    if (open.includes(name)) continue;
    const member = (value as Record<string, unknown>)[name];
    if (typeof member === "object")
      entries += countEntries(member, `${pointer}/${escapePointer(name)}`, open, crowd);
  }
  if (entries > limits.http.jsonEntriesMax) crowd.pointer ??= pointer;
  return entries;
}

/** Changes the value in place, which is safe because the parser has just made it. */
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
