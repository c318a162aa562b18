/**
 * Requests per minute, by account and class, and by address without a valid bearer; counted where
 * the scope is owned, in fixed windows that begin with the minute.
 */
import { limits } from "../config/limits.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Header } from "./answer.ts";

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
  private window = 0;
  private readonly used = new Map<string, number>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Counts one request of `who`. */
  count(name: RateClass, who: string): RateState {
    const nowMs = this.clock.nowMs();
    const window = Math.floor(nowMs / windowMs);
    if (window !== this.window) {
      this.window = window;
      this.used.clear();
    }
    const quota = limits.rates[name];
    const key = `${name} ${who}`;
    const used = (this.used.get(key) ?? 0) + 1;
    this.used.set(key, used);
    const resetSeconds = Math.max(1, Math.ceil(((window + 1) * windowMs - nowMs) / 1000));
    const left = Math.max(0, quota - used);
    return {
      isOver: used > quota,
      resetSeconds,
      headers: [
        ["RateLimit-Policy", `"${name}";q=${quota};w=${limits.rates.windowSeconds}`],
        ["RateLimit", `"${name}";r=${left};t=${resetSeconds}`],
      ],
    };
  }
}
