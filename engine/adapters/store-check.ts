/**
 * Looks through a store that no process uses: whether every file is there, every row of the tables
 * can be read, and every record that a start would need follows from the one before it. Tables can
 * be made anew where the journal reaches back to the first record.
 */

import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Domain } from "../domain.ts";
import { StoreDamage } from "../ports/store-damage.ts";
import type { TableReader } from "../ports/tables.ts";
import { verify } from "../record.ts";
import type { Position } from "../shard/flush.ts";
import { isJoining } from "../shard/joining.ts";
import { recover } from "../shard/recovery.ts";
import { follow, noPosition, readPosition, type ShardPlace } from "../shard/replica.ts";
import { holdStore } from "./data-directory.ts";
import { openJournal } from "./file-journal.ts";
import { openTableReader, openTables } from "./lmdb.ts";
import { canBeRead, checkTablesFile, hasTables } from "./lmdb-file.ts";

export interface StoreFinding {
  readonly sentence: string;
  /** `harmless`: the service ignores it. */
  readonly kind: "harmless" | "damage" | "repaired";
}

export interface StoreCheck {
  readonly dataDir: string;
  readonly domain: Domain;
  readonly nowMs: number;
  readonly repairs: boolean;
}

/** Throws `DataDirectoryError` when there is no store or a process uses it. */
export async function checkStore(check: StoreCheck): Promise<readonly StoreFinding[]> {
  const { shardCount, isNew, release } = holdStore(check.dataDir);
  const findings: StoreFinding[] = [];
  try {
    for (let shard = 0; shard <= shardCount; shard++) {
      const folder = join(check.dataDir, `shard-${shard === shardCount ? "directory" : shard}`);
      if (isNew && !hasTables(join(folder, "tables"))) continue;
      findings.push(...(await checkShard(check, { shard, shardCount }, folder)));
    }
  } finally {
    release();
  }
  return findings;
}

async function checkShard(
  check: StoreCheck,
  place: ShardPlace,
  folder: string,
): Promise<StoreFinding[]> {
  const findings: StoreFinding[] = [];
  const tables = join(folder, "tables");
  const onPassed = (sentence: string) =>
    findings.push({ kind: "harmless", sentence: `${sentence}. Nothing is lost.` });
  const tablesDamage = await findDamage(async () => {
    if (!hasTables(tables))
      throw new StoreDamage("tables/data.mdb is missing, and with it all of its rows");
    checkTablesFile(tables);
    if (!canBeRead(tables))
      throw new StoreDamage("tables/data.mdb cannot be read, some of its rows are lost");
  });
  if (tablesDamage === undefined && (await readTables(tables, isJoining))) {
    const state = "its rows are being copied from another node; the service continues with that";
    return [{ kind: "harmless", sentence: `${folder}: ${state}.` }];
  }
  const from = tablesDamage === undefined ? await readTables(tables, readPosition) : noPosition;
  const journalDamage = await findDamage(() => readJournal(folder, from, onPassed));
  if (tablesDamage === undefined) {
    if (journalDamage !== undefined) findings.push(damage(folder, journalDamage));
  } else if (journalDamage === undefined && check.repairs) {
    await rebuild(check, place, folder);
    const done = "They were rebuilt from the journal, which contains every record";
    const sentence = `${folder}: ${tablesDamage.message}. ${done}; nothing is lost.`;
    findings.push({ kind: "repaired", sentence });
  } else {
    const remedy =
      journalDamage === undefined
        ? "The journal contains every record: klieg store check --repair rebuilds them"
        : `The journal cannot replace the rows: ${journalDamage.message}; restore a backup`;
    findings.push({ kind: "damage", sentence: `${folder}: ${tablesDamage.message}. ${remedy}.` });
  }
  return findings;
}

async function readTables<T>(tables: string, read: (reader: TableReader) => T): Promise<T> {
  const reader = openTableReader(tables);
  try {
    return read(reader);
  } finally {
    await reader.close();
  }
}

/** Throws `StoreDamage`. */
async function readJournal(
  folder: string,
  from: Position,
  onPassed: (sentence: string) => void,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const journal = openJournal(join(folder, "journal"), onPassed);
  let position = from;
  for (const { seq, record } of journal.from(from.seq + 1))
    position = follow(position, seq, verify(record, position.hash));
  await journal.close();
  if (from.seq === 0 && position.seq === 0)
    throw new StoreDamage("the journal holds no record, whatever there was is lost");
}

async function rebuild(
  { domain, nowMs }: StoreCheck,
  place: ShardPlace,
  folder: string,
): Promise<void> {
  const path = join(folder, "tables");
  if (hasTables(path)) renameSync(path, `${path}.damaged-${nowMs}`);
  const journal = openJournal(join(folder, "journal"));
  const tables = openTables(path);
  await recover(place, journal, tables, domain, nowMs);
  await journal.close();
  await tables.close();
}

async function findDamage(look: () => Promise<void>): Promise<StoreDamage | undefined> {
  try {
    await look();
    return undefined;
  } catch (error) {
    if (error instanceof StoreDamage) return error;
    throw error;
  }
}

function damage(folder: string, { message }: StoreDamage): StoreFinding {
  return { kind: "damage", sentence: `${folder}: ${message}. Restore a backup.` };
}
