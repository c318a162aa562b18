/** The threads' lives, played by the test: what dies when, and what is connected to what. */
import t, { type Test } from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { memoryTables } from "../../engine/adapters/memory-stores.ts";
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

/** One thread of shards. */
class PlayedShards {
  readonly heard: string[] = [];
  readonly shards: readonly number[];
  readonly die: Played["end"];
  private readonly links = new Map<number, Link<FromShardThread, ToShardThread>>();
  private readonly effects = new Map<number, Link<ToEffects, FromEffects>>();

  constructor({ task, end }: Played) {
    const { shards } = task as ShardTask;
    this.die = end;
    this.shards = shards.map(({ shard }) => shard);
    for (const { shard, gateway } of shards) {
      const hear = (message: ToShardThread) => {
        const kind = "kind" in message ? message.kind : "ask";
        this.heard.push(`${kind} ${shard}`);
        if ("kind" in message && message.kind === "effects")
          this.effects.set(shard, new Link(message.port, () => {}));
      };
      this.links.set(shard, new Link<FromShardThread, ToShardThread>(gateway, hear));
    }
  }

  open(shard: number): Promise<void> {
    return this.say(shard, { kind: "opened", seq: 1, atMs: 0 });
  }

  say(shard: number, event: FromShardThread): Promise<void> {
    this.links.get(shard)?.send(event);
    return turns();
  }

  close(): void {
    for (const link of [...this.links.values(), ...this.effects.values()]) link.close();
  }

