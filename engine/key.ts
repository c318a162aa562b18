/**
 * Keys: binary strings (one character a byte) of partition, table code and what the table wants,
 * mostly ids. Byte order is string order, so ranges of ids are ranges of time. At most 255 bytes.
 *
 * `Key<Row>` remembers the type of the row that lies under it.
 */
declare const row: unique symbol;
export type Key<Row = unknown> = string & { readonly [row]?: Row };

/** Table codes from this one on belong to the directory. */
export const directoryCode = 128;

/** Table codes that the engine keeps for itself; the domain's begin at 16. */
export const engineTables = { outbox: 1, due: 2, seen: 3 } as const;

export function createKey<Row>(partition: number, code: number, rest: string): Key<Row> {
  return String.fromCharCode(partition, code) + rest;
}

export function getPartition(key: Key): number {
  return key.charCodeAt(0);
}

export function getCode(key: Key): number {
  return key.charCodeAt(1);
}

/** Returns the shard that owns a row. The directory is the shard after the last. */
export function getShard(key: Key, shardCount: number): number {
  return getCode(key) >= directoryCode ? shardCount : (getPartition(key) * shardCount) >> 8;
}

/**
 * The first and last partition of a shard, inclusive; the directory's rows all lie under partition
 * 0.
 */
export function getPartitions(shard: number, shardCount: number): { first: number; last: number } {
  if (shard === shardCount) return { first: 0, last: 0 };
  return { first: (shard * 256) / shardCount, last: ((shard + 1) * 256) / shardCount - 1 };
}

/** Range of all keys that begin with `prefix`, which must not be all 0xff. */
export function getRange(prefix: Key): { start: Key; end: Key } {
  let length = prefix.length;
  while (prefix.charCodeAt(length - 1) === 0xff) length--;
  const end = prefix.slice(0, length - 1) + String.fromCharCode(prefix.charCodeAt(length - 1) + 1);
  return { start: prefix, end };
}

/** Encodes an unsigned number below 2^48 as six bytes that sort as the numbers do. */
export function encodeOrderedNumber(value: number): string {
  const high = Math.floor(value / 0x1000000);
  const low = value % 0x1000000;
  return String.fromCharCode(
    (high >> 16) & 255,
    (high >> 8) & 255,
    high & 255,
    (low >> 16) & 255,
    (low >> 8) & 255,
    low & 255,
  );
}

export function readOrderedNumber(text: string, at: number): number {
  let value = 0;
  for (let index = at; index < at + 6; index++) value = value * 256 + text.charCodeAt(index);
  return value;
}

/** The keys in `[start, end)`, in byte order. */
export interface KeyRange {
  readonly start: Key;
  readonly end: Key;
}
