/**
 * Rows that are durable in the journal and not yet in the tables, as slices of their records (off
 * the heap, so that no collection ever walks them), in two generations: the one that is written to,
 * and the frozen one that a pass is writing into the tables. Look-ups go new, frozen, table.
 *
 * A record that is added costs nothing but its place in a list; finding its rows is left to the
 * first look-up or to the pass, which takes some records at a time: a shard has other things to do
 * meanwhile. What is found is numbers too: keys stay where they lie in their records until somebody
 * wants them. Used by the shard and by the gateway.
 */
import { invariant } from "../invariant.ts";
import { engineTables, type Key, partitionOf } from "../key.ts";
import { asBuffer, eachPlace, type Slice } from "../record.ts";

export interface FreshRow extends Slice {
  readonly key: Key;
  /** Undefined for what is no head, and for what was read back from the journal. */
  readonly head: FreshHead | undefined;
}

/** What a pass must know of a head beside its bytes. */
export interface FreshHead {
  /** When its actor wants to learn `due`. */
  readonly dueMs: number | undefined;
  /** What its actor's listing wants to know of it. */
  readonly indexed: unknown;
}

/** Of a record's writes, in their order. */
type Heads = readonly (FreshHead | undefined)[];

export class FreshRows {
  private current = new Generation();
  private frozen = new Generation();

  /**
   * About how many rows there are: those that were written twice count twice, a record whose heads
   * nobody told counts once.
   */
  get size(): number {
    return this.current.writes + this.frozen.writes;
  }

  add(record: Uint8Array, heads?: Heads): void {
    if (record.length > 0) this.current.add(record, heads);
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

  /** The last write of each frozen row: partition by partition, and there table by table. */
  lastWrites(): Iterable<readonly FreshRow[]> {
    return this.frozen.lastWrites();
  }

  /** The rows of a partition: a later one replaces an earlier one of the same key. */
  *rowsOf(partition: number): Generator<FreshRow> {
    for (const generation of [this.frozen, this.current])
      for (const rows of generation.rowsOf(partition)) yield* rows;
  }

  /** The frozen rows are in the tables now. */
  thaw(): void {
    this.frozen = new Generation();
  }
}

/** Some thousand rows under load: about a millisecond. */
const recordsPerSlice = 8;
const rowsPerSlice = 1024;

/** Of a row: its record, where its key and its value stand there, and what finds it. */
const [recordWord, keyStartWord, keyWord, startWord, endWord] = [0, 1, 2, 3, 4];
const [headWord, hashWord, olderWord, wordsPerRow] = [5, 6, 7, 8];
/** Of `keyWord`: how long the key is, and above that its table's code. */
const lengthBits = 8;
const lengthMask = 2 ** lengthBits - 1;
const partitions = 256;

class Generation {
  writes = 0;
  private unread: (readonly [record: Uint8Array, heads: Heads | undefined])[] = [];
  private readonly records: Buffer[] = [];
  private readonly heads: FreshHead[] = [];
  private count = 0;
  private words = new Int32Array(wordsPerRow * 1024);
  /** The newest row of each partition, from which `olderWord` leads to the others; -1 for none. */
  private readonly newest = new Int32Array(partitions).fill(-1);
  private readonly counts = new Int32Array(partitions);
  private readonly indexes: (PartitionIndex | undefined)[] = [];

  add(record: Uint8Array, heads: Heads | undefined): void {
    this.unread.push([record, heads]);
    this.writes += heads?.length ?? 1;
  }

  get(key: Key): Slice | undefined {
    this.read();
    const { slots } = this.indexOf(partitionOf(key));
    const hash = hashOfKey(key);
    for (let at = hash & (slots.length - 1); ; at = (at + 1) & (slots.length - 1)) {
      const found = slots[at] ?? 0;
      if (found === 0) return undefined;
      const row = Math.abs(found) - 1;
      if (this.word(row, hashWord) === hash && this.keyOf(row) === key) return this.sliceOf(row);
    }
  }

  *lastWrites(): Generator<readonly FreshRow[]> {
    this.read();
    for (let partition = 0; partition < partitions; partition++)
      if (this.newest[partition] !== -1) yield* this.lastWritesOf(partition);
  }

  /** At most `count` records more; false when that was all. */
  read(count = Number.POSITIVE_INFINITY): boolean {
    const { unread } = this;
    if (unread.length === 0) return false;
    this.unread = unread.slice(count);
    for (const [record, heads] of unread.slice(0, count)) this.readRecord(record, heads);
    return this.unread.length > 0;
  }

  private readRecord(record: Uint8Array, heads: Heads | undefined): void {
    const number = this.records.push(asBuffer(record)) - 1;
    let write = 0;
    eachPlace(record, (keyStart, keyEnd, start, end) => {
      const head = heads?.[write++];
      const partition = record[keyStart] ?? 0;
      const row = this.count++;
      const at = row * wordsPerRow;
      if (at === this.words.length) this.grow();
      const { words } = this;
      words[at + recordWord] = number;
      words[at + keyStartWord] = keyStart;
      words[at + keyWord] = (keyEnd - keyStart) | ((record[keyStart + 1] ?? 0) << lengthBits);
      words[at + startWord] = start;
      words[at + endWord] = end;
      words[at + headWord] = head === undefined ? -1 : this.heads.push(head) - 1;
      words[at + hashWord] = hashOfBytes(record, keyStart, keyEnd);
      words[at + olderWord] = this.newest[partition] ?? -1;
      this.newest[partition] = row;
      this.counts[partition] = (this.counts[partition] ?? 0) + 1;
    });
  }

