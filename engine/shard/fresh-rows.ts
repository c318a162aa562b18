/**
 * Rows that are durable in the journal and not yet in the tables, in two generations: the one that
 * is written to, and the frozen one that a flush is writing into the tables. Look-ups go new,
 * frozen, table.
 *
 * A record that is added costs nothing but its place in a list; finding its rows is left to
 * `findSome`, the first look-up or the flush, which takes some records at a time: a shard has other
 * things to do meanwhile. Used by the shard and by the gateway.
 */
import { invariant } from "../invariant.ts";
import { codeOf, engineTables, type Key, partitionOf } from "../key.ts";
import { asBuffer, countWrites, eachPlace, type Slice } from "../record.ts";

export interface FreshRow extends Slice {
  readonly key: Key;
  /** Undefined for what is no head, and for what was read back from the journal. */
  readonly head: FreshHead | undefined;
}

/** What a flush must know of a head beside its bytes. */
export interface FreshHead {
  /** When its actor wants to learn `due`. */
  readonly dueMs: number | undefined;
  /** What its index entries follow from. */
  readonly picked: unknown;
}

/** Of a record's writes, in their order. */
type Heads = readonly (FreshHead | undefined)[];

export class FreshRows {
  private current = new Generation();
  private frozen = new Generation();

  /**
   * About how many rows there are: rows written twice count twice.
   */
  get size(): number {
    return this.current.writes + this.frozen.writes;
  }

  add(record: Uint8Array, heads?: Heads): void {
    if (countWrites(record) > 0) this.current.add(record, heads);
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

  /** Finds the frozen rows; awaits `pause` again and again, so that others run. */
  async findFrozen(pause: () => Promise<void>): Promise<void> {
    while (this.frozen.read(recordsPerSlice)) await pause();
  }

  /** Finds rows of some new records, which a look-up or a freeze would have to do in one go. */
  findSome(): void {
    this.current.read(recordsPerSlice);
  }

  /** The last write of each frozen row, partition by partition in the order of keys. */
  lastWrites(): Iterable<readonly FreshRow[]> {
    return this.frozen.lastWrites();
  }

  /** The rows of a partition: a later one replaces an earlier one of the same key. */
  *rowsOf(partition: number): Generator<FreshRow> {
    for (const generation of [this.frozen, this.current]) yield* generation.rowsOf(partition);
  }

  /** The frozen rows are in the tables now. */
  thaw(): void {
    this.frozen = new Generation();
  }
}

/** Some thousand rows under load: about a millisecond. */
const recordsPerSlice = 8;
const partitions = 256;

class Generation {
  writes = 0;
  private unread: (readonly [record: Uint8Array, heads: Heads | undefined])[] = [];
  private readonly byPartition: (Map<Key, FreshRow> | undefined)[] = [];

  add(record: Uint8Array, heads: Heads | undefined): void {
    this.unread.push([record, heads]);
    this.writes += countWrites(record);
  }

  get(key: Key): Slice | undefined {
    this.read();
    return this.byPartition[partitionOf(key)]?.get(key);
  }

  *lastWrites(): Generator<readonly FreshRow[]> {
    for (let partition = 0; partition < partitions; partition++) yield this.rowsOf(partition);
  }

  /** At most `count` records more; false when that was all. */
  read(count = Number.POSITIVE_INFINITY): boolean {
    const { unread } = this;
    if (unread.length === 0) return false;
    this.unread = unread.slice(count);
    for (const [record, heads] of unread.slice(0, count)) this.readRecord(record, heads);
    return this.unread.length > 0;
  }

  /** In the order of their keys. */
  rowsOf(partition: number): readonly FreshRow[] {
    this.read();
    const rows = this.byPartition[partition];
    if (rows === undefined) return [];
    return [...rows.keys()].sort().flatMap((key) => rows.get(key) ?? []);
  }

  private readRecord(record: Uint8Array, heads: Heads | undefined): void {
    let write = 0;
    const bytes = asBuffer(record);
    eachPlace(record, (keyStart, keyEnd, start, end) => {
      const key: Key = bytes.toString("latin1", keyStart, keyEnd);
      const rows = this.rowsFor(partitionOf(key));
      const before = rows.get(key);
      // An effect that is concluded soon enough never reaches the tables.
      const isUndone = before !== undefined && start < 0 && codeOf(key) === engineTables.outbox;
      const head = heads?.[write++];
      if (isUndone && before.start >= 0) rows.delete(key);
      else rows.set(key, { key, record, start, end, head });
    });
  }

  private rowsFor(partition: number): Map<Key, FreshRow> {
    const rows = this.byPartition[partition] ?? new Map<Key, FreshRow>();
    this.byPartition[partition] = rows;
    return rows;
  }
}
