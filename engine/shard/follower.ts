/**
 * A standby of a shard: makes the log's records durable in its own journal, applies them, and says
 * when its node is to own the shard. That is the case
 *
 * 1. when the shard has no records at all, and the store began on its node;
 * 2. when it is a member and has heard the owner in its own life, and then nothing for `silenceMs`,
 *    the log ends with what it has heard, and no node has said that it has more: the owner's lease
 *    has then to be waited for;
 * 3. when the owner that it has heard as a member has handed the shard over;
 * 4. when enough of the nodes that may know more are heard, and none does (`Succession`). Where the
 *    log has lost records, or leads on from no living node's, the one that goes on begins it anew.
 *
 * In every other case, and always while its node drains, it waits, and says why (`waiting.ts`).
 * An owner learns at once that it is followed, and with a quorum what is durable here.
 */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Peers } from "../ports/peers.ts";
import { readHead, verify } from "../record.ts";
import type { ShardEvent } from "../wire.ts";
import type { Position } from "./flush.ts";
import { LogFilling } from "./log/log-filling.ts";
import { findPlace, type LogPlace, onUnreached } from "./log/log-place.ts";
import { LogReader, leadsTo } from "./log/log-reader.ts";
import type { Replica } from "./replica.ts";
import type { Standbys } from "./standbys.ts";
import { Standstill } from "./standstill.ts";
import type { Succession } from "./succession.ts";
import type { ShardWait, WaitReason } from "./waiting.ts";

export interface FollowerParts {
  readonly node: string;
  /** Whether this node founded the store. */
  readonly isFounder: boolean;
  readonly replica: Replica;
  readonly journal: Journal;
  readonly log: Log;
  readonly peers: Peers;
  readonly standbys: Standbys;
  readonly succession: Succession;
  /** Whether this node must not take over any more shards. */
  readonly isDraining: () => boolean;
  readonly clock: Clock;
  /** Called when a member has heard the owner: it takes over when the owner falls silent. */
  readonly onStandby: () => void;
  /** Called when the tables have reached the record that was asked for. */
  readonly onReached: (number: number, position: Position) => void;
  /** Called with what is waited for while the owner is silent; undefined when that is over. */
  readonly onWait: (wait: ShardWait | undefined) => void;
  /** Receives the shard's events for the readers of the rows on this node. */
  readonly event: (event: ShardEvent) => void;
}

/** This node is to own the shard; all rows are in the tables. */
export interface OwnEnd {
  readonly kind: "own";
  /** How long an earlier owner may still answer reads. */
  readonly leaseMs: number;
  /** Whether later records, of later epochs too, may have existed and were given up. */
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
  private isStopped = false;
  private heardMs = 0;
  /** Whether a record of the current owner has arrived at this member while it was followed. */
  private isStandby = false;
  /** Whether the rows are up to date with the log, except for entries on their way. */
  private isCurrent = false;
  /** The log's end at the last request for it, and when that was. */
  private target = { logSeq: 0, askedMs: 0 };
  private announced = { atMs: Number.NEGATIVE_INFINITY, epoch: 0, seq: 0 };
  private flushedMs: number;
  private readonly standstill: Standstill;
  private readonly filling: LogFilling;
  private flushing: Promise<void> | undefined;
  private failure: { readonly error: unknown } | undefined;
  private wanted: { readonly number: number; readonly seq: number } | undefined;

  constructor(parts: FollowerParts) {
    this.parts = parts;
    this.filling = new LogFilling(parts.log, parts.clock);
    this.reader = new LogReader(parts.log, parts.clock);
    this.standstill = new Standstill(parts.clock);
    this.flushedMs = this.standstill.sinceMs;
  }

  stop(): void {
    this.isStopped = true;
    this.reader.wake();
  }

  /** Calls `onReached` when the records up to `seq` are in the tables. */
  reach(number: number, seq: number): void {
    this.wanted = { number, seq };
    this.reader.wake();
  }

  /** Counts the log's records that are not durable here; undefined while it is unreachable. */
  async lag(): Promise<number | undefined> {
    const end = await this.reader.end();
    return end && Math.max(0, end.logSeq - this.parts.replica.position.logSeq);
  }

  /** Throws `StoreDamage`, and `PortError` when this node's disk fails. */
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

