/**
 * A standby of a shard: makes the log's records durable in its own journal, applies them, and says
 * when its node is to own the shard. That is the case
 *
 * 1. when the shard has no records at all, and the store began on its node;
 * 2. when it has heard the owner in its own life, and then nothing for `silenceMs`, the log ends
 *    with what it has heard, and no node has said that it has more: the owner's lease has then to
 *    be waited for;
 * 3. when the owner it has heard has handed the shard over;
 * 4. when enough of the nodes that may know more are heard, and none does (`Succession`). Where the
 *    log has lost records, or leads on from no living node's, the one that goes on begins it anew.
 *
 * In every other case, and always while its node drains, it waits, and says what for
 * (`waiting.ts`). A shard's owner with a quorum learns at once what is durable here.
 */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Peers } from "../ports/peers.ts";
import { readHead, verify } from "../record.ts";
import type { ShardEvent } from "../wire.ts";
import type { Position } from "./flush.ts";
import { LogFence, refillLog } from "./log-filling.ts";
import { findPlace, type LogPlace, onUnreached } from "./log-place.ts";
import { LogReader, leadsTo } from "./log-reader.ts";
import type { Replica } from "./replica.ts";
import type { Standbys } from "./standbys.ts";
import type { Succession } from "./succession.ts";
import type { ShardWait, WaitReason } from "./waiting.ts";

export interface FollowerParts {
  readonly node: string;
  /** Whether the store began here. */
  readonly isFounder: boolean;
  readonly replica: Replica;
  readonly journal: Journal;
  readonly log: Log;
  readonly peers: Peers;
  readonly standbys: Standbys;
  readonly succession: Succession;
  /** Whether its node is to own nothing more. */
  readonly isDraining: () => boolean;
  readonly clock: Clock;
  /** The owner was heard: the shard is taken over when it falls silent. */
  readonly onStandby: () => void;
  /** The tables are at this record, as was asked. */
  readonly onReached: (number: number, position: Position) => void;
  /** What is waited for, while the owner is not heard; undefined when it is again. */
  readonly onWait: (wait: ShardWait | undefined) => void;
  /** For those who read the rows here. */
  readonly event: (event: ShardEvent) => void;
}

/** All rows are in the tables. */
export interface OwnEnd {
  readonly kind: "own";
  /** An earlier owner may answer reads for so long yet. */
  readonly leaseMs: number;
  /** There may have been further records, of later epochs too. */
  readonly isLossAccepted: boolean;
}

export type FollowEnd =
  | OwnEnd
  /** The log does not go on from here: the tables of another node are needed. */
  | { readonly kind: "behind" }
  | { readonly kind: "stopped" };

export class Follower {
  private readonly parts: FollowerParts;
  private readonly reader: LogReader;
  private wake = () => {};
  private isStopped = false;
  private heardMs = 0;
  /** A record of this owner came while it was followed. */
  private hasHeardOwner = false;
  /** Its rows are as the log has them, but for what is on its way. */
  private isCurrent = false;
  /** The log's end when it was asked for last. */
  private target = { logSeq: 0, askedMs: 0 };
  private announcedMs = Number.NEGATIVE_INFINITY;
  private announcedSeq = 0;
  private flushedMs: number;
  private readonly startedMs: number;
  private readonly fence: LogFence;
  private flushing: Promise<void> | undefined;
  private failure: { readonly error: unknown } | undefined;
  private wanted: { readonly number: number; readonly seq: number } | undefined;

  constructor(parts: FollowerParts) {
    this.parts = parts;
    this.fence = new LogFence(parts.log, parts.clock);
    this.reader = new LogReader(parts.log, parts.clock, () => this.wake());
    this.startedMs = parts.clock.monotonicMs();
    this.flushedMs = this.startedMs;
  }

  stop(): void {
    this.isStopped = true;
    this.wake();
  }

  /** `onReached` is called when the records up to this one are in the tables. */
  reach(number: number, seq: number): void {
    this.wanted = { number, seq };
    this.wake();
  }

  /** How many records of the log are not durable here; undefined while it cannot be reached. */
  async lag(): Promise<number | undefined> {
    const end = await this.reader.end();
    return end && Math.max(0, end.logSeq - this.parts.replica.position.logSeq);
  }

  /** Throws `StoreDamage`, and `PortError` when the own disk fails. */
  async run(): Promise<FollowEnd> {
    while (!this.isStopped) {
      const end = await this.attempt();
      await this.flushing;
      if (this.failure !== undefined) throw this.failure.error;
      if (end === undefined) continue;
      await this.parts.replica.flush();
      return end;
    }
    await this.parts.replica.flush();
    return { kind: "stopped" };
  }

