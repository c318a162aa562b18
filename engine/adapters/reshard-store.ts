/**
 * Gives a store that no process uses more shards. They are built beside the old ones, which stay
 * the store until all are whole and `store.json` says so; from then on folder after folder moves
 * into its place. A run that was interrupted is gone on with by the next. In a cluster the logs
 * change before the folders do (`reshard-cluster.ts`).
 */
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { NatsAccess } from "../../config/secret-files.ts";
import type { Domain } from "../domain.ts";
import type { Objects } from "../ports/objects.ts";
import { PortError } from "../ports/port-error.ts";
import { StoreDamage } from "../ports/store-damage.ts";
import { getParent, splitShard } from "../reshard/shard-split.ts";
import { isJoining } from "../shard/joining.ts";
import { recover } from "../shard/recovery.ts";
import { readPosition, type ShardPlace } from "../shard/replica.ts";
import { removeSnapshots } from "../shard/snapshot.ts";
import { shardNames } from "./backup/write-backup.ts";
import { DataDirectoryError, type HeldStore, holdAnyStore, reshardName } from "./data-directory.ts";
import { openJournal } from "./file-journal.ts";
import { openTableReader, openTables } from "./lmdb.ts";
import { checkTablesFile, hasTables } from "./lmdb-file.ts";
import { type ClusterReshard, type NewShard, openClusterReshard } from "./reshard-cluster.ts";
import { segmentBytes } from "./segment.ts";
import { syncFolder } from "./segment-list.ts";

export interface Resharding {
  readonly path: string;
  /** The new number of shards, a power of two. */
  readonly shardCount: number;
  readonly domain: Domain;
  readonly nowMs: number;
  /** How NATS is reached; undefined for a store that belongs to no cluster. */
  readonly access: NatsAccess | undefined;
  readonly openObjects: () => Promise<Objects>;
  /** Called after each step with a sentence that says what was done. */
  readonly onStep: (sentence: string) => void;
}

/** Throws `DataDirectoryError`, and `PortError` when NATS cannot be reached. */
export async function reshardStore(resharding: Resharding): Promise<void> {
  const { path, shardCount, access } = resharding;
  const store = holdAnyStore(path);
  try {
    refuseWrong(path, store, shardCount);
    if (!store.isClustered) return await changeShards(resharding, store, undefined);
    if (access === undefined)
      throw new DataDirectoryError(
        `${path} belongs to a node of a cluster; set KLIEG_NATS_URL as for the service.`,
      );
    const cluster = await openClusterReshard({ ...resharding, store, access });
    try {
      await changeShards(resharding, store, cluster);
    } finally {
      await cluster.close();
    }
  } finally {
    store.release();
  }
}

async function changeShards(
  resharding: Resharding,
  store: HeldStore,
  cluster: ClusterReshard | undefined,
): Promise<void> {
  const { path, shardCount, onStep } = resharding;
  await cluster?.begin();
  if (store.reshardingTo === undefined) {
    await build(resharding, store.shardCount, cluster).catch((error) =>
      giveUp(resharding, cluster, error),
    );
    store.change({ reshardingTo: shardCount, reshardingStore: cluster?.storeId });
    await syncFolder(path);
  }
  if (cluster !== undefined) {
    await cluster.changeLogs(newShards(resharding));
    onStep(`The logs of the cluster begin anew with ${shardCount} shards.`);
  }
  await moveIn(resharding);
  if (cluster !== undefined) {
    await forgetSnapshots(resharding, store.storeId);
    await cluster.end();
    onStep(
      "Start this node first; the others join from a snapshot when their data directories were removed.",
    );
  }
  store.change({
    ...(cluster === undefined ? {} : ownStore(cluster)),
    shardCount,
    reshardingTo: undefined,
    reshardingStore: undefined,
  });
  await syncFolder(path);
}

/** Tries to remove the earlier store's snapshots: no node uses them, they only take up room. */
async function forgetSnapshots({ openObjects, onStep }: Resharding, storeId: string) {
  try {
    await removeSnapshots(await openObjects(), storeId);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    onStep(
      `Objects below snapshots/${storeId} are not needed and could not be removed (${error.message}).`,
    );
  }
}

/** What the operator decided about the earlier shards and nodes no longer applies. */
function ownStore({ storeId }: ClusterReshard) {
  return { storeId, isFounder: true, forgotten: [], acceptedLosses: [] };
}

