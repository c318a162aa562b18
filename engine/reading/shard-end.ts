/**
 * One shard as the HTTP thread reads it: its tables, and over them the rows that it has released
 * and not flushed.
 */
import type { RowRules } from "../domain.ts";
import type { Key } from "../key.ts";
import type { TableReader } from "../ports/tables.ts";
import { getText, readHead } from "../record.ts";
import { FreshRows } from "../shard/rows/fresh-rows.ts";
import type { ShardEvent, ToShard } from "../wire.ts";
import { mergeRange } from "./merged-range.ts";
import { ReadRanges } from "./read-ranges.ts";

/** Thrown when a read meets a shard that is restarting; the caller may retry soon. */
export class ShardDown extends Error {
  override readonly name = "ShardDown";
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: ShardDown) => void;
}

export type Send = (message: ToShard) => void;

/** Events that the gateway's end of a shard handles, where rows are read and questions sent. */
type ShardEndEvent = Exclude<
  ShardEvent,
  { kind: "release" | "applied" | "unconfirmed" | "waiting" | "left" }
>;

export class ShardEnd {
  /** Sends to the shard; undefined when the shard takes no questions. */
  send: Send | undefined;
  private readonly reader: TableReader;
  private readonly read: ReadRanges;
  leaseEndsMs = Number.POSITIVE_INFINITY;
  /** Sequence number of the last record whose rows are read here. */
  seq = 0;
  private readonly fresh = new FreshRows();
  private waiters: Waiter[] = [];
  private nextWaiters: Waiter[] = [];
  /** Whether the shard is unable to write its fresh rows to the tables. */
  private isStuck = false;

  constructor(send: Send | undefined, reader: TableReader) {
    this.send = send;
    this.reader = reader;
    this.read = new ReadRanges(reader);
  }

  release(record: Uint8Array): void {
    if (record.length === 0) return;
    this.fresh.add(record);
    this.seq = readHead(record).seq;
  }

  text(key: Key): string | undefined {
    const slice = this.fresh.get(key);
    return slice === undefined ? this.reader.get(key) : getText(slice);
  }

  /** Returns a range reader; to be called when `awaitSettled` has resolved. */
  ranges(domain: RowRules): TableReader["range"] {
    if (this.isMerged) return mergeRange(this.reader, this.fresh, domain);
    return this.read.range;
  }

  /** Resolves when all rows released before the call are in the tables, or must be merged. */
  awaitSettled(): Promise<void> {
    if (this.fresh.size === 0 || this.isMerged) return Promise.resolve();
    if (this.nextWaiters.length === 0) this.send?.({ kind: "flush" });
    return new Promise((resolve, reject) => this.nextWaiters.push({ resolve, reject }));
  }

  /** True when no flush can be requested: ranges then merge fresh rows and tables. */
  private get isMerged(): boolean {
    return this.isStuck || this.send === undefined;
  }

  event(event: ShardEndEvent): void {
    switch (event.kind) {
      case "opened":
        this.refresh();
        return;
      case "following":
        // Other nodes' decisions are not here yet; a shard that was handed over keeps its lease.
        if (this.leaseEndsMs === Number.POSITIVE_INFINITY)
          this.leaseEndsMs = Number.NEGATIVE_INFINITY;
        this.refresh();
        return;
      case "joining": // The host has left it to other nodes.
        return;
      case "leaving":
        this.send = undefined;
        return;
      case "lease":
        this.leaseEndsMs = event.endsMs;
        return;
      case "readable":
        this.refresh();
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
        this.refresh();
        this.fresh.thaw();
        this.isStuck = false;
        this.resume();
        return;
    }
  }

  /** Lets reads see what the tables hold now. */
  private refresh(): void {
    this.reader.refresh();
    this.read.forget();
  }

  private resume(): void {
    for (const { resolve } of this.waiters) resolve();
    this.waiters = [];
  }

  abandon(): void {
    for (const { reject } of [...this.waiters, ...this.nextWaiters]) reject(new ShardDown());
  }
}
