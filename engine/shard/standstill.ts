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

  /** To be called at each tick. */
  check(): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.checkedMs > limits.cluster.silenceMs) this.endMs = nowMs;
    this.checkedMs = nowMs;
  }
}
