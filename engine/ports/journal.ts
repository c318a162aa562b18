/**
 * The shard's own history: one value per group commit, by sequence number. Adapters: files, memory.
 */
export interface Journal {
  /**
   * Durable when it resolves. Numbers rise. Throws `PortError` when the disk fails or `seq` is
   * there already.
   */
  append(seq: number, record: Uint8Array): Promise<void>;
  /**
   * Records from `seq` on, in order; after a restart `seq` is above all that were trimmed. Throws
   * `StoreDamage` when one of them is not there any more.
   */
  from(seq: number): Iterable<{ readonly seq: number; readonly record: Uint8Array }>;
  /** Drops all up to and including `seq`. */
  trim(seq: number): Promise<void>;
  /** Forgets all; the next record is `seq` + 1. Durable when it resolves. Throws `PortError`. */
  restart(seq: number): Promise<void>;
  close(): Promise<void>;
}
