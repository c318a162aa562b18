/**
 * Rows that are durable in the journal and not yet in the tables, in two generations: the one that
 * is written to, and the frozen one that a flush is writing into the tables. Look-ups go new,
 * frozen, table.
 *
 * A record that is added costs nothing but its place in a list; finding its rows is left to
 * `findSome`, the first look-up or the flush, which takes some records at a time: a shard has other
 * things to do meanwhile. Used by the shard and by the gateway.
 */
import { invariant } from "../../invariant.ts";
import { engineTables, getPartition, type Key } from "../../key.ts";
import { asBuffer, countWrites, eachPlace, type Slice } from "../../record.ts";
import { RecordPages } from "./record-pages.ts";
import { type RowPlace, RowPlaces } from "./row-places.ts";
import { sortInSlices } from "./sort-in-slices.ts";

export interface FreshRow extends Slice {
  readonly key: Key;
  /** Undefined for a row that is no head, or that was read back from the journal. */
  readonly head: FreshHead | undefined;
}

/** What a flush needs to know of a head besides its bytes. */
export interface FreshHead {
  /** When the actor is to get the message `due`. */
  readonly dueMs: number | undefined;
  /** The part of the head that its index entries derive from. */
  readonly picked: unknown;
}

/** Heads of a record's writes, in the order of the writes. */
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

  /** What they take in memory, with the places by which they are found. */
  get bytes(): number {
    return this.current.bytes + this.frozen.bytes;
  }

  /** Adds a record's rows; the record's bytes are copied. */
  add(record: Uint8Array, heads?: Heads): void {
    if (countWrites(record) > 0) this.current.add(record, heads);
  }

  /** Returns a row's slice, which is valid until the next `thaw`. */
  get(key: Key): Slice | undefined {
    return this.current.get(key) ?? this.frozen.get(key);
  }

  /** Starts a new generation; the frozen one must have been thawed. */
  freeze(): void {
    invariant(this.frozen.writes === 0, "frozen rows reach the tables before the next are frozen");
    [this.current, this.frozen] = [this.frozen, this.current];
  }

  /** Indexes the frozen rows, in order; awaits `pause` repeatedly, so that others can run. */
  async findFrozen(pause: () => Promise<void>): Promise<void> {
    while (this.frozen.read(recordsPerSlice)) await pause();
    await this.frozen.sortLarge(pause);
  }

  /** Indexes rows of some new records, so that a look-up or a freeze has less to do in one go. */
  findSome(): void {
    this.current.read(recordsPerSlice);
  }

  /** The last write of each frozen row, partition by partition in the order of keys. */
  lastWrites(): Iterable<readonly FreshRow[]> {
    return this.frozen.lastWrites();
  }

  /** Yields a partition's rows; a later row replaces an earlier one of the same key. */
  *readRows(partition: number): Generator<FreshRow> {
    for (const generation of [this.frozen, this.current]) yield* generation.readRows(partition);
  }

  /** Clears the frozen rows, which are in the tables now. */
  thaw(): void {
    this.frozen.clear();
  }
}

/** Some thousand rows under load, which take about a millisecond. */
const recordsPerSlice = 8;
/** Rows of a partition that are sorted without a pause, which takes some milliseconds. */
const rowsPerSlice = 4_096;

const compareKeys = (one: FreshRow, other: FreshRow) => (one.key < other.key ? -1 : 1);

/** Of a row, in its `RowPlaces`. */
const placeBytes = 48;

class Generation {
  writes = 0;
  bytes = 0;
  private readonly pages = new RecordPages();
  /** Copies of all records; the rows of the first `readCount` of them are indexed. */
  private readonly records: Uint8Array[] = [];
  private readonly heads: (Heads | undefined)[] = [];
  private readCount = 0;
  private readonly byPartition: (RowPlaces | undefined)[] = [];
  /** Rows of large partitions, sorted, once `sortLarge` has run. */
  private readonly sorted = new Map<number, readonly FreshRow[]>();

  add(record: Uint8Array, heads: Heads | undefined): void {
    this.records.push(this.pages.add(record));
    this.heads.push(heads);
    const writes = countWrites(record);
    this.writes += writes;
    this.bytes += record.length + placeBytes * writes;
  }

  get(key: Key): Slice | undefined {
    this.read();
    const place = this.byPartition[getPartition(key)]?.get(key);
    return place && this.sliceAt(place);
  }

  *lastWrites(): Generator<readonly FreshRow[]> {
    this.read();
    for (const [partition, places] of this.byPartition.entries())
      if (places !== undefined && places.size > 0) yield this.readRows(partition);
  }

  /** Indexes at most `count` more records; returns false when none is left. */
  read(count = Number.POSITIVE_INFINITY): boolean {
    const until = Math.min(this.records.length, this.readCount + count);
    while (this.readCount < until) this.readRecord(this.readCount++);
    return until < this.records.length;
  }

  /** Returns a partition's rows, sorted by key. */
  readRows(partition: number): readonly FreshRow[] {
    this.read();
    const sorted = this.sorted.get(partition);
    if (sorted !== undefined) return sorted;
    return [...this.find(this.byPartition[partition])].sort(compareKeys);
  }

  /** No record may be added afterwards. Accounts with much work fill one partition. */
  async sortLarge(pause: () => Promise<void>): Promise<void> {
    for (const [partition, places] of this.byPartition.entries()) {
      if (places === undefined || places.size <= rowsPerSlice) continue;
      const rows = await sortInSlices(this.find(places), compareKeys, rowsPerSlice, pause);
      this.sorted.set(partition, rows);
    }
  }

  private *find(places: RowPlaces | undefined): Generator<FreshRow> {
    for (const place of places?.all() ?? []) yield this.rowAt(place);
  }

  clear(): void {
    this.writes = 0;
    this.bytes = 0;
    this.sorted.clear();
    this.pages.clear();
    this.records.length = 0;
    this.heads.length = 0;
    this.readCount = 0;
    for (const places of this.byPartition) places?.clear();
  }

  private rowAt(place: RowPlace): FreshRow {
    const slice = this.sliceAt(place);
    const key: Key = asBuffer(slice.record).toString("latin1", place.keyStart, place.keyEnd);
    return { key, ...slice, head: this.heads[place.record]?.[place.write] };
  }

  private sliceAt({ record, start, end }: RowPlace): Slice {
    return { record: this.recordAt(record), start, end };
  }

  private readRecord(number: number): void {
    const bytes = this.recordAt(number);
    let write = 0;
    eachPlace(bytes, (keyStart, keyEnd, start, end) => {
      const place = { record: number, write: write++, keyStart, keyEnd, start, end };
      const [partition = 0, code] = [bytes[keyStart], bytes[keyStart + 1]];
      const places = this.placesFor(partition);
      // An effect that is concluded soon enough never reaches the tables.
      const isConclusion = start < 0 && code === engineTables.outbox;
      if (!isConclusion || !places.takeBack(place)) places.set(place);
    });
  }

  private recordAt(number: number): Uint8Array {
    const record = this.records[number];
    invariant(record !== undefined, "a row is in one of the records");
    return record;
  }

  private placesFor(partition: number): RowPlaces {
    const places = this.byPartition[partition] ?? new RowPlaces(this.records);
    this.byPartition[partition] = places;
    return places;
  }
}
