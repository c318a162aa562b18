/**
 * The life of a shard on one node of a cluster: it follows the log until its node is to own it, and
 * owns it until it is stopped or another node does. Every end of an ownership ends the life, since
 * what was decided and refused is in memory alone; the next life follows.
 */
import { limits } from "../../config/limits.ts";
import { Balance } from "../cluster/balance.ts";
import type { Domain } from "../domain.ts";
import type { Log } from "../ports/log.ts";
import type { Objects } from "../ports/objects.ts";
import type { Peers } from "../ports/peers.ts";
import { PortError } from "../ports/port-error.ts";
import type { Snapshot, Snapshots } from "../ports/snapshots.ts";
import { type Owner, ownerKey, type Position } from "./flush.ts";
import { type FollowEnd, Follower, type OwnEnd } from "./follower.ts";
import { type HistoryNeeded, isJoining, join, OtherHistory, readJoining } from "./joining.ts";
import { LatestOwner } from "./latest-owner.ts";
import { findEpochNeeded, isAt, onUnreached } from "./log/log-place.ts";
import { OwnedLog } from "./log/owned-log.ts";
import { keepBefore, undoUnopened } from "./log/unopened-epoch.ts";
import { Members } from "./members.ts";
import { takeOver } from "./ownership.ts";
import { Quorum } from "./quorum.ts";
import { recover } from "./recovery.ts";
import { noPosition, type Replica, readPosition, type ShardPlace } from "./replica.ts";
import type { Shard } from "./shard.ts";
import type { Ownership, ShardOutlets, ShardStores } from "./shard-ports.ts";
import { SnapshotOffer } from "./snapshot-offer.ts";
import { Standbys } from "./standbys.ts";
import { Succession } from "./succession.ts";
import { WaitReport } from "./waiting.ts";

export interface ClusterShardParts {
  readonly place: ShardPlace;
  readonly domain: Domain;
  readonly stores: ShardStores;
  readonly outlets: ShardOutlets;
  readonly log: Log;
  readonly peers: Peers;
  /** Id of this node. */
  readonly node: string;
  /** Whether this node founded the store. */
  readonly isFounder: boolean;
  /** Whether a write is answered only when a standby has it too. */
  readonly isQuorum: boolean;
  /** Whether this node must not take over any more shards; see `drain`. */
  readonly isDraining: boolean;
  /** Nodes that are gone for good. */
  readonly forgotten: readonly string[];
  /** The record from which this node may resume, even if others had later ones. */
  readonly acceptedLoss: Pick<Position, "epoch" | "seq"> | undefined;
  /** A random value drawn for this run of the shard's thread. */
  readonly nonce: string;
  /** Id of the store. */
  readonly store: string;
  readonly snapshots: Snapshots;
  /** Makes a snapshot of what the tables durably hold. */
  readonly makeSnapshot: () => Promise<Snapshot>;
  readonly openObjects: () => Promise<Objects>;
  /** Called with what keeps snapshots from being made or taken, for the operator. */
  readonly onFault: (sentence: string, error: unknown) => void;
}

export class ClusterShard {
  private readonly parts: ClusterShardParts;
  private follower: Follower | undefined;
  private owned: Shard | undefined;
  private isStopped = false;
  private isDraining: boolean;
  private wake = () => {};
  /** Whether the shard's rows come from a snapshot. */
  private hasJoined = false;
  /** The last snapshot that was offered is of a history that may not replace its own. */
  private isRival = false;
  /** The last fault of a join, so that the same one is reported once only. */
  private joinFault: string | undefined;
  private readonly waits: WaitReport;

  constructor(parts: ClusterShardParts) {
    this.parts = parts;
    this.isDraining = parts.isDraining;
    const { stores, outlets } = parts;
    this.waits = new WaitReport(stores.clock, (wait) => outlets.event({ kind: "waiting", wait }));
  }

  /** The open shard while this node owns it. */
  get shard(): Shard | undefined {
    return this.owned;
  }

  /** Counts the log's records that are not durable here; undefined while it is unreachable. */
  async lag(): Promise<number | undefined> {
    return this.owned === undefined ? this.follower?.lag() : 0;
  }

  /** Stops the shard's run; an open `shard` is to be stopped separately. */
  stop(): void {
    this.isStopped = true;
    this.follower?.stop();
    this.wake();
  }

  /** While the shard is followed: see `Follower.reach`. */
  reach(number: number, seq: number): void {
    this.follower?.reach(number, seq);
  }

  /** Takes over nothing more, and hands the shard over once a standby can take it. */
  drain(): void {
    this.isDraining = true;
  }

  /**
   * Resolves when the shard was stopped. Throws `OwnershipLost`, `StoreDamage`, and `PortError`
   * when this node's disk fails.
   */
  async run(): Promise<void> {
    const { place, stores, peers, node, forgotten } = this.parts;
    const { clock, tables } = stores;
    const latestOwner = new LatestOwner(node, tables);
    const standbys = new Standbys(place.shard, node, forgotten, peers, clock, latestOwner);
    try {
      while (!this.isStopped) {
        const replica = await this.restore(standbys, latestOwner);
        if (replica === undefined || this.isStopped) return;
        const end = await this.follow(replica, standbys);
        if (end.kind === "stopped") return;
        if (end.kind === "own") return await this.own(replica, standbys, end);
      }
    } finally {
      standbys.close();
    }
  }

