/**
 * The owner's loop of one shard: drain the inbox, decide, seal one record, put it into the journal, release.
 * One record is in flight; batch n+1 is decided when n is durable.
 *
 * I1 same seq, same hash on every replica.   I2 seq contiguous, epoch non-decreasing.
 * I3 nothing leaves before it is durable: rows, then replies, then effects.
 * I4 only the highest epoch commits: each start writes an empty record of the next epoch first.
 *
 * A failed put ends the loop: the thread dies, callers get 503 (outcome unknown), the next one recovers.
 */
import { limits } from "../config/limits.ts";
import type { Domain, Reply } from "./actor.ts";
import { Batch, broken, type Delivery, type Envelope, type Origin } from "./batch.ts";
import { Inbox, type Lane } from "./inbox.ts";
import { type Key, shardOf } from "./key.ts";
import { materialise, type Position } from "./materialiser.ts";
import type { Clock } from "./ports/clock.ts";
import type { Journal } from "./ports/journal.ts";
import type { Tables } from "./ports/tables.ts";
import { seal } from "./record.ts";
import { recover, type ShardPlace } from "./recovery.ts";
import type { ShardRows } from "./shard-rows.ts";
import { ShardTime } from "./shard-time.ts";

/** What leaves a shard, in the order in which it happened. */
export type ShardEvent =
  | { readonly kind: "opened"; readonly seq: number }
  | {
      readonly kind: "release";
      readonly seq: number;
      readonly record: Uint8Array;
      readonly replies: readonly Reply[];
    }
  /** Rows released so far are on their way into the tables; later ones are a new generation. */
  | { readonly kind: "frozen" }
  | { readonly kind: "materialised"; readonly seq: number };

export interface ShardOutlets {
  readonly event: (event: ShardEvent) => void;
  readonly deliver: (deliveries: readonly Delivery[], acknowledged: readonly Origin[]) => void;
  readonly brokenTurn: (actor: Key, error: unknown) => void;
}

export interface ShardStores {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly tables: Tables;
}

/** The reply to work that an inbox had no room for. */
export const busy = { kind: "busy" } as const;

export async function openShard(
  place: ShardPlace,
  domain: Domain,
  stores: ShardStores,
  outlets: ShardOutlets,
): Promise<Shard> {
  const { clock, journal, tables } = stores;
  const recovered = await recover(place, journal, tables, domain, clock.nowMs());
  const shard = new Shard(place, domain, stores, outlets, recovered);
  await shard.open(recovered.undelivered);
  return shard;
}

class Shard {
  private readonly place: ShardPlace;
  private readonly domain: Domain;
  private readonly stores: ShardStores;
  private readonly outlets: ShardOutlets;
  private readonly rows: ShardRows;
  private readonly time: ShardTime;
  private readonly inbox = new Inbox();
  private readonly brokenTurns = new Map<Key, number>();
  private readonly owns: (key: Key) => boolean;
  private position: Position;
  private pass: Promise<void> | undefined;
  private passWanted = false;
  private passFailure: { readonly error: unknown } | undefined;
  private stopping = false;

  constructor(
    place: ShardPlace,
    domain: Domain,
    stores: ShardStores,
    outlets: ShardOutlets,
    recovered: { rows: ShardRows; position: Position },
  ) {
    this.place = place;
    this.domain = domain;
    this.stores = stores;
    this.outlets = outlets;
    this.rows = recovered.rows;
    this.position = recovered.position;
    this.time = new ShardTime(stores.clock, recovered.position.atMs);
    this.owns = (key) => shardOf(key, place.shardCount) === place.shard;
  }

  async open(undelivered: readonly Delivery[]): Promise<void> {
    const epoch = this.position.epoch + 1;
    await this.commit(new Map(), epoch, this.time.nowMs());
    this.outlets.event({ kind: "opened", seq: this.position.seq });
    this.outlets.deliver(undelivered, []);
  }

  receive(envelope: Envelope, lane: Lane): void {
    if (this.inbox.offer(envelope, lane) || envelope.request === undefined) return;
    const replies = [{ to: envelope.request, reply: busy }];
    this.outlets.event({ kind: "release", seq: this.position.seq, record: noWrites, replies });
  }

  /** Brings every row that was released before the call into the tables, soon. */
  flush(): void {
    this.passWanted = true;
    this.inbox.ring();
  }

