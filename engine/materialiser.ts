/**
 * Moves fresh rows into the tables in passes: freeze, write (the last write of a key wins, so a job
 * that ran through three states between two passes is one put), remember how far it went, thaw.
 * What follows from a head, its listing and its due time, is written beside it. One pass is in
 * flight at a time.
 */
import { limits } from "../config/limits.ts";
import type { AnyActor, Domain } from "./actor.ts";
import type { DueIndex } from "./due-index.ts";
import { codeOf, engineTables, type Key, keyOf, vpartOf } from "./key.ts";
import { type Slice, textOf } from "./record.ts";
import type { ShardRows } from "./shard-rows.ts";

/** How far the tables are, and what the next record follows. */
export interface Position {
  readonly seq: number;
  readonly epoch: number;
  readonly atMs: number;
  readonly hash: string;
}

export const positionKey: Key<Position> = keyOf(0, 0, "position");

/**
 * Writes rows that come in the order of their keys; when it resolves, the tables durably are at
 * `position`. Neighbours share pages, and a page that is written once for many rows is what makes a
 * pass cheap.
 */
export async function materialise(
  rows: ShardRows,
  sorted: Iterable<readonly [Key, Slice]>,
  position: Position,
  domain: Domain,
): Promise<void> {
  let chunk: [Key, string | undefined][] = [];
  for (const [key, slice] of sorted) {
    const text = textOf(slice);
    chunk.push([key, text]);
    const actor = domain.actorByCode.get(codeOf(key));
    if (actor !== undefined) chunk.push(...derived(actor, rows.due, key, text));
    if (chunk.length < limits.engine.rowsPerTransaction) continue;
    await rows.tables.write(chunk);
    chunk = [];
  }
  chunk.push([positionKey, JSON.stringify(position)]);
  await rows.tables.write(chunk);
}

/** Rows that follow from a head and are therefore in no record: its listing, and when it is due. */
function* derived(
  actor: AnyActor,
  due: DueIndex,
  key: Key,
  text: string | undefined,
): Generator<[Key, string | undefined]> {
  const head: unknown = text === undefined ? undefined : JSON.parse(text);
  const dueMs = head === undefined ? undefined : actor.dueAt(head);
  due.set(key, dueMs);
  const change = due.difference(key, dueMs);
  if (change !== undefined) yield [dueKey(key), change === null ? undefined : String(change)];
  if (head === undefined || actor.listing === undefined) return;
  for (const row of actor.listing(key, head))
    yield [row.key, row.value === undefined ? undefined : JSON.stringify(row.value)];
}

function dueKey(actor: Key): Key<number> {
  return keyOf(vpartOf(actor), engineTables.due, actor.slice(1));
}

/** The actor whose time stands under a key of the due table. */
export function actorOfDueKey(key: Key): Key {
  return key.slice(0, 1) + key.slice(2);
}
