/**
 * Rows that are durable in the journal and not yet in the tables, as slices of their records (off
 * the heap, so that no collection ever walks them), in two generations: the one that is written to,
 * and the frozen one that a pass is writing into the tables. Look-ups go new, frozen, table.
 *
 * A record that is added costs nothing but its place in a list; finding its rows is left to the
 * first look-up or to the pass. Used by the shard and by the gateway.
 */
import { invariant } from "./invariant.ts";
import { codeOf, engineTables, type Key, vpartOf } from "./key.ts";
import { type Slice, writesOf } from "./record.ts";

export class FreshRows {
  private current = new Generation();
  private frozen = new Generation();

  /** About how many rows there are: those that were written twice count twice. */
  get size(): number {
    return this.current.writes + this.frozen.writes;
  }

  /** `writes` is the number of rows in the record, if the caller knows it. */
  add(record: Uint8Array, writes = 1): void {
    if (record.length > 0) this.current.add(record, writes);
  }

  get(key: Key): Slice | undefined {
    return this.current.get(key) ?? this.frozen.get(key);
  }

  /** Starts a new generation; the frozen one must have been thawed. */
  freeze(): void {
    invariant(this.frozen.writes === 0, "frozen rows reach the tables before the next are frozen");
    this.frozen = this.current;
    this.current = new Generation();
  }

  /** The last write of each frozen row, in the order of the keys. */
  sorted(): Iterable<readonly [Key, Slice]> {
    return this.frozen.sorted();
  }

  /** The frozen rows are in the tables now. */
  thaw(): void {
    this.frozen = new Generation();
  }
}

class Generation {
  writes = 0;
  private records: Uint8Array[] = [];
  /** By vpart: many small maps are much cheaper to fill than a large one. */
  private readonly rowsByVpart: Map<Key, Slice>[] = [];

  add(record: Uint8Array, writes: number): void {
    this.records.push(record);
    this.writes += writes;
  }

  get(key: Key): Slice | undefined {
    this.read();
    return this.rowsByVpart[vpartOf(key)]?.get(key);
  }

  *sorted(): Generator<readonly [Key, Slice]> {
    this.read();
    for (let vpart = 0; vpart < 256; vpart++) {
      const rows = this.rowsByVpart[vpart];
      if (rows === undefined) continue;
      for (const key of [...rows.keys()].sort()) {
        const slice = rows.get(key);
        if (slice !== undefined) yield [key, slice];
      }
    }
  }

  private read(): void {
    const { records, rowsByVpart } = this;
    if (records.length === 0) return;
    this.records = [];
    for (const record of records)
      for (const { key, slice } of writesOf(record)) {
        let rows = rowsByVpart[vpartOf(key)];
        if (rows === undefined) {
          rows = new Map();
          rowsByVpart[vpartOf(key)] = rows;
        }
        // An effect that is concluded soon enough never reaches the tables.
        const isConcluded = slice.start < 0 && codeOf(key) === engineTables.outbox;
        if (!(isConcluded && rows.delete(key))) rows.set(key, slice);
      }
  }
}
