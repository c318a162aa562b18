/** What all adapters do with a provider's answers: bounded before they are looked at. */
import { limits } from "../../config/limits.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { WebAnswer } from "../../engine/ports/web.ts";
import { ReplyError } from "./provider.ts";

/** An answer whose body was read whole. */
export interface Reply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed; undefined when it is no JSON. */
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
    throw new ReplyError("The provider's answer is larger than it may be.");
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new ReplyError("The provider's answer is larger than it may be.");
    chunks.push(chunk);
  }
  return { status, headers, json: parsed(Buffer.concat(chunks)) };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** In milliseconds; seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): number | undefined {
  const given = headers["retry-after"];
  if (given === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(given) ? Number(given) * 1000 : Date.parse(given) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

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

/** Addresses, host names, paths, secrets and code, none of which is for customers. */
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

/** A fault of the provider that a later call may not meet: 5xx, 429. */
export function unavailable(reply: Pick<Reply, "status">): PortError {
  return new PortError(`the provider answered ${reply.status}`, true);
}
