/**
 * Decides whether a node may resume a shard that has no owner any more, by what it knows of the
 * other nodes: nothing acknowledged may be on another node's disk alone.
 */
import { limits } from "../../config/limits.ts";
import type { Key } from "../key.ts";
import type { Clock } from "../ports/clock.ts";
import { handoverKey, type Owner, ownerKey, type Position } from "./flush.ts";
import { isAt } from "./log/log-place.ts";
import { isUnopened } from "./log/unopened-epoch.ts";
import type { Replica } from "./replica.ts";
import type { Standbys, Survey } from "./standbys.ts";
import type { ShardWait, WaitReason } from "./waiting.ts";

export interface SuccessionParts {
  readonly node: string;
  readonly replica: Replica;
  readonly standbys: Standbys;
  readonly clock: Clock;
  /** Whether this node must not take over any more shards. */
  readonly isDraining: () => boolean;
  /** The record from which this node may resume, by the operator's decision. */
  readonly acceptedLoss: Pick<Position, "epoch" | "seq"> | undefined;
}

export class Succession {
  private readonly parts: SuccessionParts;
  /** Since when no other node is known that may have more records. */
  private clearedMs: number | undefined;
  /** The engine's own rows as of the record `seq`: a follower looks at them many times a second. */
  private known = { seq: -1, owner: undefined as Owner | undefined, handedOver: 0 };

  constructor(parts: SuccessionParts) {
    this.parts = parts;
  }

  /** Owner of the shard at the last record; undefined when no record names one. */
  get owner(): Owner | undefined {
    return this.rows.owner;
  }

  get wasOwner(): boolean {
    return !this.isLossAccepted && this.owner?.node === this.parts.node;
  }

  /**
   * Whether another node may have begun the log anew, and own the shard, unheard: with a quorum any
   * member, else the last owner, which goes first.
   */
  get isFenceNeeded(): boolean {
    return this.owner?.isQuorum === true || !(this.wasOwner || this.isLossAccepted);
  }

  /** Whether the last record is the first of its epoch, on which nothing rests. */
  get isUnopened(): boolean {
    return isUnopened(this.parts.replica.position, this.owner);
  }

  get isHandedOver(): boolean {
    return this.rows.handedOver === this.parts.replica.position.epoch;
  }

  get isLossAccepted(): boolean {
    return isAt(this.parts.replica.position, this.parts.acceptedLoss);
  }

  /**
   * Whether the members of the epoch know this node. They wait for a member that is not heard; a
   * node that they do not know could own the shard and be gone without their missing its records.
   */
  get isMember(): boolean {
    return this.owner?.members.includes(this.parts.node) === true;
  }

  /** Why this node cannot own the shard that it follows; `owner`: another node still owns it. */
  findTakeoverObstacle(silentMs: number): WaitReason | "owner" | undefined {
    const { replica, standbys, isDraining } = this.parts;
    const { silenceMs, isolatedMs, rankMs, handoverRankMs } = limits.cluster;
    const { isHandedOver } = this;
    if (this.isIsolated && silentMs < silenceMs + isolatedMs) return "owner";
    const leastMs = isHandedOver ? 0 : silenceMs;
    if (silentMs < leastMs) return "owner";
    if (silentMs < leastMs + standbys.rank * (isHandedOver ? handoverRankMs : rankMs))
      return "owner";
    if (isDraining()) return "draining";
    if (standbys.findEverAhead(replica.position).length === 0) return undefined;
    return standbys.isOwned ? "behind" : "ahead";
  }

  /**
   * Whether this node may be the one that is cut off: others may have written what the log has lost
   * since, and need time to write it there again.
   */
  private get isIsolated(): boolean {
    const { standbys } = this.parts;
    return (
      standbys.rememberNodes(this.owner?.members ?? []).length > 2 && !standbys.hasLivingOthers
    );
  }

  /**
   * Why this node cannot resume a shard whose owner it has not heard. Undefined once all that was
   * acknowledged is here, or what is missing was given up, and it is this node's turn.
   */
  findObstacle(silentMs: number): WaitReason | undefined {
    const { replica, standbys, clock } = this.parts;
    const { silenceMs, announceMs, turnMs } = limits.cluster;
    if (this.isLossAccepted) return this.findLossObstacle(silentMs);
    const survey = this.survey();
    const nowMs = clock.monotonicMs();
    const isClear = survey?.isComplete === true && survey.ahead.length === 0;
    if (!isClear) this.clearedMs = undefined;
    if (survey === undefined) return replica.position.seq === 0 ? "snapshot" : "history";
    if (survey.ahead.length > 0) return standbys.isOwned ? "behind" : "ahead";
    if (!survey.isComplete) return "nodes";
    // While the last owner was away, a member that it has not heard yet may have owned the shard.
    const ownerMs = survey.missing.length === 0 ? 0 : silenceMs + announceMs;
    if (silentMs < (this.wasOwner ? ownerMs : silenceMs)) return "turn";
    this.clearedMs ??= nowMs;
    if (nowMs - this.clearedMs < survey.before * turnMs) return "turn";
    return undefined;
  }

  /**
   * Why this node cannot fill a log that has lost records. After a hand-over any member may have
   * owned the shard at once, and without a quorum what it released is on its disk alone.
   */
  findRefillObstacle(listenedMs: number): WaitReason | undefined {
    const obstacle = this.findObstacle(listenedMs);
    if (obstacle !== undefined || this.isLossAccepted || !this.isHandedOver) return obstacle;
    const isAnyMissing = this.owner?.isQuorum !== true && this.survey()?.missing.length !== 0;
    return isAnyMissing ? "nodes" : undefined;
  }

  /** The operator gave up only what silent nodes may have, and nothing else. */
  private findLossObstacle(silentMs: number): WaitReason | undefined {
    const { replica, standbys } = this.parts;
    if (standbys.isOwned || standbys.findAhead(replica.position).length > 0) return "ahead";
    return silentMs < limits.cluster.silenceMs ? "turn" : undefined;
  }

  /** Describes for the operator what is known while this node waits. */
  explain(reason: WaitReason): ShardWait {
    const { replica, standbys } = this.parts;
    const { epoch, seq } = replica.position;
    const survey = this.survey();
    const all = [...(survey?.ahead ?? []), ...standbys.findEverAhead(replica.position)];
    const ahead = [...new Set(all)].map((other) => {
      const { node, epoch, seq } = other;
      return { node, epoch, seq };
    });
    const missing = survey?.missing ?? [];
    return { reason, epoch, seq, owner: this.owner?.node, ahead, missing };
  }

  /** Undefined when no record names an owner. */
  private survey(): Survey | undefined {
    const { replica, standbys } = this.parts;
    const { owner } = this;
    if (owner === undefined) return undefined;
    return standbys.survey(replica.position, {
      ...owner,
      members: standbys.rememberNodes(owner.members),
    });
  }

  private get rows() {
    const { changedSeq: seq } = this.parts.replica;
    if (this.known.seq !== seq) {
      const handedOver = this.row(handoverKey)?.epoch ?? 0;
      this.known = { seq, owner: this.row(ownerKey), handedOver };
    }
    return this.known;
  }

  private row<Row>(key: Key<Row>): Row | undefined {
    return this.parts.replica.rows.row(key, 0) as Row | undefined;
  }
}
