/**
 * A standby of a shard: makes the log's records durable in its own journal, applies them, and says
 * when its node is to own the shard. That is the case
 *
 * 1. when the shard has no records at all, and the store began on its node;
 * 2. when it has heard the owner in its own life, and then nothing for `silenceMs`, and the log
 *    ends with what it has heard: the owner's lease has then to be waited for;
 * 3. when the owner it has heard has handed the shard over;
 * 4. when it was the last owner itself, or is any member of its quorum, and of the members that may
 *    know more enough are there and none does. It then also gives the log back what that has lost.
 *
 * In every other case, and always while its node drains, it waits: a log that was lost in part does
 * not tell who was the last owner.
 * A shard's owner with a quorum learns at once what is durable here.
 */
import { limits } from "../../config/limits.ts";
import type { Key } from "../key.ts";
import type { Clock } from "../ports/clock.ts";
import type { Journal } from "../ports/journal.ts";
import type { Log, LogEntry } from "../ports/log.ts";
import type { Peers } from "../ports/peers.ts";
import { readHead, verify } from "../record.ts";
import type { ShardEvent } from "../wire.ts";
import { handoverKey, ownerKey, type Position } from "./flush.ts";
import { findPlace, isAt, type LogPlace, type MissingRecords, unreached } from "./log-place.ts";
import type { Replica } from "./replica.ts";
import type { Standbys } from "./standbys.ts";

export interface FollowerParts {
  readonly node: string;
  /** Whether the store began here. */
  readonly isFounder: boolean;
  /** The record from which this node may go on, by the operator's word. */
  readonly acceptedLoss: Pick<Position, "epoch" | "seq"> | undefined;
  readonly replica: Replica;
  readonly journal: Journal;
  readonly log: Log;
  readonly peers: Peers;
  readonly standbys: Standbys;
  /** Whether its node is to own nothing more. */
  readonly isDraining: () => boolean;
  readonly clock: Clock;
  /** The owner was heard: the shard is taken over when it falls silent. */
  readonly onStandby: () => void;
  /** The tables are at this record, as was asked. */
  readonly onReached: (number: number, position: Position) => void;
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
  private readonly entries: LogEntry[] = [];
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
  private flushing: Promise<void> | undefined;
  private failure: { readonly error: unknown } | undefined;
  private wanted: { readonly number: number; readonly seq: number } | undefined;

