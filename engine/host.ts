/**
 * The engine's life in one process: starts the effects thread and the shard threads, ties them
 * together and to the gateway, and starts again whatever dies. A shard that dies loses nothing that
 * was acknowledged; its callers learn `lost`.
 *
 * 1. A shard is connected to the effects thread when it has opened and that thread lives; whichever
 *    comes later connects them. What it has to deliver waits in its own thread until then.
 * 2. A life of the effects thread that ends ends the threads of all shards that were connected to
 *    it: each starts again and hands over its undelivered effects once more. A thread has ended
 *    only when all of its shards have, so those that open meanwhile are stopped too.
 * 3. Nothing is started once the host stops.
 * 4. Damage is reported when no thread is about to start any more: Node aborts a process that ends
 *    while a thread of it loads its modules, and so does LMDB while one opens its tables.
 */
import { limits } from "../config/limits.ts";
import type { Gateway } from "./gateway.ts";
import { Link } from "./link.ts";
import type { Clock } from "./ports/clock.ts";
import type { TableReader } from "./ports/tables.ts";
import { channel, type ThreadPool } from "./threads.ts";
import type {
  EffectsControl,
  EffectsTask,
  FromEffectsThread,
  FromShardThread,
  ShardTask,
  ToShardThread,
} from "./wire.ts";

export interface HostOptions {
  readonly shardCount: number;
  readonly shardThreads: number;
  readonly entries: { readonly shards: URL; readonly effects: URL };
  /** `count` threads that run the entry's module. */
  readonly openThreads: (entry: URL, count: number) => ThreadPool;
  readonly shardTask: Omit<ShardTask, "shards" | "startMs">;
  readonly effectsTask: Omit<EffectsTask, "control">;
  readonly openReader: (shard: number) => TableReader;
  /** The time of the process. */
  readonly clock: Clock;
  /** What the effects thread says to the service, and when a life of it began or ended. */
  readonly effects: {
    onMessage(message: unknown): void;
    onReady(): void;
    onGone(): void;
  };
  /** A thread, or a shard within one, began or ended as it should. */
  readonly onLife: (what: string, event: "started" | "opened" | "ended") => void;
  readonly onDeath: (thread: string, error: unknown) => void;
  /** A shard's store is damaged: it stays closed, and the sentence is for the operator. */
  readonly onDamage: (sentence: string) => void;
}

/** The shards of one thread. */
type Group = readonly number[];

/** From the start of a thread of shards to its end. */
interface GroupLife {
  readonly name: string;
  readonly shards: readonly ShardLife[];
  /** Its shards are stopped; one that has not opened yet is stopped as soon as it has. */
  isEnding: boolean;
}

interface ShardLife {
  readonly shard: number;
  readonly link: Link<ToShardThread, FromShardThread>;
  state: "closed" | "readable" | "open";
  isConnected: boolean;
}

type EffectsLink = Link<EffectsControl, FromEffectsThread>;

const effectsName = "effects";

export class Host {
  private readonly options: HostOptions;
  private readonly gateway: Gateway;
  private readonly shardPool: ThreadPool;
  private readonly effectsPool: ThreadPool;
  private readonly readers = new Map<number, TableReader>();
  private readonly lives = new Set<GroupLife>();
  /** Undefined while there is no effects thread. */
  private effects: EffectsLink | undefined;
  private readonly living = new Set<Promise<void>>();
  /** What was started and has not said yet that it can be read, or why it never will be. */
  private readonly starting = new Set<string>();
  private hasStarted: () => void = () => {};
  private damage: string | undefined;
  /** Deaths of a thread since it last opened: one that cannot open is tried less and less often. */
  private readonly deaths = new Map<string, number>();
  private stopping = false;
  private readable: () => void = () => {};

  constructor(options: HostOptions, gateway: Gateway) {
    const { entries, openThreads } = options;
    this.options = options;
    this.gateway = gateway;
    this.shardPool = openThreads(entries.shards, this.groups().length);
    this.effectsPool = openThreads(entries.effects, 1);
  }

  /** Resolves when every shard can be read, if not written as well. */
  start(): Promise<void> {
    const isReadable = new Promise<void>((resolve) => {
      this.readable = resolve;
    });
    this.startEffects();
    for (const group of this.groups()) this.startGroup(group);
    return isReadable;
  }

  /** Resolves when no thread is about to start. */
  async settled(): Promise<void> {
    while (this.starting.size > 0)
      await new Promise<void>((resolve) => {
        this.hasStarted = resolve;
      });
  }

  /** Shards decide what waits, flush and close; then the effects thread ends. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const life of this.lives) this.end(life);
    this.effects?.send({ kind: "stop" });
    await Promise.allSettled(this.living);
    await Promise.all([this.shardPool.close(), this.effectsPool.close()]);
  }

  /** Lost while there is no effects thread. */
  tellEffects(message: unknown): void {
    this.effects?.send({ kind: "message", message });
  }

  /** The directory has a thread of its own, the others share theirs evenly. */
  private groups(): Group[] {
    const { shardCount, shardThreads } = this.options;
    const threads = Math.min(shardThreads, shardCount);
    const groups: number[][] = Array.from({ length: threads }, () => []);
    for (let shard = 0; shard < shardCount; shard++) groups[shard % threads]?.push(shard);
    return [...groups, [shardCount]];
  }

