/**
 * Something durable is missing, and a shard that went on would lose it silently. The message says
 * what is wrong with which file, and what is lost; the caller that knows the store's path adds
 * that. No retry mends it.
 */
export class StoreDamage extends Error {
  override readonly name = "StoreDamage";
}

/** Returns one sentence for the operator, with the remedy. `folder` is the shard's. */
export function damageSentence(folder: string, { message }: StoreDamage): string {
  return `The store in ${folder} is damaged: ${message}. Run "klieg store check"; if it cannot repair the damage, restore the data directory from a backup.`;
}
