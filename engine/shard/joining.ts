/**
 * How a node that the log does not lead on from comes by a shard's rows: it takes those of a
 * snapshot in the place of its own.
 *
 * A row says that this is under way: while it is there, the tables are no state of the shard, the
 * journal does not follow from them, and a life that finds it joins again. It is written when a
 * whole snapshot was seen, before the first own row is given up, and removed in one transaction
 * with the new position, when all else is durable.
 */
import { limits } from "../../config/limits.ts";
import { createKey, type Key } from "../key.ts";
import type { Journal } from "../ports/journal.ts";
import type { Objects } from "../ports/objects.ts";
import { PortError } from "../ports/port-error.ts";
import type { Snapshot, Snapshots } from "../ports/snapshots.ts";
import type { TableReader, Tables, TableWrite } from "../ports/tables.ts";
import { type Position, positionKey } from "./flush.ts";
import { readPosition } from "./replica.ts";
import { allRows, readSnapshot } from "./snapshot.ts";

export interface JoiningParts {
  readonly tables: Tables;
  readonly journal: Journal;
  /** Id of the store. */
  readonly store: string;
  readonly snapshots: Snapshots;
  readonly openObjects: () => Promise<Objects>;
}

/** The owner's rows are not those to which this node's led, so they may not replace these. */
export class OtherHistory extends PortError {}

/** Position of the last record of a snapshot that is being loaded. */
type Joining = Pick<Position, "epoch" | "seq">;

const joiningKey: Key<Joining> = createKey(0, 0, "joining");

/**
 * Returns the snapshot's last record when a join was begun and has not ended: the tables are then
 * no shard's.
 */
export function readJoining(tables: Pick<TableReader, "get">): Joining | undefined {
  const text = tables.get(joiningKey);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Whether a join was begun and has not ended. */
export function isJoining(tables: Pick<TableReader, "get">): boolean {
  return readJoining(tables) !== undefined;
}

/** What a snapshot must contain to replace the rows that are here. */
export interface HistoryNeeded {
  readonly leastEpoch: number;
  /** Of this node's records; another owner may have written others in the same epoch. */
  readonly own?: {
    readonly epoch: number;
    readonly seq: number;
    readonly nonce: string | undefined;
  };
}

/**
 * Returns false when no snapshot is offered now, or one that lacks records that are here: with a
 * quorum these may be the second copy. Refuses a snapshot of another history. Throws `PortError`;
 * the call may be repeated.
 */
export async function join(
  parts: JoiningParts,
  { leastEpoch, own }: HistoryNeeded,
): Promise<boolean> {
  const snapshot = await parts.snapshots.request();
  if (snapshot === undefined) return false;
  if (snapshot.store !== parts.store)
    throw new PortError("the offered snapshot belongs to another store", false);
  const isOther = snapshot.epoch === own?.epoch && snapshot.nonce !== own.nonce;
  if (snapshot.epoch < leastEpoch || isOther)
    throw new OtherHistory(
      "the owner's records have a different history from this node's, and not a later one, so this node keeps its own; remove its data directory to let it join",
      false,
    );
  if (snapshot.epoch === own?.epoch && snapshot.seq < own.seq) return false;
  await replaceRows(parts, snapshot, readSnapshot(await parts.openObjects(), snapshot));
  return true;
}

async function replaceRows(
  { tables, journal }: JoiningParts,
  { epoch, seq: lastSeq }: Snapshot,
  rows: AsyncIterable<readonly TableWrite[]>,
): Promise<void> {
  let position: TableWrite | undefined;
  let isFirst = true;
  for await (const some of rows) {
    if (isFirst) await clear(tables, { epoch, seq: lastSeq });
    isFirst = false;
    position ??= some.find(([key]) => key === positionKey);
    await tables.write(some.filter(([key]) => key !== positionKey));
  }
  if (position === undefined) throw new PortError("the snapshot contains no position", false);
  // The position's number is needed before its row is written.
  const { seq } = readPosition({ get: () => decodeText(position[1]) });
  await journal.restart(seq);
  await tables.write([position, [joiningKey, undefined]]);
  tables.refresh();
}

async function clear(tables: Tables, joining: Joining): Promise<void> {
  await tables.write([
    [joiningKey, JSON.stringify(joining)],
    [positionKey, undefined],
  ]);
  for (;;) {
    tables.refresh();
    const keys = tables.range(allRows, limits.cluster.joinRows).map(({ key }) => key);
    const old = keys.filter((key) => key !== joiningKey);
    if (old.length === 0) return;
    await tables.write(old.map((key) => [key, undefined]));
  }
}

function decodeText(value: TableWrite[1]): string | undefined {
  return value === undefined ? undefined : Buffer.from(value).toString();
}
