/**
 * `klieg reshard` on a node of a simulated cluster, while every node is stopped: the command's own
 * steps over simulated disks, logs and messages. It may be killed at any moment and run again.
 */
import type { HeldStore } from "../../../engine/adapters/data-directory.ts";
import {
  beginClusterReshard,
  type ClusterLines,
  type ClusterReshard,
  type NewShard,
} from "../../../engine/adapters/reshard-cluster.ts";
import {
  changeShards,
  type NewFolder,
  type ReadFolder,
  type ShardFolders,
  type Stores,
} from "../../../engine/adapters/shard-change.ts";
import { readPosition } from "../../../engine/shard/replica.ts";
import { removeSnapshots } from "../../../engine/shard/snapshot.ts";
import { SimDisk } from "./sim-disk.ts";
import { SimLog } from "./sim-log.ts";
import type { SimNode } from "./sim-node.ts";
import type { Surroundings } from "./surroundings.ts";
import { Life, LifeClock } from "./timeline.ts";

type Store = Omit<HeldStore, "change" | "release">;

/** One run of the command. */
export interface Command {
  /** Whether the store has the new shards, or why it has not; undefined while the command runs. */
  outcome: "done" | { readonly refusal: string } | undefined;
  kill(): void;
}

export class SimReshard {
  /** What `store.json` says. */
  private store: Store;
  private readonly node: SimNode;
  private readonly shardCount: number;
  private readonly around: Surroundings;
  /** By the names of their folders: the store's shards, and those that were built beside them. */
  private readonly places = new Map<string, SimDisk>();
  private readonly built = new Map<string, SimDisk>();
  private readonly logs = new Map<string, SimLog>();
  private ids = 0;

  constructor(node: SimNode, shardCount: number, around: Surroundings) {
    this.node = node;
    this.shardCount = shardCount;
    this.around = around;
    this.store = {
      shardCount: around.shardCount,
      storeId: around.storeId,
      nodeId: node.name,
      isClustered: true,
      isFounder: node.isFounder,
      isNew: false,
      forgotten: node.forgotten,
      acceptedLosses: [],
    };
    for (const [shard, disk] of node.disks.entries())
      this.places.set(nameOf(shard, around.shardCount), disk);
    for (const [shard, log] of around.logs.entries())
      this.logs.set(nameOf(shard, around.shardCount), log);
  }

  get storeId(): string {
    return this.store.storeId;
  }

  /** Those of the new shards, in their order, once the command has ended. */
  get disks(): readonly SimDisk[] {
    return this.inOrder((name) => this.places.get(name));
  }

  get newLogs(): readonly SimLog[] {
    return this.inOrder((name) => this.log(name));
  }

  run(): Command {
    const life = new Life();
    const command: Command = {
      outcome: undefined,
      kill: () => {
        life.isOver = true;
        for (const disk of [...this.places.values(), ...this.built.values()]) disk.crash();
      },
    };
    this.carryOut(life).then(
      () => {
        command.outcome = "done";
      },
      (error: Error) => {
        command.outcome = { refusal: error.message };
      },
    );
    return command;
  }

  private async carryOut(life: Life): Promise<void> {
    const { store, shardCount } = this;
    const { domain, timeline } = this.around;
    const nowMs = new LifeClock(timeline, life, () => this.node.wallMs).nowMs();
    const resharding = { path: this.node.name, store, shardCount, nowMs };
    const cluster = await beginClusterReshard(resharding, this.openLines(life));
    const held = {
      ...store,
      change: (change: object) => {
        this.store = { ...this.store, ...change };
      },
    };
    const folders = this.openFolders(life, cluster);
    await changeShards({
      folders,
      store: held,
      shardCount,
      domain,
      nowMs,
      cluster,
      onStep() {},
    });
  }

  private openLines(life: Life): ClusterLines {
    const { timeline, network, storeLog } = this.around;
    const line = { life, sends: () => true, hears: () => true, isMute: () => false };
    return {
      stream: storeLog.open(line),
      openLog: async (name) => this.log(name).open(line),
      nodes: network.openNodes({ node: this.node.name, life }),
      rest: (ms) => rest(this.around, life, ms),
      newId: () => `${this.node.name}-${timeline.nowMs}-${++this.ids}`,
      async close() {},
    };
  }

  private openFolders(life: Life, cluster: ClusterReshard): ShardFolders {
    const { around, built, places, shardCount } = this;
    const { timeline, dice, objects } = around;
    const oldCount = this.store.shardCount;
    const old = (shard: number) => this.open(places.get(nameOf(shard, oldCount)), life);
    return {
      clear: () => built.clear(),
      useOld: (shard, use) => use(old(shard)),
      makeRoom() {},
      readOld: (shard): ReadFolder => ({ ...old(shard), async close() {} }),
      makeNew: (shard): NewFolder => {
        const disk = new SimDisk(timeline, dice);
        built.set(nameOf(shard, shardCount), disk);
        return { ...this.open(disk, life), async close() {} };
      },
      async syncNew() {},
      async sync() {},
      async giveUp(error) {
        built.clear();
        await cluster.cancel();
        throw error;
      },
      listNew: () => namesOf(shardCount).map((name) => this.newShard(name, life)),
      moveIn: async () => {
        for (const [name, disk] of [...built]) {
          places.set(name, disk);
          built.delete(name);
          await rest(around, life, 1);
        }
      },
      forgetSnapshots: (storeId) => removeSnapshots(objects, storeId),
    };
  }

  private newShard(name: string, life: Life): NewShard {
    const { built, places } = this;
    return {
      name,
      openJournal: () => this.open(built.get(name) ?? places.get(name), life).journal,
      formerHash: async () => {
        const place = places.get(name);
        if (!built.has(name) || place === undefined) return undefined;
        return readPosition(this.open(place, life).tables).hash;
      },
    };
  }

  private open(disk: SimDisk | undefined, life: Life): Stores {
    if (disk === undefined) throw new Error("a shard has no folder");
    return { tables: disk.openTables(life), journal: disk.openJournal(life, () => {}) };
  }

  private log(name: string): SimLog {
    const { timeline, dice } = this.around;
    const log = this.logs.get(name) ?? new SimLog(timeline, dice);
    this.logs.set(name, log);
    return log;
  }

  private inOrder<Part>(find: (name: string) => Part | undefined): Part[] {
    return namesOf(this.shardCount).flatMap((name) => find(name) ?? []);
  }
}

function nameOf(shard: number, shardCount: number): string {
  return shard === shardCount ? "directory" : String(shard);
}

function namesOf(shardCount: number): string[] {
  return Array.from({ length: shardCount + 1 }, (_, shard) => nameOf(shard, shardCount));
}

function rest({ timeline }: Surroundings, life: Life, ms: number): Promise<void> {
  return new Promise((resolve) => void timeline.after(life, ms, resolve));
}
