/**
 * An epoch that was begun and not opened: its first record names the owner, who answers nothing
 * before it has written a second one. A log whose servers disagree may take the first record and
 * lose it again, while the owner before goes on. A node that kept the record would count as the one
 * that knows most, and its later epoch would replace all that was answered since. So a first record
 * that the log does not have is undone.
 */
import type { Journal } from "../../ports/journal.ts";
import type { Log } from "../../ports/log.ts";
import type { Tables } from "../../ports/tables.ts";
import { type Before, type Owner, ownerKey, type Position, positionKey } from "../flush.ts";
import type { LatestOwner } from "../latest-owner.ts";
import type { Replica } from "../replica.ts";
import { findPlace, type LogPlace, onUnreached } from "./log-place.ts";

export interface UnopenedParts {
  readonly node: string;
  readonly log: Log;
  readonly journal: Journal;
  readonly tables: Tables;
  readonly latestOwner: LatestOwner;
}

/** Returns what an epoch keeps of `position` and `owner`, which it follows on. */
export function keepBefore(position: Position, owner: Owner | undefined): Before {
  if (owner === undefined) return { position, owner };
  const { before: _, ...rest } = owner;
  return { position, owner: rest };
}

/** Whether the record at `position` is the first of its epoch, which `owner` names. */
export function isUnopened(
  position: Position,
  owner: Owner | undefined,
): owner is Owner & { readonly before: Before } {
  const seq = owner?.before?.position.seq ?? 0;
  return seq > 0 && position.seq === seq + 1;
}

/** A server that the others have left may lack what the log has. Throws `PortError`. */
async function findAgreedPlace(log: Log, position: Position): Promise<LogPlace> {
  await log.agreedEnd();
  return findPlace(log, position);
}

/**
 * Undoes the last epoch of rows that are all in the tables, if it was not opened and the log does
 * not have its first record. Returns whether the tables have changed. Throws `PortError`.
 */
export async function undoUnopened(
  { node, log, journal, tables, latestOwner }: UnopenedParts,
  { position, rows }: Replica,
): Promise<boolean> {
  const owner = rows.row(ownerKey, 0) as Owner | undefined;
  if (!isUnopened(position, owner)) return false;
  const place = await findAgreedPlace(log, position).catch(onUnreached);
  if (place?.kind !== "short" && place?.kind !== "diverged") return false;
  // Only the owner itself knows that it did not open, so the others wait until it is heard.
  if (owner.node !== node) await latestOwner.keep({ ...position, node: owner.node });
  const { before } = owner;
  // With a quorum, nodes that were new in this epoch may have copies of what it answered.
  const members = [...new Set([...(before.owner?.members ?? []), ...owner.members])].sort();
  // If the process ends in between, the journal leads to the same record, which is undone again.
  await tables.write([
    [ownerKey, before.owner && JSON.stringify({ ...before.owner, members })],
    // The log may have been begun anew since then, so the record's entry there is not known.
    [positionKey, JSON.stringify({ ...before.position, logSeq: 0 })],
  ]);
  await journal.restart(before.position.seq);
  tables.refresh();
  return true;
}
