/**
 * The nodes of the cluster as one of them knows them: which node owns which shard, and how far each
 * has followed the directory. Every node announces itself once a second, and at once when something
 * changes that others wait for. What is known may be a moment old: a node that is asked in vain
 * says so.
 */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Nodes, Presence } from "../ports/nodes.ts";

export interface KnownNode extends Presence {
  readonly lastSeenMs: number;
  /** How far the node's clock was ahead of this node's; negative when it was behind. */
  readonly clockAheadMs: number;
}

interface Known {
  readonly presence: Presence;
  readonly lastSeenMs: number;
  readonly seenMs: number;
  /** By shard, since when the node has announced that it owns the shard, by the monotonic clock. */
  readonly ownsSince: ReadonlyMap<number, number>;
}

interface Waiter {
  readonly seq: number;
  readonly resolve: () => void;
}

export class ClusterNodes {
  private readonly own: () => Presence;
  private readonly nodes: Nodes;
  private readonly clock: Clock;
  private readonly byNode = new Map<string, Known>();
  private readonly waiters = new Set<Waiter>();
  private unlisten = () => {};
  private cancel = () => {};
  private announcedMs = Number.NEGATIVE_INFINITY;
  private isClosed = false;
  private isPressing = false;
  private node: string | undefined;

  /** `own` returns this node's current announcement. */
  constructor(own: () => Presence, nodes: Nodes, clock: Clock) {
    this.own = own;
    this.nodes = nodes;
    this.clock = clock;
  }

  open(): void {
    this.node = this.own().node;
    this.unlisten = this.nodes.onAnnounced((presence) => this.learn(presence));
    this.announce();
  }

  /** Announces that this node is gone. */
  close(): void {
    this.isClosed = true;
    this.cancel();
    this.unlisten();
    this.nodes.announce({ ...this.own(), status: "gone", shards: [] });
  }

  /** Announces a change that other nodes wait for. */
  onChange(): void {
    if (this.isPressing || this.isClosed) return;
    this.isPressing = true;
    const passedMs = this.clock.monotonicMs() - this.announcedMs;
    this.cancel();
    this.cancel = this.clock.after(Math.max(0, limits.cluster.pressingMs - passedMs), () =>
      this.announce(),
    );
  }

  /** The other node that owns the shard, as far as is known. */
  getOwner(shard: number): Presence | undefined {
    let owner: Presence | undefined;
    let sinceMs = Number.NEGATIVE_INFINITY;
    for (const { presence, ownsSince } of this.listLiving()) {
      const ownedSinceMs = ownsSince.get(shard) ?? Number.NEGATIVE_INFINITY;
      if (ownedSinceMs <= sinceMs) continue;
      owner = presence;
      sinceMs = ownedSinceMs;
    }
    return owner;
  }

  /** Lists the other living nodes. */
  others(): readonly Presence[] {
    return this.listLiving().map(({ presence }) => presence);
  }

  /** Whether the other node has announced itself recently. */
  isLiving(node: string): boolean {
    return this.listLiving().some(({ presence }) => presence.node === node);
  }

  /** The other node on which the request waits, as far as is known. */
  nodeOfRequest(request: number): string | undefined {
    let nearest: Presence | undefined;
    for (const { presence } of this.listLiving()) {
      const { firstRequest } = presence;
      if (firstRequest <= request && firstRequest >= (nearest?.firstRequest ?? 0))
        nearest = presence;
    }
    return nearest?.node;
  }

  /** Lists this node and all that ever announced themselves; silent ones count as gone. */
  list(): readonly KnownNode[] {
    const oldestMs = this.clock.monotonicMs() - limits.cluster.silenceMs;
    const others = [...this.byNode.values()].map(({ presence, lastSeenMs, seenMs }): KnownNode => {
      const known = { ...presence, lastSeenMs, clockAheadMs: presence.atMs - lastSeenMs };
      return seenMs >= oldestMs ? known : { ...known, status: "gone", shards: [], warnings: [] };
    });
    return [{ ...this.own(), lastSeenMs: this.clock.nowMs(), clockAheadMs: 0 }, ...others];
  }

  /** Resolves when all living nodes have applied the directory's record `seq`, or in a second. */
  whenApplied(seq: number): Promise<void> {
    if (this.areApplied(seq)) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter = { seq, resolve: () => finish() };
      const cancel = this.clock.after(limits.cluster.spreadMs, () => finish());
      const finish = () => {
        this.waiters.delete(waiter);
        cancel();
        resolve();
      };
      this.waiters.add(waiter);
    });
  }

  private areApplied(seq: number): boolean {
    // A starting node (0) reads nothing of the directory before it has all of it.
    return this.listLiving().every(
      ({ presence: { directorySeq } }) => directorySeq >= seq || directorySeq === 0,
    );
  }

  private listLiving(): Known[] {
    const oldestMs = this.clock.monotonicMs() - limits.cluster.silenceMs;
    return [...this.byNode.values()].filter(
      ({ presence, seenMs }) => presence.status !== "gone" && seenMs >= oldestMs,
    );
  }

  private learn(presence: Presence): void {
    if (presence.node === this.node) return;
    const seenMs = this.clock.monotonicMs();
    const before = this.byNode.get(presence.node);
    const owned = presence.shards.filter(({ role }) => role === "owner");
    const ownsSince = new Map(
      owned.map(({ shard }) => [shard, before?.ownsSince.get(shard) ?? seenMs]),
    );
    this.byNode.set(presence.node, {
      presence,
      seenMs,
      ownsSince,
      lastSeenMs: this.clock.nowMs(),
    });
    this.forgetOldest();
    for (const waiter of this.waiters) if (this.areApplied(waiter.seq)) waiter.resolve();
  }

  private forgetOldest(): void {
    if (this.byNode.size <= limits.cluster.nodesMax) return;
    const [oldest] = [...this.byNode].sort(([, a], [, b]) => a.seenMs - b.seenMs);
    if (oldest !== undefined) this.byNode.delete(oldest[0]);
  }

  private announce(): void {
    this.isPressing = false;
    this.announcedMs = this.clock.monotonicMs();
    this.nodes.announce(this.own());
    this.cancel = this.clock.after(limits.cluster.announceMs, () => this.announce());
  }
}