  /** Ends the loop after what waits now; `run` resolves when all is in the tables. */
  stop(): void {
    this.stopping = true;
    this.inbox.ring();
  }

  /** Resolves after `stop`, throws when a store fails. */
  async run(): Promise<void> {
    let nextDueMs = 0;
    let nextPassMs = 0;
    const ticking = this.tick();
    while (!(this.stopping && this.inbox.isEmpty)) {
      await this.inbox.waiting();
      if (this.passFailure !== undefined) throw this.passFailure.error;
      const nowMs = this.time.nowMs();
      if (nowMs >= nextDueMs) {
        for (const actor of this.rows.due.take(nowMs))
          this.inbox.offer({ to: actor, message: { kind: "due" } }, "settle");
        nextDueMs = nowMs + limits.engine.dueGranularityMs;
      }
      if (this.rows.fresh.size >= limits.engine.freshRowsMax) await this.pass;
      else if (!this.inbox.isEmpty) await this.batch(nowMs);
      const { size } = this.rows.fresh;
      if (size >= limits.engine.passRows || (size > 0 && nowMs >= nextPassMs)) this.flush();
      if (this.passWanted && this.pass === undefined) {
        nextPassMs = nowMs + limits.engine.passIntervalMs;
        this.startPass();
      }
    }
    ticking();
    await this.pass;
    await this.materialise();
  }

  private async batch(nowMs: number): Promise<void> {
    const atMs = Math.max(nowMs, this.position.atMs);
    const batch = new Batch(this.rows, this.domain, this.position.seq + 1, this.owns);
    while (batch.bytes < limits.engine.batchBytes) {
      const envelope = this.inbox.take();
      if (envelope === undefined) break;
      this.decide(batch, envelope, atMs);
    }
    if (batch.isEmpty) return;
    // Refusals and reads rest on what is durable already, so they need no record of their own.
    const record =
      batch.writes.size === 0
        ? noWrites
        : await this.commit(batch.writes, this.position.epoch, atMs);
    this.rows.fresh.add(record, batch.writes.size);
    const { replies, deliveries, acknowledged } = batch;
    this.outlets.event({ kind: "release", seq: this.position.seq, record, replies });
    if (deliveries.length + acknowledged.length > 0) this.outlets.deliver(deliveries, acknowledged);
  }

  private decide(batch: Batch, envelope: Envelope, atMs: number): void {
    const failures = this.brokenTurns.get(envelope.to) ?? 0;
    try {
      if (failures >= limits.engine.brokenTurnsMax) throw new Error("this actor is set aside");
      batch.turn(envelope, atMs);
    } catch (error) {
      this.brokenTurns.set(envelope.to, failures + 1);
      this.outlets.brokenTurn(envelope.to, error);
      if (envelope.request !== undefined)
        batch.replies.push({ to: envelope.request, reply: broken });
    }
  }

  private async commit(
    writes: Batch["writes"],
    epoch: number,
    atMs: number,
  ): Promise<Uint8Array> {
    const seq = this.position.seq + 1;
    const head = { shard: this.place.shard, epoch, seq, atMs };
    const { bytes, hash } = seal(head, writes, this.position.hash);
    await this.stores.journal.append(seq, bytes);
    this.position = { seq, epoch, atMs, hash };
    return bytes;
  }

  private startPass(): void {
    this.passWanted = false;
    const ended = () => {
      this.pass = undefined;
      this.inbox.ring();
    };
    this.pass = this.materialise().then(ended, (error: unknown) => {
      this.passFailure = { error };
      ended();
    });
  }

  private async materialise(): Promise<void> {
    const { position } = this;
    this.rows.fresh.freeze();
    this.outlets.event({ kind: "frozen" });
    if (this.rows.fresh.size > 0) {
      await materialise(this.rows, this.rows.fresh.sorted(), position, this.domain);
      await this.stores.journal.trim(position.seq);
    }
    this.rows.tables.refresh();
    this.rows.fresh.thaw();
    this.outlets.event({ kind: "materialised", seq: position.seq });
  }

  /** Rings for due times and passes while nothing else does. Returns how to end it. */
  private tick(): () => void {
    let cancel = () => {};
    const next = () => {
      cancel = this.stores.clock.after(limits.engine.dueGranularityMs, () => {
        this.inbox.ring();
        next();
      });
    };
    next();
    return () => cancel();
  }
}

export type { Shard };

const noWrites = new Uint8Array(0);
