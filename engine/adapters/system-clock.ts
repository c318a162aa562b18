import type { Clock } from "../ports/clock.ts";

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  // The machine's clock, because threads compare its values with each other.
  monotonicMs() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1_000 + nanoseconds / 1_000_000;
  },
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