  private startEffects(): void {
    const { near, far } = channel();
    this.options.onLife(effectsName, "started");
    this.starting.add(effectsName);
    const link: EffectsLink = new Link(near, (message) => {
      if (message.kind === "message") return this.options.effects.onMessage(message.message);
      this.options.effects.onReady();
      this.started(effectsName);
      this.deaths.delete(effectsName);
      this.options.onLife(effectsName, "opened");
    });
    this.effects = link;
    for (const life of this.lives) for (const shard of life.shards) this.connect(life, shard);
    const task: EffectsTask = { ...this.options.effectsTask, control: far };
    const gone = () => {
      link.close();
      this.started(effectsName);
      this.effects = undefined;
      this.options.effects.onGone();
      for (const life of this.lives)
        if (life.shards.some(({ isConnected }) => isConnected)) this.end(life);
    };
    const { ended } = this.effectsPool.start(task, [far]);
    this.live(effectsName, ended, gone, () => this.startEffects());
  }

  private startGroup(group: Group): void {
    const far: ShardTask["shards"][number][] = [];
    const shards = group.map((shard) => {
      const gateway = channel();
      far.push({ shard, gateway: gateway.far });
      const link = new Link<ToShardThread, FromShardThread>(gateway.near, (event) => {
        if (event.kind === "damaged") {
          this.damage ??= event.sentence;
          return this.started(nameOf(shard));
        }
        const before = one.state;
        if (event.kind === "readable") this.letRead(life, one);
        if (event.kind === "opened") this.open(life, one);
        this.gateway.event(shard, event);
        if (one.state !== before && this.gateway.isReadable) this.readable();
      });
      this.starting.add(nameOf(shard));
      const one: ShardLife = { shard, link, state: "closed", isConnected: false };
      return one;
    });
    const life: GroupLife = { name: `shards ${group.join(", ")}`, shards, isEnding: false };
    this.lives.add(life);
    this.options.onLife(life.name, "started");
    const { shardTask, clock } = this.options;
    const task: ShardTask = { ...shardTask, startMs: clock.nowMs(), shards: far };
    const { ended } = this.shardPool.start(
      task,
      far.map(({ gateway }) => gateway),
    );
    const gone = () => {
      this.lives.delete(life);
      for (const { shard, link } of shards) {
        link.close();
        this.started(nameOf(shard));
        this.effects?.send({ kind: "detach", shard });
        this.gateway.detach(shard);
      }
    };
    this.live(life.name, ended, gone, () => this.startGroup(group));
  }

  /** Watches one life of a thread: `gone` at its end, `again` unless the service is stopping. */
  private live(name: string, ended: Promise<void>, gone: () => void, again: () => void): void {
    const { onLife, onDeath } = this.options;
    const life = ended
      .then(
        () => onLife(name, "ended"),
        (error: unknown) => onDeath(name, error),
      )
      .then(() => {
        this.living.delete(life);
        gone();
        this.options.clock.after(this.restartDelayMs(name), () => {
          if (!this.stopping) again();
        });
      });
    this.living.add(life);
  }

  private restartDelayMs(name: string): number {
    const deaths = this.deaths.get(name) ?? 0;
    this.deaths.set(name, deaths + 1);
    return Math.min(limits.engine.restartDelayMs * 2 ** deaths, limits.engine.restartDelayMaxMs);
  }

  private letRead(life: GroupLife, shard: ShardLife): void {
    shard.state = "readable";
    this.started(nameOf(shard.shard));
    this.gateway.attach(shard.shard, undefined, this.readerOf(shard.shard));
    this.stopIfEnding(life, shard);
  }

  private started(what: string): void {
    this.starting.delete(what);
    if (this.starting.size > 0) return;
    this.hasStarted();
    const { damage } = this;
    this.damage = undefined;
    if (damage !== undefined) this.options.onDamage(damage);
  }

  private open(life: GroupLife, shard: ShardLife): void {
    const { shard: number, link } = shard;
    this.deaths.delete(life.name);
    shard.state = "open";
    this.options.onLife(nameOf(number), "opened");
    this.started(nameOf(number));
    this.gateway.attach(number, (message) => link.send(message), this.readerOf(number));
    if (!this.stopIfEnding(life, shard)) this.connect(life, shard);
  }

  private readerOf(shard: number): TableReader {
    const reader = this.readers.get(shard) ?? this.options.openReader(shard);
    this.readers.set(shard, reader);
    return reader;
  }

  private stopIfEnding(life: GroupLife, { link }: ShardLife): boolean {
    const isEnding = life.isEnding || this.stopping;
    if (isEnding) link.send({ kind: "stop" });
    return isEnding;
  }

  private connect(life: GroupLife, shard: ShardLife): void {
    if (this.effects === undefined || shard.state !== "open" || life.isEnding) return;
    const { near, far } = channel();
    shard.isConnected = true;
    this.effects.send({ kind: "attach", shard: shard.shard, port: near }, near);
    shard.link.send({ kind: "effects", port: far }, far);
  }

  private end(life: GroupLife): void {
    if (life.isEnding) return;
    life.isEnding = true;
    for (const { state, link } of life.shards) if (state !== "closed") link.send({ kind: "stop" });
  }
}

function nameOf(shard: number): string {
  return `shard ${shard}`;
}
