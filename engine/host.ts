/**
 * The engine's life in one process: starts the effects thread and the shard threads, ties them
 * together and to the gateway, and starts again whatever dies. A shard that dies loses nothing that
 * was acknowledged; its callers hear `lost`. A dead effects thread makes every shard start again,
 * so that each hands over its undelivered effects once more.
 */
import { limits } from "../config/limits.ts";
import type { Gateway } from "./gateway.ts";
import { Link } from "./link.ts";
import type { Clock } from "./ports/clock.ts";
import type { TableReader } from "./ports/tables.ts";
import type { ShardEvent } from "./shard.ts";
import { channel, Threads } from "./threads.ts";
import type { EffectsControl, EffectsTask, ShardTask, ToShard } from "./wire.ts";

export interface HostOptions {
  readonly shardCount: number;
  readonly shardThreads: number;
  readonly entries: { readonly shards: URL; readonly effects: URL };
  readonly shardTask: Omit<ShardTask, "shards">;
  readonly effectsTask: Omit<EffectsTask, "control">;
  readonly openReader: (shard: number) => TableReader;
  readonly clock: Clock;
  readonly onDeath: (thread: string, error: unknown) => void;
}

/** The shards of one thread. */
type Group = readonly number[];

export class Host {
  private readonly options: HostOptions;
  private readonly gateway: Gateway;
  private readonly shardPool: Threads;
  private readonly effectsPool: Threads;
  private readonly readers = new Map<number, TableReader>();
  private readonly links = new Map<number, Link<ToShard, ShardEvent>>();
  private effects: Link<EffectsControl, never> | undefined;
  private readonly living = new Set<Promise<void>>();
  /** Deaths of a thread since it last opened: one that cannot open is tried less and less often. */
  private readonly deaths = new Map<string, number>();
  private stopping = false;
  private opened: () => void = () => {};

  constructor(options: HostOptions, gateway: Gateway) {
    this.options = options;
    this.gateway = gateway;
    this.shardPool = new Threads(options.entries.shards, this.groups().length);
    this.effectsPool = new Threads(options.entries.effects, 1);
  }

  /** Resolves when every shard has opened its gate. */
  start(): Promise<void> {
    const open = new Promise<void>((resolve) => {
      this.opened = resolve;
    });
    this.startEffects();
    for (const group of this.groups()) this.startGroup(group);
    return open;
  }

  /** Shards decide what waits, flush and close; then the effects thread ends. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const link of this.links.values()) link.send({ kind: "stop" });
    this.effects?.send({ kind: "stop" });
    await Promise.allSettled(this.living);
    await Promise.all([this.shardPool.close(), this.effectsPool.close()]);
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
    this.effects = new Link(near, () => {});
    const task: EffectsTask = { ...this.options.effectsTask, control: far };
    this.live("effects", this.effectsPool.start(task, [far]).ended, () => {
      this.startEffects();
      for (const link of this.links.values()) link.send({ kind: "stop" });
    });
  }

  private startGroup(group: Group): void {
    const name = `shards ${group.join(", ")}`;
    const shards = group.map((shard) => {
      const gateway = channel();
      const effects = channel();
      const link = new Link<ToShard, ShardEvent>(gateway.near, (event) => {
        if (event.kind === "opened") {
          this.deaths.delete(name);
          this.attach(shard, link);
        }
        this.gateway.event(shard, event);
        if (event.kind === "opened" && this.gateway.isOpen) this.opened();
      });
      this.effects?.send({ kind: "attach", shard, port: effects.near }, effects.near);
      return { shard, gateway: gateway.far, effects: effects.far };
    });
    const ports = shards.flatMap(({ gateway, effects }) => [gateway, effects]);
    const task: ShardTask = { ...this.options.shardTask, shards };
    this.live(
      name,
      this.shardPool.start(task, ports).ended,
      () => {
        this.startGroup(group);
      },
      () => {
        for (const shard of group) this.detach(shard);
      },
    );
  }

  /** Watches one life of a thread: `gone` at its end, `again` unless the service is stopping. */
  private live(
    name: string,
    ended: Promise<void>,
    again: () => void,
    gone: () => void = () => {},
  ): void {
    const life = ended
      .catch((error: unknown) => this.options.onDeath(name, error))
      .then(() => {
        this.living.delete(life);
        gone();
        if (!this.stopping) this.options.clock.after(this.restartDelayMs(name), again);
      });
    this.living.add(life);
  }

  private restartDelayMs(name: string): number {
    const deaths = this.deaths.get(name) ?? 0;
    this.deaths.set(name, deaths + 1);
    return Math.min(limits.engine.restartDelayMs * 2 ** deaths, limits.engine.restartDelayMaxMs);
  }

  private attach(shard: number, link: Link<ToShard, ShardEvent>): void {
    const reader = this.readers.get(shard) ?? this.options.openReader(shard);
    this.readers.set(shard, reader);
    this.links.set(shard, link);
    this.gateway.attach(shard, (message) => link.send(message), reader);
  }

  private detach(shard: number): void {
    this.links.get(shard)?.close();
    this.links.delete(shard);
    this.gateway.detach(shard);
  }
}
