/**
 * A violated invariant of our own code. Inside a step it drops that step; in the engine it stops
 * the shard.
 */
export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";
}

export function invariant(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new BrokenInvariant(promise);
}
