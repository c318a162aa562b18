/**
 * The engine's life in one process: starts the effects thread and the shard threads, ties them
 * together and to the gateway, and starts again whatever dies. A shard that dies loses nothing that
 * was acknowledged; its callers learn `lost`.
 *
 * 1. A shard is connected to the effects thread when it has opened and that thread lives; whichever
 *    comes later connects them. What it has to deliver waits in its own thread until then.
 * 2. A life of the effects thread that ends ends the threads of all shards that were connected to
 *    it: each starts again and hands over its undelivered effects once more.
 * 3. Nothing is started once the host stops.
 * 4. Damage is reported when no thread is about to start any more: Node aborts a process that ends
 *    while a thread of it loads its modules, and so does LMDB while one opens its tables.
 */
import { limits } from "../config/limits.ts";
import type { Gateway } from "./gateway.ts";
import { Link } from "./link.ts";
import type { Sample } from "./metrics/tally.ts";
import type { Clock } from "./ports/clock.ts";
import type { TableReader } from "./ports/tables.ts";
import { Questions } from "./questions.ts";
import type { ShardWait } from "./shard/waiting.ts";
import { type HeldShard, ShardHolds } from "./shard-holds.ts";
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
  readonly entries: { readonly shards: URL; readonly effects: URL };
  /** Opens `count` threads that run the entry's module. */
  readonly openThreads: (entry: URL, count: number) => ThreadPool;
  readonly shardTask: Omit<ShardTask, "shard" | "gateway" | "startMs" | "isDraining">;
  readonly effectsTask: Omit<EffectsTask, "control">;
  readonly openReader: (shard: number) => TableReader;
  /** The clock of the process. */
  readonly clock: Clock;
  /** Callbacks for messages of the effects thread to the service, and for its start and end. */
  readonly effects: {
    onMessage(message: unknown): void;
    onReady(): void;
    onGone(): void;
  };
  /** Called when a shard's or the effects thread has started, opened, or ended normally. */
  readonly onLife: (what: string, event: "started" | "opened" | "ended") => void;
  readonly onDeath: (thread: string, error: unknown) => void;
  /**
   * Called with what a shard waits for that is not owned here and whose owner is silent; undefined
   * when the wait is over. `shard` is a number or `directory`.
   */
  readonly onWait: (shard: string, wait: ShardWait | undefined) => void;
  /** Called when a shard's store is damaged; it stays closed. The sentence is for the operator. */
  readonly onDamage: (sentence: string) => void;
}

/** One run of a shard's thread, from its start to its end. */
interface ShardLife {
  readonly shard: number;
  readonly name: string;
  readonly link: Link<ToShardThread, FromShardThread>;
  readonly questions: Questions<"samples">;
  /**
   * `idle`: the shard is not open, and cannot be read here. `following`: it can at most be read.
   * `owning`: it decides. `leaving`: it was stopped, or will be as soon as it has opened.
   */
  state: "idle" | "following" | "owning" | "leaving";
  isConnected: boolean;
  isWaiting: boolean;
}

type EffectsLink = Link<EffectsControl, FromEffectsThread>;

const effectsName = "effects";

export class Host {
  private readonly options: HostOptions;
  private readonly gateway: Gateway;
  private readonly shardPool: ThreadPool;
  private readonly effectsPool: ThreadPool;
  private readonly readers = new Map<number, TableReader>();
  private readonly lives = new Set<ShardLife>();
  /** Link to the effects thread; undefined while there is none. */
  private effects: EffectsLink | undefined;
  private readonly living = new Set<Promise<void>>();
  /** Started threads that have reported neither that they can be read nor why they never will. */
  private readonly starting = new Set<string>();
  private hasStarted: () => void = () => {};
  private damage: string | undefined;
  /** Crashes of each thread since it last opened; the more there are, the later it is restarted. */
  private readonly deaths = new Map<string, number>();
  private stopping = false;
  private isDraining = false;
  private readonly holds: ShardHolds;
  private readable: () => void = () => {};

  constructor(options: HostOptions, gateway: Gateway) {
    const { entries, openThreads } = options;
    this.options = options;
    this.gateway = gateway;
    this.holds = new ShardHolds(options.clock);
    this.shardPool = openThreads(entries.shards, options.shardCount + 1);
    this.effectsPool = openThreads(entries.effects, 1);
  }

