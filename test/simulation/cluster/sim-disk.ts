/**
 * A shard's disk on a simulated node. What was written is there after a crash only if its writing
 * had ended; of what was being written a crash keeps the beginning, or nothing. As in files, a trim
 * drops whole segments of the journal, the rest is passed over until the journal is opened anew,
 * and a journal with a gap cannot be read.
 */
import type { Key, KeyRange } from "../../../engine/key.ts";
import type { Journal } from "../../../engine/ports/journal.ts";
import { PortError } from "../../../engine/ports/port-error.ts";
import { StoreDamage } from "../../../engine/ports/store-damage.ts";
import type { TableRow, Tables, TableWrite } from "../../../engine/ports/tables.ts";
import { computeHash, readHead } from "../../../engine/record.ts";
import { type Position, positionKey } from "../../../engine/shard/flush.ts";
import type { Dice } from "./dice.ts";
import type { Life, Timeline } from "./timeline.ts";

/** Rows in the order of their keys. */
class SortedRows {
  private readonly texts = new Map<Key, string>();
  private readonly keys: Key[] = [];

  get(key: Key): string | undefined {
    return this.texts.get(key);
  }

  set(key: Key, text: string | undefined): void {
    const isThere = this.texts.has(key);
    if (text === undefined) {
      if (this.texts.delete(key)) this.keys.splice(this.place(key), 1);
      return;
    }
    this.texts.set(key, text);
    if (!isThere) this.keys.splice(this.place(key), 0, key);
  }

  range({ start, end }: KeyRange, limit: number, reverse: boolean): TableRow[] {
    const found = this.keys.slice(this.place(start), this.place(end));
    if (reverse) found.reverse();
    return found.slice(0, limit).map((key) => ({ key, text: this.texts.get(key) ?? "" }));
  }

  /** Returns the index of the key, or where it would be. */
  private place(key: Key): number {
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const recordsPerSegment = 16;

/** A write that is under way. */
interface Write {
  readonly keep: () => void;
}

export class SimDisk {
  /** Hash of each record that was ever durable here, by its number, in the current history. */
  readonly hashes = new Map<number, string>();
  /** Last record of the snapshot whose rows replaced the disk's own; 0 for none. */
  joinedSeq = 0;
  /** Whether writes to the disk fail. */
  isFailing = false;
  private readonly timeline: Timeline;
  private readonly dice: Dice;
  private readonly records = new Map<number, Uint8Array>();
  private readonly rows = new SortedRows();
  private writes: Write[] = [];
  private noted = { epoch: 0, seq: 0 };

  constructor(timeline: Timeline, dice: Dice) {
    this.timeline = timeline;
    this.dice = dice;
  }

  /** Last record that was ever durable here, in the current history. */
  get lastSeq(): number {
    return this.noted.seq;
  }

  get last(): { readonly epoch: number; readonly seq: number } {
    return this.noted;
  }

  /** Loses what was not flushed, or keeps only its beginning. */
  crash(): void {
    const kept = this.dice.percent(50) ? this.dice.between(0, this.writes.length) : 0;
    for (const { keep } of this.writes.slice(0, kept)) keep();
    this.writes = [];
  }

  /** Calls `onTrim` with each number up to which records are dropped. */
  openJournal(life: Life, onTrim: (seq: number) => void): Journal {
    const { records } = this;
    let trimmedSeq = 0;
    let lastSeq = Math.max(0, ...records.keys());
    return {
      append: (seq, record) => {
        if (seq <= lastSeq) throw new PortError(`record ${seq} is in the journal already`, false);
        const bytes = new Uint8Array(record);
        return this.write(life, () => {
          lastSeq = seq;
          records.set(seq, bytes);
          this.note(bytes);
        });
      },
      *from(seq) {
        const least = Math.max(seq, trimmedSeq + 1);
        let before: number | undefined;
        for (const at of [...records.keys()].sort((a, b) => a - b)) {
          if (before !== undefined && at !== before + 1 && at > least)
            throw new StoreDamage(`records ${before + 1} to ${at - 1} are lost`);
          before = at;
          if (at >= least) yield { seq: at, record: records.get(at) ?? new Uint8Array() };
        }
      },
      async trim(seq) {
        onTrim(seq);
        trimmedSeq = Math.max(trimmedSeq, Math.min(seq, lastSeq));
        const whole = trimmedSeq - (trimmedSeq % recordsPerSegment);
        for (const at of records.keys()) if (at <= whole) records.delete(at);
      },
      restart: (seq) =>
        this.write(life, () => {
          records.clear();
          this.forgetAfter(seq);
          trimmedSeq = 0;
          lastSeq = seq;
        }),
      async close() {},
    };
  }

  openTables(life: Life): Tables {
    const { rows } = this;
    return {
      get: (key) => rows.get(key),
      range: (range, limit, reverse = false) => rows.range(range, limit, reverse),
      refresh() {},
      write: (writes) => {
        const texts = Array.from(writes, ([key, value]) => [key, getText(value)] as const);
        return this.write(life, () => {
          for (const [key, text] of texts) {
            rows.set(key, text);
            if (key === positionKey && text !== undefined) this.notePosition(text);
          }
        });
      },
      async close() {},
    };
  }

  private notePosition(text: string): void {
    const { epoch, seq, hash } = JSON.parse(text) as Position;
    if (seq === 0 || this.hashes.get(seq) === hash) return;
    this.hashes.clear();
    this.hashes.set(seq, hash);
    this.joinedSeq = seq;
    this.noted = { epoch, seq };
  }

  /** The rows were taken back to this record. */
  private forgetAfter(seq: number): void {
    if (this.noted.seq <= seq) return;
    for (const later of this.hashes.keys()) if (later > seq) this.hashes.delete(later);
    const text = this.rows.get(positionKey);
    const epoch = text === undefined ? 0 : (JSON.parse(text) as Position).epoch;
    this.noted = { epoch, seq };
  }

  /** Later records belong to a history that was given up. */
  private note(record: Uint8Array): void {
    const { epoch, seq } = readHead(record);
    for (let later = seq + 1; this.hashes.delete(later); later++);
    this.hashes.set(seq, computeHash(record));
    this.noted = { epoch, seq };
  }

  private write(life: Life, keep: () => void): Promise<void> {
    const write = { keep };
    this.writes.push(write);
    return new Promise((resolve, reject) => {
      this.timeline.after(life, this.dice.between(1, 3), () => {
        if (this.isFailing) {
          this.writes = this.writes.filter((one) => one !== write);
          reject(new PortError(diskFault, true));
          return;
        }
        // Writes of a disk end in their order.
        for (const one of this.writes.splice(0, this.writes.indexOf(write) + 1)) one.keep();
        resolve();
      });
    });
  }
}

/** Error message of a disk that fails for a while. */
export const diskFault = "the disk fails";

function getText(value: TableWrite[1]): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return Buffer.from(value).toString();
}
