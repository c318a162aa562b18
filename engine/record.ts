/**
 * A record: one group commit of one shard. Replicas apply its writes and never re-run actor code.
 *
 * Layout, little endian: version u8, pad u8, shard u16, epoch u32, seq f64, atMs f64, count u32,
 * place of the values u32; per write: key length u8, value length u32 (0xffffffff deletes), key
 * (latin1); then all values (UTF-8 JSON) in the same order; last the 32 bytes of `sha256(previous
 * hash + all before it)`.
 *
 * I1 same seq, same hash on every replica. I2 seq contiguous, epoch non-decreasing.
 */
import { createHash, hash as hashAtOnce } from "node:crypto";
import { invariant } from "./invariant.ts";
import type { Key } from "./key.ts";

export interface RecordHead {
  readonly shard: number;
  readonly epoch: number;
  readonly seq: number;
  readonly atMs: number;
}

export interface Sealed {
  readonly bytes: Uint8Array;
  /** Hash in lower-case hex; it is part of the next record. */
  readonly hash: string;
}

/** A record's head and its own hash, which follows from that of the record before. */
export interface Verified extends RecordHead {
  readonly hash: string;
}

/** The bytes `[start, end)` hold a value as UTF-8 JSON; both are -1 for a deletion. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Slice extends Span {
  readonly record: Uint8Array;
}

const version = 2;
const headBytes = 32;
const hashBytes = 32;
const keyBytesMax = 255;
const deleted = 0xffffffff;

/** Bytes of a record besides its writes' keys and values: per record, and per write. */
export const recordOverheadBytes = headBytes + hashBytes;
export const writeOverheadBytes = 5;

export const noHash = "0".repeat(64);

const chained = Buffer.allocUnsafeSlow(8 * 1024);
let scratch = Buffer.allocUnsafeSlow(256 * 1024);

/** Encodes and hashes a record; `writes` are spans of `values`. */
export function seal(
  head: RecordHead,
  writes: ReadonlyMap<Key, Span>,
  values: Uint8Array,
  previousHash: string,
): Sealed {
  let valuesAt = headBytes;
  let bytes = 0;
  for (const [key, { start, end }] of writes) {
    valuesAt = writeKey(key, start < 0 ? deleted : end - start, valuesAt);
    bytes += end - start;
  }
  const at = valuesAt + bytes;
  reserve(at + hashBytes);
  copyValues(writes, values, valuesAt);
  writeHead(head, writes.size, valuesAt);
  const hash = chainHash(previousHash, scratch.subarray(0, at));
  scratch.write(hash, at, "hex");
  return { bytes: new Uint8Array(scratch.subarray(0, at + hashBytes)), hash };
}

/** Writes a key with its length; returns the offset of the next key. */
function writeKey(key: Key, length: number, at: number): number {
  invariant(key.length <= keyBytesMax, "a key has at most 255 bytes");
  const keyAt = at + 5;
  const end = keyAt + key.length;
  reserve(end);
  scratch[at] = key.length;
  scratch.writeUInt32LE(length, at + 1);
  for (let index = 0; index < key.length; index++) scratch[keyAt + index] = key.charCodeAt(index);
  return end;
}

/** Adjacent values are copied together: a call costs as much as a hundred bytes. */
function copyValues(writes: ReadonlyMap<Key, Span>, values: Uint8Array, target: number): void {
  let at = target;
  let from = 0;
  let to = 0;
  const copy = () => {
    if (from < to) scratch.set(values.subarray(from, to), at);
    at += to - from;
  };
  for (const { start, end } of writes.values()) {
    if (start < 0) continue;
    if (start !== to) {
      copy();
      from = start;
    }
    to = end;
  }
  copy();
}

/** Undefined when the bytes are no record, or its hash does not follow from `previousHash`. */
export function verify(bytes: Uint8Array, previousHash: string): Verified | undefined {
  const body = asBuffer(bytes);
  const end = body.length - hashBytes;
  if (end < headBytes || body[0] !== version) return undefined;
  const hash = chainHash(previousHash, body.subarray(0, end));
  if (body.toString("hex", end) !== hash) return undefined;
  const { shard, epoch, seq, atMs } = readHead(bytes);
  return { shard, epoch, seq, atMs, hash };
}

export function readHead(bytes: Uint8Array): RecordHead {
  const body = asBuffer(bytes);
  return {
    shard: body.readUInt16LE(2),
    epoch: body.readUInt32LE(4),
    seq: body.readDoubleLE(8),
    atMs: body.readDoubleLE(16),
  };
}

/** Counts a record's writes; no bytes stand for no writes. */
export function countWrites(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : asBuffer(bytes).readUInt32LE(24);
}

/** Returns the record's own hash, in lower-case hex. */
export function computeHash(bytes: Uint8Array): string {
  return asBuffer(bytes).toString("hex", bytes.length - hashBytes);
}

/**
 * Calls `visit` with each write's key and the bounds of its value as in a `Slice`. A step without
 * writes has no bytes.
 */
export function eachWrite(
  bytes: Uint8Array,
  visit: (key: Key, start: number, end: number) => void,
): void {
  const body = asBuffer(bytes);
  eachPlace(bytes, (keyStart, keyEnd, start, end) => {
    visit(body.toString("latin1", keyStart, keyEnd), start, end);
  });
}

/** Like `eachWrite`, for callers that need only some of the keys. */
export function eachPlace(
  bytes: Uint8Array,
  visit: (keyStart: number, keyEnd: number, start: number, end: number) => void,
): void {
  if (bytes.length === 0) return;
  const body = asBuffer(bytes);
  let at = headBytes;
  let start = body.readUInt32LE(28);
  for (let left = body.readUInt32LE(24); left > 0; left--) {
    const length = body.readUInt32LE(at + 1);
    const keyStart = at + 5;
    const keyEnd = keyStart + (body[at] ?? 0);
    if (length === deleted) visit(keyStart, keyEnd, -1, -1);
    else {
      visit(keyStart, keyEnd, start, start + length);
      start += length;
    }
    at = keyEnd;
  }
}

/** Returns the value as JSON text, or undefined for a deletion. */
export function getText({ record, start, end }: Slice): string | undefined {
  return start < 0 ? undefined : asBuffer(record).toString("utf8", start, end);
}

/** Returns the value's JSON as bytes of the record, or undefined for a deletion. */
export function getBytes({ record, start, end }: Slice): Uint8Array | undefined {
  return start < 0 ? undefined : record.subarray(start, end);
}

/** Returns a Buffer over the same bytes, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function writeHead(head: RecordHead, count: number, valuesAt: number): void {
  scratch[0] = version;
  scratch[1] = 0;
  scratch.writeUInt16LE(head.shard, 2);
  scratch.writeUInt32LE(head.epoch, 4);
  scratch.writeDoubleLE(head.seq, 8);
  scratch.writeDoubleLE(head.atMs, 16);
  scratch.writeUInt32LE(count, 24);
  scratch.writeUInt32LE(valuesAt, 28);
}

/**
 * Lower-case hex. Most records are signs of life or small batches: 0.7 us in one call over one
 * piece of memory, 1.8 us by an object that is fed.
 */
function chainHash(previousHash: string, body: Uint8Array): string {
  if (hashBytes + body.length > chained.length)
    return createHash("sha256").update(previousHash, "hex").update(body).digest("hex");
  chained.write(previousHash, 0, "hex");
  chained.set(body, hashBytes);
  return hashAtOnce("sha256", chained.subarray(0, hashBytes + body.length), "hex");
}

function reserve(least: number): void {
  if (least <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(least)));
  scratch.copy(larger);
  scratch = larger;
}
