/**
 * Counts by name in fixed windows of time, in memory of a fixed size whatever strangers send: a
 * name is counted in the place that its keyed digest says, together with the few names that share
 * the place. Which do, no stranger can know.
 */
import { createHmac } from "node:crypto";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";

const countMax = 0xffff;

export class WindowCounters {
  private readonly clock: Clock;
  private readonly windowMs: number;
  private readonly secret: Uint8Array;
  private readonly counts: Uint16Array;
  private window = 0;

  constructor(clock: Clock, entropy: Entropy, windowMs: number, places: number) {
    this.clock = clock;
    this.windowMs = windowMs;
    this.secret = entropy.bytes(32);
    this.counts = new Uint16Array(places);
  }

  /** Returns the count in this window so far. */
  count(name: string): number {
    this.turn();
    return this.counts[this.place(name)] ?? 0;
  }

  /** Adds one to the count and returns it. */
  add(name: string): number {
    this.turn();
    const place = this.place(name);
    const count = Math.min(countMax, (this.counts[place] ?? 0) + 1);
    this.counts[place] = count;
    return count;
  }

  /** Subtracts one that was counted before, unless its window is over. */
  takeBack(name: string): void {
    this.turn();
    const place = this.place(name);
    this.counts[place] = Math.max(0, (this.counts[place] ?? 0) - 1);
  }

  private turn(): void {
    const window = Math.floor(this.clock.nowMs() / this.windowMs);
    if (window === this.window) return;
    this.window = window;
    this.counts.fill(0);
  }

  private place(name: string): number {
    const digest = createHmac("sha256", this.secret).update(name).digest();
    return digest.readUInt32LE() % this.counts.length;
  }
}