  /** Undefined when the log is to be looked at anew. */
  private async attempt(): Promise<FollowEnd | undefined> {
    this.announce();
    const place = await this.findPlace();
    switch (place?.kind) {
      case "found":
        return this.follow(place.logSeq);
      case "new":
        if (!this.parts.isFounder || this.parts.isDraining()) return this.pause("founder");
        return { kind: "own", leaseMs: 0, isLossAccepted: false };
      case "short": {
        const obstacle = this.findRefillObstacle();
        return obstacle === undefined ? this.refill() : this.pause(obstacle);
      }
      case "trimmed":
      case "diverged":
        return this.leaveLog(place.logEpoch);
      case undefined:
        return this.pause("log");
    }
  }

  /** The log does not lead on from here: its owner's rows are needed, or it is given up. */
  private async leaveLog(logEpoch: number): Promise<FollowEnd | undefined> {
    const { replica, standbys, succession } = this.parts;
    const { seq, epoch } = replica.position;
    if (!succession.isLossAccepted) {
      if (standbys.isOwned) return { kind: "behind" };
      if (seq === 0) return this.pause("snapshot");
      // Who wrote the later epoch is not here, or has not said so yet.
      if (logEpoch > epoch) return this.pause("history");
    }
    const obstacle = this.findRefillObstacle();
    return obstacle === undefined ? this.refill() : this.pause(obstacle);
  }

  /** An owner of a later epoch may live that has not announced itself since this node began. */
  private findRefillObstacle(): WaitReason | undefined {
    const { standbys, succession } = this.parts;
    if (this.listenedMs < 2 * limits.cluster.announceMs) return "turn";
    // Whatever its epoch: what an owner has answered since is on its disk alone without the log.
    if (!succession.isLossAccepted && standbys.isOwned) return "ahead";
    return succession.findObstacle(this.listenedMs);
  }

  /** Undefined while the log cannot be reached. */
  private async findPlace(): Promise<LogPlace | undefined> {
    try {
      return await findPlace(this.parts.log, this.parts.replica.position);
    } catch (error) {
      return onUnreached(error);
    }
  }

  private async follow(logSeq: number): Promise<FollowEnd | undefined> {
    const { replica } = this.parts;
    replica.placeAt(logSeq);
    this.heardMs = this.parts.clock.monotonicMs();
    const endSeq = (await this.reader.end())?.logSeq;
    if (endSeq === undefined) return undefined;
    this.isCurrent = false;
    this.target = { logSeq: endSeq, askedMs: this.heardMs };
    this.reader.start(logSeq + 1);
    try {
      while (!this.isStopped && this.failure === undefined) {
        const gap = await this.applyAll(endSeq);
        if (gap === "missing") return undefined;
        if (gap !== undefined) return this.leaveLog(gap.logEpoch);
        if (this.failure !== undefined) return undefined;
        this.announce();
        this.flushWhenDue();
        await this.answerReach();
        if (!(await this.reader.fetchMissed(replica.position, this.heardMs))) return undefined;
        if (!this.isCurrent) await this.catchUp();
        const end = await this.claim();
        if (end !== "stay") return end;
        await this.waitForEntry();
      }
      return undefined;
    } finally {
      this.reader.stop();
    }
  }

  /** Says why it stopped before the last entry. */
  private async applyAll(
    endSeq: number,
  ): Promise<"missing" | { readonly logEpoch: number } | undefined> {
    const { replica, journal, clock, event } = this.parts;
    const { reader } = this;
    for (let entry = reader.take(); entry !== undefined; entry = reader.take()) {
      const { logSeq, record } = entry;
      if (logSeq <= replica.position.logSeq) continue;
      if (logSeq !== replica.position.logSeq + 1) return "missing";
      const { seq, epoch } = readHead(record);
      if (verify(record, replica.position.hash) === undefined) return { logEpoch: epoch };
      const position = { ...replica.positionBehind(seq, record), logSeq };
      await journal.append(seq, record);
      replica.apply(position, record);
      const nowMs = clock.monotonicMs();
      // What comes behind such a silence may be as old as that.
      if (nowMs - this.heardMs > limits.cluster.staleMs) this.isCurrent = false;
      this.heardMs = nowMs;
      event({ kind: "applied", record });
      if (this.isCurrent) this.letRead();
      if (logSeq > endSeq) this.standBy();
      if (replica.isFull) await this.flush();
    }
    return undefined;
  }

  /**
   * Rows are read from when all is here that the log had a moment ago: what was written while this
   * node was away is known to it then, and what is written now is waited for.
   */
  private async catchUp(): Promise<void> {
    const { replica, clock, standbys } = this.parts;
    if (replica.position.logSeq < this.target.logSeq) return;
    const nowMs = clock.monotonicMs();
    // A log that is being filled again ends before what its filler has said that it has.
    const isWhole = standbys.findEverAhead(replica.position).length === 0;
    this.isCurrent = isWhole && nowMs - this.target.askedMs <= limits.cluster.heartbeatMs;
    if (this.isCurrent) {
      this.letRead();
      return;
    }
    const end = await this.reader.end();
    if (end !== undefined) this.target = { logSeq: end.logSeq, askedMs: nowMs };
  }

