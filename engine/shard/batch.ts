/**
 * A batch: the steps that one record makes durable together. A step is one message and all the
 * tells that it causes in this shard, first in, first out, over one overlay that is kept whole or
 * dropped whole.
 *
 * Used by the owner's loop only. A promise that an actor breaks drops its step and answers
 * `broken`; the third time sets the actor aside until an operator looks.
 */

import { limits } from "../../config/limits.ts";
import type { AnyActor, Context, OutsideEffect, Reply, Tell } from "../actor.ts";
import type { RequestId } from "../address.ts";
import type { Domain } from "../domain.ts";
import { invariant } from "../invariant.ts";
import type { JsonBytes } from "../json-bytes.ts";
import {
  createKey,
  encodeOrderedNumber,
  engineTables,
  getCode,
  getPartition,
  type Key,
} from "../key.ts";
import { recordOverheadBytes, writeOverheadBytes } from "../record.ts";
import { decodeRow, EncodedRow, encodeRow } from "../row-codec.ts";
import type { ShardRows, Written } from "./rows/shard-rows.ts";
import { recordedEntryBytes } from "./rows/shard-windows.ts";

const recordBytesMax = limits.engine.recordBytesMax - recordOverheadBytes;

/** A message in a shard's inbox. */
export interface Envelope {
  readonly to: Key;
  readonly message?: unknown;
  readonly request?: RequestId;
  /** Set when a tell was acknowledged: its outbox row. `to` is the same; there is no message. */
  readonly done?: Key;
  /**
   * Set on a tell from another shard: its outbox row there, by which a duplicate delivery is
   * recognized.
   */
  readonly origin?: Origin;
}

export interface Origin {
  readonly shard: number;
  readonly key: Key;
}

/**
 * The position of the record that a batch will become, if it writes anything. Tells are ordered by
 * both numbers: after an accepted loss sequence numbers are used again, epochs never are.
 */
export interface BatchOrder {
  readonly epoch: number;
  readonly seq: number;
}

/** An effect or tell that leaves the shard once the batch is durable. */
export interface Delivery {
  readonly from: Key;
  readonly effect: OutsideEffect | Tell;
  /** For a tell, the outbox row that keeps it until the other shard has it. */
  readonly key?: Key;
}

/** The reply to a request whose step was dropped. */
export const broken = { kind: "broken" } as const;

/** A write of the open step, and what it wrote over. */
interface Change {
  readonly key: Key;
  readonly before: Written | undefined;
  readonly after: Written;
}

export class Batch {
  readonly writes = new Map<Key, Written>();
  /** JSON of the writes; overwritten values are still in it. */
  readonly values: JsonBytes;
  readonly replies: Reply[] = [];
  readonly deliveries: Delivery[] = [];
  readonly acknowledged: Origin[] = [];
  bytes = 0;
  steps = 0;
  private readonly rows: ShardRows;
  private readonly domain: Domain;
  private readonly order: BatchOrder;
  private readonly owns: (key: Key) => boolean;
  private tells = 0;
  /** The open step's changes; its writes are already in `writes`, and undone if it is dropped. */
  private changes: Change[] = [];
  private valuesBefore = 0;
  /** Entries of the short windows that the open step sets. */
  private readonly windowEntries = new Map<Key, unknown>();
  /** Entries of all kept steps, as a row lists them. */
  private readonly listedEntries: string[] = [];
  private stepReplies: Reply[] = [];
  private stepDeliveries: Delivery[] = [];
  private stepConcluded = 0;

  /** `values` is used by one batch at a time, until that batch's record is sealed. */
  constructor(
    rows: ShardRows,
    domain: Domain,
    order: BatchOrder,
    owns: (key: Key) => boolean,
    values: JsonBytes,
  ) {
    values.truncate(0);
    this.values = values;
    this.rows = rows;
    this.domain = domain;
    this.order = order;
    this.owns = owns;
  }

  get isEmpty(): boolean {
    const { writes, replies, deliveries, acknowledged } = this;
    return writes.size + replies.length + deliveries.length + acknowledged.length === 0;
  }

