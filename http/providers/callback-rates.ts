import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { RefusalError } from "../problems/refusal-error.ts";

/** How many callbacks of each provider are taken in a second; only configured ones are counted. */
export class CallbackRates {
  private readonly clock: Clock;
  private second = 0;
  private counts = new Map<string, number>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Throws `RefusalError` with 429. */
  count(provider: string): void {
    const second = Math.floor(this.clock.nowMs() / 1000);
    if (second !== this.second) this.counts.clear();
    this.second = second;
    const count = (this.counts.get(provider) ?? 0) + 1;
    this.counts.set(provider, count);
    if (count > limits.callbacks.perSecond)
      throw new RefusalError({ code: "rate_limit", retryAfterSeconds: 1 });
  }
}
