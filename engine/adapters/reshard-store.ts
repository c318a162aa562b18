/**
 * Gives a store that no process uses more shards. They are built beside the old ones, which stay
 * the store until all are whole and `store.json` says so; from then on folder after folder moves
 * into its place. A run that was interrupted is gone on with by the next.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Domain } from "../domain.ts";
import { PortError } from "../ports/port-error.ts";
import { StoreDamage } from "../ports/store-damage.ts";
import { parentOf, splitShard } from "../reshard/shard-split.ts";
import { recover } from "../shard/recovery.ts";
import { readPosition, type ShardPlace } from "../shard/replica.ts";
import { shardNames } from "./backup/write-backup.ts";
import { DataDirectoryError, type HeldStore, holdAnyStore, reshardName } from "./data-directory.ts";
import { openJournal } from "./file-journal.ts";
import { openTableReader, openTables } from "./lmdb.ts";
import { checkTablesFile, hasTables } from "./lmdb-file.ts";
import { segmentBytes } from "./segment.ts";
import { syncFolder } from "./segment-list.ts";

export interface Resharding {
  readonly path: string;
  /** A power of two. */
  readonly shardCount: number;
  readonly domain: Domain;
  readonly nowMs: number;
  /** Told after each step what it did. */
  readonly onStep: (sentence: string) => void;
}

/** Throws `DataDirectoryError`. */
export async function reshardStore(resharding: Resharding): Promise<void> {
  const { path, shardCount } = resharding;
  const store = holdAnyStore(path);
  try {
    refuseWrong(path, store, shardCount);
    if (store.reshardingTo === undefined) {
      await build(resharding, store.shardCount).catch((error) => giveUp(path, error));
      store.change({ reshardingTo: shardCount });
      await syncFolder(path);
    }
    await moveIn(resharding);
    store.change({ shardCount, reshardingTo: undefined });
    await syncFolder(path);
  } finally {
    store.release();
  }
}

function refuseWrong(path: string, store: HeldStore, shardCount: number): void {
  const { reshardingTo } = store;
  if (store.isClustered)
    throw new DataDirectoryError(
      `${path} belongs to a node of a cluster, whose shards cannot be changed; only a store of one machine can be given more.`,
    );
  if (store.isNew)
    throw new DataDirectoryError(
      `${path} has not been started whole yet; start the service once and stop it.`,
    );
  if (reshardingTo !== undefined && reshardingTo !== shardCount)
    throw new DataDirectoryError(
      `The change of ${path} to ${reshardingTo} shards has not ended; run klieg reshard ${reshardingTo}.`,
    );
  if (shardCount <= store.shardCount)
    throw new DataDirectoryError(
      `${path} has ${store.shardCount} shards already, and they can only become more.`,
    );
}

/** The old shards stay as they are, but that their journals are in their tables. */
async function build(resharding: Resharding, oldCount: number): Promise<void> {
  const { path, shardCount, onStep } = resharding;
  const target = join(path, reshardName);
  rmSync(target, { recursive: true, force: true });
  const parents = shardNames(oldCount).map((name) => join(path, name));
  for (const [shard, folder] of parents.entries())
    await emptyJournal(resharding, { shard, shardCount: oldCount }, folder);
  const sizes = parents.map((folder) => statSync(join(folder, "tables", "data.mdb")).size);
  refuseFullDisk(
    path,
    sizes.reduce((sum, size) => sum + size, (shardCount + 1) * segmentBytes),
  );
  mkdirSync(target, { mode: 0o700 });
  for (const [shard, name] of shardNames(shardCount).entries()) {
    const place = { shard, shardCount };
    // LMDB maps a new file's first pages, and a disk without room for them ends the process.
    refuseFullDisk(path, 2 * segmentBytes);
    const parent = openTableReader(join(parents[parentOf(place, oldCount)] ?? "", "tables"));
    try {
      await buildShard(parent, oldCount, place, join(target, name));
    } finally {
      await parent.close();
    }
    onStep(`${name} of ${shardCount} is built.`);
  }
  await syncFolder(target);
}

async function emptyJournal(
  { domain, nowMs }: Resharding,
  place: ShardPlace,
  folder: string,
): Promise<void> {
  try {
    const path = join(folder, "tables");
    if (!hasTables(path)) throw new StoreDamage("tables/data.mdb is missing");
    checkTablesFile(path);
    const tables = openTables(path);
    const journal = openJournal(join(folder, "journal"));
    try {
      const { position } = await recover(place, journal, tables, domain, nowMs);
      if (position.seq === 0) throw new StoreDamage("it holds no record");
    } finally {
      await journal.close();
      await tables.close();
    }
  } catch (error) {
    if (!(error instanceof StoreDamage)) throw error;
    throw new DataDirectoryError(`${folder}: ${error.message}; run klieg store check.`, {
      cause: error,
    });
  }
}

function refuseFullDisk(path: string, needed: number): void {
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize >= needed) return;
  const [takes, left] = [needed, bavail * bsize].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`);
  throw new DataDirectoryError(
    `The new shards take ${takes}, and ${path} has ${left} left; make room and run the command again.`,
  );
}

async function buildShard(
  parent: ReturnType<typeof openTableReader>,
  oldCount: number,
  place: ShardPlace,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { mode: 0o700 });
  const tables = openTables(join(folder, "tables"));
  const journal = openJournal(join(folder, "journal"));
  try {
    await splitShard(parent, oldCount, place, tables);
    await journal.restart(readPosition(tables).seq);
  } finally {
    await journal.close();
    await tables.close();
  }
  await syncFolder(join(folder, "tables"));
  await syncFolder(folder);
}

/** Where the disk is the reason, it gets its room back. */
function giveUp(path: string, error: unknown): never {
  const isOfDisk = error instanceof PortError || (error instanceof Error && "syscall" in error);
  if (!isOfDisk && !(error instanceof DataDirectoryError)) throw error;
  rmSync(join(path, reshardName), { recursive: true, force: true });
  if (!isOfDisk) throw error;
  throw new DataDirectoryError(
    `The new shards cannot be written (${reasonOf(error)}); the store is as it was.`,
    { cause: error },
  );
}

function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** An old shard goes when the new one of its name comes; those that came before are not there. */
async function moveIn({ path, shardCount, onStep }: Resharding): Promise<void> {
  for (const name of shardNames(shardCount)) {
    const built = join(path, reshardName, name);
    if (!existsSync(built)) continue;
    rmSync(join(path, name), { recursive: true, force: true });
    renameSync(built, join(path, name));
    onStep(`${name} of ${shardCount} is in its place.`);
  }
  await syncFolder(path);
  rmSync(join(path, reshardName), { recursive: true, force: true });
}
