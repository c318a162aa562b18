/**
 * Moves fresh rows into the tables: freeze, write (the last write of a key wins, so a job
 * that ran through three states between two flushes is one put), remember how far it went, thaw.
 * The index entries and due time of a head are written beside it. One flush is in flight at a time.
 */

import { limits } from "../../config/limits.ts";
import type { AnyActor } from "../actor.ts";
import type { Domain } from "../domain.ts";
import { createKey, engineTables, getCode, getPartition, type Key } from "../key.ts";
import type { TableWrite } from "../ports/tables.ts";
import { getBytes, getText } from "../record.ts";
import { decodeRow } from "../row-codec.ts";
import type { DueIndex } from "./rows/due-index.ts";
import type { FreshHead, FreshRow } from "./rows/fresh-rows.ts";
import type { ShardRows } from "./rows/shard-rows.ts";

/** How far the tables have got, and what the next record follows on. */
export interface Position {
  readonly seq: number;
  /** The record's sequence number in the replicated log; 0 without a log. */
  readonly logSeq: number;
  readonly epoch: number;
  readonly atMs: number;
  readonly hash: string;
}

export const positionKey: Key<Position> = createKey(0, 0, "position");

/** The last record before an epoch, and the owner then. */
export interface Before {
  readonly position: Position;
  readonly owner: Omit<Owner, "before"> | undefined;
}

/** Owner of the shard in an epoch, written by the epoch's first record. */
export interface Owner {
  /** Id of the owning node. */
  readonly node: string;
  /** Random value drawn for this epoch; names the owner's attempts to append. */
  readonly nonce: string;
  /** Id of the store, which all of its shards share. */
  readonly store: string;
  /** The nodes that may have records of the shard, this one among them. */
  readonly members: readonly string[];
  /** Whether what was answered in this epoch is also on the disk of another member. */
  readonly isQuorum: boolean;
  /** What the epoch's first record followed on; undefined on a machine without a cluster. */
  readonly before?: Before;
}

export const ownerKey: Key<Owner> = createKey(0, 0, "owner");

/** Says that the owner of this epoch stopped in order, and answers no reads any more. */
export interface Handover {
  readonly epoch: number;
}

export const handoverKey: Key<Handover> = createKey(0, 0, "handover");

/**
 * Writes rows that come partition by partition; when it resolves, the tables durably are at
 * `position`. Rows of a partition share pages, and a page that is written once for many rows is
 * what makes a flush cheap. What follows from a head is in one transaction with it. While one is
 * being stored the next is made. `pause` is awaited after each, with the number of rows that were
 * stored before: the thread has other things to do.
 */
export async function flushRows(
  rows: ShardRows,
  lastWrites: Iterable<readonly FreshRow[]>,
  position: Position,
  domain: Domain,
  pause: (stored: number) => Promise<void> = async () => {},
  rowsPerTransaction: number = limits.engine.rowsPerTransaction,
): Promise<void> {
  let chunk: TableWrite[] = [];
  let waiting: Waiting[] = [];
  const write = async (): Promise<number> => {
    const [writes, stored] = [chunk, waiting];
    chunk = [];
    waiting = [];
    await rows.tables.write(writes);
    // Noted only now: a failed flush is repeated, and must find what the tables really hold.
    for (const { key, dueMs } of stored) rows.due.store(key, dueMs);
    return writes.length;
  };
  let storing = Promise.resolve(0);
  for (const some of lastWrites) {
    for (const row of some) {
      if (chunk.length >= rowsPerTransaction) {
        const before = storing;
        storing = write();
        // The promise is awaited below, possibly after it was rejected.
        storing.catch(() => {});
        await pause(await before);
      }
      chunk.push([row.key, getBytes(row)]);
      const actor = domain.actorByCode.get(getCode(row.key));
      if (actor === undefined) continue;
      const head = row.head ?? restoreHead(row, rows.due, actor, domain);
      const hasEarlier = rows.due.isStored(row.key);
      const change = rows.due.difference(row.key, head.dueMs);
      if (change !== undefined) {
        chunk.push([dueKey(row.key), change === null ? undefined : String(change)]);
        waiting.push({ key: row.key, dueMs: head.dueMs });
      }
      const { picked } = head;
      const rule = picked === undefined ? undefined : domain.indexRules?.get(getCode(row.key));
      for (const { key, value } of rule?.entries(picked, hasEarlier) ?? [])
        chunk.push([key, value === undefined ? undefined : JSON.stringify(value)]);
    }
  }
  await storing;
  chunk.push([positionKey, JSON.stringify(position)]);
  await write();
}

/** A due time that the tables will hold for an actor once the transaction is stored. */
interface Waiting {
  readonly key: Key;
  readonly dueMs: number | undefined;
}

/** Restores a head from a record found at a restart, whose due time is not in the index yet. */
function restoreHead(row: FreshRow, due: DueIndex, actor: AnyActor, domain: Domain): FreshHead {
  const { rowCodecs, indexRules } = domain;
  const text = getText(row);
  const head = text === undefined ? undefined : decodeRow(rowCodecs, row.key, text);
  const dueMs = head === undefined ? undefined : actor.dueAt(head);
  due.set(row.key, dueMs);
  const rule = head === undefined ? undefined : indexRules?.get(getCode(row.key));
  return { dueMs, picked: rule?.pick(head) };
}

function dueKey(actor: Key): Key<number> {
  return createKey(getPartition(actor), engineTables.due, actor.slice(1));
}

/** Returns the actor of a key in the due table. */
export function actorOfDueKey(key: Key): Key {
  return key.slice(0, 1) + key.slice(2);
}
