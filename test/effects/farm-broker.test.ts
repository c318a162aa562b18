import t from "tap";
import type { JobMessage } from "../../actors/protocol/job.ts";
import { limits } from "../../config/limits.ts";
import type { Key } from "../../engine/key.ts";
import { ada, bob, job, stage, work } from "./broker-stage.ts";

const one = job(1);
const two = job(2);
const done = { kind: "succeeded", outputs: [] } as const;
const broken = { kind: "failed", message: "the browser died", retryable: true } as const;

t.test("a task is claimed first and leased when the claim is durable", async (t) => {
  const { sent, broker, attach } = stage();
  t.strictSame(broker.run(one.key, work(ada, one.task)), { kind: "kept" });
  t.strictSame(sent, [], "without a node it waits");
  const farm = attach();
  t.strictSame(sent, [[one.key, { kind: "claim", token: "t1" }]]);
  t.strictSame(farm.got, []);
  t.strictSame(broker.lease("t1"), { kind: "concluded" });
  t.strictSame(farm.got, [
    {
      kind: "lease",
      task: {
        token: "t1",
        kind: "studio-image",
        input: { seed: 0, width: 1024, height: 1024, count: 1, format: "png" },
        outputPrefix: "jobs/1/t1",
      },
    },
  ]);
  broker.lease("unknown");
  t.equal(farm.got.length, 1);
});

t.test("a node has as many leases as slots, and only of its kinds", async (t) => {
  const { sent, broker, attach } = stage();
  broker.run(job(9).key, work(ada, { ...job(9).task, kind: "studio-video" }));
  const farm = attach(2);
  broker.run(one.key, work(ada, one.task));
  broker.run(two.key, work(bob, two.task));
  broker.run(job(3).key, work(ada, job(3).task));
  t.strictSame(claims(sent), [one.key, two.key]);
  broker.lease("t1");
  farm.say({ kind: "finished", token: "t1", outcome: done });
  t.strictSame(claims(sent), [one.key, two.key, job(3).key], "a slot that is free takes the next");
});