  deliver(shard: number): Promise<void> {
    this.effects.get(shard)?.send({ deliveries: [], acknowledged: [] });
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
  const listener = { listens: () => false, changed: ignore, missed: ignore, failed: ignore };
  const gateway = new Gateway(2, new ProcessClock(clock), listener);
  const deaths: string[] = [];
  const changes: string[] = [];
  const damages: string[] = [];
  const carriers: PlayedEffects[] = [];
  const shards: PlayedShards[] = [];
  // Open ports would keep the test's process alive.
  t.teardown(() => {
    for (const thread of [...carriers, ...shards]) thread.close();
  });
  const host = new Host(
    {
      shardCount: 2,
      effects: { onMessage: () => {}, onReady: () => {}, onGone: () => {} },
      shardThreads: 1,
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
          else shards.push(new PlayedShards({ task, end }));
          return { ended };
        },
        close: async () => {},
      }),
      shardTask: { shardCount: 2, dataDir: "", logLevel: "silent", isNew: true },
      effectsTask: {
        shardCount: 2,
        dataDir: "",
        logLevel: "silent",
        farmWorkers: 0,
        farmEntry: "",
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

/** Both shards of the first thread and the directory are open. */
async function opened(t: Test) {
  const house = stage(t);
  const whenOpen = house.host.start();
  const [pair, single] = house.shards as [PlayedShards, PlayedShards];
  for (const shard of pair.shards) await pair.open(shard);
  await single.open(directory);
  await whenOpen;
  const [effects] = house.carriers as [PlayedEffects];
  return { ...house, pair, single, effects };
}

t.test("a shard that opens is connected to the living effects thread", async (t) => {
  const { pair, single, effects, gateway } = await opened(t);
  t.strictSame(effects.heard, ["attach 0", "attach 1", "attach 2"]);
  t.strictSame(pair.heard, ["effects 0", "effects 1"]);
  await single.deliver(directory);
  t.strictSame(effects.delivered, [directory]);
  t.ok(gateway.isOpen);
});

t.test("a death of the effects thread ends the threads that were connected to it", async (t) => {
  const { pair, single, effects, shards, pass, ...house } = await opened(t);
  await effects.die(death);
  t.strictSame(pair.heard.slice(2), ["stop 0", "stop 1"], "at once, not when it is back");
  t.strictSame(single.heard.slice(1), ["stop 2"]);
  await pair.die();
  await single.die();
  await pass();
  t.strictSame(house.deaths, ["effects"]);
  t.equal(shards.length, 4);
  for (const thread of shards.slice(2)) for (const shard of thread.shards) await thread.open(shard);
  t.strictSame(house.carriers[1]?.heard, ["attach 0", "attach 1", "attach 2"]);
  t.ok(house.gateway.isOpen);
});

t.test("a shard that recovers while the effects thread dies delivers to the next", async (t) => {
  const { pair, effects, shards, pass, ...house } = await opened(t);
  await pair.die(death);
  await pass();
  const recovering = shards[2] as PlayedShards;
  await effects.die(death);
  t.strictSame(recovering.heard, [], "it was never connected, so it goes on");
  await pass();
  await recovering.open(0);
  await recovering.open(1);
  t.strictSame(recovering.heard, ["effects 0", "effects 1"]);
  await recovering.deliver(1);
  t.strictSame(house.carriers[1]?.delivered, [1]);
});

t.test(
  "a shard that opens while there is no effects thread is connected when it is back",
  async (t) => {
    const { pair, effects, shards, pass, ...house } = await opened(t);
    await pair.die(death);
    await pass();
    const recovering = shards[2] as PlayedShards;
    await effects.die(death);
    await recovering.open(0);
    t.strictSame(recovering.heard, []);
    await pass();
    t.strictSame(recovering.heard, ["effects 0"]);
    await recovering.open(1);
    t.strictSame(recovering.heard, ["effects 0", "effects 1"]);
    await recovering.deliver(0);
    await recovering.deliver(1);
    t.strictSame(house.carriers[1]?.delivered, [0, 1]);
  },
);

t.test("a thread of which only one shard was connected ends whole", async (t) => {
  const house = stage(t);
  void house.host.start();
  const [pair] = house.shards as [PlayedShards];
  await pair.open(0);
  await house.carriers[0]?.die(death);
  t.strictSame(pair.heard, ["effects 0", "stop 0"]);
  await house.pass();
  await pair.open(1);
  t.strictSame(pair.heard, ["effects 0", "stop 0", "stop 1"], "it would wait for a dead port");
  t.strictSame(house.carriers[1]?.heard, []);
});

t.test("a shard that dies with the effects thread starts again beside it", async (t) => {
  const { pair, effects, shards, pass, ...house } = await opened(t);
  await Promise.all([pair.die(death), effects.die(death)]);
  t.notOk(house.gateway.isOpen);
  await pass();
  const next = shards[2] as PlayedShards;
  await next.open(0);
  await next.open(1);
  t.strictSame(next.heard, ["effects 0", "effects 1"]);
  t.strictSame(house.carriers[1]?.heard, ["attach 0", "attach 1"]);
});

t.test(
  "an effects thread that dies again before a shard has stopped changes nothing",
  async (t) => {
    const { pair, effects, shards, pass, ...house } = await opened(t);
    await effects.die(death);
    await pass();
    await house.carriers[1]?.die(death);
    await pass();
    t.strictSame(pair.heard.slice(2), ["stop 0", "stop 1"], "once told is enough");
    t.strictSame(house.carriers[2]?.heard, []);
    await pair.die();
    await pass();
    const next = shards[2] as PlayedShards;
    await next.open(0);
    t.strictSame(house.carriers[2]?.heard, ["detach 0", "detach 1", "attach 0"]);
  },
);

t.test(
  "the effects thread hears of a shard's end, and is connected to its next life",
  async (t) => {
    const { pair, effects, shards, pass } = await opened(t);
    await pair.die(death);
    t.strictSame(effects.heard.slice(3), ["detach 0", "detach 1"]);
    await pass();
    await (shards[2] as PlayedShards).open(1);
    t.strictSame(effects.heard.slice(5), ["attach 1"]);
  },
);

t.test("nothing is started once the host stops, whatever died before or dies then", async (t) => {
  const { pair, single, effects, shards, pass, ...house } = await opened(t);
  await pair.die(death);
  const stopped = house.host.stop();
  await pass();
  t.equal(shards.length, 2, "a start that was due does not happen");
  t.strictSame(single.heard.slice(1), ["stop 2"]);
  await effects.die(death);
  await single.die();
  await stopped;
  await pass();
  t.equal(shards.length, 2);
  t.equal(house.carriers.length, 1);
});

t.test("a shard that opens while the host stops is stopped too", async (t) => {
  const house = stage(t);
  void house.host.start();
  const [pair, single] = house.shards as [PlayedShards, PlayedShards];
  const stopped = house.host.stop();
  await pair.open(0);
  await pair.open(1);
  await single.open(directory);
  t.strictSame(pair.heard, ["stop 0", "stop 1"]);
  t.strictSame(single.heard, ["stop 2"]);
  for (const thread of [pair, single, ...house.carriers]) await thread.die();
  await stopped;
});

t.test("a start ends when all shards can be read; one works when opened (C10)", async (t) => {
  const house = stage(t);
  const started = house.host.start();
  const [pair, single] = house.shards as [PlayedShards, PlayedShards];
  await pair.say(0, { kind: "readable", records: [] });
  await pair.open(1);
  await single.open(directory);
  await started;
  t.strictSame(pair.heard, ["effects 1"]);
  t.strictSame([house.gateway.isReadable, house.gateway.isOpen], [true, false]);
  await pair.open(0);
  t.strictSame(pair.heard, ["effects 1", "effects 0"]);
  t.ok(house.gateway.isOpen);
});

t.test("a shard that can only be read is stopped with those beside it (C10)", async (t) => {
  const house = stage(t);
  void house.host.start();
  const [pair] = house.shards as [PlayedShards];
  await pair.say(0, { kind: "readable", records: [] });
  await pair.open(1);
  await house.carriers[0]?.die(death);
  t.strictSame(pair.heard, ["effects 1", "stop 0", "stop 1"]);
});

t.test("a shard whose store is damaged tells the operator and stays closed", async (t) => {
  const house = stage(t);
  void house.host.start();
  const [pair, single] = house.shards as [PlayedShards, PlayedShards];
  await pair.say(0, { kind: "damaged", sentence: "The store is damaged." });
  await pair.say(1, { kind: "damaged", sentence: "This one too." });
  await house.carriers[0]?.ready();
  t.strictSame(house.damages, [], "not while a thread starts, in which the process cannot end");
  await single.open(directory);
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
  for (const shard of [0, 1]) await shards[0]?.open(shard);
  t.notOk(isSettled);
  await shards[1]?.die(death);
  await settled;
});

t.test("each begin and end of a thread, and each shard that opens, is told (E1)", async (t) => {
  const { host, changes, carriers, shards } = stage(t);
  void host.start();
  await carriers[0]?.ready();
  for (const shard of [0, 1]) await shards[0]?.open(shard);
  t.strictSame(changes, [
    "effects started",
    "shards 0, 1 started",
    "shards 2 started",
    "effects opened",
    "shard 0 opened",
    "shard 1 opened",
  ]);
  await shards[1]?.die();
  t.equal(changes.at(-1), "shards 2 ended");
});
