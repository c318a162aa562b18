import type { Clock } from "../ports/clock.ts";

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that a test moves. Wall clock and monotonic clock move together except by `jump`. */
export class ManualClock implements Clock {
  private wallMs: number;
  private elapsedMs = 0;
  /** In the order in which they were set, which is also that of timers due at the same time. */
  private readonly timers = new Set<Timer>();

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
      const next = this.findFirst();
      if (next === undefined || next.atMs > untilMs) break;
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

  private findFirst(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers)
      if (first === undefined || timer.atMs < first.atMs) first = timer;
    return first;
  }

  private move(byMs: number): void {
    this.elapsedMs += byMs;
    this.wallMs += byMs;
  }
}