  rowsOf(partition: number): Generator<readonly FreshRow[]> {
    this.read();
    return this.lastWritesOf(partition);
  }

  private *lastWritesOf(partition: number): Generator<readonly FreshRow[]> {
    const { slots } = this.indexOf(partition);
    const found = new Int32Array(slots.length);
    let count = 0;
    for (const slot of slots)
      if (slot > 0) found[count++] = (this.codeOf(slot - 1) << rowBits) | (slot - 1);
    const places = found.subarray(0, count).sort();
    for (let from = 0; from < count; from += rowsPerSlice) {
      const rows: FreshRow[] = [];
      for (const place of places.subarray(from, from + rowsPerSlice))
        rows.push(this.rowOf(place & rowMask));
      yield rows;
    }
  }

  private rowOf(row: number): FreshRow {
    const { record, start, end } = this.sliceOf(row);
    return { key: this.keyOf(row), record, start, end, head: this.heads[this.word(row, headWord)] };
  }

  /** The index of a partition with all of its rows. */
  private indexOf(partition: number): PartitionIndex {
    const count = this.counts[partition] ?? 0;
    let index = this.indexes[partition];
    if (index === undefined || count * 2 > index.slots.length) {
      const size = 2 ** Math.ceil(Math.log2(count * 3 + 2));
      index = { slots: new Int32Array(size), newest: -1 };
      this.indexes[partition] = index;
    }
    const newest = this.newest[partition] ?? -1;
    for (let row = newest; row > index.newest; row = this.word(row, olderWord))
      this.place(index.slots, row);
    index.newest = newest;
    return index;
  }

  private place(slots: Int32Array, row: number): void {
    const hash = this.word(row, hashWord);
    for (let at = hash & (slots.length - 1); ; at = (at + 1) & (slots.length - 1)) {
      const found = slots[at] ?? 0;
      if (found === 0) {
        slots[at] = row + 1;
        return;
      }
      const other = Math.abs(found) - 1;
      if (this.word(other, hashWord) !== hash || !this.haveOneKey(row, other)) continue;
      const [older, newer] = row < other ? [row, other] : [other, row];
      slots[at] = this.isUndone(older, newer) ? -1 - newer : newer + 1;
      return;
    }
  }

  /** An effect that is concluded soon enough never reaches the tables. */
  private isUndone(older: number, newer: number): boolean {
    return (
      this.word(older, startWord) >= 0 &&
      this.word(newer, startWord) < 0 &&
      this.codeOf(newer) === engineTables.outbox
    );
  }

  private haveOneKey(a: number, b: number): boolean {
    if (this.word(a, keyWord) !== this.word(b, keyWord)) return false;
    const [recordOfA, recordOfB] = [this.recordOf(a), this.recordOf(b)];
    const [startOfA, startOfB] = [this.word(a, keyStartWord), this.word(b, keyStartWord)];
    for (let at = this.lengthOf(a) - 1; at >= 0; at--)
      if (recordOfA[startOfA + at] !== recordOfB[startOfB + at]) return false;
    return true;
  }

  private keyOf(row: number): Key {
    const start = this.word(row, keyStartWord);
    return this.recordOf(row).toString("latin1", start, start + this.lengthOf(row));
  }

  private codeOf(row: number): number {
    return this.word(row, keyWord) >> lengthBits;
  }

  private lengthOf(row: number): number {
    return this.word(row, keyWord) & lengthMask;
  }

  private sliceOf(row: number): Slice {
    const record = this.recordOf(row);
    return { record, start: this.word(row, startWord), end: this.word(row, endWord) };
  }

  private recordOf(row: number): Buffer {
    return this.records[this.word(row, recordWord)] ?? noBytes;
  }

  private word(row: number, word: number): number {
    return this.words[row * wordsPerRow + word] ?? -1;
  }

  private grow(): void {
    const { words } = this;
    invariant(this.count <= rowMask, "a generation is in the tables before it is that large");
    this.words = new Int32Array(words.length * 2);
    this.words.set(words);
  }
}

/**
 * Open addressing with linear probing over the rows of a partition up to `newest`. A slot is 0, or
 * the number of a key's last write from 1 on, or the same below 0 for one that undid what it
 * follows.
 */
interface PartitionIndex {
  readonly slots: Int32Array;
  newest: number;
}

/** A table's code stands above so many bits of a row's number. */
const rowBits = 23;
const rowMask = 2 ** rowBits - 1;
const noBytes = Buffer.alloc(0);

/** FNV-1a, 32 bits. */
const [offsetBasis, prime] = [0x811c9dc5, 0x01000193];

function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = offsetBasis | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), prime);
  return hash ^ (hash >>> 15);
}

/** The same of a key, whose characters are its bytes. */
function hashOfKey(key: Key): number {
  let hash = offsetBasis | 0;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), prime);
  return hash ^ (hash >>> 15);
}
