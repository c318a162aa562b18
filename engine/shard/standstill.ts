/** Notices that this process stood still: nothing reached it then, so others were not silent. */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";

export class Standstill {
  private readonly clock: Clock;
  private endMs: number;
  private checkedMs: number;

  constructor(clock: Clock) {
    this.clock = clock;
    this.endMs = clock.monotonicMs();
    this.checkedMs = this.endMs;
  }

  /** Since when this process has run without standing still. */
  get sinceMs(): number {
    return this.endMs;
  }

  /** Returns whether the process stood still since the last check; to be called at each tick. */
  check(): boolean {
    const nowMs = this.clock.monotonicMs();
    const stoodStill = nowMs - this.checkedMs > limits.cluster.silenceMs;
    if (stoodStill) this.endMs = nowMs;
    this.checkedMs = nowMs;
    return stoodStill;
  }
}
