/**
 * Limits requests per minute, by account and class, and by address without a valid bearer. They are
 * counted where the scope is owned, in fixed windows that begin with the minute.
 */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { constantHeader, type Header } from "../exchange/answer.ts";
import { exceeds, findClient } from "../transport/clients.ts";
import type { TrustedProxies } from "../transport/trusted-proxies.ts";

export type RateClass = "read" | "submit" | "write" | "upload" | "anonymous";

export interface RateState {
  readonly isOver: boolean;
  readonly resetSeconds: number;
  /** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  readonly headers: readonly Header[];
}

const windowMs = limits.rates.windowSeconds * 1000;

export class RateClasses {
  private readonly clock: Clock;
  private readonly proxies: TrustedProxies;
  private window = 0;
  private used = noUse();

  constructor(clock: Clock, proxies: TrustedProxies) {
    this.clock = clock;
    this.proxies = proxies;
  }

  /** Counts one request without a valid bearer; requests of a trusted proxy are not counted. */
  countAddress(address: string): RateState | undefined {
    if (this.proxies.has(address)) return undefined;
    const client = findClient(address);
    const quota = limits.rates.anonymous;
    let used = 0;
    const isOver = exceeds(client, quota, (name) => {
      const count = this.add("anonymous", name);
      used = Math.max(used, name === client.name ? count : 0);
      return count;
    });
    return this.describe("anonymous", used, isOver);
  }

  /** Counts one request of the account or address `who`. */
  count(name: RateClass, who: string): RateState {
    const used = this.add(name, who);
    return this.describe(name, used, used > limits.rates[name]);
  }

  /** Adds one request to this window and returns the new count. */
  private add(name: RateClass, who: string): number {
    const window = Math.floor(this.clock.nowMs() / windowMs);
    if (window !== this.window) {
      this.window = window;
      this.used = noUse();
    }
    const used = (this.used[name].get(who) ?? 0) + 1;
    this.used[name].set(who, used);
    return used;
  }

  private describe(name: RateClass, used: number, isOver: boolean): RateState {
    const endMs = (this.window + 1) * windowMs;
    const resetSeconds = Math.max(1, Math.ceil((endMs - this.clock.nowMs()) / 1000));
    const left = Math.max(0, limits.rates[name] - used);
    const headers = [
      policies[name],
      ["RateLimit", `"${name}";r=${left};t=${resetSeconds}`],
    ] as const;
    return { isOver, resetSeconds, headers };
  }
}

function noUse(): Record<RateClass, Map<string, number>> {
  return {
    read: new Map(),
    submit: new Map(),
    write: new Map(),
    upload: new Map(),
    anonymous: new Map(),
  };
}

const policies: Readonly<Record<RateClass, Header>> = {
  read: getPolicy("read"),
  submit: getPolicy("submit"),
  write: getPolicy("write"),
  upload: getPolicy("upload"),
  anonymous: getPolicy("anonymous"),
};

function getPolicy(name: RateClass): Header {
  const { windowSeconds, [name]: quota } = limits.rates;
  return constantHeader("RateLimit-Policy", `"${name}";q=${quota};w=${windowSeconds}`);
}
