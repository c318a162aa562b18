/** The snapshots that a shard's owner makes on request: one at a time, shared by all requests. */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Snapshot } from "../ports/snapshots.ts";

export class SnapshotOffer {
  private readonly clock: Clock;
  private readonly make: () => Promise<Snapshot>;
  private readonly failed: (error: unknown) => void;
  private made: { readonly snapshot: Snapshot; readonly atMs: number } | undefined;
  private isMaking = false;
  private given: { readonly seq: number; readonly atMs: number }[] = [];

  constructor(clock: Clock, make: () => Promise<Snapshot>, failed: (error: unknown) => void) {
    this.clock = clock;
    this.make = make;
    this.failed = failed;
  }

  /** Returns a fresh snapshot; undefined while one is being made. */
  next(): Snapshot | undefined {
    const { made, clock } = this;
    if (made !== undefined && clock.monotonicMs() - made.atMs < limits.cluster.snapshotFreshMs)
      return this.give(made.snapshot);
    if (!this.isMaking) void this.renew();
    return undefined;
  }

  /** Nodes that load a snapshot need the log's records after this one. */
  get spareSeq(): number {
    const oldestMs = this.clock.monotonicMs() - limits.cluster.snapshotMs;
    this.given = this.given.filter(({ atMs }) => atMs >= oldestMs);
    return Math.min(Number.POSITIVE_INFINITY, ...this.given.map(({ seq }) => seq));
  }

  private give(snapshot: Snapshot): Snapshot {
    const { seq } = snapshot;
    this.given = this.given.filter((one) => one.seq !== seq);
    this.given.push({ seq, atMs: this.clock.monotonicMs() });
    return snapshot;
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
