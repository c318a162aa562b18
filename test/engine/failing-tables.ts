import type { Tables } from "../../engine/ports/tables.ts";

/** Tables whose writes can be held back, or fail, as the test says. */
export interface FailingTables extends Tables {
  hold(): void;
  /** Ends the hold: what waits is written, or throws `error` and writes nothing. */
  release(error?: Error): void;
  /** Every write throws, until it is called without. */
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
