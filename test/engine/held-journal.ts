import type { Journal } from "../../engine/ports/journal.ts";

/** A journal whose appends a test can hold back or fail. */
export interface HeldJournal extends Journal {
  appends: number;
  /** All stored records, including those trimmed since. */
  readonly records: Uint8Array[];
  /** Appends from now on wait for `release`. */
  hold(): void;
  /** Performs all pending appends, and lets later ones through. */
  release(): void;
  /** The next append throws this and stores nothing. */
  failNext(error: Error): void;
}

export function createHeldJournal(inner: Journal): HeldJournal {
  let waiting: (() => void)[] = [];
  let isHeld = false;
  let failure: Error | undefined;
  return {
    appends: 0,
    records: [],
    async append(seq, record) {
      this.appends++;
      if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
      const error = failure;
      failure = undefined;
      if (error !== undefined) throw error;
      await inner.append(seq, record);
      this.records.push(record);
    },
    from: (seq) => inner.from(seq),
    trim: (seq) => inner.trim(seq),
    restart: (seq) => inner.restart(seq),
    close: () => inner.close(),
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    failNext(error) {
      failure = error;
    },
  };
}
