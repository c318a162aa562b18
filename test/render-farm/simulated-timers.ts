import type { Timers } from "../../render-farm/node/task-loop.ts";

/** Timers whose time passes only when a test says so. */
export interface SimulatedTimers extends Timers {
  advance(byMs: number): void;
}

export function createSimulatedTimers(): SimulatedTimers {
  let now = 0;
  const alarms = new Set<{ atMs: number; readonly repeatMs: number; readonly ring: () => void }>();
  const set = (delayMs: number, repeatMs: number, ring: () => void): (() => void) => {
    const alarm = { atMs: now + delayMs, repeatMs, ring };
    alarms.add(alarm);
    return () => void alarms.delete(alarm);
  };
  return {
    every: (intervalMs, tick) => set(intervalMs, intervalMs, tick),
    after: (delayMs, ring) => set(delayMs, 0, ring),
    advance(byMs) {
      const endMs = now + byMs;
      for (;;) {
        const next = [...alarms]
          .filter(({ atMs }) => atMs <= endMs)
          .sort((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) break;
        now = next.atMs;
        if (next.repeatMs === 0) alarms.delete(next);
        else next.atMs += next.repeatMs;
        next.ring();
      }
      now = endMs;
    },
  };
}
