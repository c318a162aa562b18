import type { Clock } from "../ports/clock.ts";

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  // Of the machine: threads compare it with each other.
  monotonicMs() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1_000 + nanoseconds / 1_000_000;
  },
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
