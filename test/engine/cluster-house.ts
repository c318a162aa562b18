/**
 * The nodes of a cluster with one shard, in one process: real lives over stores, a log and peers in
 * memory, in a time that the test moves. A node that is killed keeps its disk.
 */
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryLog } from "../../engine/adapters/memory/memory-log.ts";
import { MemoryPeers } from "../../engine/adapters/memory/memory-peers.ts";
import { MemorySnapshots } from "../../engine/adapters/memory/memory-snapshots.ts";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import type { Key } from "../../engine/key.ts";
import type { Log } from "../../engine/ports/log.ts";
import { ClusterShard } from "../../engine/shard/cluster-shard.ts";
import type { Position } from "../../engine/shard/flush.ts";
import { allRows, writeSnapshot } from "../../engine/shard/snapshot.ts";
import type { ShardWait } from "../../engine/shard/waiting.ts";
import type { ShardEvent } from "../../engine/wire.ts";
import { type CounterMessage, idle, toys } from "./toys.ts";

export class ClusterNode {
  isCutOff = false;
  /** The log delivers nothing to it, as from a replica that has lost its end. */
  isDeaf = false;
  /** Nodes that have the store's id from others begin no shard. */
  isFounder = true;
  isQuorum = false;
  /** Of one shard and the directory, which is 1. */
  shard = 0;
  isDraining = false;
  forgotten: string[] = [];
  acceptedLoss: { epoch: number; seq: number } | undefined;
  /** What ended its lives, in their order. */
  readonly ends: unknown[] = [];
  readonly events: ShardEvent["kind"][] = [];
  readonly faults: string[] = [];
  readonly held: object[] = [];
  /** What it waits for now. */
  wait: ShardWait | undefined;
  journal = memoryJournal();
  tables = memoryTables();
  private readonly name: string;
  private readonly house: ClusterHouse;
  private readonly waiting = new Map<number, (reply: unknown) => void>();
  private life: ClusterShard | undefined;
  private requests = 0;
  private snapshots = 0;
  private lives = 0;

  constructor(name: string, house: ClusterHouse) {
    this.name = name;
    this.house = house;
  }

  /** Begins a life. */
  start(): void {
    const { clock, log, peers, snapshots, objects } = this.house;
    const number = ++this.lives;
    const isDead = () => this.isCutOff || number !== this.lives;
    const life = new ClusterShard({
      place: { shard: this.shard, shardCount: 1 },
      domain: toys,
      stores: { clock, journal: this.journal, tables: this.tables, startMs: clock.nowMs() },
      outlets: {
        event: (event) => {
          if (number === this.lives) this.hear(event);
        },
        deliver: () => {},
        brokenStep: () => {},
        report: () => {},
        flushes: () => {},
      },
      log: this.openLog(log.open(isDead)),
      peers: peers.open(isDead),
      node: this.name,
      isFounder: this.isFounder,
      isQuorum: this.isQuorum,
      isDraining: this.isDraining,
      forgotten: this.forgotten,
      acceptedLoss: this.acceptedLoss,
      nonce: `${this.name} ${number}`,
      store: "store",
      snapshots: snapshots.open(isDead),
      makeSnapshot: async () => {
        const view = memoryTables();
        const rows = this.tables.range(allRows, Number.POSITIVE_INFINITY);
        await view.write(rows.map(({ key, text }) => [key, text]));
        const nonce = String(++this.snapshots);
        return writeSnapshot(view, objects, { store: "store", shard: 0, nonce });
      },
      openObjects: async () => objects,
      onFault: (_, error) => this.faults.push((error as Error).message),
    });
    this.life = life;
    const onEnd = (end: string) => {
      this.ends.push(end);
      if (this.life === life) this.life = undefined;
    };
    life.run().then(
      () => onEnd("stopped"),
      (error: unknown) => onEnd((error as Error).name),
    );
  }

  private openLog(log: Log): Log {
    const follow: Log["follow"] = (logSeq, onEntry) =>
      log.follow(logSeq, (entry) => {
        if (!this.isDeaf) onEntry(entry);
      });
    return { ...log, follow };
  }

  /** Its disk stays; nothing more is heard of this life, not even by the log. */
  kill(): void {
    this.lives++;
    this.life = undefined;
  }

  /** After `kill`. */
  loseDisk(): void {
    this.journal = memoryJournal();
    this.tables = memoryTables();
  }

  /** In this life and those to come. */
  drain(): void {
    this.isDraining = true;
    this.life?.drain();
  }

  /** Has the records up to this one in the tables; see `held`. */
  reach(number: number, seq: number): void {
    this.life?.reach(number, seq);
  }

  stop(): void {
    this.life?.stop();
    this.life?.shard?.stop();
  }

  /** While it owns the shard. */
  get reached(): Position | undefined {
    return this.life?.shard?.reached;
  }

  get owns(): boolean {
    return this.life?.shard !== undefined;
  }

  /** Resolves to nothing while nothing is answered. */
  async ask(to: Key, message: CounterMessage): Promise<unknown> {
    const request = ++this.requests;
    let reply: unknown;
    this.waiting.set(request, (it) => {
      reply = it;
    });
    this.life?.shard?.receive({ to, message, request }, "work");
    for (let turn = 0; turn < 10; turn++) await idle();
    return reply;
  }

  private hear(event: ShardEvent): void {
    if (event.kind === "held") this.held.push(event);
    if (event.kind === "waiting") this.wait = event.wait;
    if (this.events.at(-1) !== event.kind) this.events.push(event.kind);
    if (event.kind !== "release") return;
    for (const { to, reply } of event.replies) this.waiting.get(to)?.(reply);
  }
}

export class ClusterHouse {
  readonly clock = new ManualClock(1_000_000);
  readonly log = new MemoryLog();
  readonly peers = new MemoryPeers();
  readonly snapshots = new MemorySnapshots();
  readonly objects = memoryObjects();
  readonly nodes: readonly ClusterNode[];

  constructor(names: readonly string[]) {
    this.nodes = names.map((name) => new ClusterNode(name, this));
  }

  /** Time passes in steps that every node can follow. */
  async pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= 50) {
      this.clock.advance(Math.min(50, leftMs));
      for (let turn = 0; turn < 8; turn++) await idle();
    }
  }

  get owners(): readonly number[] {
    return this.nodes.flatMap((node, index) => (node.owns ? [index] : []));
  }
}
