import type { Key, KeyRange } from "../key.ts";

/** Rows as JSON text in byte order of their keys. Adapters: LMDB, memory. One writer a shard. */
export interface Tables extends TableReader {
  /**
   * One transaction, durable when it resolves; bytes are UTF-8 and must stay as they are until
   * then, `undefined` deletes. Throws `PortError`.
   */
  write(rows: Iterable<TableWrite>): Promise<void>;
  close(): Promise<void>;
}

export type TableWrite = readonly [Key, string | Uint8Array | undefined];

/** What any thread may open beside the writer. */
export interface TableReader {
  get(key: Key): string | undefined;
  /** At most `limit` rows of `[start, end)`, from the end when `reverse`. */
  range(range: KeyRange, limit: number, reverse?: boolean): readonly TableRow[];
  /** From now on reads see all that was durable before the call. */
  refresh(): void;
}

export interface TableRow {
  readonly key: Key;
  readonly text: string;
}
