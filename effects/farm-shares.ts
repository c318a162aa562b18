/**
 * How much of the farm one owner's work may hold at once: half of the slots that there are, at
 * least one. An owner whose pages have run into their time limit again and again holds one slot
 * until that is some minutes ago, so that pages that never end leave the farm to others.
 */

import { limits } from "../config/limits.ts";
import type { Id } from "../engine/id.ts";
import type { Clock } from "../engine/ports/clock.ts";

export class FarmShares {
  private readonly clock: Clock;
  /** Times of each owner's latest timeouts, in monotonic milliseconds; oldest first. */
  private readonly timeouts = new Map<Id, readonly number[]>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Records that a task of the owner exceeded its time limit. */
  addTimeout(owner: Id): void {
    const { timeoutsMax, ownersRememberedMax } = limits.farm;
    const times = [...this.findRecent(owner), this.clock.monotonicMs()].slice(-timeoutsMax);
    // Keeps the owner with the newest timeout last.
    this.timeouts.delete(owner);
    this.timeouts.set(owner, times);
    const [oldest] = this.timeouts.keys();
    if (oldest !== undefined && this.timeouts.size > ownersRememberedMax)
      this.timeouts.delete(oldest);
  }

  /** Returns how many tasks an owner may have on nodes that have `slots` slots in total. */
  forSlots(slots: number): (owner: Id) => number {
    const { ownerShare, timeoutsMax } = limits.farm;
    const most = Math.max(1, Math.floor(slots * ownerShare));
    return (owner) => (this.findRecent(owner).length < timeoutsMax ? most : 1);
  }

  private findRecent(owner: Id): readonly number[] {
    const times = this.timeouts.get(owner);
    if (times === undefined) return [];
    const sinceMs = this.clock.monotonicMs() - limits.farm.timeoutMemoryMs;
    return times.filter((atMs) => atMs > sinceMs);
  }
}
