/**
 * The short windows of a shard, and the rows from which a start refills them. A batch that sets
 * entries writes one row that lists them all, so a start reads a row for each batch and none for
 * each entry.
 *
 * The rows are the shard's own, like its position: a reshard copies them to each new shard, which
 * takes the entries of its partitions. Rows whose entries have expired are deleted beside new ones.
 */
import type { RowWrite } from "../../actor.ts";
import type { WindowRule } from "../../domain.ts";
import { invariant } from "../../invariant.ts";
import {
  createKey,
  encodeOrderedNumber,
  getCode,
  getRange,
  type Key,
  type KeyRange,
  readOrderedNumber,
} from "../../key.ts";
import { Fifo } from "../fifo.ts";
import { Window } from "./window.ts";

const keyBytes = 18; // partition, table code, 16 bytes of the window's key
const valueBytes = 16;
const entryBytes = keyBytes + valueBytes + 6; // and the time
/** What follows the key of an entry that was removed: no value, and a time before all others. */
const removal = "\0".repeat(entryBytes - keyBytes);
const rowPrefix: Key<string> = createKey(0, 0, "window");

/** Expired rows that are deleted for each new one: more than one, so that none pile up. */
const deletedPerRow = 2;

/** Bytes that an entry adds to its batch's record, in base64. */
export const recordedEntryBytes = Math.ceil((entryBytes * 4) / 3);

/** Range of the rows that list entries, in the order in which they were written. */
export const windowRows: KeyRange = getRange(rowPrefix);

export class ShardWindows {
  private readonly windows = new Map<number, Window>();
  private readonly longestMs: number;
  /** The rows that the tables hold, or will hold after the next flush; the oldest first. */
  private readonly written = new Fifo<{ readonly key: Key }>();

  constructor(rules: readonly WindowRule[]) {
    for (const { code, windowMs } of rules) this.windows.set(code, new Window(windowMs));
    this.longestMs = Math.max(0, ...rules.map(({ windowMs }) => windowMs));
  }

  has(key: Key): boolean {
    return this.windows.has(getCode(key));
  }

  get(key: Key, atMs: number): string | undefined {
    return this.windows.get(getCode(key))?.get(key.slice(2), atMs);
  }

  /** Sets an entry; an undefined `value` removes it. Returns the entry as a row lists it. */
  set(key: Key, value: unknown, atMs: number): string {
    const window = this.windows.get(getCode(key));
    invariant(window !== undefined && key.length === keyBytes, "an entry belongs to a window");
    if (value === undefined) {
      window.remove(key.slice(2));
      return key + removal;
    }
    invariant(typeof value === "string" && value.length === valueBytes, "an entry has 16 bytes");
    window.set(key.slice(2), value, atMs);
    return key + value + encodeTime(atMs);
  }

  /** Returns the writes by which the record `seq` of `atMs` lists what `set` returned. */
  list(entries: readonly string[], seq: number, atMs: number): RowWrite[] {
    const key = rowPrefix + encodeOrderedNumber(atMs) + encodeOrderedNumber(seq);
    this.written.push({ key });
    const writes: RowWrite[] = [
      { key, value: Buffer.from(entries.join(""), "latin1").toString("base64") },
    ];
    for (let oldest = this.written.first; oldest !== undefined; oldest = this.written.first) {
      if (writes.length > deletedPerRow || !this.isExpired(oldest.key, atMs)) break;
      writes.push({ key: oldest.key, value: undefined });
      this.written.shift();
    }
    return writes;
  }

  /** Refills the windows from a row, oldest rows first, by the entries whose keys are owned. */
  refill(key: Key, text: string, nowMs: number, owns: (key: Key) => boolean): void {
    this.written.push({ key });
    if (this.isExpired(key, nowMs)) return;
    const entries = Buffer.from(JSON.parse(text), "base64").toString("latin1");
    for (let at = 0; at < entries.length; at += entryBytes) {
      const entry = entries.slice(at, at + keyBytes);
      if (!owns(entry)) continue;
      const atMs = readOrderedNumber(entries, at + keyBytes + valueBytes);
      const value = entries.slice(at + keyBytes, at + keyBytes + valueBytes);
      this.set(entry, atMs === 0 ? undefined : value, atMs);
    }
  }

  /** A row is never written before its entries are set, so its time is no earlier than theirs. */
  private isExpired(key: Key, nowMs: number): boolean {
    return readOrderedNumber(key, rowPrefix.length) + this.longestMs <= nowMs;
  }
}

let encodedMs = -1;
let encoded = "";

/** Encodes a time; the last one is cached, for the many entries of one millisecond. */
function encodeTime(atMs: number): string {
  if (atMs !== encodedMs) encoded = encodeOrderedNumber(atMs);
  encodedMs = atMs;
  return encoded;
}
