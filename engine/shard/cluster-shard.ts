/**
 * The life of a shard on one node of a cluster: it follows the log until its node is to own it, and
 * owns it until it is stopped or another node does. Every end of an ownership ends the life, since
 * what was decided and refused is in memory alone; the next life follows.
 */
import { limits } from "../../config/limits.ts";
import type { Domain } from "../domain.ts";
import type { Log } from "../ports/log.ts";
import type { Peers } from "../ports/peers.ts";
import { Follower } from "./follower.ts";
import { OwnedLog } from "./owned-log.ts";
import { recover } from "./recovery.ts";
import type { Replica, ShardPlace } from "./replica.ts";
import { type Shard, type ShardOutlets, type ShardStores, takeOver } from "./shard.ts";
import { Standbys } from "./standbys.ts";

export interface ClusterShardParts {
  readonly place: ShardPlace;
  readonly domain: Domain;
  readonly stores: ShardStores;
  readonly outlets: ShardOutlets;
  readonly log: Log;
  readonly peers: Peers;
  /** This node's id. */
  readonly node: string;
  /** Drawn for this life. */
  readonly nonce: string;
  /** The store's id. */
  readonly store: string;
}

/** The log begins behind what this node has: the tables of another node are needed. */
export class SnapshotNeeded extends Error {
  override readonly name = "SnapshotNeeded";
}

export class ClusterShard {
  private readonly parts: ClusterShardParts;
  private follower: Follower | undefined;
  private owned: Shard | undefined;
  private isStopped = false;

  constructor(parts: ClusterShardParts) {
    this.parts = parts;
  }

  /** While its node owns it. */
  get shard(): Shard | undefined {
    return this.owned;
  }

  /** `shard`, when it is open, is stopped by itself. */
  stop(): void {
    this.isStopped = true;
    this.follower?.stop();
  }

  /**
   * Resolves when it was stopped. Throws `OwnershipLost`, `SnapshotNeeded`, `StoreDamage`, and
   * `PortError` when the own disk fails.
   */
  async run(): Promise<void> {
    const { place, domain, stores, outlets, log, peers, node } = this.parts;
    const standbys = new Standbys(place.shard, node, peers, stores.clock);
    try {
      const { journal, tables, clock, startMs } = stores;
      const replica = await recover(place, journal, tables, domain, startMs);
      if (this.isStopped) return;
      outlets.event({ kind: "following" });
      this.follower = new Follower({
        ...{ node, replica, journal, log, peers, standbys, clock },
        event: place.shard === place.shardCount ? outlets.event : () => {},
      });
      const end = await this.follower.run();
      if (end.kind === "behind") throw new SnapshotNeeded();
      if (end.kind === "stopped") return;
      await this.own(replica, standbys, end.leaseMs);
    } finally {
      standbys.close();
    }
  }

  private async own(replica: Replica, standbys: Standbys, leaseMs: number): Promise<void> {
    const { place, domain, stores, outlets, log, node, nonce, store } = this.parts;
    const ownership = {
      owner: { node, nonce, store, members: [node, ...standbys.known].sort() },
      log: new OwnedLog(log, stores.clock, nonce),
      leaseMs,
      spareSeq: () => standbys.durableSeq,
    };
    const shard = await takeOver(replica, place, domain, stores, ownership, outlets);
    this.owned = shard;
    if (this.isStopped) shard.stop();
    const silence = this.announce(shard);
    try {
      await shard.run();
    } finally {
      silence();
    }
  }

  /** Until the returned function is called. */
  private announce(shard: Shard): () => void {
    const { peers, node, stores } = this.parts;
    let cancel = () => {};
    const again = () => {
      const { epoch, seq } = shard.reached;
      peers.announce({ node, state: "owning", epoch, seq, owner: node });
      cancel = stores.clock.after(limits.cluster.announceMs, again);
    };
    again();
    return () => cancel();
  }
}
