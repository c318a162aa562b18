/**
 * The owner's loop of one shard: drain the inbox, decide, seal one record, put it into the journal,
 * release. One record is in flight. Batch n+1 is decided while n is put, and sealed when n is
 * durable: processor and disk work side by side, and nothing that rests on n leaves before n.
 *
 * I1 same seq, same hash on every replica.   I2 seq contiguous, epoch non-decreasing. I3 nothing
 * leaves before it is durable: rows, then replies, then effects. I4 only the highest epoch commits:
 * each owner writes a record of the next epoch first, which names it. In a cluster the log stores a
 * record before the journal does: no journal holds what the log has refused.
 *
 * With a quorum nothing is released before a standby has it on its disk too. While none has, the
 * owner keeps its lease, and who waits or asks anew is refused.
 * A failed put ends the loop and its thread: callers get 503 (outcome unknown), the next recovers.
 */
import { limits } from "../../config/limits.ts";
import type { Context, Due } from "../actor.ts";
import type { Domain } from "../domain.ts";
import { JsonBytes } from "../json-bytes.ts";
import { getShard, type Key } from "../key.ts";
import { seal } from "../record.ts";
import type { ToShard } from "../wire.ts";
import { Batch, broken, type Delivery, type Envelope } from "./batch.ts";
import { handoverKey, type Owner, ownerKey, type Position } from "./flush.ts";
import { Flusher, type FlusherPorts } from "./flusher.ts";
import { busy, Inbox, type Lane } from "./inbox.ts";
import type { OwnedLog } from "./log/owned-log.ts";
import type { Replica, ShardPlace } from "./replica.ts";
import type { ShardRows } from "./rows/shard-rows.ts";
import type { Ownership, ShardOutlets, ShardStores } from "./shard-ports.ts";
import { ShardTime } from "./shard-time.ts";
import { Sweep } from "./sweep.ts";

export class Shard {
  private readonly place: ShardPlace;
  private readonly domain: Domain;
  private readonly stores: ShardStores;
  private readonly ownership: Ownership;
  private readonly outlets: ShardOutlets;
  readonly rows: ShardRows;
  private readonly time: ShardTime;
  private readonly inbox = new Inbox();
  private readonly sweeps: readonly Sweep[];
  private readonly brokenSteps = new Map<Key, number>();
  private readonly owns: (key: Key) => boolean;
  private readonly get: Context["get"];
  private position: Position;
  private readonly epoch: number;
  private readonly flusher: Flusher;
  private nextSweepMs = 0;
  /** When the timer that is set will ring; 0 when none is set. */
  private ringMs = 0;
  private cancelRing: () => void = () => {};
  private batch: Batch;
  /** The message that did not fit into the open batch, and comes first in the next one. */
  private heldBack: Envelope | undefined;
  private isClosed = false;
  private readonly values = new JsonBytes();
  private isPutting = false;
  private failure: { readonly error: unknown } | undefined;
  private stopping = false;
  /** Whether a standby's confirmation is so late that no more work is accepted. */
  private isUnconfirmed = false;
  /** Whether a node needs a snapshot of what waits for a standby. */
  private isSnapshotWanted = false;
  /** Whether the tables have rows that may still be lost, so that none can be read. */
  private isHidden = false;

  constructor(
    place: ShardPlace,
    domain: Domain,
    stores: ShardStores,
    ownership: Ownership,
    outlets: ShardOutlets,
    replica: Replica,
  ) {
    this.place = place;
    this.domain = domain;
    this.stores = stores;
    this.ownership = ownership;
    this.outlets = outlets;
    this.rows = replica.rows;
    this.position = replica.position;
    this.epoch = ownership.epoch ?? replica.position.epoch + 1;
    this.flusher = new Flusher(this.flusherPorts(), replica.flushedSeq);
    this.time = new ShardTime(stores.clock, replica.position.atMs, stores.startMs);
    this.owns = (key) => getShard(key, place.shardCount) === place.shard;
    this.get = <Row>(key: Key<Row>) => this.rows.row(key, 0) as Row | undefined;
    this.batch = this.nextBatch(this.position.seq + 1);
    this.sweeps = domain.sweeps.map((rule) => new Sweep(rule, stores.tables, place));
  }

