/**
 * A batch: the turns that one record makes durable together. A turn is one message and all the tells that
 * it causes in this shard, first in, first out, over one overlay that is kept whole or dropped whole.
 *
 * Used by the owner's loop only. A promise that an actor breaks drops its turn and answers `broken`; the
 * third time sets the actor aside until an operator looks.
 */
import { limits } from "../config/limits.ts";
import type { AnyActor, Domain, OutsideEffect, Reply, RequestId, RowWrite, Tell } from "./actor.ts";
import { invariant } from "./invariant.ts";
import { codeOf, engineTables, type Key, keyOf, orderedNumber, vpartOf } from "./key.ts";
import type { ShardRows } from "./shard-rows.ts";

/** What waits in a shard's inbox. */
export interface Envelope {
  readonly to: Key;
  readonly message?: unknown;
  readonly request?: RequestId;
  /** The outbox row whose effect this message concludes; all there is to say when `to` is that row. */
  readonly done?: Key;
  /** Set on a tell from another shard: its outbox row there, by which a doubled delivery is known. */
  readonly origin?: Origin;
}

export interface Origin {
  readonly shard: number;
  readonly key: Key;
}

/** An effect that has to leave the shard once the batch is durable. */
export interface Delivery {
  readonly key: Key;
  readonly from: Key;
  readonly effect: OutsideEffect | Tell;
}

export interface Written {
  readonly value: unknown;
  /** JSON; undefined deletes. */
  readonly text: string | undefined;
  readonly born: boolean;
}

/** The reply to a request whose turn was dropped. */
export const broken = { kind: "broken" } as const;

interface Staged {
  readonly rows: Map<Key, { value: unknown; born: boolean }>;
  readonly heads: Map<Key, { head: unknown; actor: AnyActor }>;
  readonly replies: Reply[];
  readonly deliveries: Delivery[];
}

export class Batch {
  readonly writes = new Map<Key, Written>();
  readonly replies: Reply[] = [];
  readonly deliveries: Delivery[] = [];
  readonly acknowledged: Origin[] = [];
  bytes = 0;
  private readonly rows: ShardRows;
  private readonly domain: Domain;
  private readonly seq: number;
  private readonly owns: (key: Key) => boolean;
  private effects = 0;
  private staged: Staged = emptyStage();

  constructor(rows: ShardRows, domain: Domain, seq: number, owns: (key: Key) => boolean) {
    this.rows = rows;
    this.domain = domain;
    this.seq = seq;
    this.owns = owns;
  }

  get isEmpty(): boolean {
    return this.writes.size === 0 && this.replies.length === 0 && this.acknowledged.length === 0;
  }

  /** Throws what the actor threw; then nothing of the turn is left. */
  turn(first: Envelope, atMs: number): void {
    this.staged = emptyStage();
    if (first.origin !== undefined && this.isSeen(first.origin)) {
      this.acknowledged.push(first.origin);
      return;
    }
    const queue: Envelope[] = first.to === first.done ? [] : [first];
    for (let at = 0; at < queue.length; at++) {
      invariant(at < limits.engine.tellsPerTurnMax, "a turn ends after 64 tells");
      const envelope = queue[at];
      if (envelope !== undefined) this.decide(envelope, atMs, queue);
    }
    if (first.done !== undefined) this.stageRow({ key: first.done, value: undefined, born: false });
    if (first.origin !== undefined) this.stageSeen(first.origin);
    this.keep(atMs);
  }

  private decide(envelope: Envelope, atMs: number, queue: Envelope[]): void {
    const { to, message, request } = envelope;
    const actor = this.domain.actorByCode.get(codeOf(to));
    invariant(actor !== undefined, `an actor exists for table code ${codeOf(to)}`);
    const head = this.headOf(to);
    const turn = actor.decide(head, message, {
      self: to,
      atMs,
      request,
      get: (key) => this.read(key, atMs) as never,
    });
    if (turn.head !== head) this.staged.heads.set(to, { head: turn.head, actor });
    for (const write of turn.rows) this.stageRow(write);
    for (const reply of turn.replies) this.staged.replies.push(reply);
    for (const effect of turn.effects) {
      if (isTell(effect) && this.owns(effect.to))
        queue.push({ to: effect.to, message: effect.message });
      else this.stageEffect(to, effect);
    }
  }