/** Some may have been moved into place already; the old shards that they replace are then gone. */
function newShards({ path, shardCount }: Resharding): NewShard[] {
  return shardNames(shardCount).map((name) => {
    const [built, place] = [join(path, reshardName, name), join(path, name)];
    return {
      name: name.slice("shard-".length),
      folder: existsSync(built) ? built : place,
      async formerHash() {
        const tables = join(place, "tables");
        if (!existsSync(built) || !hasTables(tables)) return undefined;
        const reader = openTableReader(tables);
        try {
          return readPosition(reader).hash;
        } finally {
          await reader.close();
        }
      },
    };
  });
}

function refuseWrong(path: string, store: HeldStore, shardCount: number): void {
  const { reshardingTo } = store;
  if (store.isSuperseded === true)
    throw new DataDirectoryError(
      `${path} is of the time before the cluster's store got more shards; name the data directory of a node that has them.`,
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

/** Leaves the old shards as they are, except that their journals are flushed to their tables. */
async function build(
  resharding: Resharding,
  oldCount: number,
  cluster: ClusterReshard | undefined,
): Promise<void> {
  const { path, shardCount, onStep } = resharding;
  const target = join(path, reshardName);
  rmSync(target, { recursive: true, force: true });
  const parents = shardNames(oldCount).map((name) => join(path, name));
  for (const [shard, folder] of parents.entries())
    await emptyJournal(resharding, { shard, shardCount: oldCount }, folder, cluster);
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
    const parent = openTableReader(join(parents[getParent(place, oldCount)] ?? "", "tables"));
    try {
      await buildShard(parent, oldCount, place, join(target, name), cluster);
    } finally {
      await parent.close();
    }
    onStep(`${name} of ${shardCount} is built.`);
  }
  await syncFolder(target);
  // A node may have been about to start when the command began.
  await cluster?.refuseLiving();
}

async function emptyJournal(
  { domain, nowMs }: Resharding,
  place: ShardPlace,
  folder: string,
  cluster: ClusterReshard | undefined,
): Promise<void> {
  try {
    const path = join(folder, "tables");
    if (!hasTables(path)) throw new StoreDamage("tables/data.mdb is missing");
    checkTablesFile(path);
    const tables = openTables(path);
    const journal = openJournal(join(folder, "journal"));
    try {
      if (isJoining(tables))
        throw new DataDirectoryError(`${folder} has not joined whole; start the node first.`);
      const replica = await recover(place, journal, tables, domain, nowMs);
      if (replica.position.seq === 0) throw new StoreDamage("it holds no record");
      await cluster?.catchUp(place, replica, journal);
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
  cluster: ClusterReshard | undefined,
): Promise<void> {
  mkdirSync(folder, { mode: 0o700 });
  const tables = openTables(join(folder, "tables"));
  const journal = openJournal(join(folder, "journal"));
  try {
    await splitShard(parent, oldCount, place, tables);
    if (cluster === undefined) await journal.restart(readPosition(tables).seq);
    else await cluster.beginShard(place, tables, journal);
  } finally {
    await journal.close();
    await tables.close();
  }
  await syncFolder(join(folder, "tables"));
  await syncFolder(folder);
}

/** Leaves the store as it was, and frees the new shards' space in case the disk was full. */
async function giveUp(
  { path, shardCount }: Resharding,
  cluster: ClusterReshard | undefined,
  error: unknown,
): Promise<never> {
  const isOfPort = error instanceof PortError || (error instanceof Error && "syscall" in error);
  if (!isOfPort && !(error instanceof DataDirectoryError)) throw error;
  rmSync(join(path, reshardName), { recursive: true, force: true });
  await cluster?.cancel().catch((cause) => {
    throw new DataDirectoryError(
      `The new shards cannot be made (${getReason(error)}), and NATS cannot be told; no node starts before klieg reshard ${shardCount} was run again.`,
      { cause },
    );
  });
  if (!isOfPort) throw error;
  throw new DataDirectoryError(
    `The new shards cannot be made (${getReason(error)}); the store is as it was.`,
    { cause: error },
  );
}

function getReason({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** Replaces each old shard by the new one of its name; shards moved in earlier are skipped. */
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