  /** Writes the record after which no other owner can commit. */
  async begin(): Promise<void> {
    const { owner, members } = this.ownership;
    this.batch.put(ownerKey, owner);
    await this.commit(this.batch, this.time.nowMs());
    members?.wrote(owner, this.position.seq);
    this.batch = this.nextBatch(this.position.seq + 1);
  }

  /** Renews the lease, after work that took long. */
  async renew(): Promise<void> {
    if (this.ownership.log === undefined) return;
    await this.commit(this.batch, Math.max(this.time.nowMs(), this.position.atMs));
    this.batch = this.nextBatch(this.position.seq + 1);
  }

  open(undelivered: readonly Delivery[]): void {
    const { seq, atMs } = this.position;
    this.outlets.event({ kind: "opened", seq, atMs });
    this.renewLease(this.ownership.members?.isReadable(seq) === false);
    for (const delivery of undelivered) this.batch.deliveries.push(delivery);
    this.inbox.ring();
  }

  receive(envelope: Envelope, lane: Lane): void {
    const { request } = envelope;
    const isRefused = this.isUnconfirmed && request !== undefined;
    if ((!isRefused && this.inbox.offer(envelope, lane)) || request === undefined) return;
    const replies = [{ to: request, reply: busy }];
    this.outlets.event({ kind: "release", seq: this.position.seq, record: noWrites, replies });
  }

  /** Position of the last durable record. */
  get reached(): Position {
    return this.position;
  }

  /** Handles a message of the HTTP thread. */
  handle(message: ToShard): void {
    if (!("kind" in message)) {
      const [to, question, request, lane, atMs] = message;
      this.time.observe(atMs);
      this.receive({ to, message: question, request }, lane);
    } else if (message.kind === "flush") this.flush();
    else if (message.kind === "stop") this.stop();
    else this.flusher.wantHold(message.kind === "hold" ? message.number : undefined);
  }

  /** Makes a flush due, which brings every row released before the call into the tables. */
  flush(): void {
    this.flusher.want();
    this.inbox.ring();
  }

  /** Notes that a node needs a snapshot of the last records. */
  wantSnapshot(): void {
    this.isSnapshotWanted = true;
  }

  /** Ends the loop after what waits now; `run` resolves when all rows are in the tables. */
  stop(): void {
    if (!this.stopping) this.outlets.event({ kind: "leaving" });
    this.stopping = true;
    this.inbox.ring();
  }

  /** Decides and puts batches until `stop`; throws when a store fails. */
  async run(): Promise<void> {
    while (!(this.stopping && this.isIdle)) {
      this.setRing(this.time.nowMs());
      await this.inbox.awaitWaiting(this.isBlocked);
      if (this.failure !== undefined) throw this.failure.error;
      const nowMs = this.time.nowMs();
      this.takeDue(nowMs);
      if (!this.isBlocked) this.fill(nowMs);
      if (this.isPutting) continue;
      if (this.flusher.isHoldWanted) await this.flusher.hold(this.position);
      this.flusher.startWhenDue(this.position, nowMs);
      const isHeartbeat = this.ownership.log?.isHeartbeatDue === true;
      if (this.batch.isEmpty && !isHeartbeat && !this.isHidden) continue;
      this.startPut(nowMs, isHeartbeat);
      this.rows.fresh.findSome();
      // The put starts in the next tick, so that deciding goes on beside it.
      await new Promise(setImmediate);
    }
    this.cancelRing();
    await this.flusher.finish(this.position);
    if (this.failure !== undefined) throw this.failure.error;
    if (this.ownership.log !== undefined) await this.handOver(this.ownership.log);
  }

  private flusherPorts(): FlusherPorts {
    const { rows, domain, outlets, ownership, stores } = this;
    return {
      clock: stores.clock,
      rows,
      domain,
      event: outlets.event,
      onFailing: outlets.flushes,
      trim: (seq) => stores.journal.trim(Math.min(seq, ownership.spareSeq?.() ?? seq)),
      onEnded: (failure) => {
        this.failure ??= failure;
        this.inbox.ring();
      },
    };
  }

  /** Writes the record by which another node can take over at once. */
  private async handOver(log: OwnedLog): Promise<void> {
    const owner = this.ownership.members?.ownerWithNewcomers;
    if (owner !== undefined) await this.sign(owner);
    log.handOver();
    this.renewLease(this.isHidden);
    this.batch.put(handoverKey, { epoch: this.epoch });
    await this.commit(this.batch, Math.max(this.time.nowMs(), this.position.atMs));
  }

