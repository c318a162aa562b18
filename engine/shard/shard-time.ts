import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";

/**
 * Shard time: max(time of the process, last record's time) at start, then monotonic, slewed towards
 * the wall clock by at most 1 %. It never goes back and never jumps, whatever happens to the wall
 * clock. The HTTP thread's time is made the same way, and learns of the shards' as they learn of
 * it: what one stamped is never later than what another stamps in answer to it.
 */
export class ShardTime {
  private readonly clock: Clock;
  private shardMs: number;
  private monotonicMs: number;

  /** `processMs` is the process's current time, if any: the wall clock may have jumped since. */
  constructor(clock: Clock, lastMs: number, processMs: number = clock.nowMs()) {
    this.clock = clock;
    this.shardMs = Math.max(processMs, lastMs);
    this.monotonicMs = clock.monotonicMs();
  }

  /** Advances to a time that another clock reported. */
  observe(atMs: number): void {
    // Time passed since the last call must not be added to a time that includes it already.
    this.advance();
    if (atMs > this.shardMs) this.shardMs = atMs;
  }

  /** Whole milliseconds since 1970. */
  nowMs(): number {
    this.advance();
    return Math.floor(this.shardMs);
  }

  private advance(): void {
    const monotonicMs = this.clock.monotonicMs();
    const elapsedMs = monotonicMs - this.monotonicMs;
    this.monotonicMs = monotonicMs;
    const aheadMs = this.shardMs + elapsedMs - this.clock.nowMs();
    const slackMs = elapsedMs * limits.engine.clockSlew;
    this.shardMs += elapsedMs - Math.max(-slackMs, Math.min(slackMs, aheadMs));
  }
}
