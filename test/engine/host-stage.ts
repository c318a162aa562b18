/** A host whose threads a test simulates. */
import type { Test } from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { Gateway } from "../../engine/gateway.ts";
import { Host } from "../../engine/host.ts";
import { Link } from "../../engine/link.ts";
import { ProcessClock } from "../../engine/process-clock.ts";
import type {
  EffectsControl,
  EffectsTask,
  FromEffects,
  FromEffectsThread,
  FromShardThread,
  ShardTask,
  ToEffects,
  ToShardThread,
} from "../../engine/wire.ts";

const entries = { shards: new URL("file:///shards.js"), effects: new URL("file:///effects.js") };
export const directory = 2;

/** A thread that the test simulates. */
interface Played {
  readonly task: object;
  /** Ends the thread; resolves when the host has noticed. */
  end(error?: Error): Promise<void>;
}

class PlayedEffects {
  readonly heard: string[] = [];
  readonly links = new Map<number, Link<FromEffects, ToEffects>>();
  readonly delivered: number[] = [];
  readonly die: Played["end"];
  private readonly host: Link<FromEffectsThread, EffectsControl>;

  constructor({ task, end }: Played) {
    this.die = end;
    this.host = new Link((task as EffectsTask).control, (message: EffectsControl) => {
      this.heard.push("shard" in message ? `${message.kind} ${message.shard}` : message.kind);
      if (message.kind !== "attach") return;
      const hear = () => this.delivered.push(message.shard);
      this.links.set(message.shard, new Link(message.port, hear));
    });
  }

  ready(): Promise<void> {
    this.host.send({ kind: "ready" });
    return turns();
  }

  close(): void {
    for (const link of [this.host, ...this.links.values()]) link.close();
  }
}

/** A simulated thread of a shard. */
export class PlayedShard {
  readonly heard: string[] = [];
  readonly die: Played["end"];
  private readonly link: Link<FromShardThread, ToShardThread>;
  private effects: Link<ToEffects, FromEffects> | undefined;

  constructor({ task, end }: Played) {
    this.die = end;
    this.link = new Link((task as ShardTask).gateway, (message: ToShardThread) => {
      this.heard.push("kind" in message ? message.kind : "ask");
      if ("kind" in message && message.kind === "effects")
        this.effects = new Link(message.port, () => {});
    });
  }

  open(): Promise<void> {
    return this.say({ kind: "opened", seq: 1, atMs: 0 });
  }

  say(event: FromShardThread): Promise<void> {
    this.link.send(event);
    return turns();
  }

  close(): void {
    this.link.close();
    this.effects?.close();
  }

  deliver(): Promise<void> {
    this.effects?.send({ deliveries: [], acknowledged: [] });
    return turns();
  }
}

/** Messages between ports of one thread need several turns of the event loop; 20 are plenty. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function stage(t: Test) {
  const clock = new ManualClock(1_000_000);
  const ignore = () => {};
  const rows = { onChange: ignore, onMiss: ignore, onLeave: ignore };
  const listener = { ...rows, listens: () => false, onFailure: ignore };
  const gateway = new Gateway(2, new ProcessClock(clock), listener);
  const deaths: string[] = [];
  const changes: string[] = [];
  const damages: string[] = [];
  const carriers: PlayedEffects[] = [];
  const shards: PlayedShard[] = [];
  // Closes the ports, which would keep the test's process running.
  t.teardown(() => {
    for (const thread of [...carriers, ...shards]) thread.close();
  });
  const host = new Host(
    {
      shardCount: 2,
      effects: { onMessage: () => {}, onReady: () => {}, onGone: () => {} },
      entries,
      openThreads: (entry) => ({
        start(task) {
          let settle: (error?: Error) => void = () => {};
          const ended = new Promise<void>((resolve, reject) => {
            settle = (error) => (error === undefined ? resolve() : reject(error));
          });
          const end = (error?: Error) => {
            settle(error);
            return turns();
          };
          if (entry === entries.effects) carriers.push(new PlayedEffects({ task, end }));
          else shards.push(new PlayedShard({ task, end }));
          return { ended };
        },
        close: async () => {},
      }),
      shardTask: {
        shardCount: 2,
        dataDir: "",
        logLevel: "silent",
        isNew: true,
        cluster: undefined,
        otlpUrl: undefined,
        objectStore: undefined,
        isFounder: true,
        isQuorum: false,
        forgotten: [],
        acceptedLosses: [],
        storeId: "store",
        nodeId: "node",
      },
      effectsTask: {
        shardCount: 2,
        dataDir: "",
        logLevel: "silent",
        farmWorkers: 0,
        farmEntry: "",
        isClustered: false,
        objectStore: undefined,
      },
      openReader: () => memoryTables(),
      clock,
      onLife: (what, event) => changes.push(`${what} ${event}`),
      onWait: () => {},
      onDeath: (thread) => deaths.push(thread),
      onDamage: (sentence) => damages.push(sentence),
    },
    gateway,
  );
  return {
    host,
    gateway,
    changes,
    deaths,
    damages,
    /** The effects threads started so far, one after the other. */
    carriers,
    shards,
    /** Advances the clock until all threads that are due have been started again. */
    async pass(): Promise<void> {
      clock.advance(5_000);
      await turns();
    },
  };
}

export type Three = [PlayedShard, PlayedShard, PlayedShard];

/** Opens a host with two shards and the directory. */
export async function openHost(t: Test) {
  const house = stage(t);
  const whenOpen = house.host.start();
  const threads = house.shards.slice() as Three;
  for (const thread of threads) await thread.open();
  await whenOpen;
  const [first, second, third] = threads;
  const [effects] = house.carriers as [PlayedEffects];
  return { ...house, first, second, third, effects };
}
