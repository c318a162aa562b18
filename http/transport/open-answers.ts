/** Counts the answers being prepared or sent, so that a stopping listener can wait for them. */
import type { Clock } from "../../engine/ports/clock.ts";

export class OpenAnswers {
  /** Whether each answer from now on is the last on its connection. */
  areLast = false;
  private readonly clock: Clock;
  private count = 0;
  private wake = () => {};

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Returns a function to call once this answer has ended, for whatever reason. */
  begin(): () => void {
    this.count++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      if (--this.count === 0) this.wake();
    };
  }

  /** Resolves when no answer is open, at the latest after `patienceMs`. */
  onEnd(patienceMs: number): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.clock.after(patienceMs, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
