/**
 * One shard with all actors of the product, in one thread and on stores in memory: turns are real
 * turns of real batches, records are sealed, passes flush, restarts recover. It keeps what
 * every turn wrote beside the store, so that checks read no JSON; a restart compares the two.
 *
 * What a crash takes with it (the open batch) is taken back here too, with every fact of a model
 * that was set by `set`.
 */

import { isDeepStrictEqual } from "node:util";
import { jobKey } from "../../actors/protocol/job.ts";
import type { AnyActor, Context, Decision, OutsideEffect } from "../../engine/actor.ts";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import type { Domain } from "../../engine/domain.ts";
import { firstIdAt, type Id } from "../../engine/id.ts";
import { JsonBytes } from "../../engine/json-bytes.ts";
import { getCode, getShard, type Key } from "../../engine/key.ts";
import type { TableRow } from "../../engine/ports/tables.ts";
import { noHash, seal } from "../../engine/record.ts";
import { decodeRow, EncodedRow } from "../../engine/row-codec.ts";
import { Batch, type Delivery } from "../../engine/shard/batch.ts";
import { flushRows, type Position } from "../../engine/shard/flush.ts";
import { recover } from "../../engine/shard/recovery.ts";
import { ShardRows } from "../../engine/shard/rows/shard-rows.ts";
import { Sweep } from "../../engine/shard/sweep.ts";

/** Time at the start of a world: a Friday noon, eleven days before plans renew. */
export const startMs = Date.UTC(2026, 10, 20, 12);
const partition = 0x21;
const place = { shard: partition, shardCount: 256 };
const granularityMs = 250;
const hourMs = 3_600_000;

/** One actor's part of a turn. */
export interface Step {
  readonly self: Key;
  readonly message: { readonly kind: string };
  readonly before: unknown;
  readonly turn: Decision<unknown, OutsideEffect>;
  readonly atMs: number;
}

/** The answer to a request; undefined while it waits. */
export interface Heard {
  readonly kind: string;
  readonly refusal?: { readonly code: string };
  readonly body?: string;
}

/** Error that a command throws into a turn, as a bug of an actor would. */
const dropped = new Error("dropped on purpose");

export class World {
  atMs = startMs;
  /** Heads and rows as the last kept turn left them. */
  readonly kept = new Map<Key, unknown>();
  /** Steps of the last turn; none when it was dropped. */
  steps: Step[] = [];
  /** Promises that were found broken so far. */
  readonly wrong: string[] = [];
  /** How many steps of the next turn are left until the turn is dropped. */
  stepsLeft: number | undefined;
  /** How often the tables caught up. */
  passes = 0;
  private readonly listener: (step: Step) => void;
  private readonly domain: Domain;
  private readonly tables = memoryTables();
  private readonly journal = memoryJournal();
  private position: Position = { seq: 0, logSeq: 0, epoch: 1, atMs: 0, hash: noHash };
  private rows: ShardRows;
  private batch: Batch;
  private sweeps: readonly Sweep[];
  private requests = 0;
  private ids = 0;
  private heardReplies = 0;
  private readonly answers = new Map<number, Heard>();
  private undo: (() => void)[] = [];

  /** Calls `listener` with each step of a turn that was kept. */
  constructor(product: Domain, listener: (step: Step) => void) {
    this.listener = listener;
    this.domain = this.watchDomain(product);
    this.rows = new ShardRows(this.tables, this.domain, this.atMs);
    this.batch = this.nextBatch();
    this.sweeps = this.nextSweeps();
  }

  id(atMs = this.atMs): Id {
    const number = (++this.ids).toString(16).padStart(12, "0");
    return `${firstIdAt(atMs, partition).slice(0, 18)}-8000-${number}`;
  }

  read<Row>(key: Key<Row>): Row | undefined {
    return this.kept.get(key) as Row | undefined;
  }

  /** Sets a fact of a model; a crash that takes back the fact's turn takes back the fact too. */
  set<Name, Value>(facts: Map<Name, Value>, name: Name, value: Value | undefined): void {
    const before = facts.get(name);
    this.undo.push(() => change(facts, name, before));
    change(facts, name, value);
  }

  /** Returns the answer, or undefined when it is still to come or the turn was dropped. */
  ask(to: Key, message: unknown): Heard | undefined {
    const request = ++this.requests;
    this.turn({ to, message, request });
    return this.answers.get(request);
  }

  tell(to: Key, message: unknown): void {
    this.turn({ to, message });
  }

  commit(): void {
    this.seal(this.batch);
    this.undo = [];
    this.heardReplies = 0;
    this.batch = this.nextBatch();
  }

  /** Lets time pass, and fires the timers that are due. Nothing runs during a long time. */
  async elapse(ms: number): Promise<void> {
    this.atMs += ms;
    if (ms > 2 * hourMs) await this.restart(false);
    // A timer whose turn was dropped is not set again before its actor changes.
    this.stepsLeft = undefined;
    for (;;) {
      await this.pass();
      const due = this.rows.due.take(this.atMs);
      for (const actor of due) this.tell(actor, { kind: "due" });
      if (due.length === 0) break;
      this.atMs += granularityMs;
    }
    for (const sweep of this.sweeps)
      for (const { to, message } of sweep.take(this.atMs)) this.tell(to, message);
    for (const [key, head] of this.kept) {
      const dueMs = this.domain.actorByCode.get(getCode(key))?.dueAt(head);
      if (dueMs === undefined || getBucket(dueMs) >= getBucket(this.atMs)) continue;
      this.wrong.push(`a timer of table ${getCode(key)} was lost`);
    }
  }

