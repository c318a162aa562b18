/**
 * A shard's rows as its records tell them: the one way by which records that were not decided here
 * become rows. A start reads the journal through it, a standby the log; a node that comes to own
 * the shard goes on with its rows.
 *
 * Index entries and due times are in no record: `flushRows` derives them from heads. What it
 * derives is part of the store's format, so nodes of one format derive the same.
 */
import { limits } from "../../config/limits.ts";
import type { Domain } from "../domain.ts";
import {
  createKey,
  engineTables,
  getCode,
  getPartitions,
  getRange,
  getShard,
  type Key,
} from "../key.ts";
import { StoreDamage } from "../ports/store-damage.ts";
import type { TableRow, Tables } from "../ports/tables.ts";
import { countWrites, noHash, type Verified, verify } from "../record.ts";
import type { Delivery } from "./batch.ts";
import { actorOfDueKey, flushRows, type Position, positionKey } from "./flush.ts";
import { ShardRows } from "./rows/shard-rows.ts";
import { windowRows } from "./rows/shard-windows.ts";

export interface ShardPlace {
  readonly shard: number;
  readonly shardCount: number;
}

const rowsPerRead = 10_000;

export class Replica {
  readonly rows: ShardRows;
  private readonly place: ShardPlace;
  private readonly tables: Tables;
  private readonly domain: Domain;
  private reached: Position;
  private flushed: Position;
  /** The last record that may have written rows: most are signs of life. */
  private changed: number;

  /** Creates a replica of what the tables hold. `nowMs` is a time that has passed. */
  constructor(place: ShardPlace, tables: Tables, domain: Domain, nowMs: number) {
    this.place = place;
    this.tables = tables;
    this.domain = domain;
    this.reached = readPosition(tables);
    this.flushed = this.reached;
    this.changed = this.reached.seq;
    this.rows = new ShardRows(tables, domain, Math.max(nowMs, this.reached.atMs));
    for (const { key, text } of this.listOwned(engineTables.due))
      this.rows.due.restore(actorOfDueKey(key), Number(text));
  }

  /** Position of the last record that was applied. */
  get position(): Position {
    return this.reached;
  }

  /** Rows are as they were at this record. */
  get changedSeq(): number {
    return this.changed;
  }

  /** Sequence number of the last record that is in the tables. */
  get flushedSeq(): number {
    return this.flushed.seq;
  }

  /** Whether so many rows were applied that they should be flushed before more are. */
  get isFull(): boolean {
    return this.rows.fresh.size >= limits.engine.replicaRows;
  }

  /**
   * Behind the record that comes next; throws `StoreDamage` for any other (I1, I2). `verified` is
   * what `verify` says of it behind the last one.
   */
  positionBehind(
    seq: number,
    record: Uint8Array,
    verified = verify(record, this.reached.hash),
  ): Position {
    const { logSeq } = this.reached;
    const position = follow(this.reached, seq, verified);
    return { ...position, logSeq: logSeq === 0 ? 0 : logSeq + 1 };
  }

  /** Applies the record that leads to `position`; its bytes must not change afterwards. */
  apply(position: Position, record: Uint8Array): void {
    this.reached = position;
    if (countWrites(record) > 0) this.changed = position.seq;
    this.rows.fresh.add(record);
  }

  /** Sets the last record's sequence number in the log. */
  placeAt(logSeq: number): void {
    this.reached = { ...this.reached, logSeq };
  }

  /** Flushes all that was applied before the call into the tables. Throws `PortError`. */
  async flush(rowsPerTransaction?: number): Promise<void> {
    const position = this.reached;
    if (position.seq === this.flushed.seq) return;
    this.rows.fresh.freeze();
    await this.rows.fresh.findFrozen(() => new Promise(setImmediate));
    const { rows, domain } = this;
    const pause = async () => {};
    await flushRows(rows, rows.fresh.lastWrites(), position, domain, pause, rowsPerTransaction);
    this.tables.refresh();
    this.rows.fresh.thaw();
    this.flushed = position;
  }

  /**
   * Prepares the rows for an owner, when all are flushed: fills the short windows, and returns the
   * effects that were not delivered. `nowMs` is of the clock by which the windows' entries were
   * made.
   */
  prepare(nowMs: number): Delivery[] {
    const atMs = Math.max(nowMs, this.reached.atMs);
    this.refillWindows(atMs);
    return [...this.readOutbox(), ...this.underWay()];
  }

  private refillWindows(nowMs: number): void {
    const { shard, shardCount } = this.place;
    const owns = (key: Key) => getShard(key, shardCount) === shard;
    for (const { key, text } of rowsIn(this.tables, windowRows))
      this.rows.windows.refill(key, text, nowMs, owns);
  }

  private readOutbox(): Delivery[] {
    const deliveries: Delivery[] = [];
    for (const { key, text } of this.listOwned(engineTables.outbox))
      deliveries.push({ key, ...JSON.parse(text) });
    const getOrder = ({ key = "" }: Delivery) => key.slice(2);
    return deliveries.sort((a, b) => (getOrder(a) < getOrder(b) ? -1 : 1));
  }

  /** Yields the outside effects that were under way for actors that wait for something. */
  private *underWay(): Generator<Delivery> {
    for (const { key } of this.listOwned(engineTables.due)) {
      const self = actorOfDueKey(key);
      const head = this.rows.head(self, undefined);
      const actor = this.domain.actorByCode.get(getCode(self));
      if (head === undefined || actor?.resume === undefined) continue;
      const get = <Row>(row: Key<Row>) => this.rows.row(row, 0) as Row | undefined;
      for (const effect of actor.resume(head, { self, atMs: 0, request: undefined, get }))
        yield { from: self, effect };
    }
  }

  private *listOwned(code: number): Generator<TableRow> {
    const { first, last } = getPartitions(this.place.shard, this.place.shardCount);
    for (let partition = first; partition <= last; partition++)
      yield* rowsIn(this.tables, getRange(createKey(partition, code, "")));
  }
}

export function readPosition(tables: Pick<Tables, "get">): Position {
  const text = tables.get(positionKey);
  return text === undefined ? noPosition : JSON.parse(text);
}

/** Position before the first record. */
export const noPosition: Position = { seq: 0, logSeq: 0, epoch: 0, atMs: 0, hash: noHash };

/** Throws `StoreDamage` unless what was verified is the record that comes next (I1, I2). */
export function follow(position: Position, seq: number, follows: Verified | undefined): Position {
  const next = position.seq + 1;
  if (seq !== next)
    throw new StoreDamage(
      position.seq === 0
        ? `the journal begins with record ${seq}, and the tables that held the earlier records are gone`
        : `the journal lacks record ${next}${seq > next + 1 ? ` to ${seq - 1}` : ""}`,
    );
  if (follows?.seq !== seq || follows.epoch < position.epoch)
    throw new StoreDamage(
      `record ${seq} of the journal does not follow from the one before it, so it and what comes behind it cannot be trusted`,
    );
  const { epoch, atMs, hash } = follows;
  return { seq, logSeq: position.logSeq, epoch, atMs, hash };
}

export function* rowsIn(
  tables: Pick<Tables, "range">,
  range: { start: Key; end: Key },
): Generator<TableRow> {
  let start = range.start;
  for (;;) {
    const page = tables.range({ start, end: range.end }, rowsPerRead);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < rowsPerRead) return;
    start = `${last.key}\0`;
  }
}
