/**
 * Splits the rows of a shard among the shards that take its partitions. Each of them goes on behind
 * the last record of its parent.
 *
 * No tell is lost or doubled. A tell that is under way lies in the outbox of one child, that of its
 * sender. Every child of the shard that it goes to knows how far the sender's parent was seen; what
 * lies behind came to no child, what lies before came to their parent, whose rows they have. A
 * child goes on with its parent's epoch and sequence, so its own tells lie behind all of these.
 */
import { createKey, engineTables, getCode, getPartitions } from "../key.ts";
import type { TableReader, Tables, TableWrite } from "../ports/tables.ts";
import { createSeenKey } from "../shard/batch.ts";
import { rowsIn, type ShardPlace } from "../shard/replica.ts";

const rowsPerWrite = 10_000;

/** Returns the shard of `oldCount` that holds the rows which `place` is to have. */
export function getParent({ shard, shardCount }: ShardPlace, oldCount: number): number {
  return Math.floor((shard * oldCount) / shardCount);
}

/** Copies the parent's rows that `place` is to have into empty tables. Throws `PortError`. */
export async function splitShard(
  parent: TableReader,
  oldCount: number,
  place: ShardPlace,
  tables: Tables,
): Promise<void> {
  let some: TableWrite[] = [];
  for (const row of readRows(parent, oldCount, place)) {
    if (some.push(row) < rowsPerWrite) continue;
    await tables.write(some);
    some = [];
  }
  await tables.write(some);
  tables.refresh();
}

function* readRows(
  parent: TableReader,
  oldCount: number,
  place: ShardPlace,
): Generator<TableWrite> {
  for (const { key, text } of rowsIn(parent, shardRows)) yield [key, text];
  const { shardCount } = place;
  for (let shard = 0; shard <= shardCount; shard++) {
    const seen = parent.get(createSeenKey(getParent({ shard, shardCount }, oldCount)));
    if (seen !== undefined) yield [createSeenKey(shard), seen];
  }
  const { first, last } = getPartitions(place.shard, shardCount);
  for (let partition = first; partition <= last; partition++) {
    const range = { start: createKey(partition, 1, ""), end: createKey(partition, 255, "") };
    for (const { key, text } of rowsIn(parent, range))
      if (getCode(key) !== engineTables.seen) yield [key, text];
  }
}

/** Range of the engine's own rows about a shard: its position and owner. */
const shardRows = { start: createKey(0, 0, ""), end: createKey(0, 1, "") };
