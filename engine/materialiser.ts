/**
 * Moves fresh rows into the tables in passes: freeze, write (the last write of a key wins, so a job that ran
 * through three states between two passes is one put), remember how far it went, thaw. The due index is
 * written beside the heads that it stands for. One pass is in flight at a time.
 */
import { limits } from "../config/limits.ts";
import type { Domain } from "./actor.ts";
import type { Written } from "./batch.ts";
import type { DueIndex } from "./due-index.ts";
import { codeOf, engineTables, type Key, keyOf, vpartOf } from "./key.ts";
import type { Tables } from "./ports/tables.ts";
import type { ShardRows } from "./shard-rows.ts";

/** How far the tables are, and what the next record follows. */
export interface Position {
  readonly seq: number;
  readonly epoch: number;
  readonly atMs: number;
  readonly hash: string;
}

export const positionKey: Key<Position> = keyOf(0, 0, "position");

/** Writes the frozen rows; when it resolves, the tables durably are at `position`. */
export async function materialise(
  rows: ShardRows,
  frozen: ReadonlyMap<Key, Written>,
  position: Position,
  domain: Domain,
): Promise<void> {
  let chunk: [Key, string | undefined][] = [];
  for (const [key, { value, text }] of frozen) {
    chunk.push([key, text]);
    const due = dueWrite(domain, rows.due, key, value);
    if (due !== undefined) chunk.push(due);
    if (chunk.length < limits.engine.rowsPerTransaction) continue;
    await writeSorted(rows.tables, chunk);
    chunk = [];
  }
  chunk.push([positionKey, JSON.stringify(position)]);
  await writeSorted(rows.tables, chunk);
}

function dueWrite(
  domain: Domain,
  due: DueIndex,
  key: Key,
  head: unknown,
): [Key, string | undefined] | undefined {
  const actor = domain.actorByCode.get(codeOf(key));
  if (actor === undefined) return undefined;
  const dueMs = head === undefined ? undefined : actor.dueAt(head);
  const change = due.difference(key, dueMs);
  if (change === undefined) return undefined;
  return [dueKey(key), change === null ? undefined : String(change)];
}

/** Neighbours share pages, so sorted writes are the cheap ones. */
function writeSorted(tables: Tables, rows: [Key, string | undefined][]): Promise<void> {
  rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return tables.write(rows);
}

function dueKey(actor: Key): Key<number> {
  return keyOf(vpartOf(actor), engineTables.due, actor.slice(1));
}

/** The actor whose time stands under a key of the due table. */
export function actorOfDueKey(key: Key): Key {
  return key.slice(0, 1) + key.slice(2);
}
