/**
 * Runs the nodes of a cluster with one shard in one process: the real shard code over stores, a log
 * and peers in memory, with a clock that the test moves. A node that is killed keeps its disk.
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
  /** Whether the log sends nothing to the node, like a log replica that lost its last entries. */
  isDeaf = false;
  /** Whether the node may found a shard; nodes that got the store's id from others may not. */
  isFounder = true;
  isQuorum = false;
  /** Index of the node's shard: 0, or 1 for the directory. */
  shard = 0;
  isDraining = false;
  forgotten: string[] = [];
  acceptedLoss: { epoch: number; seq: number } | undefined;
  /** How each run of the node ended, in order. */
  readonly ends: unknown[] = [];
  readonly events: ShardEvent["kind"][] = [];
  readonly faults: string[] = [];
  readonly held: object[] = [];
  /** What the node is waiting for at present. */
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
  private leaseEndsMs = Number.NEGATIVE_INFINITY;

  constructor(name: string, house: ClusterHouse) {
    this.name = name;
    this.house = house;
  }

  /** Starts a run of the node. */
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

  /** Kills the node: its disk stays, but this run sends nothing any more, not even to the log. */
  kill(): void {
    this.lives++;
    this.life = undefined;
  }

  /** Removes the disk of a node after `kill`. */
  loseDisk(): void {
    this.journal = memoryJournal();
    this.tables = memoryTables();
  }

  /** Drains the node, in this run and in later ones. */
  drain(): void {
    this.isDraining = true;
    this.life?.drain();
  }

  /** Reports that the tables have the records up to `seq`; `number` is that of a `held` event. */
  reach(number: number, seq: number): void {
    this.life?.reach(number, seq);
  }

  stop(): void {
    this.life?.stop();
    this.life?.shard?.stop();
  }

  /** Position that the shard has reached; undefined unless the node owns it. */
  get reached(): Position | undefined {
    return this.life?.shard?.reached;
  }

  get owns(): boolean {
    return this.life?.shard !== undefined;
  }

  /** Whether rows of the shard can be read from this node. */
  get isRead(): boolean {
    return this.leaseEndsMs >= this.house.clock.monotonicMs();
  }

  /** Resolves to undefined when there is no answer yet. */
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
    if (event.kind === "lease") this.leaseEndsMs = event.endsMs;
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

  /** Moves the clock in steps small enough for every node to react. */
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