  private standBy(): void {
    if (!this.hasHeardOwner) this.parts.onStandby();
    this.hasHeardOwner = true;
  }

  private letRead(): void {
    this.parts.event({ kind: "lease", endsMs: this.heardMs + limits.cluster.staleMs });
  }

  /** Undefined: look at the log anew. */
  private async claim(): Promise<FollowEnd | "stay" | undefined> {
    const { replica, clock, succession, isDraining } = this.parts;
    const { leaseMs, silenceMs } = limits.cluster;
    const silentMs = clock.monotonicMs() - this.heardMs;
    const obstacle = this.hasHeardOwner
      ? succession.findTakeoverObstacle(silentMs)
      : (succession.findObstacle(silentMs) ?? (isDraining() ? "draining" : undefined));
    if (obstacle !== undefined) {
      this.wait(obstacle !== "owner" ? obstacle : this.reader.isAway ? "log" : undefined);
      return "stay";
    }
    const end = await this.reader.end();
    if (end === undefined) {
      // A node that is cut off cannot tell whether the owner lives, nor what it misses meanwhile.
      this.heardMs = clock.monotonicMs();
      this.isCurrent = false;
      this.wait("log");
      return "stay";
    }
    if (end.logSeq > replica.position.logSeq && silentMs < silenceMs) return "stay";
    if (end.logSeq !== replica.position.logSeq || !leadsTo(end, replica.position)) return undefined;
    const isFree = succession.isHandedOver || succession.wasOwner;
    return {
      kind: "own",
      leaseMs: isFree ? 0 : leaseMs,
      isLossAccepted: succession.isLossAccepted,
    };
  }

  private get listenedMs(): number {
    return this.parts.clock.monotonicMs() - this.startedMs;
  }

  /**
   * Begins the log anew with what the journal has, and owns the shard: also on a node that drains,
   * which alone has these records, and hands the shard over when others have them too.
   */
  private async refill(): Promise<FollowEnd | undefined> {
    const { replica, journal, log, node, succession } = this.parts;
    let logSeq: number | undefined;
    try {
      const state = succession.owner?.isQuorum === true ? await this.fence.check() : "holds";
      if (state === "waits") return this.pause("turn");
      if (state === "holds") logSeq = await refillLog(log, journal, node);
    } catch (error) {
      onUnreached(error);
    }
    if (logSeq === undefined) {
      // Another node may have begun it anew as well: the one whose turn comes first goes on.
      succession.giveTurn();
      return this.pause("turn");
    }
    replica.placeAt(logSeq);
    const leaseMs = succession.wasOwner ? 0 : limits.cluster.leaseMs;
    return { kind: "own", leaseMs, isLossAccepted: succession.isLossAccepted };
  }

  private announce(): void {
    const { node, replica, peers, clock, isDraining, succession } = this.parts;
    const nowMs = clock.monotonicMs();
    const { epoch, seq } = replica.position;
    const { owner } = succession;
    const isAwaited = owner?.isQuorum === true && seq !== this.announcedSeq;
    if (!isAwaited && nowMs - this.announcedMs < limits.cluster.announceMs) return;
    this.announcedMs = nowMs;
    this.announcedSeq = seq;
    const { node: ownerNode, nonce } = owner ?? {};
    const state = isDraining() ? "draining" : "following";
    peers.announce({ node, state, epoch, seq, owner: ownerNode, nonce });
  }

  private flushWhenDue(): void {
    const { clock } = this.parts;
    if (this.flushing !== undefined) return;
    if (clock.monotonicMs() - this.flushedMs < limits.cluster.standbyFlushMs) return;
    void this.flush();
  }

  private async answerReach(): Promise<void> {
    const { wanted } = this;
    const { position } = this.parts.replica;
    if (wanted === undefined || position.seq < wanted.seq) return;
    this.wanted = undefined;
    await this.flush();
    if (this.failure === undefined) this.parts.onReached(wanted.number, position);
  }

  /** One at a time; a failure ends the follower. */
  private async flush(): Promise<void> {
    const { replica, journal, clock, event } = this.parts;
    await this.flushing;
    event({ kind: "frozen" });
    this.flushing = replica
      .flush()
      .then(() => event({ kind: "flushed", seq: replica.flushedSeq }))
      .then(() => journal.trim(Math.min(replica.flushedSeq, this.parts.standbys.durableSeq)))
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => {
        this.flushing = undefined;
        this.flushedMs = clock.monotonicMs();
      });
    await this.flushing;
  }

  private async pause(reason: WaitReason): Promise<undefined> {
    this.wait(reason);
    await this.waitForEntry();
    return undefined;
  }

  /** Says what is waited for; undefined for nothing. */
  private wait(reason: WaitReason | undefined): void {
    const { succession, onWait } = this.parts;
    onWait(reason && succession.explain(reason));
  }

  /** At most a tick. */
  private waitForEntry(): Promise<void> {
    if (this.reader.hasEntry || this.isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.parts.clock.after(limits.cluster.followTickMs, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
