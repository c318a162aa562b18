/**
 * What the other nodes last announced about a shard, and what follows from it: who takes over
 * first, and whether any of them may have more records than this one.
 */
import { createHash } from "node:crypto";
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Announcement, Peers } from "../ports/peers.ts";
import type { Owner, Position } from "./flush.ts";
import type { HeardOwner, LatestOwner } from "./latest-owner.ts";

/** How many members must be heard to conclude that no other member has more records. */
export function countMembersNeeded({
  members,
  isQuorum,
}: Pick<Owner, "members" | "isQuorum">): number {
  const most = Math.floor(members.length / 2) + 1;
  return isQuorum ? Math.max(most, members.length - 1) : most;
}

type Reached = Pick<Position, "epoch" | "seq">;

/** What other nodes may have of a shard whose owner is silent. */
export interface Survey {
  /** Whether enough members are heard, among them the owner if one copy was enough. */
  readonly isComplete: boolean;
  /** Members that are not heard. */
  readonly missing: readonly string[];
  /** Nodes with records that this one lacks. */
  readonly ahead: readonly HeardOwner[];
  /** How many nodes with the same records rank before this one. */
  readonly before: number;
}

function isBehind({ epoch, seq }: Reached, other: Reached): boolean {
  return other.epoch > epoch || (other.epoch === epoch && other.seq > seq);
}

interface Heard {
  readonly announcement: Announcement;
  readonly atMs: number;
}

export class Standbys {
  /** Stops listening. */
  readonly close: () => void;
  private readonly shard: number;
  private readonly node: string;
  private readonly forgotten: readonly string[];
  private readonly clock: Clock;
  private readonly latestOwner: LatestOwner;
  private readonly heardByNode = new Map<string, Heard>();
  /** Cache: a follower needs each weight several times in every check. */
  private readonly weightByNode = new Map<string, string>();
  private wake = () => {};

  /** `forgotten` are the nodes that are gone for good. */
  constructor(
    shard: number,
    node: string,
    forgotten: readonly string[],
    peers: Peers,
    clock: Clock,
    latestOwner: LatestOwner,
  ) {
    this.shard = shard;
    this.node = node;
    this.forgotten = forgotten;
    this.clock = clock;
    this.latestOwner = latestOwner;
    this.close = peers.onAnnounced((announcement) => {
      if (announcement.node === node) return;
      this.heardByNode.set(announcement.node, { announcement, atMs: clock.monotonicMs() });
      latestOwner.note(announcement);
      this.wake();
    });
  }

  /** All nodes that have ever announced themselves. */
  get knownNodes(): readonly string[] {
    return this.rememberNodes([...this.heardByNode.keys()]);
  }

  /** Returns the nodes without those that are forgotten. */
  rememberNodes(nodes: readonly string[]): readonly string[] {
    return nodes.filter((node) => !this.forgotten.includes(node));
  }

  /** How many living standbys take over before this one; the order differs between shards. */
  get rank(): number {
    const own = this.getWeight(this.node);
    return this.listLiving().filter(
      ({ node, state }) => state === "following" && this.getWeight(node) < own,
    ).length;
  }

  /** Whether no living standby with the records so far ranks before this node. */
  isFirst({ epoch, seq }: Position): boolean {
    const own = this.getWeight(this.node);
    const { heartbeatMs, announceMs } = limits.cluster;
    const lateMax = Math.ceil((2 * announceMs) / heartbeatMs);
    return !this.listLiving().some(
      (other) =>
        other.state === "following" &&
        other.epoch === epoch &&
        other.seq >= seq - lateMax &&
        this.getWeight(other.node) < own,
    );
  }

  /** Whether a living standby can take over from the owner of that epoch. */
  hasSuccessor({ epoch }: Position): boolean {
    return this.listLiving().some((other) => other.state === "following" && other.epoch === epoch);
  }

  /** Sequence number of the last record that is durable on each standby of the last day. */
  get durableSeq(): number {
    const oldestMs = this.clock.monotonicMs() - limits.cluster.standbyGoneMs;
    const seqs = [...this.heardByNode.values()]
      .filter(({ atMs, announcement }) => atMs >= oldestMs && announcement.state !== "joining")
      .map(({ announcement }) => announcement.seq);
    return Math.min(Number.POSITIVE_INFINITY, ...seqs);
  }

  /** Whether each of these nodes has announced itself. */
  hasHeard(nodes: readonly string[]): boolean {
    return nodes.every((node) => node === this.node || this.heardByNode.has(node));
  }