  /** Takes the shard down and back up; a crash takes the open batch with it. */
  async restart(isCrash: boolean): Promise<void> {
    if (isCrash) for (const takeBack of this.undo.reverse()) takeBack();
    else this.commit();
    const recovered = await recover(place, this.journal, this.tables, this.domain, this.atMs);
    this.rows = recovered.rows;
    this.position = { ...recovered.position, epoch: recovered.position.epoch + 1 };
    const undelivered = recovered.prepare(this.atMs);
    this.seal(this.nextBatch());
    this.undo = [];
    this.heardReplies = 0;
    this.batch = this.nextBatch();
    this.sweeps = this.nextSweeps();
    this.compare(undelivered);
    // Timers that were due meanwhile fire in the first moment after the restart.
    this.atMs += granularityMs;
  }

  /** Returns the rows of a table, which is as old as the last pass. */
  store(code: number): readonly TableRow[] {
    const start = String.fromCharCode(partition, code);
    return this.tables.range({ start, end: String.fromCharCode(partition, code + 1) }, 10_000);
  }

  private turn(envelope: { to: Key; message: unknown; request?: number }): void {
    this.steps = [];
    try {
      this.batch.step(envelope, this.atMs);
    } catch (error) {
      this.steps = [];
      if (error !== dropped) this.wrong.push(`a turn was dropped: ${String(error)}`);
    }
    this.stepsLeft = undefined;
    for (const step of this.steps) this.keep(step);
    this.hear();
  }

  private keep(step: Step): void {
    const { self, before, turn } = step;
    if (turn.head !== before) this.set(this.kept, self, turn.head);
    for (const { key, value } of turn.rows)
      if (!this.rows.windows.has(key)) this.set(this.kept, key, this.decodeRow(key, value));
    this.listener(step);
  }

  private decodeRow(key: Key, value: unknown): unknown {
    return value instanceof EncodedRow ? decodeRow(this.domain.rowCodecs, key, value.json) : value;
  }

  private hear(): void {
    const { replies } = this.batch;
    for (; this.heardReplies < replies.length; this.heardReplies++) {
      const { to, reply } = replies[this.heardReplies] ?? { to: 0, reply: undefined };
      if (this.answers.has(to)) this.wrong.push("a request is answered once");
      this.set(this.answers, to, reply as Heard);
    }
  }

  private async pass(): Promise<void> {
    this.commit();
    this.rows.fresh.freeze();
    await flushRows(this.rows, this.rows.fresh.lastWrites(), this.position, this.domain);
    await this.journal.trim(this.position.seq);
    this.rows.fresh.thaw();
    this.passes++;
  }

  private seal(batch: Batch): void {
    batch.listWindowEntries(this.atMs);
    const { writes, values } = batch;
    const { epoch } = this.position;
    const seq = this.position.seq + 1;
    const { bytes, hash } = seal(
      { shard: place.shard, epoch, seq, atMs: this.atMs },
      writes,
      values.bytes,
      this.position.hash,
    );
    this.rows.add(bytes, writes);
    // An append in memory takes effect at once.
    void this.journal.append(seq, bytes);
    this.position = { seq, logSeq: 0, epoch, atMs: this.atMs, hash };
  }

  private nextBatch(): Batch {
    const owns = (key: Key) => getShard(key, place.shardCount) === place.shard;
    const order = { epoch: this.position.epoch, seq: this.position.seq + 1 };
    return new Batch(this.rows, this.domain, order, owns, new JsonBytes());
  }

  private nextSweeps(): readonly Sweep[] {
    return this.domain.sweeps.map((rule) => new Sweep(rule, this.tables, place));
  }

  /** Checks that a restart keeps all that was kept, and hands over all work once more. */
  private compare(undelivered: readonly Delivery[]): void {
    for (const [key, value] of this.kept) {
      const found = asJson(this.rows.row(key, this.atMs));
      const kept = asJson(value);
      if (!isDeepStrictEqual(found, kept))
        this.wrong.push(`a restart made ${JSON.stringify(found)} of ${JSON.stringify(kept)}`);
    }
    const resumed = new Set(undelivered.map(({ from }) => from));
    for (const [key, head] of this.kept) {
      const isAwaited = isWorkedOn(key, head);
      if (isAwaited !== undefined && isAwaited !== resumed.has(key))
        this.wrong.push(`after a restart ${JSON.stringify(head)} is worked on: ${!isAwaited}`);
    }
  }

  private watchDomain(product: Domain): Domain {
    const actors = [...product.actorByCode].map(
      ([code, actor]) => [code, this.watch(actor)] as const,
    );
    return { ...product, actorByCode: new Map(actors) };
  }

  private watch(actor: AnyActor): AnyActor {
    const decide = (before: unknown, message: unknown, view: Context) => {
      if (this.stepsLeft !== undefined && this.stepsLeft-- === 0) throw dropped;
      const turn = actor.decide(before, message, view);
      const { self, atMs } = view;
      this.steps.push({ self, message: message as Step["message"], before, turn, atMs });
      return turn;
    };
    return { ...actor, decide };
  }
}

function change<Name, Value>(facts: Map<Name, Value>, name: Name, value: Value | undefined): void {
  if (value === undefined) facts.delete(name);
  else facts.set(name, value);
}

function getBucket(ms: number): number {
  return Math.floor(ms / granularityMs);
}

const jobCode = getCode(jobKey("00000000-0000-7000-8000-000000000000"));

/** Whether a job has work outside the shard; undefined for what is no job. */
function isWorkedOn(key: Key, head: unknown): boolean | undefined {
  if (getCode(key) !== jobCode) return undefined;
  const job = head as { phase: string; waits?: true; settlement?: { kind: string } };
  if (job.phase === "queued") return job.waits !== true;
  return job.phase === "running" || job.settlement?.kind === "pending";
}

/** Drops members that are undefined. */
function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
