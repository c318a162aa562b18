/** Gives a store in a data directory that no process uses more shards (`shard-change.ts`). */
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { NatsAccess } from "../../config/secret-files.ts";
import type { Domain } from "../domain.ts";
import type { Objects } from "../ports/objects.ts";
import { PortError } from "../ports/port-error.ts";
import { StoreDamage } from "../ports/store-damage.ts";
import { isJoining } from "../shard/joining.ts";
import { readPosition } from "../shard/replica.ts";
import { removeSnapshots } from "../shard/snapshot.ts";
import { shardNames } from "./backup/write-backup.ts";
import { DataDirectoryError, type HeldStore, holdAnyStore, reshardName } from "./data-directory.ts";
import { openJournal } from "./file-journal.ts";
import { openTableReader, openTables } from "./lmdb.ts";
import { checkTablesFile, hasTables } from "./lmdb-file.ts";
import { type ClusterReshard, type NewShard, openClusterReshard } from "./reshard-cluster.ts";
import { segmentBytes } from "./segment.ts";
import { syncFolder } from "./segment-list.ts";
import {
  changeShards,
  type NewFolder,
  type ReadFolder,
  type ShardFolders,
  type Stores,
} from "./shard-change.ts";

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
    if (!store.isClustered) return await change(resharding, store, undefined);
    if (access === undefined)
      throw new DataDirectoryError(
        `${path} belongs to a node of a cluster; set KLIEG_NATS_URL to the same value as for the service.`,
      );
    const cluster = await openClusterReshard({ ...resharding, store, access });
    try {
      await change(resharding, store, cluster);
    } finally {
      await cluster.close();
    }
  } finally {
    store.release();
  }
}

function change(
  resharding: Resharding,
  store: HeldStore,
  cluster: ClusterReshard | undefined,
): Promise<void> {
  const folders = new FileFolders(resharding, store.shardCount, cluster);
  return changeShards({ ...resharding, folders, store, cluster });
}

function refuseWrong(path: string, store: HeldStore, shardCount: number): void {
  const { reshardingTo } = store;
  if (store.isSuperseded === true)
    throw new DataDirectoryError(
      `${path} predates the change of the cluster's store to more shards; use the data directory of a node that has them.`,
    );
  if (store.isNew)
    throw new DataDirectoryError(
      `The first start of ${path} never completed; start the service once and stop it.`,
    );
  if (reshardingTo !== undefined && reshardingTo !== shardCount)
    throw new DataDirectoryError(
      `The change of ${path} to ${reshardingTo} shards was interrupted; run klieg reshard ${reshardingTo}.`,
    );
  if (shardCount <= store.shardCount)
    throw new DataDirectoryError(
      `${path} already has ${store.shardCount} shards, and their number can only grow.`,
    );
}

/** What is below the data directory: `shard-0`, `shard-1` ..., and the new ones in `reshard`. */
class FileFolders implements ShardFolders {
  private readonly resharding: Resharding;
  private readonly oldCount: number;
  private readonly cluster: ClusterReshard | undefined;
  private readonly target: string;

  constructor(resharding: Resharding, oldCount: number, cluster: ClusterReshard | undefined) {
    this.resharding = resharding;
    this.oldCount = oldCount;
    this.cluster = cluster;
    this.target = join(resharding.path, reshardName);
  }

  clear(): void {
    rmSync(this.target, { recursive: true, force: true });
  }

