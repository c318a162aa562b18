/** The snapshots that a shard's owner makes for those who ask: one at a time, shared by all. */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Snapshot } from "../ports/snapshots.ts";

export class SnapshotOffer {
  private readonly clock: Clock;
  private readonly make: () => Promise<Snapshot>;
  private readonly failed: (error: unknown) => void;
  private made: { readonly snapshot: Snapshot; readonly atMs: number } | undefined;
  private isMaking = false;

  /** Of one ownership, during which the log drops no record that is not a day old. */
  constructor(clock: Clock, make: () => Promise<Snapshot>, failed: (error: unknown) => void) {
    this.clock = clock;
    this.make = make;
    this.failed = failed;
  }

  /** Undefined while one is being made. */
  next(): Snapshot | undefined {
    const { made, clock } = this;
    if (made !== undefined && clock.monotonicMs() - made.atMs < limits.cluster.snapshotFreshMs)
      return made.snapshot;
    if (!this.isMaking) void this.renew();
    return undefined;
  }

  private async renew(): Promise<void> {
    this.isMaking = true;
    try {
      const snapshot = await this.make();
      this.made = { snapshot, atMs: this.clock.monotonicMs() };
    } catch (error) {
      this.failed(error);
    } finally {
      this.isMaking = false;
    }
  }
}
