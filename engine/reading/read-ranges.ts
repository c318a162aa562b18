import type { KeyRange } from "../key.ts";
import type { TableReader, TableRow } from "../ports/tables.ts";

/** Longer ranges are read seldom and are not kept. */
const rangeRowsMax = 256;
/** Memory of the rows that are kept; beyond it, all are dropped. */
const keptBytesMax = 8_000_000;
/** Memory of a row, or of a range, besides its characters. */
const overheadBytes = 64;

/**
 * Ranges of a shard's tables that were read since the tables last changed, so that a listing that
 * is polled reads its index entries once: twenty of them from LMDB are a third of its cost.
 */
export class ReadRanges {
  private readonly reader: Pick<TableReader, "range">;
  private readonly rowsByRange = new Map<string, readonly TableRow[]>();
  private keptBytes = 0;

  constructor(reader: Pick<TableReader, "range">) {
    this.reader = reader;
  }

  /** As `TableReader.range`, at the instant of the last `forget` or later. */
  readonly range: TableReader["range"] = (range, limit, reverse = false) => {
    const name = nameRange(range, limit, reverse);
    const known = this.rowsByRange.get(name);
    if (known !== undefined) return known;
    const rows = this.reader.range(range, limit, reverse);
    if (limit <= rangeRowsMax) this.keep(name, rows);
    return rows;
  };

  /** To be called whenever the reader is refreshed. */
  forget(): void {
    this.rowsByRange.clear();
    this.keptBytes = 0;
  }

  private keep(name: string, rows: readonly TableRow[]): void {
    let bytes = overheadBytes + name.length;
    for (const { key, text } of rows) bytes += overheadBytes + key.length + text.length;
    if (this.keptBytes + bytes > keptBytesMax) this.forget();
    this.rowsByRange.set(name, rows);
    this.keptBytes += bytes;
  }
}

/** Keys are binary, so the length of the first tells where it ends. */
function nameRange({ start, end }: KeyRange, limit: number, reverse: boolean): string {
  return `${limit} ${reverse} ${start.length} ${start}${end}`;
}
