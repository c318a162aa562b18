/**
 * Where the rows of one partition lie in records, by their keys: a half-open hash table with linear
 * probing, in typed arrays. V8's young collections copy what lives through them, and most of that
 * were the fresh rows while they were objects in a Map.
 *
 * A row that is taken back keeps its place until `clear`. Keys are ids and digests of the service's
 * own: no client chooses which of them collide.
 */
import type { Key } from "../../key.ts";

/** `[start, end)` of the record with this number hold the value; both are -1 for a deletion. */
export interface RowPlace {
  readonly record: number;
  /** Index of the write within the record. */
  readonly write: number;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
}

/** Offsets of a row's fields, in words. */
const [hashAt, recordAt, writeAt, keyStartAt, keyEndAt, startAt, endAt] = [0, 1, 2, 3, 4, 5, 6];
const wordsPerRow = 7;
const slotsPerRow = 2;
const firstRows = 16;
/** A table of which a smaller share is used gives its memory back when it is cleared. */
const usedLeast = 1 / 8;
/** Stands in place of a write's index for a row that was taken back. */
const takenBack = -1;
const keyBytesMax = 255;

export class RowPlaces {
  private readonly records: readonly Uint8Array[];
  private words = new Int32Array(firstRows * wordsPerRow);
  /** Numbers of rows, counted from 1; 0 marks a free slot. */
  private slots = new Int32Array(firstRows * slotsPerRow);
  private count = 0;

  /** `records` are found by their index; more may be added later. */
  constructor(records: readonly Uint8Array[]) {
    this.records = records;
  }

  /** Number of rows, including those that were taken back. */
  get size(): number {
    return this.count;
  }

  get(key: Key): RowPlace | undefined {
    for (let index = 0; index < key.length; index++) keyBytes[index] = key.charCodeAt(index);
    const row = this.rowIn(
      this.findSlot(computeHash(keyBytes, 0, key.length), keyBytes, 0, key.length),
    );
    return row < 0 ? undefined : this.getPlace(row);
  }

  /** Sets the row's place, replacing an earlier one of the same key. */
  set(place: RowPlace): void {
    const { record, write, keyStart, keyEnd, start, end } = place;
    const at = this.rowFor(this.getBytes(record), keyStart, keyEnd) * wordsPerRow;
    const { words } = this;
    words[at + recordAt] = record;
    words[at + writeAt] = write;
    words[at + keyStartAt] = keyStart;
    words[at + keyEndAt] = keyEnd;
    words[at + startAt] = start;
    words[at + endAt] = end;
  }

  /** Removes the row with this place's key; returns false when the row holds no value. */
  takeBack({ record, keyStart, keyEnd }: RowPlace): boolean {
    const bytes = this.getBytes(record);
    const hash = computeHash(bytes, keyStart, keyEnd);
    const row = this.rowIn(this.findSlot(hash, bytes, keyStart, keyEnd));
    if (row < 0 || (this.getPlace(row)?.start ?? -1) < 0) return false;
    this.words[row * wordsPerRow + writeAt] = takenBack;
    return true;
  }

  /** Yields the rows in the order in which their keys were first set. */
  *all(): Generator<RowPlace> {
    for (let row = 0; row < this.count; row++) {
      const place = this.getPlace(row);
      if (place !== undefined) yield place;
    }
  }

  clear(): void {
    const { words, count } = this;
    this.count = 0;
    if (count * wordsPerRow < words.length * usedLeast && words.length > firstRows * wordsPerRow) {
      this.words = new Int32Array(firstRows * wordsPerRow);
      this.slots = new Int32Array(firstRows * slotsPerRow);
    } else if (count > 0) this.slots.fill(0);
  }

  private getPlace(row: number): RowPlace | undefined {
    const at = row * wordsPerRow;
    const write = this.word(at + writeAt);
    if (write === takenBack) return undefined;
    return {
      record: this.word(at + recordAt),
      write,
      keyStart: this.word(at + keyStartAt),
      keyEnd: this.word(at + keyEndAt),
      start: this.word(at + startAt),
      end: this.word(at + endAt),
    };
  }

  /** Finds the row whose key these bytes are, or adds one. */
  private rowFor(bytes: Uint8Array, from: number, to: number): number {
    if (this.count * wordsPerRow === this.words.length) this.grow();
    const hash = computeHash(bytes, from, to);
    const slot = this.findSlot(hash, bytes, from, to);
    const found = this.rowIn(slot);
    if (found >= 0) return found;
    this.words[this.count * wordsPerRow + hashAt] = hash;
    this.slots[slot] = ++this.count;
    return this.count - 1;
  }

  /** Finds the slot of the row with this key, or the free slot where it belongs. */
  private findSlot(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = this.rowIn(slot);
      if (row < 0 || this.hasKey(row, hash, bytes, from, to)) return slot;
    }
  }

  private hasKey(row: number, hash: number, bytes: Uint8Array, from: number, to: number): boolean {
    const at = row * wordsPerRow;
    const start = this.word(at + keyStartAt);
    const length = this.word(at + keyEndAt) - start;
    if (this.word(at + hashAt) !== hash || length !== to - from) return false;
    const own = this.getBytes(this.word(at + recordAt));
    for (let index = 0; index < length; index++)
      if (own[start + index] !== bytes[from + index]) return false;
    return true;
  }

  private grow(): void {
    const { words, count } = this;
    this.words = new Int32Array(2 * words.length);
    this.words.set(words);
    this.slots = new Int32Array(2 * this.slots.length);
    const mask = this.slots.length - 1;
    for (let row = 0; row < count; row++) {
      let slot = this.word(row * wordsPerRow + hashAt) & mask;
      while (this.rowIn(slot) >= 0) slot = (slot + 1) & mask;
      this.slots[slot] = row + 1;
    }
  }

  /** Returns the index of the row in a slot; -1 for a free slot. */
  private rowIn(slot: number): number {
    return (this.slots[slot] ?? 0) - 1;
  }

  private word(at: number): number {
    return this.words[at] ?? 0;
  }

  private getBytes(record: number): Uint8Array {
    return this.records[record] ?? noBytes;
  }
}

const noBytes = new Uint8Array(0);
const keyBytes = new Uint8Array(keyBytesMax);

/** Computes FNV-1a with 32 bits, its upper half folded into the lower one. */
function computeHash(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 16);
}
