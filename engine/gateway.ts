/**
 * The HTTP thread's end of the engine: asks actors, and reads what is durable.
 *
 * A read looks at the fresh rows that the shards released, else at the tables. A fresh row is
 * dropped only after `flushed` has arrived and the read transaction was renewed. When the
 * shard has fresh rows, range reads wait for the next flush, one in flight shared by all waiters;
 * only while flushes fail, as on a full disk, do they merge. Rows are applied before replies are
 * sent, so a client that got a reply reads its effect.
 *
 * A shard that cannot be written is attached for reads alone; questions to it are answered `busy`.
 * A read throws while its shard is starting again. Requests answer 503 then; reads outside of a
 * request (watchers, timers) run within `look`, which never throws and looks again when a shard has
 * opened. A shard may die before it notified watchers of durable rows: all watchers of its rows
 * look again when it is back.
 */

import type { Address, ReplyTo } from "./address.ts";
import type { RowRules } from "./domain.ts";
import { type Key, type KeyRange, shardOf } from "./key.ts";
import { mergeRange } from "./merged-range.ts";
import { OpenRequests } from "./open-requests.ts";
import type { TableReader, TableRow } from "./ports/tables.ts";
import type { ProcessClock } from "./process-clock.ts";
import { eachWrite, readHead, textOf } from "./record.ts";
import { rowOf } from "./row-codec.ts";
import type { broken } from "./shard/batch.ts";
import { FreshRows } from "./shard/fresh-rows.ts";
import { busy, type Lane } from "./shard/inbox.ts";
import type { ShardEvent, ToShard } from "./wire.ts";

/** The answer when a shard went away with the question: the outcome is unknown. */
export const lost = { kind: "lost" } as const;

/** What the engine replies in the place of an actor. */
export type Unanswered = typeof lost | typeof busy | typeof broken;

/** The message of a kind, among those that an actor handles. */
type OfKind<Message, Kind> = Extract<Message, { readonly kind: Kind }>;

interface Waiting {
  readonly shard: number;
  readonly resolve: (reply: unknown) => void;
}

/** Notified of changed rows, before any reply that depends on them. */
export interface RowListener {
  /** False while no change of that shard matters: its records are then not read. */
  listens(shard: number): boolean;
  changed(key: Key): void;
  /** The shard has opened: any of its rows may have changed unnoticed. */
  missed(shard: number): void;
  /** A reader outside of a request threw. */
  failed(error: unknown): void;
}

/** Reads rows and reports changes; an extra call is harmless. */
type Look = () => void;

export class Gateway {
  private readonly shards: (ShardEnd | undefined)[];
  private readonly elsewhere = new Set<number>();
  private readonly requests: OpenRequests<Waiting>;
  private readonly watchersByKey = new Map<Key, Set<Look>>();
  /** Those that met a shard that was down, to be run again. */
  private readonly interrupted = new Set<Look>();
  private readonly clock: ProcessClock;
  private readonly listener: RowListener;
  private readonly domain: RowRules;

  /**
   * `firstRequest` is drawn for this life of the process: heads may name requests of earlier lives
   * and of other nodes, and none of ours may be taken for one of those.
   */
  constructor(
    shardCount: number,
    clock: ProcessClock,
    listener: RowListener,
    domain: RowRules = {},
    firstRequest = 1,
  ) {
    this.clock = clock;
    this.shards = new Array<ShardEnd | undefined>(shardCount + 1).fill(undefined);
    this.listener = listener;
    this.domain = domain;
    this.requests = new OpenRequests(firstRequest);
  }

  /** Every shard takes questions. */
  get isOpen(): boolean {
    return this.shards.every((shard) => shard?.send !== undefined);
  }

  get isReadable(): boolean {
    return this.shards.every((shard) => shard !== undefined);
  }

  /** Every shard can be read here or is followed for another node. */
  get isServed(): boolean {
    return this.shards.every((end, shard) => end !== undefined || this.elsewhere.has(shard));
  }

  /** Whether rows of the shard can be read here now. */
  reads(shard: number): boolean {
    const end = this.shards[shard];
    return end !== undefined && end.leaseEndsMs >= this.clock.monotonicMs();
  }