  /** Resolves when every shard can be read here, even if not written, or is followed. */
  start(): Promise<void> {
    const isReadable = new Promise<void>((resolve) => {
      this.readable = resolve;
    });
    this.startEffects();
    for (let shard = 0; shard <= this.options.shardCount; shard++) this.startShard(shard);
    return isReadable;
  }

  /** Whether no thread is about to start. */
  get isSettled(): boolean {
    return this.starting.size === 0;
  }

  /** Resolves when no thread is about to start. */
  async awaitSettled(): Promise<void> {
    while (this.starting.size > 0)
      await new Promise<void>((resolve) => {
        this.hasStarted = resolve;
      });
  }

  /** In a cluster, hands shards over to other nodes once these can take them; none comes back. */
  drain(): void {
    this.isDraining = true;
    for (const { state, link } of this.lives)
      if (state === "following" || state === "owning") link.send({ kind: "drain" });
  }

  /** Lets the shards decide what waits, flush and close; then ends the effects thread. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const life of this.lives) this.end(life);
    this.effects?.send({ kind: "stop" });
    await Promise.allSettled(this.living);
    await Promise.all([this.shardPool.close(), this.effectsPool.close()]);
  }

  /** Sends a message to the effects thread; it is lost while there is none. */
  tellEffects(message: unknown): void {
    this.effects?.send({ kind: "message", message });
  }

  /** Pauses the shards that are owned here; see `ShardHolds`. Rejects with a `PortError`. */
  hold(name: string): Promise<readonly HeldShard[]> {
    const owned = [...this.lives].filter(({ state }) => state === "owning");
    return this.holds.begin(name, owned);
  }

  /** Ends the hold; returns whether all shards have been paused until now. */
  resume(name: string): boolean {
    return this.holds.end(name);
  }

  /** Resolves when the shards followed here have caught up with their paused owners. */
  reach(owners: readonly HeldShard[]): Promise<void> {
    const shards = new Set(owners.map(({ shard }) => shard));
    const standbys = [...this.lives].filter(({ shard }) => shards.has(shard));
    return this.holds.reach(standbys, owners);
  }

  /** Metrics of each shard's thread since the last call; rejects for a thread that ends. */
  askSamples(): readonly Promise<readonly Sample[]>[] {
    return [...this.lives].map(({ questions }) => questions.ask("samples"));
  }

  private startEffects(): void {
    const { near, far } = channel();
    this.options.onLife(effectsName, "started");
    this.starting.add(effectsName);
    const link: EffectsLink = new Link(near, (message) => {
      if (message.kind === "message") return this.options.effects.onMessage(message.message);
      this.options.effects.onReady();
      this.onStart(effectsName);
      this.deaths.delete(effectsName);
      this.options.onLife(effectsName, "opened");
    });
    this.effects = link;
    for (const life of this.lives) this.connect(life);
    const task: EffectsTask = { ...this.options.effectsTask, control: far };
    const onThreadEnd = () => {
      link.close();
      this.onStart(effectsName);
      this.effects = undefined;
      this.options.effects.onGone();
      for (const life of this.lives) if (life.isConnected) this.end(life);
    };
    const { ended } = this.effectsPool.start(task, [far]);
    this.live(effectsName, ended, onThreadEnd, () => this.startEffects());
  }

  private startShard(shard: number): void {
    const { near, far } = channel();
    const name = getName(shard);
    const link = new Link<ToShardThread, FromShardThread>(near, (event) =>
      this.receive(life, event),
    );
    const questions = new Questions<"samples">((question) => link.send(question));
    const known = { shard, name, link, questions };
    const life: ShardLife = { ...known, state: "idle", isConnected: false, isWaiting: false };
    this.starting.add(name);
    this.lives.add(life);
    const { shardTask, clock, onLife } = this.options;
    onLife(name, "started");
    const { isDraining } = this;
    const startMs = clock.nowMs();
    const task: ShardTask = { ...shardTask, startMs, shard, isDraining, gateway: far };
    const { ended } = this.shardPool.start(task, [far]);
    const onThreadEnd = (isDeath: boolean) => {
      this.lives.delete(life);
      this.holds.onLoss(life);
      questions.lose();
      link.close();
      this.onStart(name);
      this.noteWait(life, undefined);
      this.effects?.send({ kind: "detach", shard });
      // Every request reads the directory, even while its restarted thread begins to follow.
      this.gateway.detach(shard, shard === this.options.shardCount && !isDeath);
    };
    this.live(name, ended, onThreadEnd, () => this.startShard(shard));
  }

