import type { Clock } from "./ports/clock.ts";
import { ShardTime } from "./shard/shard-time.ts";

/**
 * The clock of the process, by which the HTTP thread stamps and compares. It is slewed like the
 * shards' clocks, so that a jump of the wall clock changes neither pending nor earlier stamps.
 */
export class ProcessClock implements Clock {
  private readonly clock: Clock;
  private readonly time: ShardTime;

  constructor(clock: Clock) {
    this.clock = clock;
    this.time = new ShardTime(clock, 0);
  }

  nowMs(): number {
    return this.time.nowMs();
  }

  monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  after(delayMs: number, run: () => void): () => void {
    return this.clock.after(delayMs, run);
  }

  /** Advances the clock to a time that a shard reported. */
  observe(atMs: number): void {
    this.time.observe(atMs);
  }
}