  /** Whether questions to the shard are answered by this node. */
  owns(shard: number): boolean {
    return this.shards[shard]?.send !== undefined;
  }

  /** `reader` reads the shard's tables, `send` reaches it; undefined for reads alone. */
  attach(shard: number, send: Send | undefined, reader: TableReader): void {
    this.elsewhere.delete(shard);
    this.shards[shard] = new ShardEnd(send, reader);
  }

  /** Another node owns the shard, or none: it is neither read nor asked here. */
  leaveElsewhere(shard: number): void {
    this.detach(shard);
    this.elsewhere.add(shard);
  }

  /** A shard's thread is gone: its waiting requests get `lost`. */
  detach(shard: number): void {
    this.elsewhere.delete(shard);
    this.shards[shard]?.abandon();
    this.shards[shard] = undefined;
    this.loseRequests(shard);
  }

  private loseRequests(shard: number): void {
    for (const { resolve } of this.requests.takeWhere((waiting) => waiting.shard === shard))
      resolve(lost);
  }

  /** All waiting requests get `lost`, and nothing reaches a shard any more. */
  close(): void {
    for (const shard of this.shards.keys()) this.detach(shard);
  }

  /** Resolves to the actor's reply, or why there is none. Rows are readable by then. */
  ask<Message extends { readonly kind: string }, Kind extends Message["kind"]>(
    to: Address<Message>,
    message: Message & { readonly kind: Kind },
    lane: Lane,
  ): Promise<ReplyTo<OfKind<Message, Kind>> | Unanswered> {
    const shard = this.shardOf(to);
    const end = this.shards[shard];
    if (end === undefined) return Promise.resolve(lost);
    const { send } = end;
    if (send === undefined) return Promise.resolve(busy);
    return new Promise((resolve) => {
      // The actor that handles the message replies with this type.
      const request = this.requests.add({ shard, resolve: resolve as Waiting["resolve"] });
      send([to, message, request, lane, this.clock.nowMs()]);
    });
  }

  /** Undefined when there is no row. Throws when the shard is down. */
  read<Row>(key: Key<Row>): Row | undefined {
    const text = this.end(key).text(key);
    return text === undefined ? undefined : this.row({ key, text });
  }

  /** Decodes a row of a range. */
  row<Row>({ key, text }: TableRow): Row {
    return rowOf(this.domain.rowCodecs, key, text) as Row;
  }

  /** At most `limit` rows of a range in one partition; waits for a flush when rows are fresh. */
  async range(range: KeyRange, limit: number, reverse: boolean): Promise<readonly TableRow[]> {
    const ranges = await this.ranges(range.start);
    return ranges(range, limit, reverse);
  }

  /**
   * Waits as `range` does, once for several ranges of the shard that owns `key`: read before
   * anything else is awaited, they are of one moment.
   */
  async ranges(key: Key): Promise<TableReader["range"]> {
    const end = this.end(key);
    await end.settled();
    return end.ranges(this.domain);
  }

  /** Runs `look` now, and once more after a shard has opened when it met one that is down. */
  look(look: Look): void {
    try {
      look();
    } catch (error) {
      if (error instanceof ShardDown) this.interrupted.add(look);
      else this.listener.failed(error);
    }
  }

  /** Calls `watcher` after each change of the row until the returned function is called. */
  watch(key: Key, watcher: Look): () => void {
    const watchers = this.watchersByKey.get(key) ?? new Set();
    this.watchersByKey.set(key, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      this.interrupted.delete(watcher);
      if (watchers.size === 0 && this.watchersByKey.get(key) === watchers)
        this.watchersByKey.delete(key);
    };
  }

  event(shard: number, event: ShardEvent): void {
    const end = this.shards[shard];
    if (end === undefined) return;
    if (event.kind === "release") {
      if (event.record.length > 0) this.clock.observe(readHead(event.record).atMs);
      end.release(event.record);
      this.tellListener(shard, event.record);
      for (const { to, reply } of event.replies) this.requests.take(to)?.resolve(reply);
      this.notify(event.record);
    } else if (event.kind === "applied") {
      end.release(event.record);
      this.tellListener(shard, event.record);
      this.notify(event.record);
    } else if (event.kind === "unconfirmed") {
      this.loseRequests(shard);
    } else {
      if (event.kind === "opened") this.clock.observe(event.atMs);
      end.event(event);
      if (event.kind === "opened" || event.kind === "readable") this.lookAgain(shard);
    }
  }