  /**
   * Runs a step. Returns false when it does not fit into this batch's record and belongs into the
   * next batch. Throws what the actor threw. In both cases nothing of the step is left.
   */
  step(first: Envelope, atMs: number): boolean {
    const { done, origin } = first;
    if (origin !== undefined && this.isSeen(origin)) {
      this.acknowledged.push(origin);
      return true;
    }
    this.begin();
    try {
      this.decideAll(first.to === done ? [] : [first], atMs);
      if (done !== undefined) this.write(done, undefined, undefined);
      if (origin !== undefined)
        this.write(createSeenKey(origin.shard), parsePlace(origin.key), undefined);
      const bytes = this.encodeChanges() + this.windowEntries.size * recordedEntryBytes;
      invariant(bytes <= recordBytesMax, "a step writes at most 900 KiB");
      if (this.bytes + bytes > recordBytesMax) {
        this.takeBack();
        return false;
      }
      this.keep(bytes, atMs);
    } catch (error) {
      this.takeBack();
      throw error;
    }
    if (origin !== undefined) this.acknowledged.push(origin);
    return true;
  }

  /** Reads a row from this batch, else from the fresh rows, else from the table. */
  read(key: Key, atMs: number): unknown {
    if (this.windowEntries.size > 0 && this.windowEntries.has(key))
      return this.windowEntries.get(key);
    const written = this.writes.get(key);
    if (written === undefined) return this.rows.row(key, atMs);
    const { value } = written;
    return value instanceof EncodedRow ? decodeRow(this.domain.rowCodecs, key, value.json) : value;
  }

  /** Writes a row of the engine's own. */
  put<Row>(key: Key<Row>, value: Row): void {
    this.begin();
    this.write(key, value, undefined);
    this.bytes += this.encodeChanges();
  }

  /** Writes the row from which a start refills the windows. The record is then sealed at `atMs`. */
  listWindowEntries(atMs: number): void {
    if (this.listedEntries.length === 0) return;
    this.begin();
    const { windows } = this.rows;
    for (const { key, value } of windows.list(this.listedEntries, this.order.seq, atMs))
      this.write(key, value, undefined);
    this.encodeChanges();
  }

  private begin(): void {
    this.changes = [];
    this.valuesBefore = this.values.end;
    this.windowEntries.clear();
    this.stepReplies = [];
    this.stepDeliveries = [];
    this.stepConcluded = 0;
  }

  private decideAll(queue: StepMessage[], atMs: number): void {
    for (let at = 0; at < queue.length; at++) {
      invariant(at <= limits.engine.tellsPerStepMax, "a step ends after 64 tells");
      const message = queue[at];
      if (message !== undefined) this.decide(message, atMs, queue);
    }
  }

  private decide(envelope: StepMessage, atMs: number, queue: StepMessage[]): void {
    const { to, message, request, isBirth } = envelope;
    const actor = this.domain.actorByCode.get(getCode(to));
    invariant(actor !== undefined, `an actor exists for table code ${getCode(to)}`);
    const head = isBirth === true ? undefined : this.rows.head(to, this.writes.get(to));
    const decision = actor.decide(head, message, new View(this, to, atMs, request));
    if (decision.head !== head) this.write(to, decision.head, actor);
    for (const { key, value } of decision.rows) {
      if (this.rows.windows.has(key)) this.windowEntries.set(key, value);
      else this.write(key, value, undefined);
    }
    for (const reply of decision.replies) this.stepReplies.push(reply);
    for (const effect of decision.effects) {
      const next = this.follow(to, effect, queue.length);
      if (next === undefined) this.send(to, effect);
      else queue.push(next);
    }
  }

  /** The message that an effect leads to in this step; undefined if it leaves the shard. */
  private follow(
    from: Key,
    effect: OutsideEffect | Tell,
    messages: number,
  ): StepMessage | undefined {
    if (isTell(effect)) return this.owns(effect.to) ? effect : undefined;
    // An effect that is concluded here causes tells, for which the step must have room.
    if (messages > limits.engine.tellsPerStepMax / 2) return undefined;
    const message = this.domain.conclude?.(effect);
    if (message === undefined) return undefined;
    this.stepConcluded++;
    return { to: from, message };
  }

  private write(key: Key, value: unknown, actor: AnyActor | undefined): void {
    const after: Written = { value, start: -1, end: -1, actor, dueMs: undefined };
    this.changes.push({ key, before: this.writes.get(key), after });
    this.writes.set(key, after);
  }

