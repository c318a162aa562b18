import type { Clock } from "../../ports/clock.ts";

const pauseMs = 1_000;

/**
 * Other machines may send any number of invalid messages: at most one of these notes is written per
 * second, with the number of those omitted before it.
 */
export function sparingNotes(
  clock: Clock,
  write: (note: string, leftOut: number) => void,
): (note: string) => void {
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  return (note) => {
    const nowMs = clock.monotonicMs();
    if (nowMs < quietUntilMs) leftOut += 1;
    else {
      write(note, leftOut);
      leftOut = 0;
      quietUntilMs = nowMs + pauseMs;
    }
  };
}
