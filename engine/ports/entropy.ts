/** Dice. Adapters: the system's, and a seeded one. */
export interface Entropy {
  /** Valid until the next call. */
  bytes(count: number): Uint8Array;
}