  /** Returns undefined when the log has to be examined again. */
  private async attempt(): Promise<FollowEnd | undefined> {
    this.standstill.check();
    this.announce();
    const place = await this.findPlace();
    switch (place?.kind) {
      case "found":
        return this.follow(place.logSeq);
      case "new":
        if (!this.parts.isFounder || this.parts.isDraining()) return this.pause("founder");
        return { kind: "own", leaseMs: 0, isLossAccepted: false };
      case "short":
        return this.refill();
      case "trimmed":
      case "diverged":
        return this.leaveLog(place.logEpoch);
      case undefined:
        return this.pause("log");
    }
  }

  /** The log does not continue from here: the owner's rows are needed, or the log is refilled. */
  private async leaveLog(logEpoch: number): Promise<FollowEnd | undefined> {
    const { replica, standbys, succession } = this.parts;
    const { seq, epoch } = replica.position;
    if (!succession.isLossAccepted) {
      if (standbys.isOwned) return { kind: "behind" };
      if (seq === 0) return this.pause("snapshot");
      // The later epoch's writer is not on this node, or has not announced itself yet.
      if (logEpoch > epoch) return this.pause("history");
    }
    return this.refill();
  }

  /**
   * Why the log is not refilled now. Another node that owns the shard, in whatever epoch, may have
   * answered what is on its disk alone.
   */
  private findRefillObstacle(): WaitReason | undefined {
    const { standbys, succession } = this.parts;
    if (!succession.isLossAccepted && standbys.isOwned) return "ahead";
    return succession.findRefillObstacle(this.parts.clock.monotonicMs() - this.standstill.sinceMs);
  }

  /** Resolves to undefined while the log cannot be reached. */
  private findPlace(): Promise<LogPlace | undefined> {
    return findPlace(this.parts.log, this.parts.replica.position).catch(onUnreached);
  }

  private async follow(logSeq: number): Promise<FollowEnd | undefined> {
    const { replica } = this.parts;
    replica.placeAt(logSeq);
    this.heardMs = this.parts.clock.monotonicMs();
    // A server that the others have left may show an end that has long been passed.
    const endSeq = (await this.reader.agreedEnd())?.logSeq;
    if (endSeq === undefined) return this.pause("log");
    this.isCurrent = false;
    this.target = { logSeq: endSeq, askedMs: this.heardMs };
    this.reader.start(logSeq + 1);
    try {
      while (!this.isStopped && this.failure === undefined) {
        this.standstill.check();
        const gap = await this.applyAll(endSeq);
        if (gap === "missing") return undefined;
        if (gap !== undefined) return this.leaveLog(gap.logEpoch);
        if (this.failure !== undefined) return undefined;
        this.announce();
        this.flushWhenDue();
        await this.answerReach();
        if (!(await this.reader.fetchMissed(replica.position, this.heardMs))) return undefined;
        if (!this.isCurrent || this.isTargetOld) await this.catchUp();
        const end = await this.claim();
        if (end !== "stay") return end;
        await this.waitForEntry();
      }
      return undefined;
    } finally {
      this.reader.stop();
    }
  }

  /** Applies the entries read so far; returns why it stopped before the last one. */
  private async applyAll(
    endSeq: number,
  ): Promise<"missing" | { readonly logEpoch: number } | undefined> {
    const { replica, journal, clock, event } = this.parts;
    const { reader } = this;
    for (let entry = reader.take(); entry !== undefined; entry = reader.take()) {
      const { logSeq, record } = entry;
      if (logSeq <= replica.position.logSeq) continue;
      if (logSeq !== replica.position.logSeq + 1) return "missing";
      const verified = verify(record, replica.position.hash);
      if (verified === undefined) return { logEpoch: readHead(record).epoch };
      const { seq } = verified;
      const position = { ...replica.positionBehind(seq, record, verified), logSeq };
      await journal.append(seq, record);
      if (logSeq > endSeq) this.standBy();
      replica.apply(position, record);
      const nowMs = clock.monotonicMs();
      // Entries that come after such a silence may be just as old.
      if (nowMs - this.heardMs > limits.cluster.staleMs) this.forgetTarget();
      this.heardMs = nowMs;
      event({ kind: "applied", record });
      if (this.isCurrent) this.letRead();
      if (replica.isFull) await this.flush();
    }
    return undefined;
  }