  private send(from: Key, effect: OutsideEffect | Tell): void {
    if (!isTell(effect)) {
      this.stepDeliveries.push({ from, effect });
      return;
    }
    const number = this.tells++;
    invariant(number < 0x10000, "a batch tells other shards at most 65,536 times");
    const { epoch, seq } = this.order;
    const place =
      encodeOrderedNumber(epoch) +
      encodeOrderedNumber(seq) +
      String.fromCharCode(number >> 8, number & 255);
    const key = createKey(getPartition(from), engineTables.outbox, place);
    this.write(key, { from, effect }, undefined);
    this.stepDeliveries.push({ key, from, effect });
  }

  /** Tells of one shard arrive in order, so the last outbox row seen is enough. */
  private isSeen(origin: Origin): boolean {
    const last = this.read(createSeenKey(origin.shard), 0);
    return typeof last === "string" && parsePlace(origin.key) <= last;
  }

  /** Encodes the step's writes and checks its heads; returns the growth of the batch's record. */
  private encodeChanges(): number {
    let bytes = 0;
    for (const { key, before, after } of this.changes) {
      // Of several writes to a key only the last one goes into the record.
      const isLast = this.writes.get(key) === after;
      if (isLast && after.value !== undefined) this.encode(key, after);
      if (isLast && after.actor !== undefined) {
        invariant(
          after.end - after.start <= limits.engine.headBytesMax,
          `${after.actor.kind} heads are small`,
        );
        after.dueMs = after.value === undefined ? undefined : after.actor.dueAt(after.value);
      }
      bytes += writeOverheadBytes + key.length + after.end - after.start;
      if (before !== undefined) bytes -= before.end - before.start;
    }
    return bytes;
  }

  /** Keeps the step, which can no longer be undone. */
  private keep(bytes: number, atMs: number): void {
    this.bytes += bytes;
    this.steps++;
    for (const { key, after } of this.changes)
      if (after.actor !== undefined) this.rows.keepHead(key, after.value, staysInMemory(after));
    for (const [key, value] of this.windowEntries)
      this.listedEntries.push(this.rows.windows.set(key, value, atMs));
    for (const reply of this.stepReplies) this.replies.push(reply);
    for (const delivery of this.stepDeliveries) this.deliveries.push(delivery);
    for (let at = 0; at < this.stepConcluded; at++) this.domain.onConcluded?.();
  }

  private encode(key: Key, written: Written): void {
    written.start = this.values.end;
    encodeRow(this.domain.rowCodecs, getCode(key), written.value, this.values);
    written.end = this.values.end;
  }

  private takeBack(): void {
    this.values.truncate(this.valuesBefore);
    for (const { key, before } of this.changes.reverse()) {
      if (before === undefined) this.writes.delete(key);
      else this.writes.set(key, before);
    }
  }
}

class View implements Context {
  readonly self: Key;
  readonly atMs: number;
  readonly request: RequestId | undefined;
  private readonly batch: Batch;

  constructor(batch: Batch, self: Key, atMs: number, request: RequestId | undefined) {
    this.batch = batch;
    this.self = self;
    this.atMs = atMs;
    this.request = request;
  }

  get<Row>(key: Key<Row>): Row | undefined {
    return this.batch.read(key, this.atMs) as Row | undefined;
  }
}

/** A message of the open step: the first one, or a tell from an actor of this shard. */
interface StepMessage {
  readonly to: Key;
  readonly message?: unknown;
  readonly request?: RequestId;
  readonly isBirth?: true;
}

/** A head that waits for nothing leaves memory, unless its actor is often sent messages. */
function staysInMemory({ actor, value, dueMs }: Written): boolean {
  return dueMs !== undefined || (value !== undefined && actor?.staysCached === true);
}

function isTell(effect: OutsideEffect | Tell): effect is Tell {
  return effect.kind === "tell";
}

/** Key of the row that holds `parsePlace` of the last outbox row received from `shard`. */
export function createSeenKey(shard: number): Key<string> {
  return createKey(0, engineTables.seen, String.fromCharCode(shard >> 8, shard & 255));
}

/** Returns an outbox row's place in the order of commits: its key without the partition. */
function parsePlace(outboxKey: Key): string {
  return outboxKey.slice(2);
}
