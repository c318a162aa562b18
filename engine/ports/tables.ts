import type { Key, KeyRange } from "../key.ts";

/** Rows as JSON text, sorted by key bytes. Adapters: LMDB, memory. One writer per shard. */
export interface Tables extends TableReader {
  /**
   * Writes in one transaction, durable when it resolves. Bytes are UTF-8 and must not change until
   * then; `undefined` deletes. Throws `PortError`.
   */
  write(rows: Iterable<TableWrite>): Promise<void>;
  close(): Promise<void>;
}

export type TableWrite = readonly [Key, string | Uint8Array | undefined];

/** Read access that any thread may open beside the writer. */
export interface TableReader {
  get(key: Key): string | undefined;
  /** Returns at most `limit` rows of `[start, end)`, from the end when `reverse`. */
  range(range: KeyRange, limit: number, reverse?: boolean): readonly TableRow[];
  /** Makes later reads see everything that was durable before the call. */
  refresh(): void;
}

export interface TableRow {
  readonly key: Key;
  readonly text: string;
}