  /**
   * Rows may be read once all is here that the log held a moment ago: the log then knows what was
   * written while this node was away, and what is written now is waited for.
   */
  private async catchUp(): Promise<void> {
    const { replica, clock, standbys } = this.parts;
    if (replica.position.logSeq < this.target.logSeq) return;
    const nowMs = clock.monotonicMs();
    const isFresh = nowMs - this.target.askedMs <= limits.cluster.heartbeatMs;
    const wasCurrent = this.isCurrent;
    // A log that is being refilled ends before the position that the refilling node announced.
    this.isCurrent = isFresh && standbys.findEverAhead(replica.position).length === 0;
    if (this.isCurrent) this.letRead();
    if (isFresh) return;
    // A server that the others have left delivers nothing new, so that what was current gets old.
    const end = await (wasCurrent ? this.reader.end() : this.reader.agreedEnd());
    if (end !== undefined) this.target = { logSeq: end.logSeq, askedMs: nowMs };
  }

  /** Lets rows be read again only when the log's end has been asked for anew. */
  private forgetTarget(): void {
    this.isCurrent = false;
    this.target = { ...this.target, askedMs: Number.NEGATIVE_INFINITY };
  }

  /** Entries that arrive one by one, each late, do not show how far behind they are. */
  private get isTargetOld(): boolean {
    return this.parts.clock.monotonicMs() - this.target.askedMs > limits.cluster.staleMs / 2;
  }

  /** An owner that has written another record has the one before, with its members, on its disk. */
  private standBy(): void {
    if (this.isStandby || !this.parts.succession.isMember) return;
    this.isStandby = true;
    this.parts.onStandby();
  }

  private letRead(): void {
    this.parts.event({ kind: "lease", endsMs: this.heardMs + limits.cluster.staleMs });
  }

  /** Returns undefined when the log has to be examined again. */
  private async claim(): Promise<FollowEnd | "stay" | undefined> {
    const { replica, clock, succession, isDraining } = this.parts;
    const { leaseMs, silenceMs } = limits.cluster;
    const silentMs = clock.monotonicMs() - Math.max(this.heardMs, this.standstill.sinceMs);
    const obstacle = this.isStandby
      ? succession.findTakeoverObstacle(silentMs)
      : (succession.findObstacle(silentMs) ?? (isDraining() ? "draining" : undefined));
    if (obstacle !== undefined) {
      this.wait(obstacle !== "owner" ? obstacle : this.reader.isAway ? "log" : undefined);
      return "stay";
    }
    const end = await this.reader.end();
    if (end === undefined) {
      // A node that is cut off cannot know whether the owner is alive, nor what it is missing.
      this.heardMs = clock.monotonicMs();
      this.forgetTarget();
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

  /**
   * Refills the log from the journal when nothing stands against it, and owns the shard. A node
   * that drains does so too, because it alone has these records; it hands the shard over once
   * others have them.
   */
  private async refill(): Promise<FollowEnd | undefined> {
    const { replica, journal, node, succession } = this.parts;
    let logSeq: number | undefined;
    try {
      await this.filling.watch();
      if (succession.isUnopened && !succession.isLossAccepted) {
        this.wait("log");
        return { kind: "behind" };
      }
      const obstacle = this.findRefillObstacle();
      if (obstacle !== undefined) return this.pause(obstacle);
      logSeq = await this.filling.fill(journal, node, succession.isFenceNeeded);
    } catch (error) {
      onUnreached(error);
      return this.pause("log");
    }
    if (logSeq === undefined) return this.pause("filling");
    replica.placeAt(logSeq);
    const leaseMs = succession.wasOwner ? 0 : limits.cluster.leaseMs;
    return { kind: "own", leaseMs, isLossAccepted: succession.isLossAccepted };
  }

  private announce(): void {
    const { node, replica, peers, clock, isDraining, succession } = this.parts;
    const nowMs = clock.monotonicMs();
    const { epoch, seq } = replica.position;
    const { owner } = succession;
    const { announced } = this;
    const isAwaited = epoch !== announced.epoch || (owner?.isQuorum && seq !== announced.seq);
    if (!isAwaited && nowMs - announced.atMs < limits.cluster.announceMs) return;
    this.announced = { atMs: nowMs, epoch, seq };
    const state = isDraining() ? "draining" : "following";
    peers.announce({ node, state, epoch, seq, owner: owner?.node, nonce: owner?.nonce });
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

  /** Flushes the replica, one flush at a time; a failure ends the follower. */
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

  /** Reports what is waited for; undefined for nothing. */
  private wait(reason: WaitReason | undefined): void {
    const { succession, onWait } = this.parts;
    onWait(reason && succession.explain(reason));
  }

  /** Resolves when an entry has arrived, or after one tick. */
  private waitForEntry(): Promise<void> {
    return this.isStopped ? Promise.resolve() : this.reader.next(limits.cluster.followTickMs);
  }
}