  private get isIdle(): boolean {
    const { inbox, batch, heldBack, isPutting } = this;
    return inbox.isEmpty && batch.isEmpty && heldBack === undefined && !isPutting;
  }

  /** Whether nothing can be decided before a put or a flush has ended; both ring. */
  private get isBlocked(): boolean {
    return (this.isPutting && this.isFull) || this.flusher.isFull;
  }

  /** Refusals write nothing, so the number of steps is limited too. */
  private get isFull(): boolean {
    const { bytes, steps } = this.batch;
    const { batchBytes, batchStepsMax } = limits.engine;
    return this.isClosed || bytes >= batchBytes || steps >= batchStepsMax;
  }

  private takeDue(nowMs: number): void {
    for (const actor of this.rows.due.take(nowMs))
      this.inbox.offer({ to: actor, message: { kind: "due" } }, "settle");
    if (nowMs < this.nextSweepMs) return;
    // Half a tick only: shard time is slewed, so a ring may come a little early by it.
    this.nextSweepMs = nowMs + limits.engine.tickMs / 2;
    for (const sweep of this.sweeps)
      for (const envelope of sweep.take(nowMs)) this.inbox.offer(envelope, "settle");
  }

  /** Decides waiting messages into the open batch, whether or not the previous one is durable. */
  private fill(nowMs: number): void {
    const atMs = Math.max(nowMs, this.position.atMs);
    while (!this.isFull) {
      const envelope = this.heldBack ?? this.inbox.take();
      if (envelope === undefined) return;
      this.isClosed = !this.decide(this.batch, envelope, atMs);
      this.heldBack = this.isClosed ? envelope : undefined;
    }
  }

  /** Seals the open batch after the last durable one; the next is filled during the put. */
  private startPut(nowMs: number, isHeartbeat: boolean): void {
    const { batch } = this;
    this.isPutting = true;
    const atMs = Math.max(nowMs, this.position.atMs);
    batch.listWindowEntries(atMs);
    const put = this.put(batch, isHeartbeat, atMs);
    // The record is sealed, so the next batch may reuse its values' buffer.
    this.isClosed = false;
    const seals = isHeartbeat || batch.writes.size > 0;
    this.batch = this.nextBatch(this.position.seq + (seals ? 2 : 1));
    put.then(
      () => this.endLife(),
      (error: unknown) => this.endLife({ error }),
    );
  }

  private endLife(failure?: { readonly error: unknown }): void {
    this.isPutting = false;
    this.failure ??= failure;
    this.inbox.ring();
  }

  private async put(batch: Batch, isHeartbeat: boolean, atMs: number): Promise<void> {
    // Refusals depend only on what is durable already, so they need no record of their own.
    const record =
      batch.writes.size === 0 && !isHeartbeat ? noWrites : await this.commit(batch, atMs);
    if (!(await this.confirm(batch))) return;
    const { replies, deliveries, acknowledged } = batch;
    this.outlets.event({ kind: "release", seq: this.position.seq, record, replies });
    if (deliveries.length + acknowledged.length > 0) this.outlets.deliver(deliveries, acknowledged);
    for (const { actor, value } of batch.writes.values()) {
      const report = value === undefined ? undefined : actor?.report?.(value);
      if (report !== undefined) this.outlets.report(report, this.get);
    }
  }

  /**
   * Whether all that `batch` depends on may be released: with a quorum, once it is on two disks.
   * What an earlier owner has left may be read from then on. Heartbeats go on. After a stop the
   * next owner answers.
   */
  private async confirm(batch: Batch): Promise<boolean> {
    const { members, log } = this.ownership;
    if (members === undefined) return true;
    const untilMs = this.stores.clock.monotonicMs() + limits.cluster.quorumMs;
    this.isSnapshotWanted = false;
    const { seq } = this.position;
    for (;;) {
      const owner = members.ownerWithNewcomers;
      if (owner !== undefined || log?.isHeartbeatDue === true) await this.sign(owner);
      if (members.isSafe(seq)) break;
      if (batch.isEmpty && (this.stopping || !this.isHidden)) return true;
      if (this.isUnconfirmed && this.stopping) {
        // The next flush brings rows that are not released into the tables.
        this.renewLease(true);
        return false;
      }
      if (!this.isUnconfirmed && this.stores.clock.monotonicMs() >= untilMs) {
        this.isUnconfirmed = true;
        this.outlets.event({ kind: "unconfirmed" });
      }
      if (this.isUnconfirmed && this.isSnapshotWanted) this.flushUnreleased();
      await members.next(limits.cluster.heartbeatMs);
    }
    this.isUnconfirmed = false;
    if (this.isHidden) this.renewLease(false);
    return true;
  }

