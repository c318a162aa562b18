/** Answers that are being made or sent: who stops the listener waits for them. */
import type { Clock } from "../../engine/ports/clock.ts";

export class OpenAnswers {
  /** Each answer from now on is the last on its connection. */
  areLast = false;
  private readonly clock: Clock;
  private count = 0;
  private wake = () => {};

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Returns what is to be called when this answer has ended, however it did. */
  begin(): () => void {
    this.count++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      if (--this.count === 0) this.wake();
    };
  }

  /** Resolves when none is open, at the latest after `patienceMs`. */
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
