/**
 * The replicated log of one shard. A record that it has stored is history. It holds the shard's
 * records one after the other without gaps, by a sequence of its own. Adapters: JetStream, memory.
 */
export interface Log {
  /**
   * Stores `record` if it comes right behind the entry `after` (0: the first of an empty log). `id`
   * names these bytes and no others, so that they may be published again when nothing is known of
   * an earlier attempt. Resolves to false when the log has another entry there: someone else
   * appends. Throws `PortError` when the outcome is unknown.
   */
  publish(record: Uint8Array, id: string, after: number): Promise<boolean>;
  /** Returns the log's end. Throws `PortError`. */
  end(): Promise<LogEnd>;
  /**
   * Returns the end on which most servers agree now; `end` may come from one that the others have
   * left, and be long past. Throws `PortError`.
   */
  agreedEnd(): Promise<LogEnd>;
  /** Returns an entry; undefined when there is none, or it was trimmed. Throws `PortError`. */
  at(logSeq: number): Promise<LogEntry | undefined>;
  /**
   * Delivers entries from `logSeq` on, in order and as they come, until the returned function is
   * called. Delivers nothing while the log cannot be reached.
   */
  follow(logSeq: number, onEntry: (entry: LogEntry) => void): () => void;
  /** Returns the log's oldest entry and size. Throws `PortError`. */
  size(): Promise<LogSize>;
  /** Drops all entries up to and including `logSeq`. Throws `PortError`. */
  trim(logSeq: number): Promise<void>;
  /**
   * Replaces the log by one that never had an entry, whatever its servers still have of it. Throws
   * `PortError`.
   */
  restart(): Promise<void>;
}

export interface LogEnd {
  /** Sequence number of the last entry that was ever stored; 0 before the first. */
  readonly logSeq: number;
  /** That entry's record; undefined when it was trimmed. */
  readonly record: Uint8Array | undefined;
}

export interface LogSize {
  /** Sequence number of the oldest entry; if there is none, the number of the next one. */
  readonly firstSeq: number;
  readonly bytes: number;
}

export interface LogEntry {
  /** Sequence number in the log, from 1 without gaps. */
  readonly logSeq: number;
  readonly record: Uint8Array;
}
