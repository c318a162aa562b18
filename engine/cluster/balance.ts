/**
 * Decides when a shard moves to the living node that rendezvous hashing ranks first for it: only a
 * shard without work, and one shard at a time, since each shard has time slots of its own.
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

  /** Creates the rule for one of `shardCount` shards and the directory. */
  constructor(shard: number, shardCount: number, clock: Clock, { seq }: Position) {
    this.shard = shard;
    this.slots = shardCount + 1;
    this.clock = clock;
    this.sinceMs = clock.monotonicMs();
    this.seq = seq;
  }

  /** `isFirst`: no node with all of the shard's records ranks before the owner. */
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
