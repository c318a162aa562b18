/**
 * One file of a journal: entries one behind the other, each from a page of its own on. An entry is
 * a magic number u32, CRC-32 of all that follows u32, length of the record u32, nothing u32, its
 * number f64, the record. The last entry is followed by zeros or entries of lower numbers.
 */
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { StoreDamage } from "../ports/store-damage.ts";

export const segmentBytes = 4 * 1024 * 1024;
export const entryHeadBytes = 24;
const pageBytes = 4096;
const magic = 0x4b4a0001;

export interface Entry {
  readonly seq: number;
  readonly record: Uint8Array;
}

/** A range of unreadable records in a file that has later, readable ones. */
export interface Gap {
  readonly from: number;
  readonly before: number;
}

export function encodeHead(seq: number, record: Uint8Array): Buffer {
  const head = Buffer.alloc(entryHeadBytes);
  head.writeUInt32LE(magic, 0);
  head.writeUInt32LE(record.length, 8);
  head.writeDoubleLE(seq, 16);
  head.writeUInt32LE(crc32(record, crc32(head.subarray(8))), 4);
  return head;
}

/** Parses the entry at `at`; undefined when no whole entry begins there. */
export function entryAt(bytes: Buffer, at: number): Entry | undefined {
  if (at + entryHeadBytes > bytes.length || bytes.readUInt32LE(at) !== magic) return undefined;
  const start = at + entryHeadBytes;
  const end = start + bytes.readUInt32LE(at + 8);
  if (end > bytes.length || crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4))
    return undefined;
  return { seq: bytes.readDoubleLE(at + 16), record: bytes.subarray(start, end) };
}

/** Yields all whole entries in order; calls `onGap` for unreadable bytes between two of them. */
export function* readEntries(bytes: Buffer, onGap: (gap: Gap) => void): Generator<Entry> {
  let lastSeq = 0;
  for (let at = 0; ; ) {
    const place = nextPlace(bytes, at, lastSeq);
    if (place === undefined) return;
    const { entry } = place;
    if (place.at > at) onGap({ from: lastSeq + 1, before: entry.seq });
    yield entry;
    lastSeq = entry.seq;
    at = nextPage(place.at + entryHeadBytes + entry.record.length);
  }
}

/** Throws `StoreDamage` for records from `seq` on. */
export function refuseGap(name: string, { from, before }: Gap, seq: number): void {
  if (before <= seq) return;
  const lost = Math.max(from, seq);
  const what = lost === before - 1 ? `record ${lost} is` : `records ${lost} to ${before - 1} are`;
  throw new StoreDamage(
    `journal/${name} is damaged, ${what} lost and those behind cannot be trusted`,
  );
}

function nextPlace(bytes: Buffer, from: number, lastSeq: number) {
  for (let at = from; at < bytes.length; at += pageBytes) {
    const entry = entryAt(bytes, at);
    if (entry !== undefined && entry.seq > lastSeq) return { at, entry };
  }
  return undefined;
}

/** Number of the record in the first head, whole or not; undefined for an unused segment. */
export function parseFirstSeq(path: string): number | undefined {
  const head = Buffer.alloc(entryHeadBytes);
  const file = openSync(path, "r");
  try {
    readSync(file, head, 0, entryHeadBytes, 0);
  } finally {
    closeSync(file);
  }
  return head.readUInt32LE(0) === magic ? head.readDoubleLE(16) : undefined;
}

export function wipeHead(path: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_DSYNC);
  try {
    writeSync(file, Buffer.alloc(entryHeadBytes), 0, entryHeadBytes, 0);
  } finally {
    closeSync(file);
  }
}

export function nextPage(at: number): number {
  return Math.ceil(at / pageBytes) * pageBytes;
}