t.test(
  "a result becomes the job's outcome under its token, with asset ids in its partition",
  async (t) => {
    const { sent, broker, attach } = stage();
    const farm = attach();
    broker.run(one.key, work(ada, one.task));
    broker.lease("t1");
    const output = { objectKey: "o", mimeType: "image/png", sizeBytes: 1, sha256: "00" };
    farm.say({
      kind: "finished",
      token: "t1",
      outcome: { kind: "succeeded", outputs: [output, output] },
    });
    const [to, message] = sent.at(-1) ?? [];
    t.equal(to, one.key);
    t.match(message, { kind: "finished", token: "t1", outcome: { kind: "succeeded" } });
    t.match(JSON.stringify(message), /"asset":"[0-9a-f-]{13}-7021-/);
    const heard = sent.length;
    farm.say({ kind: "finished", token: "t1", outcome: done });
    t.equal(sent.length, heard, "a doubled report says nothing");
  },
);

t.test("a failure that another attempt cannot mend ends the job", async (t) => {
  const { sent, broker, attach } = stage();
  const farm = attach();
  broker.run(one.key, work(ada, one.task));
  broker.lease("t1");
  farm.say({ kind: "finished", token: "t1", outcome: { ...broken, retryable: false } });
  t.match(sent.at(-1)?.[1], {
    kind: "finished",
    token: "t1",
    outcome: { kind: "failed", class: "invalid_input", message: "the browser died", billed: false },
  });
});

t.test("a failed attempt lapses, and the task is offered again before others", async (t) => {
  const { sent, broker, attach } = stage();
  const farm = attach();
  broker.run(one.key, work(ada, one.task));
  broker.lease("t1");
  broker.run(two.key, work(ada, two.task));
  farm.say({ kind: "finished", token: "t1", outcome: broken });
  t.strictSame(sent.slice(1), [
    [one.key, { kind: "lapsed", token: "t1", reason: "the browser died" }],
    [one.key, { kind: "claim", token: "t2" }],
  ]);
});

t.test("a node that is silent for 15 s loses its lease", async (t) => {
  const { clock, sent, broker, attach } = stage();
  const farm = attach();
  broker.run(one.key, work(ada, one.task));
  broker.lease("t1");
  for (let second = 0; second < 60; second++) {
    clock.advance(1_000);
    farm.say({ kind: "heartbeat", token: "t1", progress: 0 });
  }
  t.equal(sent.length, 1, "heartbeats keep it");
  clock.advance(limits.farm.leaseMs);
  t.equal(sent.length, 1);
  clock.advance(2_000);
  t.strictSame(sent[1], [one.key, { kind: "lapsed", token: "t1" }]);
  t.strictSame(sent[2], [one.key, { kind: "claim", token: "t2" }]);
  t.strictSame(farm.got[1], { kind: "cancel", token: "t1" });
  farm.say({ kind: "finished", token: "t1", outcome: done });
  t.equal(sent.length, 3, "a report of the old lease counts for nothing");
});

t.test("a claim that never became durable lapses too", async (t) => {
  const { clock, sent, broker, attach } = stage();
  attach();
  broker.run(one.key, work(ada, one.task));
  clock.advance(limits.farm.leaseMs + 2_000);
  t.strictSame(sent[1], [one.key, { kind: "lapsed", token: "t1" }]);
});

t.test("a node that dies loses all its leases, and another node takes them", async (t) => {
  const { sent, broker, attach } = stage();
  const first = attach(2);
  broker.run(one.key, work(ada, one.task));
  broker.run(two.key, work(bob, two.task));
  for (const token of ["t1", "t2"]) broker.lease(token);
  first.die();
  const lapsed = sent.filter(([, { kind }]) => kind === "lapsed").map(([key]) => key);
  t.strictSame(lapsed, [one.key, two.key]);
  const second = attach(2);
  t.equal(claims(sent).length, 4);
  broker.lease("t3");
  t.match(second.got, [{ kind: "lease" }]);
  t.equal(first.got.length, 2, "the dead one hears no more");
});

t.test("progress is told at most every 2 s", async (t) => {
  const { clock, sent, broker, attach } = stage();
  const farm = attach();
  broker.run(one.key, work(ada, one.task));
  broker.lease("t1");
  clock.advance(5_000);
  for (let at = 1; at <= 40; at++) {
    clock.advance(100);
    farm.say({ kind: "heartbeat", token: "t1", progress: at / 100 });
  }
  const told = sent.flatMap(([, message]) => (message.kind === "progress" ? [message] : []));
  t.strictSame(told, [
    { kind: "progress", token: "t1", progress: 0.01 },
    { kind: "progress", token: "t1", progress: 0.21 },
  ]);
});

t.test("a canceled task is taken from its node, or from the queue", async (t) => {
  const { sent, broker, attach } = stage();
  const farm = attach();
  for (const { key, task } of [one, two, job(3)]) broker.run(key, work(ada, task));
  broker.lease("t1");
  t.strictSame(broker.cancel(two.key), { kind: "concluded" });
  broker.cancel(one.key);
  t.strictSame(farm.got.slice(1), [{ kind: "cancel", token: "t1" }]);
  t.strictSame(claims(sent), [one.key, job(3).key], "the slot takes the next that is still wanted");
  farm.say({ kind: "finished", token: "t1", outcome: broken });
  t.equal(sent.length, 2);
  broker.cancel(job(3).key);
  t.equal(farm.got.length, 2, "a node that was never told of its lease is not told of its end");
});

t.test("what has left to another service is taken from its node, and from the queue", async (t) => {
  const { sent, broker, attach } = stage();
  const farm = attach();
  for (const { key, task } of [one, two, job(3)]) broker.run(key, work(ada, task));
  broker.lease("t1");
  broker.giveUp((key) => key !== job(3).key);
  t.strictSame(farm.got.slice(1), [{ kind: "cancel", token: "t1" }]);
  t.strictSame(claims(sent), [one.key, job(3).key], "the slot takes what is here yet");
  t.match(broker.tasks(), { waiting: {} });
});

t.test("a node that drains takes no task of a service that begins again", async (t) => {
  const { sent, broker, attach } = stage();
  broker.keepDraining(["n"]);
  attach();
  broker.run(one.key, work(ada, one.task));
  t.strictSame(claims(sent), []);
  t.match(broker.states(), [{ name: "n", isDraining: true }]);
});

t.test("a task that is handed over again while under way is not doubled", async (t) => {
  const { sent, broker, attach } = stage();
  attach(4);
  for (const { key, task } of [one, one]) broker.run(key, work(ada, task));
  t.strictSame(claims(sent), [one.key]);
  const waiting = stage();
  for (const { key, task } of [one, one]) waiting.broker.run(key, work(ada, task));
  waiting.attach(4);
  t.strictSame(claims(waiting.sent), [one.key]);
});

t.test("a task that is handed back waits again, without an attempt being counted", async (t) => {
  const { sent, broker, attach } = stage();
  const [first, second] = [attach(), attach()];
  broker.run(one.key, work(ada, one.task));
  broker.lease("t1");
  second.say({ kind: "returned", token: "t1" });
  t.equal(sent.length, 1, "only its own node may");
  first.say({ kind: "capacity", slots: 0 });
  first.say({ kind: "returned", token: "t1" });
  t.strictSame(sent.slice(1), [
    [one.key, { kind: "lapsed", token: "t1", isReturned: true }],
    [one.key, { kind: "claim", token: "t2" }],
  ]);
  broker.lease("t2");
  t.equal(second.got.length, 1, "the node that has no room is not asked again");
});

t.test("a node has as many leases as it says that it has room", async (t) => {
  const { sent, broker, attach } = stage();
  const farm = attach(2);
  broker.run(one.key, work(ada, one.task));
  farm.say({ kind: "capacity", slots: 1 });
  broker.run(two.key, work(ada, two.task));
  t.strictSame(claims(sent), [one.key]);
  farm.say({ kind: "capacity", slots: 0 });
  broker.lease("t1");
  farm.say({ kind: "finished", token: "t1", outcome: done });
  t.strictSame(claims(sent), [one.key]);
  farm.say({ kind: "capacity", slots: 2 });
  t.strictSame(claims(sent), [one.key, two.key]);
});

t.test("while nothing can be heard of a node, its leases stay, and get a full term", async (t) => {
  const { sent, broker, attach, clock } = stage();
  const farm = attach();
  broker.run(one.key, work(ada, one.task));
  broker.lease("t1");
  farm.fallSilent(true);
  clock.advance(60_000);
  farm.fallSilent(false);
  clock.advance(limits.farm.leaseMs - limits.farm.heartbeatMs);
  t.equal(sent.length, 1);
  clock.advance(2 * limits.farm.heartbeatMs);
  t.strictSame(sent[1], [one.key, { kind: "lapsed", token: "t1" }]);
});

t.test("a drain is told to every node", async (t) => {
  const { broker, attach } = stage();
  const nodes = [attach(), attach()];
  broker.drain();
  for (const { got } of nodes) t.strictSame(got, [{ kind: "drain" }]);
});

function claims(sent: readonly (readonly [Key, JobMessage])[]): Key[] {
  return sent.flatMap(([key, { kind }]) => (kind === "claim" ? [key] : []));
}

t.test("a node that is free takes the task of another account next", async (t) => {
  const { sent, broker, attach } = stage();
  const farm = attach();
  for (const { key, task } of [one, two, job(3)]) broker.run(key, work(ada, task));
  broker.run(job(4).key, work(bob, job(4).task));
  broker.lease("t1");
  farm.say({ kind: "finished", token: "t1", outcome: done });
  t.strictSame(claims(sent), [one.key, job(4).key], "not the one that came before it");
});

t.test("ten thousand waiting tasks cost ten times what a thousand do", async (t) => {
  const lookAt = (count: number) => {
    const { sent, broker, attach } = stage();
    let looks = 0;
    for (let n = 0; n < count; n++) {
      const { key, task } = job(n);
      const counted = {
        ...task,
        get kind() {
          looks++;
          return task.kind;
        },
      };
      broker.run(key, work(n % 3 === 0 ? ada : bob, counted));
    }
    for (let n = 0; n < count; n += 10) broker.cancel(job(n).key);
    const farm = attach();
    for (let n = 1; n <= (count * 9) / 10; n++) {
      broker.lease(`t${n}`);
      farm.say({ kind: "finished", token: `t${n}`, outcome: done });
    }
    t.equal(claims(sent).length, (count * 9) / 10);
    return looks;
  };
  t.equal(lookAt(10_000), 10 * lookAt(1_000));
});

t.test(
  "A1: an owner whose pages run into their time limit leaves the slots to others",
  async (t) => {
    const { sent, broker, attach } = stage();
    const farm = attach(4);
    const late = {
      ...broken,
      message: "render_timeout: late",
      retryable: false,
      isTimeout: true,
    } as const;
    for (const n of [1, 2, 3, 4, 5, 6]) broker.run(job(n).key, work(ada, job(n).task));
    t.equal(claims(sent).length, 2, "half of the slots");
    for (const token of ["t1", "t2", "t3"]) {
      broker.lease(token);
      farm.say({ kind: "finished", token, outcome: late });
    }
    t.equal(claims(sent).length, 4, "then one");
    for (const n of [7, 8]) broker.run(job(n).key, work(bob, job(n).task));
    t.strictSame(claims(sent).slice(4), [job(7).key, job(8).key]);
  },
);
