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

import { limits } from "../config/limits.ts";
import type { Address, ReplyTo, RequestId } from "./address.ts";
import type { Elsewhere, ShardQuestion } from "./cluster/elsewhere.ts";
import { ShardAnswers } from "./cluster/shard-answers.ts";
import type { RowRules } from "./domain.ts";
import { getShard, type Key, type KeyRange } from "./key.ts";
import { OpenRequests } from "./open-requests.ts";
import type { TableReader, TableRow } from "./ports/tables.ts";
import type { ProcessClock } from "./process-clock.ts";
import type { RowListener } from "./reading/row-listener.ts";
import { type Look, RowWatchers } from "./reading/row-watchers.ts";
import { type Send, ShardDown, ShardEnd } from "./reading/shard-end.ts";
import { countWrites, eachWrite, readHead } from "./record.ts";
import { decodeRow } from "./row-codec.ts";
import type { broken } from "./shard/batch.ts";
import { busy, type Lane } from "./shard/inbox.ts";
import type { ShardEvent } from "./wire.ts";

/** The answer when a shard went away with the question: the outcome is unknown. */
export const lost = { kind: "lost" } as const;

/** The engine's replies when no actor has replied. */
export type Unanswered = typeof lost | typeof busy | typeof broken;

/** Those of an actor's messages that have the given kind. */
type OfKind<Message, Kind> = Extract<Message, { readonly kind: Kind }>;

interface Waiting {
  readonly shard: number;
  readonly resolve: (reply: unknown) => void;
}

export class Gateway {
  /** Number of the first request of this process. */
  readonly firstRequest: number;
  private readonly shards: (ShardEnd | undefined)[];
  /** Shards of other nodes, which are neither read nor asked directly here. */
  private readonly elsewhere = new Set<number>();
  /** Shards that this node can take over when their owner is gone. */
  private readonly standbys = new Set<number>();
  private readonly requests: OpenRequests<Waiting>;
  private readonly watchers: RowWatchers;
  private readonly clock: ProcessClock;
  private readonly listener: RowListener;
  private readonly domain: RowRules;
  /** The other nodes; undefined for a machine that is alone. */
  private cluster: Elsewhere | undefined;
  private readonly answers: ShardAnswers;

  /**
   * `firstRequest` is drawn at random at each start of the process: heads may name requests of
   * earlier processes and of other nodes, and none of ours may be taken for one of those.
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
    this.watchers = new RowWatchers((error) => listener.onFailure(error));
    this.domain = domain;
    this.firstRequest = firstRequest;
    this.requests = new OpenRequests(firstRequest);
    this.answers = new ShardAnswers({
      clock,
      owns: (shard) => this.owns(shard),
      getShard: (key) => this.getShardOfKey(key),
      reads: (shard) => this.reads(shard),
      readText: (key) => this.end(key).text(key),
      ask: async (shard, { to, message, lane }) => {
        const reply = await this.askHere(shard, to, message, lane);
        if (reply === lost) return lost;
        if (shard !== this.shardCount) return { kind: "reply", reply };
        return { kind: "reply", reply, seq: this.getSeq(shard) };
      },
    });
  }

  /** Sends questions to other nodes, and answers theirs, from now on. */
  connect(cluster: Elsewhere): void {
    this.cluster = cluster;
    for (const [shard, end] of this.shards.entries())
      if (end?.send !== undefined) this.answers.offer(shard, cluster);
  }

  /** Whether every shard takes questions here. */
  get isOpen(): boolean {
    return this.shards.every((shard) => shard?.send !== undefined);
  }

  get isReadable(): boolean {
    return this.shards.every((shard) => shard !== undefined);
  }

  /** Whether every shard can be read here or is followed for another node. */
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

  /** Whether this node can take the shard over when its owner is gone. */
  isStandby(shard: number): boolean {
    return this.standbys.has(shard) && !this.owns(shard);
  }

  /** Whether a directory row that is missing here is missing everywhere. */
  get isDirectoryWhole(): boolean {
    const directory = this.shardCount;
    return this.cluster === undefined || this.owns(directory) || this.isStandby(directory);
  }

  /** Number of the domain's shards; the directory is one more. */
  get shardCount(): number {
    return this.shards.length - 1;
  }

  /** Sequence number of the shard's last record that can be read here; 0 before the first. */
  getSeq(shard: number): number {
    return this.shards[shard]?.seq ?? 0;
  }

  /** Returns the shard of a partition of the domain. */
  shardOfPartition(partition: number): number {
    return (partition * this.shardCount) >> 8;
  }

