/**
 * A shard's history on its node's own disk: one value per group commit, by sequence number.
 * Adapters: files, memory.
 */
export interface Journal {
  /**
   * Appends a record; durable when it resolves. Sequence numbers rise. Throws `PortError` when the
   * disk fails or `seq` exists already.
   */
  append(seq: number, record: Uint8Array): Promise<void>;
  /**
   * Yields the records from `seq` on, in order; after a restart `seq` is above all that were
   * trimmed. Throws `StoreDamage` when one of them is missing.
   */
  from(seq: number): Iterable<{ readonly seq: number; readonly record: Uint8Array }>;
  /** Drops all records up to and including `seq`. */
  trim(seq: number): Promise<void>;
  /** Drops all records; the next one is `seq` + 1. Durable when it resolves. Throws `PortError`. */
  restart(seq: number): Promise<void>;
  close(): Promise<void>;
}
