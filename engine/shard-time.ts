import { limits } from "../config/limits.ts";
import type { Clock } from "./ports/clock.ts";

/**
 * Shard time: max(wall clock, last record's time) at start, then monotonic, slewed towards the wall
 * clock by at most 1 %. It never goes back and never jumps, whatever happens to the wall clock.
 */
export class ShardTime {
  private readonly clock: Clock;
  private shardMs: number;
  private monotonicMs: number;

  constructor(clock: Clock, lastMs: number) {
    this.clock = clock;
    this.shardMs = Math.max(clock.nowMs(), lastMs);
    this.monotonicMs = clock.monotonicMs();
  }

  /** Milliseconds since 1970, whole. */
  nowMs(): number {
    const monotonicMs = this.clock.monotonicMs();
    const elapsedMs = monotonicMs - this.monotonicMs;
    this.monotonicMs = monotonicMs;
    const aheadMs = this.shardMs + elapsedMs - this.clock.nowMs();
    const slackMs = elapsedMs * limits.engine.clockSlew;
    this.shardMs += elapsedMs - Math.max(-slackMs, Math.min(slackMs, aheadMs));
    return Math.floor(this.shardMs);
  }
}
