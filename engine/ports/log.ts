/**
 * The replicated log of one shard. What it has stored is history: the shard's records, one after
 * the other without gaps, by the log's own sequence. Adapters: JetStream, memory.
 */
export interface Log {
  /**
   * Stores `record` if it comes right behind the entry `after` (0: the first of an empty log). `id`
   * names these bytes and no others, so that they may be published again when nothing is known of
   * an earlier attempt. Resolves to false when the log has another entry there: someone else
   * appends. Throws `PortError` when the outcome is unknown.
   */
  publish(record: Uint8Array, id: string, after: number): Promise<boolean>;
  /** Throws `PortError`. */
  end(): Promise<LogEnd>;
  /** Undefined when there is no such entry, or no longer. Throws `PortError`. */
  at(logSeq: number): Promise<LogEntry | undefined>;
  /**
   * Entries from `logSeq` on, in order and as they come, until the returned function is called.
   * Says nothing while the log cannot be reached.
   */
  follow(logSeq: number, onEntry: (entry: LogEntry) => void): () => void;
  /** Throws `PortError`. */
  size(): Promise<LogSize>;
  /** Drops all up to and including `logSeq`. Throws `PortError`. */
  trim(logSeq: number): Promise<void>;
  /**
   * Replaces the log by one that never had an entry, whatever its servers have of it. Throws
   * `PortError`.
   */
  restart(): Promise<void>;
}

export interface LogEnd {
  /** Of the last entry that was ever stored, 0 before the first. */
  readonly logSeq: number;
  /** Undefined when that entry was trimmed. */
  readonly record: Uint8Array | undefined;
}

export interface LogSize {
  /** Of the oldest entry that is there; the next one's where there is none. */
  readonly firstSeq: number;
  readonly bytes: number;
}

export interface LogEntry {
  /** From 1, without gaps. */
  readonly logSeq: number;
  readonly record: Uint8Array;
}
