import { randomFillSync } from "node:crypto";
import type { Entropy } from "../ports/entropy.ts";

const poolBytes = 8 * 1024;

/**
 * Random bytes of the system, drawn in pools, since a draw costs a microsecond. Every byte is
 * handed out once.
 */
export function systemEntropy(): Entropy {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  return {
    bytes(count) {
      if (used + count > poolBytes) {
        randomFillSync(pool);
        used = 0;
      }
      used += count;
      return pool.subarray(used - count, used);
    },
  };
}
