/** Port for random bytes. Adapters: the system's, and a seeded one. */
export interface Entropy {
  /** Returns random bytes, which are valid until the next call. */
  bytes(count: number): Uint8Array;
}