  /** For each standby, its last durable record in the epoch with this nonce. */
  seqsIn(nonce: string): ReadonlyMap<string, number> {
    const announcements = [...this.heardByNode.values()].map(({ announcement }) => announcement);
    return new Map(
      announcements
        .filter((announcement) => announcement.nonce === nonce)
        .map(({ node, seq }) => [node, seq]),
    );
  }

  /** Resolves when a node announces itself, or after `ms` at the latest. */
  next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(ms, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Whether any other node has recently announced itself. */
  get hasLivingOthers(): boolean {
    return this.listLiving().length > 0;
  }

  /** Whether another node has recently announced that it owns the shard. */
  get isOwned(): boolean {
    return this.listLiving().some(({ state }) => state === "owning");
  }

  /** Recent announcements of nodes that have records after this position. */
  findAhead(position: Reached): readonly Announcement[] {
    return this.listLiving().filter((other) => isBehind(position, other));
  }

  /** Whether a node has ever announced records of a later epoch. */
  hasHeardLater(epoch: number): boolean {
    return this.findLater(epoch).length > 0;
  }

  /** Nodes that have ever announced a later epoch, also in an earlier run of this node. */
  private findLater(epoch: number): readonly HeardOwner[] {
    const { heard } = this.latestOwner;
    const later = this.findEverAhead({ epoch, seq: Number.POSITIVE_INFINITY });
    if (heard === undefined || heard.epoch <= epoch) return later;
    const isCounted = !this.heardByNode.has(heard.node) && !this.forgotten.includes(heard.node);
    return isCounted ? [...later, heard] : later;
  }

  /**
   * Like `findAhead`, with silent nodes too: what their owner made durable was in the log, so a log
   * that ends before it has lost its end.
   */
  findEverAhead(position: Reached): readonly Announcement[] {
    const all = [...this.heardByNode.values()].map(({ announcement }) => announcement);
    const kept = all.filter(({ node }) => !this.forgotten.includes(node));
    return kept.filter((other) => isBehind(position, other));
  }

  /**
   * What is known of the shard's other nodes by a node whose last record is at `position`, in the
   * epoch of `owner`. What was acknowledged is on the disk of the owner of its epoch, and with a
   * quorum on another member's too; so nothing of it is elsewhere alone when `isComplete` and there
   * is nothing `ahead`.
   */
  survey(position: Reached, owner: Owner): Survey {
    const living = this.listLiving();
    const isHeard = (node: string) =>
      node === this.node || living.some((other) => other.node === node);
    const missing = owner.members.filter((member) => !isHeard(member));
    const isMost = owner.members.length - missing.length >= countMembersNeeded(owner);
    const { epoch, seq } = position;
    const isOther = (other: Announcement) =>
      other.epoch === epoch && other.nonce !== undefined && other.nonce !== owner.nonce;
    // Without a quorum, what a later owner has released is on its disk alone, heard or not.
    const later = owner.isQuorum ? [] : this.findLater(epoch);
    const ahead = [...this.findAhead(position), ...later];
    const rivals = living.filter(
      (other) => isOther(other) || (other.state === "owning" && other.epoch === epoch),
    );
    const equals = living.filter(
      (other) => other.state === "following" && other.epoch === epoch && other.seq === seq,
    );
    const own = this.getRank(this.node, owner);
    return {
      isComplete: isMost && (owner.isQuorum || isHeard(owner.node)),
      missing,
      ahead: [...new Set([...ahead, ...rivals])],
      before: equals.filter(({ node }) => this.getRank(node, owner) < own).length,
    };
  }

  /** Ranks the last owner first, then its members: a node that only read the log may have less. */
  private getRank(node: string, owner: Owner): string {
    const rank = node === owner.node ? 0 : owner.members.includes(node) ? 1 : 2;
    return `${rank} ${this.getWeight(node)}`;
  }

  private listLiving(): Announcement[] {
    const oldestMs = this.clock.monotonicMs() - limits.cluster.silenceMs;
    return [...this.heardByNode.values()]
      .filter(({ atMs }) => atMs >= oldestMs)
      .map(({ announcement }) => announcement);
  }

  /** Rendezvous hashing: a node that comes or goes changes nothing among the others. */
  private getWeight(node: string): string {
    const known = this.weightByNode.get(node);
    if (known !== undefined) return known;
    const weight = createHash("sha256").update(`${this.shard} ${node}`).digest("hex");
    this.weightByNode.set(node, weight);
    return weight;
  }
}
