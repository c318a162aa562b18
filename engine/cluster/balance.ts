/**
 * When a shard goes to the node that comes first for it among those that live, by rendezvous: only
 * a shard without work, and one shard at a time, since each has slots of time of its own.
 */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Position } from "../shard/flush.ts";

const { balanceMs, balanceRecordsMax, balanceSlotMs, heartbeatMs } = limits.cluster;

export class Balance {
  private readonly shard: number;
  private readonly slots: number;
  private readonly clock: Clock;
  private sinceMs: number;
  private seq: number;

  /** Of a shard among `shardCount` and the directory. */
  constructor(shard: number, shardCount: number, clock: Clock, { seq }: Position) {
    this.shard = shard;
    this.slots = shardCount + 1;
    this.clock = clock;
    this.sinceMs = clock.monotonicMs();
    this.seq = seq;
  }

  /** `isFirst`: no node that has every record comes before the owner. */
  isDue({ seq }: Position, isFirst: boolean): boolean {
    const nowMs = this.clock.monotonicMs();
    const passedMs = nowMs - this.sinceMs;
    if (isFirst || seq - this.seq > passedMs / heartbeatMs + balanceRecordsMax) {
      this.sinceMs = nowMs;
      this.seq = seq;
      return false;
    }
    const slot = Math.floor(this.clock.nowMs() / balanceSlotMs) % this.slots;
    return passedMs >= balanceMs && slot === this.shard;
  }
}
