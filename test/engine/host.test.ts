/** Tests the host with simulated threads: which of them end when, and which are connected. */
import t from "tap";
import { directory, openHost, type PlayedShard, stage, type Three, turns } from "./host-stage.ts";

const death = new Error("a thread died");

t.test("a shard that opens is connected to the living effects thread", async (t) => {
  const { first, third, effects, gateway } = await openHost(t);
  t.strictSame(effects.heard, ["attach 0", "attach 1", "attach 2"]);
  t.strictSame(first.heard, ["effects"]);
  await third.deliver();
  t.strictSame(effects.delivered, [directory]);
  t.ok(gateway.isOpen);
});

t.test("the effects thread is told of a shard that another node owns", async (t) => {
  const { first, effects, shards, gateway, pass } = await openHost(t);
  await first.die();
  await pass();
  const next = shards[3] as PlayedShard;
  await next.say({ kind: "following" });
  t.strictSame(effects.heard.slice(3), ["detach 0"], "it may be this node's again");
  await next.say({ kind: "standby" });
  t.strictSame(effects.heard.slice(4), ["left 0"]);
  t.ok(gateway.isStandby(0));
});

t.test("the effects thread is told too when another node owned a shard unheard", async (t) => {
  const { first, effects, shards, pass } = await openHost(t);
  await first.die();
  await pass();
  const next = shards[3] as PlayedShard;
  await next.say({ kind: "following" });
  await next.say({ kind: "left" });
  await next.open();
  t.strictSame(effects.heard.slice(3), ["detach 0", "left 0", "attach 0"]);
});

t.test("a death of the effects thread ends the threads that were connected to it", async (t) => {
  const { first, second, third, effects, shards, pass, ...house } = await openHost(t);
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
  const { first, second, third, shards, pass, ...house } = await openHost(t);
  await second.die(death);
  await pass();
  t.strictSame([...first.heard, ...third.heard], ["effects", "effects"]);
  t.strictSame(house.deaths, ["shard 1"]);
  t.equal(shards.length, 4);
  await shards[3]?.open();
  t.ok(house.gateway.isOpen);
});

t.test("a shard that recovers while the effects thread dies delivers to the next", async (t) => {
  const { second, effects, shards, pass, ...house } = await openHost(t);
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
    const { first, effects, shards, pass, ...house } = await openHost(t);
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
  const { first, effects, shards, pass, ...house } = await openHost(t);
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
    const { first, effects, shards, pass, ...house } = await openHost(t);
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
    const { second, effects, shards, pass } = await openHost(t);
    await second.die(death);
    t.strictSame(effects.heard.slice(3), ["detach 1"]);
    await pass();
    await shards[3]?.open();
    t.strictSame(effects.heard.slice(4), ["attach 1"]);
  },
);

t.test("nothing is started once the host stops, whatever died before or dies then", async (t) => {
  const { first, second, third, effects, shards, pass, ...house } = await openHost(t);
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
  const settled = host.awaitSettled().then(() => {
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
