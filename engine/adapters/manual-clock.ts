import type { Clock } from "../ports/clock.ts";

/** A clock that a test moves. Wall clock and monotonic clock move together except by `jump`. */
export class ManualClock implements Clock {
  private wallMs: number;
  private elapsedMs = 0;
  private readonly timers = new Set<{ readonly atMs: number; readonly run: () => void }>();

  constructor(startMs: number) {
    this.wallMs = startMs;
  }

  nowMs(): number {
    return this.wallMs;
  }

  monotonicMs(): number {
    return this.elapsedMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.elapsedMs + delayMs, run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Moves both clocks and runs, in order, the timers that become due. */
  advance(byMs: number): void {
    const untilMs = this.elapsedMs + byMs;
    for (;;) {
      const next = [...this.timers]
        .filter((timer) => timer.atMs <= untilMs)
        .sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.timers.delete(next);
      this.move(next.atMs - this.elapsedMs);
      next.run();
    }
    this.move(untilMs - this.elapsedMs);
  }

  /** Moves both clocks like a sleep of the machine: timers that became due run once, now. */
  leap(byMs: number): void {
    this.move(byMs);
    const due = [...this.timers].filter(({ atMs }) => atMs <= this.elapsedMs);
    for (const timer of due.sort((a, b) => a.atMs - b.atMs))
      if (this.timers.delete(timer)) timer.run();
  }

  /** Moves only the wall clock. */
  jump(byMs: number): void {
    this.wallMs += byMs;
  }

  private move(byMs: number): void {
    this.elapsedMs += byMs;
    this.wallMs += byMs;
  }
}