  private tellListener(shard: number, record: Uint8Array): void {
    if (this.listener.listens(shard)) eachWrite(record, (key) => this.listener.changed(key));
  }

  private notify(record: Uint8Array): void {
    if (this.watchersByKey.size === 0) return;
    eachWrite(record, (key) => {
      for (const watcher of this.watchersByKey.get(key) ?? []) this.look(watcher);
    });
  }

  /** Watchers of rows of the shard, and those that looked in vain while some shard was down. */
  private lookAgain(shard: number): void {
    this.listener.missed(shard);
    const looks = new Set(this.interrupted);
    this.interrupted.clear();
    for (const [key, watchers] of this.watchersByKey)
      if (this.shardOf(key) === shard) for (const watcher of watchers) looks.add(watcher);
    for (const look of looks) this.look(look);
  }

  private end(key: Key): ShardEnd {
    const end = this.shards[this.shardOf(key)];
    if (end === undefined || end.leaseEndsMs < this.clock.monotonicMs()) throw new ShardDown();
    return end;
  }

  /** The last end is the directory's. */
  private shardOf(key: Key): number {
    return shardOf(key, this.shards.length - 1);
  }
}

/** A read met a shard that is starting again; the caller may try once more soon. */
export class ShardDown extends Error {
  override readonly name = "ShardDown";
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: ShardDown) => void;
}

type Send = (message: ToShard) => void;

class ShardEnd {
  readonly send: Send | undefined;
  readonly reader: TableReader;
  leaseEndsMs = Number.POSITIVE_INFINITY;
  private readonly fresh = new FreshRows();
  private waiters: Waiter[] = [];
  private nextWaiters: Waiter[] = [];
  /** The shard cannot write its fresh rows. */
  private isStuck = false;

  constructor(send: Send | undefined, reader: TableReader) {
    this.send = send;
    this.reader = reader;
  }

  release(record: Uint8Array): void {
    this.fresh.add(record);
  }

  text(key: Key): string | undefined {
    const slice = this.fresh.get(key);
    return slice === undefined ? this.reader.get(key) : textOf(slice);
  }

  /** To be called when `settled` has resolved. */
  ranges(domain: RowRules): TableReader["range"] {
    if (this.isStuck) return mergeRange(this.reader, this.fresh, domain);
    return (range, limit, reverse) => this.reader.range(range, limit, reverse);
  }

  /** Resolves when all that was released before the call is in the tables, or must be merged. */
  settled(): Promise<void> {
    if (this.fresh.size === 0 || this.isStuck) return Promise.resolve();
    if (this.nextWaiters.length === 0) this.send?.({ kind: "flush" });
    return new Promise((resolve, reject) => this.nextWaiters.push({ resolve, reject }));
  }

  event(event: Exclude<ShardEvent, { kind: "release" | "applied" | "unconfirmed" }>): void {
    switch (event.kind) {
      case "opened":
        this.reader.refresh();
        return;
      case "following":
        this.reader.refresh();
        return;
      case "joining": // The host has left it to other nodes.
        return;
      case "lease":
        this.leaseEndsMs = event.endsMs;
        return;
      case "readable":
        this.reader.refresh();
        for (const record of event.records) this.fresh.add(record);
        this.isStuck = true;
        return;
      case "frozen":
        this.fresh.freeze();
        this.waiters = this.nextWaiters;
        this.nextWaiters = [];
        return;
      case "stuck":
        this.isStuck = true;
        this.resume();
        for (const { resolve } of this.nextWaiters) resolve();
        this.nextWaiters = [];
        return;
      case "flushed":
        this.reader.refresh();
        this.fresh.thaw();
        this.isStuck = false;
        this.resume();
        return;
    }
  }

  private resume(): void {
    for (const { resolve } of this.waiters) resolve();
    this.waiters = [];
  }

  abandon(): void {
    for (const { reject } of [...this.waiters, ...this.nextWaiters]) reject(new ShardDown());
  }
}
