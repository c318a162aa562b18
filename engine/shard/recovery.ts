/**
 * Restores from the disk the rows from which an owner can resume: the journal's tail goes into the
 * tables, some records at a time. Afterwards nothing acknowledged is missing, and nothing else is
 * there.
 */
import { limits } from "../../config/limits.ts";
import type { Domain } from "../domain.ts";
import type { Journal } from "../ports/journal.ts";
import type { Tables } from "../ports/tables.ts";
import { Replica, type ShardPlace } from "./replica.ts";

/** Throws `PortError`, and `StoreDamage` when something is missing. */
export async function recover(
  place: ShardPlace,
  journal: Journal,
  tables: Tables,
  domain: Domain,
  startMs: number,
): Promise<Replica> {
  const replica = new Replica(place, tables, domain, startMs);
  // Nothing is decided meanwhile, so only each transaction's cost on the disk counts.
  const { recoveredRowsPerTransaction: rowsPerTransaction } = limits.engine;
  for (const { seq, record } of journal.from(replica.position.seq + 1)) {
    replica.apply(replica.positionBehind(seq, record), Uint8Array.from(record));
    if (replica.isFull) await replica.flush(rowsPerTransaction);
  }
  await replica.flush(rowsPerTransaction);
  return replica;
}
