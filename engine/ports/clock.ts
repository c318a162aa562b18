/** Port for the time. Adapters: the system clock, and a clock that tests move. */
export interface Clock {
  /** Milliseconds since 1970; may jump. */
  nowMs(): number;
  /** Milliseconds from any origin that never decrease; the same in all threads of a process. */
  monotonicMs(): number;
  /** Calls `run` once, `delayMs` from now, unless the returned function was called before. */
  after(delayMs: number, run: () => void): () => void;
}
