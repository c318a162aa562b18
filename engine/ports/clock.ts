/** Time. Adapters: the system's, and one that a test moves. */
export interface Clock {
  /** Milliseconds since 1970, may jump. */
  nowMs(): number;
  /** Milliseconds that only rise, from any origin; the same in all threads of a process. */
  monotonicMs(): number;
  /** Calls `run` once, `delayMs` from now, unless the returned function was called before. */
  after(delayMs: number, run: () => void): () => void;
}
