/**
 * How a store comes by more shards, step by step, wherever its shards lie. They are built beside
 * the old ones, which stay the store until all are whole and the store says so; from then on shard
 * after shard moves into its place. A run that was interrupted is gone on with by the next. In a
 * cluster the logs change before the shards move (`reshard-cluster.ts`).
 */
import type { Domain } from "../domain.ts";
import type { Journal } from "../ports/journal.ts";
import { StoreDamage } from "../ports/store-damage.ts";
import type { TableReader, Tables } from "../ports/tables.ts";
import { getParent, splitShard } from "../reshard/shard-split.ts";
import { recover } from "../shard/recovery.ts";
import { readPosition, type ShardPlace } from "../shard/replica.ts";
import type { HeldStore } from "./data-directory.ts";
import type { ClusterReshard, NewShard } from "./reshard-cluster.ts";

export interface Stores {
  readonly tables: Tables;
  readonly journal: Journal;
}

/** A new shard while it is written. */
export interface NewFolder extends Stores {
  /** All of it is durable afterwards. */
  close(): Promise<void>;
}

export interface ReadFolder {
  readonly tables: TableReader;
  close(): Promise<void>;
}

/** Where the shards of a stopped store lie. Adapters: files, the simulation's disks. */
export interface ShardFolders {
  /** What an earlier run has built is gone. */
  clear(): void;
  /** Has `use` work on an old shard. Throws `DataDirectoryError` where that is not whole. */
  useOld(shard: number, use: (folder: Stores) => Promise<void>): Promise<void>;
  /** Throws `DataDirectoryError` where there is no room for new shards. */
  makeRoom(): void;
  /** One of the old shards, as `useOld` has left it. */
  readOld(shard: number): ReadFolder;
  /** An empty folder beside the old ones. */
  makeNew(shard: number): NewFolder;
  /** All new shards are durable. */
  syncNew(): Promise<void>;
  /** The build has failed: what was built is removed where it can be. Throws. */
  giveUp(error: unknown): Promise<never>;
  /** The new shards, wherever they are by now. */
  listNew(): readonly NewShard[];
  /** Brings the new shards into the places of the old ones. */
  moveIn(): Promise<void>;
  /** Snapshots of the store with this id. */
  forgetSnapshots(storeId: string): Promise<void>;
  /** What the store says of itself is durable. */
  sync(): Promise<void>;
}

export interface ShardChange {
  readonly folders: ShardFolders;
  readonly store: Pick<HeldStore, "shardCount" | "storeId" | "reshardingTo" | "change">;
  /** A power of two, higher than the store's. */
  readonly shardCount: number;
  readonly domain: Domain;
  readonly nowMs: number;
  /** Undefined for a store of one machine. */
  readonly cluster: ClusterReshard | undefined;
  /** Told after each step what it did. */
  readonly onStep: (sentence: string) => void;
}

/** Throws `DataDirectoryError` and `PortError`. */
export async function changeShards(change: ShardChange): Promise<void> {
  const { folders, store, shardCount, cluster, onStep } = change;
  await cluster?.begin();
  if (store.reshardingTo === undefined) {
    await build(change).catch((error) => folders.giveUp(error));
    store.change({ reshardingTo: shardCount, reshardingStore: cluster?.storeId });
    await folders.sync();
  }
  if (cluster !== undefined) {
    await cluster.changeLogs(folders.listNew());
    onStep(`The logs of the cluster start afresh with ${shardCount} shards.`);
  }
  await folders.moveIn();
  if (cluster !== undefined) {
    await folders.forgetSnapshots(store.storeId);
    await cluster.end();
    onStep(
      "Start this node first; the others join from a snapshot once their data directories are removed.",
    );
  }
  store.change({
    ...(cluster === undefined ? {} : ownStore(cluster)),
    shardCount,
    reshardingTo: undefined,
    reshardingStore: undefined,
  });
  await folders.sync();
}

/** What the operator said of the earlier shards and nodes is of the past. */
function ownStore({ storeId }: ClusterReshard) {
  return { storeId, isFounder: true, forgotten: [], acceptedLosses: [] };
}

/** The old shards stay as they are, but that their journals are in their tables. */
async function build(change: ShardChange): Promise<void> {
  const { folders, store, shardCount, domain, nowMs, cluster } = change;
  const oldCount = store.shardCount;
  folders.clear();
  for (let shard = 0; shard <= oldCount; shard++) {
    const place = { shard, shardCount: oldCount };
    await folders.useOld(shard, async ({ tables, journal }) => {
      const replica = await recover(place, journal, tables, domain, nowMs);
      if (replica.position.seq === 0) throw new StoreDamage("it holds no record");
      await cluster?.catchUp(place, replica, journal);
    });
  }
  folders.makeRoom();
  for (let shard = 0; shard <= shardCount; shard++) {
    const place = { shard, shardCount };
    const parent = folders.readOld(getParent(place, oldCount));
    try {
      await buildShard(change, parent.tables, place);
    } finally {
      await parent.close();
    }
  }
  await folders.syncNew();
  // A node that was about to start when the command began.
  await cluster?.refuseLiving();
}

async function buildShard(
  { folders, store, cluster, onStep }: ShardChange,
  parent: TableReader,
  place: ShardPlace,
): Promise<void> {
  const { tables, journal, close } = folders.makeNew(place.shard);
  try {
    await splitShard(parent, store.shardCount, place, tables);
    if (cluster === undefined) await journal.restart(readPosition(tables).seq);
    else await cluster.beginShard(place, tables, journal);
  } finally {
    await close();
  }
  const name = place.shard === place.shardCount ? "directory" : place.shard;
  onStep(`shard-${name} of ${place.shardCount} is built.`);
}