  private follow(replica: Replica, standbys: Standbys): Promise<FollowEnd> {
    const { place, stores, outlets, log, peers, node, isFounder, acceptedLoss } = this.parts;
    const { journal, clock } = stores;
    const isDraining = () => this.isDraining;
    outlets.event({ kind: "following" });
    const known = { node, replica, standbys, clock, isDraining, acceptedLoss };
    this.follower = new Follower({
      node,
      isFounder,
      isDraining,
      replica,
      journal,
      log,
      peers,
      standbys,
      clock,
      succession: new Succession(known),
      onWait: (wait) => this.waits.take(wait),
      onReached: (number, { epoch, seq }) => outlets.event({ kind: "held", number, epoch, seq }),
      onStandby: () => outlets.event({ kind: "standby" }),
      event: place.shard === place.shardCount ? outlets.event : () => {},
    });
    return this.follower.run();
  }

  /** Returns own rows if the log continues them, else another node's; undefined when stopped. */
  private async restore(
    standbys: Standbys,
    latestOwner: LatestOwner,
  ): Promise<Replica | undefined> {
    const { stores, outlets } = this.parts;
    const own = isJoining(stores.tables) ? undefined : await this.recoverOpened(latestOwner);
    const needed = await this.findNeeded(own);
    if (needed === undefined) return own;
    outlets.event({ kind: "joining" });
    const silence = this.announceJoining(own);
    try {
      // The log did not continue from the last snapshot, and making another one takes time.
      if (this.hasJoined) await this.pause();
      while (!this.isStopped) {
        this.hasJoined = await this.join(needed);
        if (this.hasJoined) {
          this.reportReplaced(needed, own);
          return await this.recover();
        }
        await this.pause();
        const isWhole = own !== undefined && !isJoining(stores.tables);
        // Without an owner these rows may be the latest that exist.
        if (isWhole && !standbys.isOwned) return own;
        const { epoch, seq } = own?.position ?? noPosition;
        const reason = this.isRival ? "rival" : "snapshot";
        this.waits.take({ reason, epoch, seq, owner: undefined, ahead: [], missing: [] });
      }
    } finally {
      silence();
    }
    return undefined;
  }

  /** The log had lost records of this node, and a later owner has gone on without them. */
  private reportReplaced({ leastEpoch }: HistoryNeeded, own: Replica | undefined): void {
    if (own === undefined || leastEpoch <= own.position.epoch) return;
    const { epoch, seq } = own.position;
    this.parts.onFault(
      "last records of this node were not in the log, replaced by the owner's rows",
      new PortError(`it had records up to ${seq} (epoch ${epoch})`, false),
    );
  }

  /** Returns undefined when the log continues from this node's rows. */
  private async findNeeded(own: Replica | undefined): Promise<HistoryNeeded | undefined> {
    const { log, acceptedLoss } = this.parts;
    if (own === undefined) return { leastEpoch: 0 };
    if (isAt(own.position, acceptedLoss)) return undefined;
    const leastEpoch = await findEpochNeeded(log, own.position);
    if (leastEpoch === undefined) return undefined;
    const nonce = (own.rows.row(ownerKey, 0) as Owner | undefined)?.nonce;
    const { epoch, seq } = own.position;
    return { leastEpoch, own: { epoch, seq, nonce } };
  }

  /** Announces that the shard joins, again and again until the returned function is called. */
  private announceJoining(own: Replica | undefined): () => void {
    const { peers, node, stores } = this.parts;
    let cancel = () => {};
    const again = () => {
      const { epoch, seq } = readJoining(stores.tables) ?? own?.position ?? noPosition;
      peers.announce({ node, state: "joining", epoch, seq, owner: undefined, nonce: undefined });
      cancel = stores.clock.after(limits.cluster.announceMs, again);
    };
    again();
    return () => cancel();
  }

  /** Returns own rows, without those of an epoch that was not opened and that the log lacks. */
  private async recoverOpened(latestOwner: LatestOwner): Promise<Replica> {
    const { node, log, stores, acceptedLoss } = this.parts;
    const own = await this.recover();
    if (isAt(own.position, acceptedLoss)) return own;
    const isUndone = await undoUnopened({ ...stores, node, log, latestOwner }, own);
    return isUndone ? this.recover() : own;
  }

  private recover(): Promise<Replica> {
    const { place, domain, stores } = this.parts;
    const { journal, tables, startMs } = stores;
    return recover(place, journal, tables, domain, startMs);
  }