  /**
   * Brings rows that wait for a standby into the tables, because the standby needs a snapshot of
   * them. Until they are released, no row of the shard can be read.
   */
  private flushUnreleased(): void {
    this.isSnapshotWanted = false;
    this.renewLease(true);
    this.flusher.want();
    this.flusher.startWhenDue(this.position, this.time.nowMs());
  }

  private renewLease(isHidden: boolean): void {
    this.isHidden = isHidden;
    const endsMs = this.ownership.log?.leaseEndsMs;
    if (endsMs === undefined) return;
    this.outlets.event({ kind: "lease", endsMs: isHidden ? Number.NEGATIVE_INFINITY : endsMs });
  }

  /** Writes a record beside the open batch: a heartbeat, with the members when they change. */
  private async sign(owner: Owner | undefined): Promise<void> {
    const order = { epoch: this.epoch, seq: this.position.seq + 1 };
    const batch = new Batch(this.rows, this.domain, order, this.owns, new JsonBytes());
    if (owner !== undefined) batch.put(ownerKey, owner);
    await this.commit(batch, Math.max(this.time.nowMs(), this.position.atMs));
    if (owner !== undefined) this.ownership.members?.wrote(owner, this.position.seq);
  }

  /** `seq` is the number of the batch's record, if it gets one. */
  private nextBatch(seq: number): Batch {
    return new Batch(this.rows, this.domain, { epoch: this.epoch, seq }, this.owns, this.values);
  }

  /** Runs a message's step; returns false when the batch has no room for it. */
  private decide(batch: Batch, envelope: Envelope, atMs: number): boolean {
    const failures = this.brokenSteps.get(envelope.to) ?? 0;
    try {
      if (failures >= limits.engine.brokenStepsMax) throw new Error("this actor is set aside");
      return batch.step(envelope, atMs);
    } catch (error) {
      this.brokenSteps.set(envelope.to, failures + 1);
      // The actor's due time has passed and is stored nowhere else, so it would never be woken.
      const { kind } = envelope.message as Partial<Due>;
      if (kind === "due" && failures + 1 < limits.engine.brokenStepsMax)
        this.rows.due.set(envelope.to, atMs + limits.engine.brokenDueMs);
      this.outlets.brokenStep(envelope.to, error);
      // A redelivered message would break again, so its sender is not kept waiting.
      if (envelope.origin !== undefined) batch.acknowledged.push(envelope.origin);
      if (envelope.request !== undefined)
        batch.replies.push({ to: envelope.request, reply: broken });
      return true;
    }
  }

  private async commit(batch: Batch, atMs: number): Promise<Uint8Array> {
    const { epoch } = this;
    const { log } = this.ownership;
    const seq = this.position.seq + 1;
    const head = { shard: this.place.shard, epoch, seq, atMs };
    const { bytes, hash } = seal(head, batch.writes, batch.values.bytes, this.position.hash);
    this.rows.add(bytes, batch.writes);
    const after = this.position.logSeq;
    if (log !== undefined) {
      await log.append(bytes, { epoch, seq }, after);
      this.renewLease(this.isHidden);
    }
    await this.stores.journal.append(seq, bytes);
    this.position = { seq, logSeq: log === undefined ? 0 : after + 1, epoch, atMs, hash };
    return bytes;
  }

  /** Sets the timer for the next due actor, or else for the next tick's flushes and sweep. */
  private setRing(nowMs: number): void {
    const atMs = this.rows.due.nextMs(nowMs + limits.engine.tickMs);
    if (this.ringMs > 0 && this.ringMs <= atMs) return;
    this.cancelRing();
    this.ringMs = atMs;
    this.cancelRing = this.stores.clock.after(Math.max(1, atMs - nowMs), () => {
      this.ringMs = 0;
      this.inbox.ring();
    });
  }
}

const noWrites = new Uint8Array(0);
