import type { KeyRange } from "../key.ts";
import type { TableReader, TableRow } from "../ports/tables.ts";

/** Longer ranges are read seldom and are not kept. */
const rangeRowsMax = 256;
/** Rows that are kept, of some 100 bytes each; with more, all are dropped. */
const keptRowsMax = 50_000;

/**
 * Ranges of a shard's tables that were read since the tables last changed, so that a listing that
 * is polled reads its index entries once: twenty of them from LMDB are a third of its cost.
 */
export class ReadRanges {
  private readonly reader: Pick<TableReader, "range">;
  private readonly rowsByRange = new Map<string, readonly TableRow[]>();
  private rowCount = 0;

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
    this.rowCount = 0;
  }

  private keep(name: string, rows: readonly TableRow[]): void {
    if (this.rowCount + rows.length > keptRowsMax) this.forget();
    this.rowsByRange.set(name, rows);
    // A range without rows takes room too.
    this.rowCount += rows.length + 1;
  }
}

/** Keys are binary, so the length of the first tells where it ends. */
function nameRange({ start, end }: KeyRange, limit: number, reverse: boolean): string {
  return `${limit} ${reverse} ${start.length} ${start}${end}`;
}