  /** Returns false when the join has to be tried again. */
  private async join(needed: HistoryNeeded): Promise<boolean> {
    const { stores, store, snapshots, openObjects, onFault } = this.parts;
    const { tables, journal } = stores;
    try {
      return await join({ tables, journal, store, snapshots, openObjects }, needed);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.isRival = error instanceof OtherHistory;
      if (error.message !== this.joinFault)
        onFault("snapshot from the shard's owner failed, retrying", error);
      this.joinFault = error.message;
      return false;
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.parts.stores.clock.after(limits.cluster.snapshotAgainMs, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }

  private async own(
    replica: Replica,
    standbys: Standbys,
    { leaseMs, isLossAccepted }: OwnEnd,
  ): Promise<void> {
    const { place, domain, stores, outlets, log, node, nonce, store, isQuorum } = this.parts;
    const previous = replica.rows.row(ownerKey, 0) as Owner | undefined;
    if (previous?.node !== node) outlets.event({ kind: "left" });
    const earlier = isLossAccepted ? [] : standbys.rememberNodes(previous?.members ?? []);
    const members = [...new Set([node, ...earlier, ...standbys.knownNodes])].sort();
    const passedOver = isLossAccepted ? limits.cluster.lostEpochs : 0;
    const before = keepBefore(replica.position, previous);
    const owner: Owner = { node, nonce, store, members, isQuorum, before };
    const epoch = replica.position.epoch + 1 + passedOver;
    const isDirectory = place.shard === place.shardCount;
    const isSuperseded = () => standbys.hasHeardLater(epoch);
    const ownership: Ownership & { readonly log: OwnedLog } = {
      owner,
      members: new (isQuorum ? Quorum : Members)(owner, earlier, standbys),
      log: new OwnedLog(log, stores.clock, nonce, isDirectory, isSuperseded),
      epoch,
      leaseMs,
      spareSeq: () => standbys.durableSeq,
    };
    let silence = () => {};
    const begun = (shard: Shard) => {
      silence = this.announce(shard);
    };
    try {
      const shard = await takeOver(replica, place, domain, stores, ownership, outlets, begun);
      const followers = standbys.rememberNodes([...(previous?.members ?? []), ...members]);
      await this.serve(shard, ownership.log, standbys, followers);
    } finally {
      silence();
    }
  }

  /** Trims nothing from the log before each of `followers` has announced itself. */
  private async serve(
    shard: Shard,
    log: OwnedLog,
    standbys: Standbys,
    followers: readonly string[],
  ): Promise<void> {
    this.owned = shard;
    this.waits.take(undefined);
    if (this.isStopped) shard.stop();
    const endBalance = this.balance(shard, standbys);
    const offer = this.snapshotOffer();
    const withdraw = this.parts.snapshots.answer(() => {
      shard.wantSnapshot();
      return offer.next();
    });
    const spareSeq = () =>
      standbys.hasHeard(followers) ? Math.min(standbys.durableSeq, offer.spareSeq) : 0;
    const endTrims = this.trimLog(shard, log, spareSeq);
    try {
      await shard.run();
    } finally {
      endTrims();
      endBalance();
      withdraw();
    }
  }

  private snapshotOffer(): SnapshotOffer {
    const { stores, makeSnapshot, onFault } = this.parts;
    const onFailure = (error: unknown) => onFault("snapshot for another node failed", error);
    return new SnapshotOffer(stores.clock, makeSnapshot, onFailure);
  }

  /**
   * Trims from the log what neither standbys nor the next snapshot need, until the returned
   * function is called.
   */
  private trimLog(shard: Shard, log: OwnedLog, spareSeq: () => number): () => void {
    const { tables, clock } = this.parts.stores;
    let cancel = () => {};
    let isOver = false;
    const again = async () => {
      const { seq, logSeq } = shard.reached;
      const spare = Math.min(spareSeq(), readPosition(tables).seq);
      // A log that cannot be reached now is trimmed later.
      await log.trim(logSeq - (seq - spare), logSeq).catch(onUnreached);
      if (!isOver) cancel = clock.after(limits.cluster.logTrimMs, () => void again());
    };
    cancel = clock.after(limits.cluster.logTrimMs, () => void again());
    return () => {
      isOver = true;
      cancel();
    };
  }

  /** Hands the shard over when another node ranks first, until the returned function is called. */
  private balance(shard: Shard, standbys: Standbys): () => void {
    const { place, stores } = this.parts;
    const balance = new Balance(place.shard, place.shardCount, stores.clock, shard.reached);
    let cancel = () => {};
    const again = () => {
      const { reached } = shard;
      const isDue = this.isDraining
        ? standbys.hasSuccessor(reached)
        : balance.isDue(reached, standbys.isFirst(reached));
      if (isDue) shard.stop();
      else cancel = stores.clock.after(limits.cluster.announceMs, again);
    };
    again();
    return () => cancel();
  }

  /** Announces the owner's position until the returned function is called. */
  private announce(shard: Shard): () => void {
    const { peers, node, nonce, stores } = this.parts;
    let cancel = () => {};
    const again = () => {
      const { epoch, seq } = shard.reached;
      peers.announce({ node, state: "owning", epoch, seq, owner: node, nonce });
      cancel = stores.clock.after(limits.cluster.announceMs, again);
    };
    again();
    return () => cancel();
  }
}