  private headOf(key: Key): unknown {
    const staged = this.staged.heads.get(key);
    if (staged !== undefined) return staged.head;
    return this.rows.head(key, this.writes.get(key));
  }

  private read(key: Key, atMs: number): unknown {
    const staged = this.staged.rows.get(key);
    if (staged !== undefined) return staged.value;
    const written = this.writes.get(key);
    if (written !== undefined) return written.value;
    return this.rows.row(key, atMs);
  }

  private stageRow(write: RowWrite): void {
    const born = write.born || (this.staged.rows.get(write.key)?.born ?? false);
    this.staged.rows.set(write.key, { value: write.value, born });
  }

  private stageEffect(from: Key, effect: OutsideEffect | Tell): void {
    const order = this.effects + this.staged.deliveries.length;
    invariant(order < 0x10000, "a batch causes at most 65,536 effects");
    const place = orderedNumber(this.seq) + String.fromCharCode(order >> 8, order & 255);
    const key = keyOf(vpartOf(from), engineTables.outbox, place);
    this.stageRow({ key, value: { from, effect }, born: true });
    this.staged.deliveries.push({ key, from, effect });
  }

  /** Tells of one shard arrive in order, so the last outbox row seen says enough. */
  private isSeen(origin: Origin): boolean {
    const last = this.read(seenKey(origin), 0);
    return typeof last === "string" && placeOf(origin.key) <= last;
  }

  private stageSeen(origin: Origin): void {
    this.stageRow({ key: seenKey(origin), value: placeOf(origin.key), born: false });
    this.acknowledged.push(origin);
  }

  /** Checks all of the turn before it keeps any of it. */
  private keep(atMs: number): void {
    const { rows, heads, replies, deliveries } = this.staged;
    const written: [Key, Written][] = [];
    let bytes = 0;
    for (const [key, { head, actor }] of heads) {
      const text = head === undefined ? undefined : JSON.stringify(head);
      bytes += text?.length ?? 0;
      invariant((text?.length ?? 0) <= limits.engine.headBytesMax, `a ${actor.kind} head is small`);
      written.push([key, { value: head, text, born: false }]);
    }
    for (const [key, { value, born }] of rows) {
      if (this.rows.isWindow(key)) continue;
      const text = value === undefined ? undefined : JSON.stringify(value);
      bytes += text?.length ?? 0;
      written.push([key, { value, text, born }]);
    }
    invariant(bytes <= limits.engine.turnBytesMax, "a turn writes at most 900 KiB");

    for (const [key, write] of written) this.write(key, write);
    for (const [key, { value }] of rows)
      if (this.rows.isWindow(key)) this.rows.setWindow(key, value, atMs);
    for (const [key, { head, actor }] of heads)
      this.rows.keepHead(key, head, head !== undefined && actor.dueAt(head) !== undefined);
    for (const reply of replies) this.replies.push(reply);
    for (const delivery of deliveries) this.deliveries.push(delivery);
    this.effects += deliveries.length;
  }

  private write(key: Key, written: Written): void {
    const before = this.writes.get(key);
    if (before?.born === true && written.text === undefined) this.writes.delete(key);
    else this.writes.set(key, before?.born === true ? { ...written, born: true } : written);
    this.bytes += key.length + (written.text?.length ?? 0) - (before?.text?.length ?? 0);
  }
}

function emptyStage(): Staged {
  return { rows: new Map(), heads: new Map(), replies: [], deliveries: [] };
}

function isTell(effect: OutsideEffect | Tell): effect is Tell {
  return effect.kind === "tell";
}

function seenKey(origin: Origin): Key<string> {
  return keyOf(0, engineTables.seen, String.fromCharCode(origin.shard >> 8, origin.shard & 255));
}

/** Commit order of an outbox row, without its vpart. */
function placeOf(outboxKey: Key): string {
  return outboxKey.slice(2);
}
