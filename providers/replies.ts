/** Reads providers' answers for all adapters, and bounds them before they are parsed. */
import { limits } from "../config/limits.ts";
import type { WebAnswer } from "../engine/ports/web.ts";
import { GoneError, ReplyError, UnavailableError } from "./provider.ts";

/** An answer whose body was read whole. */
export interface Reply {
  readonly status: number;
  /** Headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown;
}

/**
 * Reads an answer to its end. Throws `ReplyError` when it is larger than
 * `limits.providers.replyBytesMax`, and `PortError` when it breaks off.
 */
export async function readReply(
  { status, headers, body, discard }: WebAnswer,
  bytesMax: number = limits.providers.replyBytesMax,
): Promise<Reply> {
  const declared = Number(headers["content-length"] ?? 0);
  if (declared > bytesMax) {
    discard();
    throw new ReplyError("The provider's response is too large.");
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new ReplyError("The provider's response is too large.");
    chunks.push(chunk);
  }
  return { status, headers, json: parse(Buffer.concat(chunks)) };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Value of a `Retry-After` header in milliseconds: seconds or a date (RFC 9110, 10.2.3). Any other
 * text counts as absent.
 */
export function retryAfterMs(given: string | undefined, nowMs: number): number | undefined {
  const text = given?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number.MAX_SAFE_INTEGER, Number(text) * 1000);
  const ms = webDate.test(text) ? Date.parse(text) - nowMs : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

const webDate = /^[A-Z][a-z]{2,8}, [\w :-]{1,40} GMT$/;

/**
 * What a provider says of a failure, as far as customers may read it: one line without URLs, host
 * names, addresses, keys, accounts and traces; `otherwise` when nothing of it is left.
 */
export function customerMessage(text: unknown, otherwise: string): string {
  if (typeof text !== "string") return otherwise;
  const [line = ""] = text.slice(0, 4_000).split(/\r?\n/);
  const plain = line.replace(/\s+/g, " ").trim();
  if (plain === "" || foreign.test(plain)) return otherwise;
  return plain.slice(0, limits.jobs.failureMessageMax);
}

/** Matches addresses, host names, paths, secrets and code, which customers must not see. */
const foreign = new RegExp(
  [
    /:\/\/|\b\d{1,3}(?:\.\d{1,3}){3}\b|localhost/,
    /\b[\w-]+\.(?:ai|com|dev|io|internal|local|net|org)\b/,
    /\/(?:app|home|opt|root|src|usr|var)\//,
    /\b(?:Bearer|Traceback|sk-|r8_|key[-_ ]?id)\b|\borg-|\bacct/,
    /Error:|\bat 0x|[<>{}]/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "i",
);

/** A fault of the provider that may have passed by a later call: 5xx, 429. */
export function unavailable({ status, headers }: Pick<Reply, "status" | "headers">) {
  return new UnavailableError(status, headers["retry-after"]);
}

/** Bytes of a file from a provider's own API. Throws an error for any other answer. */
export function fileBytes(answer: WebAnswer): AsyncIterable<Uint8Array> {
  const { status } = answer;
  if (status === 200) return answer.body;
  answer.discard();
  if (isGone(answer)) throw new GoneError("the provider no longer has the file");
  if (isRefusedForNow(status)) throw unavailable(answer);
  throw new ReplyError(`The provider answered with status ${status} instead of a file.`);
}

export function isGone({ status }: Pick<Reply, "status">): boolean {
  return status === 404 || status === 410;
}

/** Whether a later call may succeed, for example once an account is paid or a key corrected. */
export function isRefusedForNow(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500 || isUnpaid(status);
}

/** Whether a provider refuses the operator's account or key, which is no fault of the customer. */
export function isUnpaid(status: number): boolean {
  return status === 401 || status === 402 || status === 403;
}
