/** The threads' lives, played by the test: what dies when, and what is connected to what. */
import t, { type Test } from "tap";
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
const directory = 2;

/** A thread that the test plays. */
interface Played {
  readonly task: object;
  /** Resolves when the host knows. */
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

/** A shard's thread. */
class PlayedShard {
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

/** Messages between ports of one thread need some turns of its event loop; these are plenty. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function stage(t: Test) {
  const clock = new ManualClock(1_000_000);
  const ignore = () => {};
  const rows = { changed: ignore, missed: ignore, left: ignore };
  const listener = { ...rows, listens: () => false, failed: ignore };
  const gateway = new Gateway(2, new ProcessClock(clock), listener);
  const deaths: string[] = [];
  const changes: string[] = [];
  const damages: string[] = [];
  const carriers: PlayedEffects[] = [];
  const shards: PlayedShard[] = [];
  // Open ports would keep the test's process alive.
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
        ...{ cluster: undefined, otlpUrl: undefined },
        objectStore: undefined,
        ...{ isFounder: true, isQuorum: false, forgotten: [], acceptedLosses: [] },
        ...{ storeId: "store", nodeId: "node" },
      },
      effectsTask: {
        shardCount: 2,
        dataDir: "",
        logLevel: "silent",
        farmWorkers: 0,
        ...{ farmEntry: "", isClustered: false },
        objectStore: undefined,
      },
      openReader: () => memoryTables(),
      clock,
      onLife: (what, event) => changes.push(`${what} ${event}`),
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
    /** The lives of the effects thread. */
    carriers,
    shards,
    /** All that waits to be started again is. */
    async pass(): Promise<void> {
      clock.advance(5_000);
      await turns();
    },
  };
}

const death = new Error("a thread died");

type Three = [PlayedShard, PlayedShard, PlayedShard];

/** Two shards and the directory are open. */
async function opened(t: Test) {
  const house = stage(t);
  const whenOpen = house.host.start();
  const threads = house.shards.slice() as Three;
  for (const thread of threads) await thread.open();
  await whenOpen;
  const [first, second, third] = threads;
  const [effects] = house.carriers as [PlayedEffects];
  return { ...house, first, second, third, effects };
}

t.test("a shard that opens is connected to the living effects thread", async (t) => {
  const { first, third, effects, gateway } = await opened(t);
  t.strictSame(effects.heard, ["attach 0", "attach 1", "attach 2"]);
  t.strictSame(first.heard, ["effects"]);
  await third.deliver();
  t.strictSame(effects.delivered, [directory]);
  t.ok(gateway.isOpen);
});

t.test("a death of the effects thread ends the threads that were connected to it", async (t) => {
  const { first, second, third, effects, shards, pass, ...house } = await opened(t);
  await effects.die(death);
  for (const thread of [first, second, third]) {
    t.strictSame(thread.heard, ["effects", "stop"], "at once, not when it is back");
    await thread.die();
  }
  await pass();
  t.strictSame(house.deaths, ["effects"]);
  t.equal(shards.length, 6);
  for (const thread of shards.slice(3)) await thread.open();
  t.strictSame(house.carriers[1]?.heard, ["attach 0", "attach 1", "attach 2"]);
  t.ok(house.gateway.isOpen);
});

t.test("a shard's thread that dies takes no other shard with it", async (t) => {
  const { first, second, third, shards, pass, ...house } = await opened(t);
  await second.die(death);
  await pass();
  t.strictSame([...first.heard, ...third.heard], ["effects", "effects"]);
  t.strictSame(house.deaths, ["shard 1"]);
  t.equal(shards.length, 4);
  await shards[3]?.open();
  t.ok(house.gateway.isOpen);
});

t.test("a shard that recovers while the effects thread dies delivers to the next", async (t) => {
  const { second, effects, shards, pass, ...house } = await opened(t);
  await second.die(death);
  await pass();
  const recovering = shards[3] as PlayedShard;
  await effects.die(death);
  t.strictSame(recovering.heard, [], "it was never connected, so it goes on");
  await pass();
  await recovering.open();
  t.strictSame(recovering.heard, ["effects"]);
  await recovering.deliver();
  t.strictSame(house.carriers[1]?.delivered, [1]);
});

t.test(
  "a shard that opens while there is no effects thread is connected when it is back",
  async (t) => {
    const { first, effects, shards, pass, ...house } = await opened(t);
    await first.die(death);
    await pass();
    const recovering = shards[3] as PlayedShard;
    await effects.die(death);
    await recovering.open();
    t.strictSame(recovering.heard, []);
    await pass();
    t.strictSame(recovering.heard, ["effects"]);
    await recovering.deliver();
    t.strictSame(house.carriers[1]?.delivered, [0]);
  },
);