  constructor(parts: FollowerParts) {
    this.parts = parts;
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
    const end = await this.end();
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
        if (!this.parts.isFounder || this.parts.isDraining()) return this.pause();
        return { kind: "own", leaseMs: 0, isLossAccepted: false };
      case "short":
        if (!this.mayRebuild()) return this.pause();
        return this.refill(place);
      case "trimmed":
      case "diverged":
        if (!this.isLossAccepted) return { kind: "behind" };
        return this.mayRebuild() ? this.replaceLog() : this.pause();
      case undefined:
        return this.pause();
    }
  }

  /** Undefined while the log cannot be reached. */
  private async findPlace(): Promise<LogPlace | undefined> {
    try {
      return await findPlace(this.parts.log, this.parts.replica.position);
    } catch (error) {
      return unreached(error);
    }
  }

  private async follow(logSeq: number): Promise<FollowEnd | undefined> {
    const { replica, log } = this.parts;
    replica.placeAt(logSeq);
    this.entries.length = 0;
    this.heardMs = this.parts.clock.monotonicMs();
    const endSeq = (await this.end())?.logSeq;
    if (endSeq === undefined) return undefined;
    this.isCurrent = false;
    this.target = { logSeq: endSeq, askedMs: this.heardMs };
    const unfollow = log.follow(logSeq + 1, (entry) => {
      this.entries.push(entry);
      this.wake();
    });
    try {
      while (!this.isStopped && this.failure === undefined) {
        const gap = await this.applyAll(endSeq);
        if (gap === "diverged") return { kind: "behind" };
        if (gap === "missing") return undefined;
        if (this.failure !== undefined) return undefined;
        this.announce();
        this.flushWhenDue();
        await this.answerReach();
        if (!this.isCurrent) await this.catchUp();
        const end = await this.claim();
        if (end !== "stay") return end;
        await this.waitForEntry();
      }
      return undefined;
    } finally {
      unfollow();
    }
  }

  /** Says why it stopped before the last entry. */
  private async applyAll(endSeq: number): Promise<"missing" | "diverged" | undefined> {
    const { replica, journal, clock, event } = this.parts;
    for (let entry = this.entries.shift(); entry !== undefined; entry = this.entries.shift()) {
      const { logSeq, record } = entry;
      if (logSeq <= replica.position.logSeq) continue;
      if (logSeq !== replica.position.logSeq + 1) return "missing";
      const { seq } = readHead(record);
      if (verify(record, replica.position.hash) === undefined) return "diverged";
      const position = { ...replica.positionBehind(seq, record), logSeq };
      await journal.append(seq, record);
      replica.apply(position, record);
      this.heardMs = clock.monotonicMs();
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
    const { replica, clock } = this.parts;
    if (replica.position.logSeq < this.target.logSeq) return;
    const nowMs = clock.monotonicMs();
    this.isCurrent = nowMs - this.target.askedMs <= limits.cluster.heartbeatMs;
    if (this.isCurrent) {
      this.letRead();
      return;
    }
    const end = await this.end();
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
    const { node, replica, standbys, clock } = this.parts;
    const { leaseMs, silenceMs, rankMs, handoverRankMs } = limits.cluster;
    if (this.parts.isDraining()) return "stay";
    const silentMs = clock.monotonicMs() - this.heardMs;
    const isHandedOver = this.row(handoverKey)?.epoch === replica.position.epoch;
    const { isLossAccepted } = this;
    const wasOwner = this.row(ownerKey)?.node === node;
    const { rank } = standbys;
    const canOwn = this.hasHeardOwner
      ? silentMs >= (isHandedOver ? rank * handoverRankMs : silenceMs + rank * rankMs)
      : (wasOwner || silentMs >= silenceMs) && this.mayRebuild();
    if (!canOwn) return "stay";
    const end = await this.end();
    if (end === undefined) {
      // A node that is cut off cannot tell whether the owner lives.
      this.heardMs = clock.monotonicMs();
      return "stay";
    }
    if (end.logSeq > replica.position.logSeq && silentMs < silenceMs) return "stay";
    if (end.logSeq !== replica.position.logSeq) return undefined;
    return { kind: "own", leaseMs: isHandedOver || wasOwner ? 0 : leaseMs, isLossAccepted };
  }

  /** Whether all that was acknowledged is here, or what is not was given up. */
  private mayRebuild(): boolean {
    const { node, replica, standbys, clock, isDraining } = this.parts;
    const { position } = replica;
    const owner = this.row(ownerKey);
    if (owner === undefined || isDraining()) return false;
    if (this.isLossAccepted) {
      const listenedMs = clock.monotonicMs() - this.startedMs;
      const alone = { ...owner, members: [node], isQuorum: false };
      return listenedMs >= limits.cluster.silenceMs && standbys.isNewest(position, alone);
    }
    if (!(owner.isQuorum || owner.node === node)) return false;
    const members = standbys.remembered(owner.members);
    return standbys.isNewest(position, { ...owner, members });
  }

  private get isLossAccepted(): boolean {
    return isAt(this.parts.replica.position, this.parts.acceptedLoss);
  }

  /** Gives up what the log has: our records do not lead to it. */
  private async replaceLog(): Promise<FollowEnd | undefined> {
    const { replica, log } = this.parts;
    const end = await this.end();
    if (end === undefined) return undefined;
    try {
      await log.trim(end.logSeq);
    } catch (error) {
      return unreached(error);
    }
    replica.placeAt(end.logSeq);
    return { kind: "own", leaseMs: limits.cluster.leaseMs, isLossAccepted: true };
  }

  /**
   * Stores in the log what it has lost, as far back as the journal goes. Where the journal has
   * nothing of it, the log goes on with the first record of the next epoch.
   */
  private async refill({ lastSeq, logSeq }: MissingRecords): Promise<FollowEnd | undefined> {
    const { replica, journal, log, node } = this.parts;
    const owner = this.row(ownerKey);
    let after = logSeq;
    try {
      for (const { seq, record } of journal.from(1)) {
        if (seq <= lastSeq) continue;
        // What is left of the log does not lead to the journal's first record.
        if (after === logSeq && seq !== lastSeq + 1) await log.trim(after);
        // The log alone remembers these ids, and the bytes are the same from any node.
        const id = `refill:${node}:${seq}`;
        if (!(await log.publish(Uint8Array.from(record), id, after))) return undefined;
        after++;
      }
      if (after > logSeq) return undefined;
      await log.trim(after);
    } catch (error) {
      return unreached(error);
    }
    replica.placeAt(after);
    const leaseMs = owner?.node === node ? 0 : limits.cluster.leaseMs;
    return { kind: "own", leaseMs, isLossAccepted: this.isLossAccepted };
  }

  private row<Row>(key: Key<Row>): Row | undefined {
    return this.parts.replica.rows.row(key, 0) as Row | undefined;
  }

  private async end() {
    try {
      return await this.parts.log.end();
    } catch (error) {
      return unreached(error);
    }
  }

  private announce(): void {
    const { node, replica, peers, clock, isDraining } = this.parts;
    const nowMs = clock.monotonicMs();
    const { epoch, seq } = replica.position;
    const owner = this.row(ownerKey);
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

  private async pause(): Promise<undefined> {
    await this.waitForEntry();
    return undefined;
  }

  /** At most a tick. */
  private waitForEntry(): Promise<void> {
    if (this.entries.length > 0 || this.isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.parts.clock.after(limits.cluster.followTickMs, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
