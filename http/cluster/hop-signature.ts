/**
 * What makes a node believe a forwarded request: an HMAC-SHA256 over its head, sent with it, and
 * one over its body, sent behind it. A head is good once, for half a minute, at the one life of a
 * node that it names: what a node has taken is remembered in memory alone.
 */
import { createHash, createHmac, type Hash, timingSafeEqual } from "node:crypto";
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";

export class HopSigner {
  private readonly key: string;

  constructor(key: string) {
    this.key = key;
  }

  /** Signs `path` with its query, and `hop` exactly as it is sent. */
  signHead(method: string, path: string, hop: string): string {
    return this.sign("head", method, path, hop);
  }

  /** Signs the body, of which `digest` has read all bytes. */
  signBody(nonce: string, digest: Hash): string {
    return this.sign("body", nonce, digest.digest("hex"));
  }

  private sign(...parts: readonly string[]): string {
    return createHmac("sha256", this.key).update(JSON.stringify(parts)).digest("base64url");
  }
}

/** Remembers the nonces of accepted requests, so that each is accepted only once. */
export class HopNonces {
  private readonly clock: Clock;
  /** When each nonce expires, in the order in which the requests came. */
  private readonly untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** False for a request that is too old, from the future, or taken already. */
  takes(nonce: string, atMs: number): boolean {
    const nowMs = this.clock.nowMs();
    const { hopMs } = limits.cluster;
    if (!(Math.abs(nowMs - atMs) <= hopMs)) return false;
    for (const [oldest, untilMs] of this.untilMs) {
      if (untilMs >= nowMs) break;
      this.untilMs.delete(oldest);
    }
    if (this.untilMs.has(nonce)) return false;
    this.untilMs.set(nonce, nowMs + 2 * hopMs);
    return true;
  }
}

export function bodyDigest(): Hash {
  return createHash("sha256");
}

export function isSameSignature(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
