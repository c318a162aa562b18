import type { Clock } from "../../ports/clock.ts";

const pauseMs = 1_000;

/**
 * What others send may be wrong as often as they like: at most one of these notes a second is
 * written, with the number of those that were left out before it.
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