  /** `reader` reads the shard's tables, `send` reaches it; `send` is undefined for reads alone. */
  attach(shard: number, send: Send | undefined, reader: TableReader): void {
    this.elsewhere.delete(shard);
    this.answers.withdraw(shard);
    this.shards[shard] = new ShardEnd(send, reader);
    const { cluster } = this;
    if (send !== undefined && cluster !== undefined) this.answers.offer(shard, cluster);
    cluster?.onChange();
  }

  /** Marks a shard that another node or none owns: it is neither read nor asked here. */
  leaveElsewhere(shard: number): void {
    const isNews = !this.elsewhere.has(shard);
    this.detach(shard);
    this.elsewhere.add(shard);
    if (isNews) this.listener.onLeave(shard);
  }

  /** Detaches a shard whose thread is gone: requests get `lost`; flushed tables stay readable. */
  detach(shard: number, isReadOn = false): void {
    this.elsewhere.delete(shard);
    this.standbys.delete(shard);
    this.answers.withdraw(shard);
    this.shards[shard]?.abandon();
    if (!isReadOn) this.shards[shard] = undefined;
    this.loseRequests(shard);
  }

  private loseRequests(shard: number): void {
    for (const { resolve } of this.requests.takeWhere((waiting) => waiting.shard === shard))
      resolve(lost);
    this.cluster?.onChange();
  }

  /** Answers all waiting requests with `lost`; nothing reaches a shard any more. */
  close(): void {
    for (const shard of this.shards.keys()) this.detach(shard);
  }

  /**
   * Resolves to the actor's reply, or to the reason why there is none. Rows are readable by then:
   * those of a scope on the node that owns it, those of the directory on every node.
   */
  ask<Message extends { readonly kind: string }, Kind extends Message["kind"]>(
    to: Address<Message>,
    message: Message & { readonly kind: Kind },
    lane: Lane,
  ): Promise<ReplyTo<OfKind<Message, Kind>> | Unanswered> {
    const shard = this.getShardOfKey(to);
    const { cluster } = this;
    const reply =
      cluster === undefined || this.owns(shard)
        ? this.askHere(shard, to, message, lane)
        : this.askElsewhere(cluster, shard, { kind: "ask", to, message, lane });
    // Safe, because the actor that handles the message replies with this type.
    return reply as Promise<ReplyTo<OfKind<Message, Kind>> | Unanswered>;
  }

  private askHere(shard: number, to: Key, message: object, lane: Lane): Promise<unknown> {
    const end = this.shards[shard];
    if (end === undefined) return Promise.resolve(lost);
    const { send } = end;
    if (send === undefined) return Promise.resolve(busy);
    const isOfDirectory = shard === this.shardCount;
    if (this.cluster !== undefined && isOfDirectory)
      return this.askDirectory(this.cluster, send, to, message, lane);
    return new Promise((resolve) => {
      const request = this.requests.add({ shard, resolve });
      send([to, message, request, lane, this.clock.nowMs()]);
    });
  }

  /** An actor of another node may be the one that replies, and its reply may get lost. */
  private async askDirectory(
    cluster: Elsewhere,
    send: Send,
    to: Key,
    message: object,
    lane: Lane,
  ): Promise<unknown> {
    const shard = this.shardCount;
    const reply = await new Promise((resolve) => {
      const request = this.requests.add({ shard, resolve: (answer) => settle(answer) });
      const cancel = this.clock.after(limits.cluster.answerMs, () =>
        this.requests.take(request)?.resolve(lost),
      );
      const settle = (answer: unknown) => {
        cancel();
        resolve(answer);
      };
      send([to, message, request, lane, this.clock.nowMs()]);
    });
    await cluster.whenApplied(this.getSeq(shard));
    return reply;
  }

  private async askElsewhere(
    cluster: Elsewhere,
    shard: number,
    question: ShardQuestion,
  ): Promise<unknown> {
    const answer = await cluster.ask(shard, question);
    if (answer?.kind !== "reply") return lost;
    await this.awaitApplied(shard, answer.seq ?? 0);
    return answer.reply;
  }

  /** Resolves when the record can be read here, or none of the shard's can. */
  private async awaitApplied(shard: number, seq: number): Promise<void> {
    while (this.reads(shard) && this.getSeq(shard) < seq)
      await new Promise<void>((resolve) => this.clock.after(limits.cluster.movedAgainMs, resolve));
  }

  /** Reads a row at the node that owns it. Throws `ShardDown`. */
  async find<Row>(key: Key<Row>): Promise<Row | undefined> {
    const [row] = await this.findAll([key]);
    return row;
  }

