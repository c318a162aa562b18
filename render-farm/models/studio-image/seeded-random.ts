/** A random number generator that yields the same numbers for the same seed. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  between(low: number, high: number): number;
  /** Returns an integer in [0, count). */
  index(count: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Returns an independent generator, so that drawing in one part leaves others unchanged. */
  fork(name: string): Random;
}

/** sfc32, seeded through 32-bit words mixed by `hashText`. */
export function createSeededRandom(seed: number): Random {
  let a = seed >>> 0;
  let b = hashText(`b${seed}`);
  let c = hashText(`c${seed}`);
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4_294_967_296;
  };
  for (let i = 0; i < 12; i++) next();
  const index = (count: number): number => Math.floor(next() * count);
  return {
    next,
    index,
    between: (low, high) => low + (high - low) * next(),
    chance: (probability) => next() < probability,
    pick: (list) => list[index(list.length)] ?? list[0],
    fork: (name) => createSeededRandom(hashText(`${seed}/${name}`)),
  };
}

/** Returns a 32-bit FNV-1a hash with a final avalanche step. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