  async useOld(shard: number, use: (folder: Stores) => Promise<void>): Promise<void> {
    const folder = this.oldFolder(shard);
    try {
      const path = join(folder, "tables");
      if (!hasTables(path)) throw new StoreDamage("tables/data.mdb is missing");
      checkTablesFile(path);
      const tables = openTables(path);
      const journal = openJournal(join(folder, "journal"));
      try {
        if (isJoining(tables))
          throw new DataDirectoryError(`${folder} has not finished joining; start the node first.`);
        await use({ tables, journal });
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

  makeRoom(): void {
    const { path, shardCount } = this.resharding;
    const sizes = shardNames(this.oldCount).map(
      (name) => statSync(join(path, name, "tables", "data.mdb")).size,
    );
    refuseFullDisk(
      path,
      sizes.reduce((sum, size) => sum + size, (shardCount + 1) * segmentBytes),
    );
    mkdirSync(this.target, { mode: 0o700 });
  }

  readOld(shard: number): ReadFolder {
    // LMDB maps a new file's first pages, and a disk without room for them ends the process.
    refuseFullDisk(this.resharding.path, 2 * segmentBytes);
    const tables = openTableReader(join(this.oldFolder(shard), "tables"));
    return { tables, close: () => tables.close() };
  }

  makeNew(shard: number): NewFolder {
    const folder = join(this.target, nameOf(shard, this.resharding.shardCount));
    mkdirSync(folder, { mode: 0o700 });
    const tables = openTables(join(folder, "tables"));
    const journal = openJournal(join(folder, "journal"));
    return {
      tables,
      journal,
      async close() {
        await journal.close();
        await tables.close();
        await syncFolder(join(folder, "tables"));
        await syncFolder(folder);
      },
    };
  }

  syncNew(): Promise<void> {
    return syncFolder(this.target);
  }

  sync(): Promise<void> {
    return syncFolder(this.resharding.path);
  }

  /** Leaves the store as it was, and frees the new shards' space in case the disk was full. */
  async giveUp(error: unknown): Promise<never> {
    const { shardCount } = this.resharding;
    const isOfPort = error instanceof PortError || (error instanceof Error && "syscall" in error);
    if (!isOfPort && !(error instanceof DataDirectoryError)) throw error;
    this.clear();
    await this.cluster?.cancel().catch((cause) => {
      throw new DataDirectoryError(
        `The new shards cannot be created (${reasonOf(error)}), and NATS is unreachable; nodes will not start until klieg reshard ${shardCount} has been run again.`,
        { cause },
      );
    });
    if (!isOfPort) throw error;
    throw new DataDirectoryError(
      `The new shards cannot be created (${reasonOf(error)}); the store is unchanged.`,
      { cause: error },
    );
  }

  /**
   * Some may have been moved into place already; the old shards that they replace are then gone.
   */
  listNew(): NewShard[] {
    const { path, shardCount } = this.resharding;
    return shardNames(shardCount).map((name) => {
      const [built, place] = [join(this.target, name), join(path, name)];
      return {
        name: name.slice("shard-".length),
        openJournal: () => openJournal(join(existsSync(built) ? built : place, "journal")),
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

  /** Replaces each old shard by the new one of its name; shards moved in earlier are skipped. */
  async moveIn(): Promise<void> {
    const { path, shardCount, onStep } = this.resharding;
    for (const name of shardNames(shardCount)) {
      const built = join(this.target, name);
      if (!existsSync(built)) continue;
      rmSync(join(path, name), { recursive: true, force: true });
      renameSync(built, join(path, name));
      onStep(`${name} of ${shardCount} is in place.`);
    }
    await syncFolder(path);
    this.clear();
  }

  /** Tries to remove the earlier store's snapshots: no node uses them, they only take up room. */
  async forgetSnapshots(storeId: string): Promise<void> {
    const { openObjects, onStep } = this.resharding;
    try {
      await removeSnapshots(await openObjects(), storeId);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      onStep(
        `Objects below snapshots/${storeId} are no longer needed and could not be removed (${error.message}).`,
      );
    }
  }

  private oldFolder(shard: number): string {
    return join(this.resharding.path, nameOf(shard, this.oldCount));
  }
}

function nameOf(shard: number, shardCount: number): string {
  return shardNames(shardCount)[shard] ?? "";
}

function refuseFullDisk(path: string, needed: number): void {
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize >= needed) return;
  const [takes, left] = [needed, bavail * bsize].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`);
  throw new DataDirectoryError(
    `The new shards need ${takes}, and ${path} has ${left} left; free some space and run the command again.`,
  );
}

function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