  /** Reads rows, each at the node that owns it, in the order of `keys`. Throws `ShardDown`. */
  async findAll<Row>(keys: readonly Key<Row>[]): Promise<readonly (Row | undefined)[]> {
    const rows = new Map<Key, Row | undefined>();
    const elsewhere = new Map<number, Key<Row>[]>();
    for (const key of keys) {
      const shard = this.getShardOfKey(key);
      if (this.cluster === undefined || this.reads(shard)) rows.set(key, this.read(key));
      else elsewhere.set(shard, [...(elsewhere.get(shard) ?? []), key]);
    }
    const searches = [...elsewhere].map(async ([shard, wanted]) => {
      const answer = await this.cluster?.ask(shard, { kind: "rows", keys: wanted });
      if (answer?.kind !== "rows") throw new ShardDown();
      for (const [place, key] of wanted.entries()) {
        const text = answer.rows[place];
        rows.set(key, text === undefined ? undefined : this.row<Row>({ key, text }));
      }
    });
    await Promise.all(searches);
    return keys.map((key) => rows.get(key));
  }

  /** Reads a row; undefined when there is none. Throws when the shard is down. */
  read<Row>(key: Key<Row>): Row | undefined {
    const text = this.end(key).text(key);
    return text === undefined ? undefined : this.row({ key, text });
  }

  /** Decodes a row of a range. */
  row<Row>({ key, text }: TableRow): Row {
    return decodeRow(this.domain.rowCodecs, key, text) as Row;
  }

  /** Reads up to `limit` rows of a partition's range; waits for a flush when rows are fresh. */
  async range(range: KeyRange, limit: number, reverse: boolean): Promise<readonly TableRow[]> {
    const ranges = await this.ranges(range.start);
    return ranges(range, limit, reverse);
  }

  /**
   * Waits as `range` does, once for several ranges of the shard that owns `key`: if all are read
   * before anything else is awaited, they show the same moment.
   */
  async ranges(key: Key): Promise<TableReader["range"]> {
    const end = this.end(key);
    await end.awaitSettled();
    return end.ranges(this.domain);
  }

  /** Runs `look` now; if it met a shard that is down, once more after a shard has opened. */
  look(look: Look): void {
    this.watchers.look(look);
  }

  /** Calls `watcher` after each change of the row until the returned function is called. */
  watch(key: Key, watcher: Look): () => void {
    return this.watchers.watch(key, watcher);
  }

  event(shard: number, event: Exclude<ShardEvent, { kind: "held" | "waiting" | "left" }>): void {
    if (event.kind === "standby") {
      this.standbys.add(shard);
      this.cluster?.onChange();
      return;
    }
    const end = this.shards[shard];
    if (end === undefined) return;
    const isOwn = event.kind === "release";
    if (isOwn || event.kind === "applied") {
      const { record } = event;
      if (isOwn && record.length > 0) this.clock.observe(readHead(record).atMs);
      end.release(record);
      this.tellListener(shard, record);
      if (isOwn) for (const { to, reply } of event.replies) this.resolve(to, reply);
      this.watchers.notify(record);
      // Of other nodes' shards only the directory's records are applied here.
      if (!isOwn && countWrites(record) > 0) this.cluster?.onChange();
    } else if (event.kind === "unconfirmed") this.loseRequests(shard);
    else {
      if (event.kind === "opened") this.clock.observe(event.atMs);
      const isReadAgain = event.kind === "lease" && !this.reads(shard);
      end.event(event);
      if (event.kind === "leaving") this.answers.withdraw(shard);
      const isBack = ["opened", "readable", "following"].includes(event.kind);
      if (isReadAgain || (isBack && this.reads(shard))) this.lookAgain(shard);
    }
  }

  /** Resolves the request that waits here, if any, with the reply of another node's actor. */
  onReply(request: RequestId, reply: unknown): void {
    this.requests.take(request)?.resolve(reply);
  }

  private resolve(request: RequestId, reply: unknown): void {
    const waiting = this.requests.take(request);
    if (waiting === undefined) this.cluster?.reply(request, reply);
    else waiting.resolve(reply);
  }

  private tellListener(shard: number, record: Uint8Array): void {
    if (this.listener.listens(shard)) eachWrite(record, (key) => this.listener.onChange(key));
  }

  private lookAgain(shard: number): void {
    this.listener.onMiss(shard);
    this.cluster?.onChange();
    this.watchers.lookAgain((key) => this.getShardOfKey(key) === shard);
  }

  private end(key: Key): ShardEnd {
    const end = this.shards[this.getShardOfKey(key)];
    if (end === undefined || end.leaseEndsMs < this.clock.monotonicMs()) throw new ShardDown();
    return end;
  }

  /** Returns the shard of a key; the directory comes after the last shard. */
  private getShardOfKey(key: Key): number {
    return getShard(key, this.shardCount);
  }
}
