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
  /** What its actor's listing wants to know of it. */
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
  private readonly vparts: VpartRows[] = [];
  /** A place is a record, and where in it a row begins and ends: no collection walks these. */
  private places = new Int32Array(3 * 1024);
  private readonly recordsRead: Uint8Array[] = [];
  private readonly headAt: (FreshHead | undefined)[] = [];

  add(record: Uint8Array, contents: Contents | undefined): void {
    this.records.push([record, contents]);
    this.writes += contents?.keys.length ?? 1;
  }

  get(key: Key): FreshRow | undefined {
    this.read();
    const place = this.vparts[vpartOf(key)]?.get(key);
    return place === undefined ? undefined : this.rowAt(place);
  }

  *lastWrites(): Generator<readonly [Key, FreshRow]> {
    this.read();
    for (const rows of this.vparts)
      if (rows !== undefined)
        for (const [key, place] of rows.lastWrites()) yield [key, this.rowAt(place)];
  }

  /** At most `count` records more; false when that was all. */
  read(count = Number.POSITIVE_INFINITY): boolean {
    const { records } = this;
    if (records.length === 0) return false;
    this.records = records.slice(count);
    for (const [record, contents] of records.slice(0, count)) {
      this.recordsRead.push(record);
      if (contents === undefined)
        eachWrite(record, (key, start, end) => {
          this.put(key, start, end, undefined);
        });
      else this.readKnown(record, contents);
    }
    return this.records.length > 0;
  }

  private readKnown(record: Uint8Array, { keys, heads }: Contents): void {
    let at = 0;
    eachValue(record, (start, end) => {
      this.put(keys[at] ?? "", start, end, heads[at]);
      at++;
    });
  }

  /** Of the record that was read last. */
  private put(key: Key, start: number, end: number, head: FreshHead | undefined): void {
    const place = this.headAt.push(head) - 1;
    if (place * 3 === this.places.length) this.grow();
    this.places[place * 3] = this.recordsRead.length - 1;
    this.places[place * 3 + 1] = start;
    this.places[place * 3 + 2] = end;
    const vpart = vpartOf(key);
    let rows = this.vparts[vpart];
    if (rows === undefined) {
      rows = new VpartRows();
      this.vparts[vpart] = rows;
    }
    // An effect that is concluded soon enough never reaches the tables.
    rows.add(key, start < 0 && codeOf(key) === engineTables.outbox ? -1 - place : place);
  }

  private grow(): void {
    const { places } = this;
    this.places = new Int32Array(places.length * 2);
    this.places.set(places);
  }

  private rowAt(place: number): FreshRow {
    const { places } = this;
    const [record, start, end] = [places[place * 3], places[place * 3 + 1], places[place * 3 + 2]];
    return {
      record: this.recordsRead[record ?? -1] ?? noBytes,
      start: start ?? -1,
      end: end ?? -1,
      head: this.headAt[place],
    };
  }
}

/**
 * The keys of one vpart. They are looked up in maps by table, which are made when somebody looks:
 * a pass needs those of one vpart after the other, and small maps that are filled at once and
 * forgotten soon cost a fraction of large ones.
 */
class VpartRows {
  private readonly keys: Key[] = [];
  /** Negative, from -1 on, for the end of an effect. */
  private readonly places: number[] = [];
  private tables: Map<Key, number>[] = [];
  private indexed = 0;

  add(key: Key, place: number): void {
    this.keys.push(key);
    this.places.push(place);
  }

  get(key: Key): number | undefined {
    this.index();
    return this.tables[codeOf(key)]?.get(key);
  }

  /** Rows of a table go to the same pages, so they leave together. */
  *lastWrites(): Generator<readonly [Key, number]> {
    this.index();
    const { tables } = this;
    this.tables = [];
    this.indexed = 0;
    for (const places of tables) if (places !== undefined) yield* places;
  }

  private index(): void {
    const { keys, places, tables } = this;
    for (; this.indexed < keys.length; this.indexed++) {
      const key = keys[this.indexed] ?? "";
      const place = places[this.indexed] ?? 0;
      const code = codeOf(key);
      let table = tables[code];
      if (table === undefined) {
        table = new Map();
        tables[code] = table;
      }
      if (place >= 0) table.set(key, place);
      else if (!table.delete(key)) table.set(key, -1 - place);
    }
  }
}

const noBytes = new Uint8Array(0);
