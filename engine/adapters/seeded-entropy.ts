import type { Entropy } from "../ports/entropy.ts";

/**
 * Gives the same bytes for the same seed: xorshift32 (Marsaglia 2003). For tests and simulations
 * only.
 */
export function createSeededEntropy(seed: number): Entropy {
  let state = seed >>> 0 || 1;
  return {
    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let index = 0; index < count; index++) {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        bytes[index] = state & 255;
      }
      return bytes;
    },
  };
}
