/**
 * A shard's tables as one object: each row is the length of its key in bytes u16, that of its value
 * u32, the key, the value, in the order of keys. The position is a row like others.
 *
 * A snapshot shows the tables between two transactions, as a crash would leave them. A flush takes
 * several and writes the position in the last, so rows may be ahead of it: the log's records behind
 * the position are applied again, each with whole rows, and the last write of a key is the same. A
 * head's due time and index entries are in one transaction with it, and due times are restored from
 * the tables, so what is derived of later heads follows from what the tables really hold.
 */
import { createHash } from "node:crypto";
import { limits } from "../../config/limits.ts";
import { createKey, type Key } from "../key.ts";
import type { Objects } from "../ports/objects.ts";
import { PortError } from "../ports/port-error.ts";
import type { Snapshot } from "../ports/snapshots.ts";
import type { TableReader, TableWrite } from "../ports/tables.ts";
import { type Owner, ownerKey, type Position } from "./flush.ts";
import { readPosition } from "./replica.ts";

export interface SnapshotOrigin {
  /** Id of the store. */
  readonly store: string;
  readonly shard: number;
  /** Drawn for this snapshot, so that an object which is being read is never replaced. */
  readonly nonce: string;
}

/** Key range of all rows of a shard. */
export const allRows = { start: createKey(0, 0, ""), end: createKey(255, 255, "") };

const headBytes = 6;
const rowsPerRead = 1_000;

/**
 * Stores what `view` shows, one instant of the tables; keeps the previous snapshot for those who
 * are reading it. Throws `PortError`.
 */
export async function writeSnapshot(
  view: TableReader,
  objects: Objects,
  { store, shard, nonce }: SnapshotOrigin,
): Promise<Snapshot> {
  const position = readPosition(view);
  const owner = view.get(ownerKey);
  if (position.seq === 0 || owner === undefined)
    throw new PortError("the shard's tables are still empty", true);
  const folder = `snapshots/${store}/${shard}`;
  const objectKey = `${folder}/${position.epoch}-${position.seq}-${nonce}`;
  const stored = await objects.put(objectKey, packRows(view));
  await removeOlder(objects, folder, objectKey);
  const { epoch, seq } = position;
  const { nonce: ownerNonce }: Owner = JSON.parse(owner);
  return { store, epoch, seq, nonce: ownerNonce, objectKey, ...stored };
}

/**
 * Yields the rows in order, some megabytes at a time. The whole object is checked before the first
 * row is returned. Throws `PortError`.
 */
export async function* readSnapshot(
  objects: Objects,
  snapshot: Snapshot,
): AsyncGenerator<readonly TableWrite[]> {
  await check(objects, snapshot);
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of objects.read(snapshot.objectKey, isWhole(snapshot))) {
    chunks.push(Uint8Array.from(chunk));
    bytes += chunk.length;
    if (bytes < limits.cluster.joinBytes) continue;
    const { rows, rest } = unpackRows(Buffer.concat(chunks));
    yield rows;
    chunks = [rest];
    bytes = rest.length;
  }
  const { rows, rest } = unpackRows(Buffer.concat(chunks));
  if (rest.length > 0) throw new PortError(`object ${snapshot.objectKey} was cut short`, true);
  yield rows;
}

async function check(objects: Objects, snapshot: Snapshot): Promise<void> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of objects.read(snapshot.objectKey, isWhole(snapshot))) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  if (bytes !== snapshot.sizeBytes || hash.digest("hex") !== snapshot.sha256)
    throw new PortError(`object ${snapshot.objectKey} is not what was stored there`, true);
}

function isWhole({ sizeBytes }: Snapshot) {
  return { start: 0, end: sizeBytes };
}

function* packRows(view: TableReader): Generator<Uint8Array> {
  for (let { start } = allRows; ; ) {
    const page = view.range({ start, end: allRows.end }, rowsPerRead);
    yield Buffer.concat(page.flatMap(({ key, text }) => packRow(key, text)));
    const last = page.at(-1);
    if (last === undefined || page.length < rowsPerRead) return;
    start = `${last.key}\0`;
  }
}

function packRow(key: Key, text: string): Buffer[] {
  const value = Buffer.from(text);
  const head = Buffer.alloc(headBytes);
  head.writeUInt16LE(key.length, 0);
  head.writeUInt32LE(value.length, 2);
  return [head, Buffer.from(key, "latin1"), value];
}

/** `rest` begins with the row that is not whole yet. */
function unpackRows(bytes: Buffer): { rows: TableWrite[]; rest: Buffer } {
  const rows: TableWrite[] = [];
  let at = 0;
  while (at + headBytes <= bytes.length) {
    const valueAt = at + headBytes + bytes.readUInt16LE(at);
    const end = valueAt + bytes.readUInt32LE(at + 2);
    if (end > bytes.length) break;
    rows.push([bytes.toString("latin1", at + headBytes, valueAt), bytes.subarray(valueAt, end)]);
    at = end;
  }
  return { rows, rest: bytes.subarray(at) };
}

/** Keeps the newest of the other snapshots; an abandoned history had a lower epoch. */
async function removeOlder(objects: Objects, folder: string, newest: string): Promise<void> {
  const others: string[] = [];
  for await (const { key } of objects.list(folder)) if (key !== newest) others.push(key);
  others.sort((a, b) => compareAge(parseAge(a), parseAge(b)));
  for (const key of others.slice(1)) await objects.remove(key);
}

/** Removes all snapshots of a store. Throws `PortError`. */
export async function removeSnapshots(objects: Objects, store: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of objects.list(`snapshots/${store}`)) keys.push(key);
  for (const key of keys) await objects.remove(key);
}

type Age = Pick<Position, "epoch" | "seq">;

function parseAge(objectKey: string): Age {
  const [epoch, seq] = (objectKey.split("/").at(-1) ?? "").split("-");
  return { epoch: Number(epoch) || 0, seq: Number(seq) || 0 };
}

function compareAge(a: Age, b: Age): number {
  return b.epoch - a.epoch || b.seq - a.seq;
}