t.test("a shard that dies with the effects thread starts again beside it", async (t) => {
  const { first, effects, shards, pass, ...house } = await opened(t);
  await Promise.all([first.die(death), effects.die(death)]);
  t.notOk(house.gateway.isOpen);
  await pass();
  const next = shards[3] as PlayedShard;
  await next.open();
  t.strictSame(next.heard, ["effects"]);
  t.strictSame(house.carriers[1]?.heard, ["attach 0"]);
});

t.test(
  "an effects thread that dies again before a shard has stopped changes nothing",
  async (t) => {
    const { first, effects, shards, pass, ...house } = await opened(t);
    await effects.die(death);
    await pass();
    await house.carriers[1]?.die(death);
    await pass();
    t.strictSame(first.heard, ["effects", "stop"], "once told is enough");
    t.strictSame(house.carriers[2]?.heard, []);
    await first.die();
    await pass();
    await shards[3]?.open();
    t.strictSame(house.carriers[2]?.heard, ["detach 0", "attach 0"]);
  },
);

t.test(
  "the effects thread hears of a shard's end, and is connected to its next life",
  async (t) => {
    const { second, effects, shards, pass } = await opened(t);
    await second.die(death);
    t.strictSame(effects.heard.slice(3), ["detach 1"]);
    await pass();
    await shards[3]?.open();
    t.strictSame(effects.heard.slice(4), ["attach 1"]);
  },
);

t.test("nothing is started once the host stops, whatever died before or dies then", async (t) => {
  const { first, second, third, effects, shards, pass, ...house } = await opened(t);
  await first.die(death);
  const stopped = house.host.stop();
  await pass();
  t.equal(shards.length, 3, "a start that was due does not happen");
  t.strictSame(third.heard, ["effects", "stop"]);
  await effects.die(death);
  await second.die();
  await third.die();
  await stopped;
  await pass();
  t.equal(shards.length, 3);
  t.equal(house.carriers.length, 1);
});

t.test("a shard that opens while the host stops is stopped too", async (t) => {
  const house = stage(t);
  void house.host.start();
  const threads = house.shards as Three;
  const stopped = house.host.stop();
  for (const thread of threads) {
    await thread.open();
    t.strictSame(thread.heard, ["stop"]);
  }
  for (const thread of [...threads, ...house.carriers]) await thread.die();
  await stopped;
});

t.test("a start ends when all shards can be read; one works when opened (C10)", async (t) => {
  const house = stage(t);
  const started = house.host.start();
  const [first, second, third] = house.shards as Three;
  await first.say({ kind: "readable", records: [] });
  await second.open();
  await third.open();
  await started;
  t.strictSame([first.heard, second.heard], [[], ["effects"]]);
  t.strictSame([house.gateway.isReadable, house.gateway.isOpen], [true, false]);
  await first.open();
  t.strictSame(first.heard, ["effects"]);
  t.ok(house.gateway.isOpen);
});

t.test("a shard that can only be read is stopped with the host (C10)", async (t) => {
  const house = stage(t);
  void house.host.start();
  const threads = house.shards as Three;
  await threads[0].say({ kind: "readable", records: [] });
  const stopped = house.host.stop();
  await turns();
  t.strictSame(threads[0].heard, ["stop"]);
  for (const thread of [...threads, ...house.carriers]) await thread.die();
  await stopped;
});

t.test("a shard whose store is damaged tells the operator and stays closed", async (t) => {
  const house = stage(t);
  void house.host.start();
  const [first, second, third] = house.shards as Three;
  await first.say({ kind: "damaged", sentence: "The store is damaged." });
  await second.say({ kind: "damaged", sentence: "This one too." });
  await house.carriers[0]?.ready();
  t.strictSame(house.damages, [], "not while a thread starts, in which the process cannot end");
  await third.open();
  t.strictSame(house.damages, ["The store is damaged."]);
  t.strictSame(house.deaths, []);
  t.notOk(house.gateway.isOpen);
});

t.test("a host is settled when each thread is open or has died", async (t) => {
  const { host, carriers, shards } = stage(t);
  void host.start();
  let isSettled = false;
  const settled = host.settled().then(() => {
    isSettled = true;
  });
  await carriers[0]?.ready();
  for (const thread of shards.slice(0, 2)) await thread.open();
  t.notOk(isSettled);
  await shards[2]?.die(death);
  await settled;
});

t.test("each begin and end of a thread, and each shard that opens, is told (E1)", async (t) => {
  const { host, changes, carriers, shards } = stage(t);
  void host.start();
  await carriers[0]?.ready();
  for (const thread of shards.slice(0, 2)) await thread.open();
  t.strictSame(changes, [
    "effects started",
    "shard 0 started",
    "shard 1 started",
    "shard 2 started",
    "effects opened",
    "shard 0 opened",
    "shard 1 opened",
  ]);
  await shards[2]?.die();
  t.equal(changes.at(-1), "shard 2 ended");
});