  private receive(life: ShardLife, event: FromShardThread): void {
    if (event.kind === "damaged") {
      this.damage ??= event.sentence;
      this.onStart(life.name);
      return;
    }
    if (event.kind === "answer") {
      life.questions.take(event);
      return;
    }
    if (event.kind === "waiting") {
      this.noteWait(life, event.wait);
      return;
    }
    if (event.kind === "held") {
      this.holds.confirmHeld(life, event.number, event);
      return;
    }
    if (event.kind === "readable") this.letRead(life);
    if (event.kind === "following" || event.kind === "joining") this.follow(life, event.kind);
    if (event.kind === "standby" || event.kind === "left")
      this.effects?.send({ kind: "left", shard: life.shard });
    if (event.kind === "left") return;
    if (event.kind === "opened") this.open(life);
    this.gateway.event(life.shard, event);
    if (event.kind !== "release" && this.gateway.isServed) this.readable();
  }

  private noteWait(life: ShardLife, wait: ShardWait | undefined): void {
    if (wait === undefined && !life.isWaiting) return;
    life.isWaiting = wait !== undefined;
    const { shardCount, onWait } = this.options;
    onWait(life.shard === shardCount ? "directory" : `${life.shard}`, wait);
  }

  /** Watches one run of a thread: calls `gone` at its end, and `again` unless the service stops. */
  private live(
    name: string,
    ended: Promise<void>,
    gone: (isDeath: boolean) => void,
    again: () => void,
  ): void {
    const { onLife, onDeath } = this.options;
    const life = ended
      .then(
        () => ({ isDeath: false }) as const,
        (error: unknown) => ({ isDeath: true, error }) as const,
      )
      .then((end) => {
        if (end.isDeath) onDeath(name, end.error);
        else onLife(name, "ended");
        this.living.delete(life);
        gone(end.isDeath);
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

  private letRead(life: ShardLife): void {
    this.gateway.attach(life.shard, undefined, this.createReader(life.shard));
    this.onStart(life.name);
    if (!this.stopIfLeaving(life)) life.state = "following";
  }

  /** Every node reads the directory; other followed shards are read at their owners. */
  private follow(life: ShardLife, state: "following" | "joining"): void {
    const { shard } = life;
    const isRead = state === "following" && shard === this.options.shardCount;
    if (!isRead) this.gateway.leaveElsewhere(shard);
    else if (!this.gateway.reads(shard))
      this.gateway.attach(shard, undefined, this.createReader(shard));
    this.onStart(life.name);
    if (this.stopIfLeaving(life)) return;
    life.state = "following";
    if (this.isDraining) life.link.send({ kind: "drain" });
  }

  private onStart(what: string): void {
    this.starting.delete(what);
    if (this.starting.size > 0) return;
    this.hasStarted();
    const { damage } = this;
    this.damage = undefined;
    if (damage !== undefined) this.options.onDamage(damage);
  }

  private open(life: ShardLife): void {
    const { shard, name, link } = life;
    this.deaths.delete(name);
    this.options.onLife(name, "opened");
    this.onStart(name);
    this.gateway.attach(shard, (message) => link.send(message), this.createReader(shard));
    if (this.stopIfLeaving(life)) return;
    life.state = "owning";
    this.connect(life);
  }

  private createReader(shard: number): TableReader {
    const reader = this.readers.get(shard) ?? this.options.openReader(shard);
    this.readers.set(shard, reader);
    return reader;
  }

  private stopIfLeaving({ state, link }: ShardLife): boolean {
    const isLeaving = state === "leaving" || this.stopping;
    if (isLeaving) link.send({ kind: "stop" });
    return isLeaving;
  }

  private connect(life: ShardLife): void {
    if (this.effects === undefined || life.state !== "owning") return;
    const { near, far } = channel();
    life.isConnected = true;
    this.effects.send({ kind: "attach", shard: life.shard, port: near }, near);
    life.link.send({ kind: "effects", port: far }, far);
  }

  private end(life: ShardLife): void {
    if (life.state === "leaving") return;
    if (life.state !== "idle") life.link.send({ kind: "stop" });
    life.state = "leaving";
  }
}

function getName(shard: number): string {
  return `shard ${shard}`;
}
