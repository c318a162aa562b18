import type { Tables } from "../../engine/ports/tables.ts";

/** Tables whose writes a test can hold back or fail. */
export interface FailingTables extends Tables {
  hold(): void;
  /** Ends the hold: pending writes are performed, or fail with `error` and write nothing. */
  release(error?: Error): void;
  /** Makes every write throw `error`, until this is called without one. */
  failAll(error?: Error): void;
}

export function failingTables(inner: Tables): FailingTables {
  let waiting: ((error?: Error) => void)[] = [];
  let isHeld = false;
  let failure: Error | undefined;
  return {
    get: (key) => inner.get(key),
    range: (range, limit, reverse) => inner.range(range, limit, reverse),
    refresh: () => inner.refresh(),
    close: () => inner.close(),
    async write(rows) {
      const kept = [...rows];
      let error = failure;
      if (isHeld) error = await new Promise<Error | undefined>((resolve) => waiting.push(resolve));
      if (error !== undefined) throw error;
      await inner.write(kept);
    },
    hold() {
      isHeld = true;
    },
    release(error) {
      isHeld = false;
      for (const resolve of waiting) resolve(error);
      waiting = [];
    },
    failAll(error) {
      failure = error;
    },
  };
}
