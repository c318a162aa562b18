/**
 * Rows that are durable in the journal and not yet in the tables, as slices of their records (off
 * the heap, so that no collection ever walks them), in two generations: the one that is written to,
 * and the frozen one that a pass is writing into the tables. Look-ups go new, frozen, table.
 *
 * A record that is added costs nothing but its place in a list; finding its rows is left to the
 * first look-up or to the pass, which takes some records at a time: a shard has other things to do
 * meanwhile. Used by the shard and by the gateway.
 */
import { invariant } from "./invariant.ts";
import { codeOf, engineTables, type Key, vpartOf } from "./key.ts";
import { eachValue, eachWrite, type Slice } from "./record.ts";

export interface FreshRow extends Slice {
  /** Undefined for what is no head, and for what was read back from the journal. */
  readonly head: FreshHead | undefined;
}

/** What a pass must know of a head beside its bytes. */
export interface FreshHead {
  /** When its actor wants to hear `due`. */
  readonly dueMs: number | undefined;
  /** The head itself, if its actor has a listing. */
  readonly listed: unknown;
}

/** What is known of a record's writes, in their order: keys need not be read again. */
export interface Contents {
  readonly keys: readonly Key[];
  readonly heads: readonly (FreshHead | undefined)[];
}

export class FreshRows {
  private current = new Generation();
  private frozen = new Generation();

  /**
   * About how many rows there are: those that were written twice count twice, a record whose
   * contents nobody told counts once.
   */
  get size(): number {
    return this.current.writes + this.frozen.writes;
  }

  add(record: Uint8Array, contents?: Contents): void {
    if (record.length > 0) this.current.add(record, contents);
  }

  get(key: Key): FreshRow | undefined {
    return this.current.get(key) ?? this.frozen.get(key);
  }

  /** Starts a new generation; the frozen one must have been thawed. */
  freeze(): void {
    invariant(this.frozen.writes === 0, "frozen rows reach the tables before the next are frozen");
    this.frozen = this.current;
    this.current = new Generation();
  }

  /** Finds the frozen rows; awaits `pause` again and again, so that others get their turn. */
  async findFrozen(pause: () => Promise<void>): Promise<void> {
    while (this.frozen.read(recordsPerTurn)) await pause();
  }

  /** The last write of each frozen row, vpart by vpart and there table by table. */
  lastWrites(): Iterable<readonly [Key, FreshRow]> {
    return this.frozen.lastWrites();
  }

  /** The frozen rows are in the tables now. */
  thaw(): void {
    this.frozen = new Generation();
  }
}

/** Some thousand rows under load: about a millisecond. */
const recordsPerTurn = 8;

class Generation {
  writes = 0;
  private records: (readonly [record: Uint8Array, contents: Contents | undefined])[] = [];
  /**
   * Places in the columns, by vpart and table: many small maps are much cheaper to fill than a
   * large one, and columns than a million objects that live for seconds. Rows of a table go to the
   * same pages, so they leave together.
   */
  private readonly placesOf: Map<Key, number>[][] = [];
  private readonly recordAt: Uint8Array[] = [];
  private readonly startAt: number[] = [];
  private readonly endAt: number[] = [];
  private readonly headAt: (FreshHead | undefined)[] = [];

  add(record: Uint8Array, contents: Contents | undefined): void {
    this.records.push([record, contents]);
    this.writes += contents?.keys.length ?? 1;
  }

  get(key: Key): FreshRow | undefined {
    this.read();
    const place = this.placesOf[vpartOf(key)]?.[codeOf(key)]?.get(key);
    return place === undefined ? undefined : this.rowAt(place);
  }

  *lastWrites(): Generator<readonly [Key, FreshRow]> {
    this.read();
    for (const tables of this.placesOf)
      for (const places of tables ?? [])
        for (const [key, place] of places ?? []) yield [key, this.rowAt(place)];
  }

  /** At most `count` records more; false when that was all. */
  read(count = Number.POSITIVE_INFINITY): boolean {
    const { records } = this;
    if (records.length === 0) return false;
    this.records = records.slice(count);
    for (const [record, contents] of records.slice(0, count)) {
      if (contents === undefined)
        eachWrite(record, (key, start, end) => {
          this.put(key, record, start, end, undefined);
        });
      else this.readKnown(record, contents);
    }
    return this.records.length > 0;
  }

  private readKnown(record: Uint8Array, { keys, heads }: Contents): void {
    let at = 0;
    eachValue(record, (start, end) => {
      this.put(keys[at] ?? "", record, start, end, heads[at]);
      at++;
    });
  }

  private put(
    key: Key,
    record: Uint8Array,
    start: number,
    end: number,
    head: FreshHead | undefined,
  ): void {
    const code = codeOf(key);
    const places = this.placesIn(vpartOf(key), code);
    // An effect that is concluded soon enough never reaches the tables.
    const isConcluded = start < 0 && code === engineTables.outbox;
    if (isConcluded && places.delete(key)) return;
    places.set(key, this.recordAt.push(record) - 1);
    this.startAt.push(start);
    this.endAt.push(end);
    this.headAt.push(head);
  }

  private placesIn(vpart: number, code: number): Map<Key, number> {
    let tables = this.placesOf[vpart];
    if (tables === undefined) {
      tables = [];
      this.placesOf[vpart] = tables;
    }
    let places = tables[code];
    if (places === undefined) {
      places = new Map();
      tables[code] = places;
    }
    return places;
  }

  private rowAt(place: number): FreshRow {
    const record = this.recordAt[place] ?? noBytes;
    const start = this.startAt[place] ?? -1;
    return { record, start, end: this.endAt[place] ?? -1, head: this.headAt[place] };
  }
}

const noBytes = new Uint8Array(0);
