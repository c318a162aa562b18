import t from "tap";
import { limits } from "../../config/limits.ts";
import type { ToNode } from "../../engine/ports/tasks.ts";
import { ada, bob, job, type Node, stage, work } from "./broker-stage.ts";

const one = job(1);
const two = job(2);
const done = { kind: "succeeded", outputs: [] } as const;
const broken = { kind: "failed", message: "the browser died", retryable: true } as const;
const helpers = { kind: "help", input: { film: 1 }, outputPrefix: "volatile/jobs/1/t1/x" };

/** Makes a node that leads task t1, split into parts; tests attach further nodes. */
function makeLed(parts: number) {
  const { broker, attach, sent, clock } = stage();
  const lead = attach(2);
  broker.run(one.key, work(ada, one.task));
  broker.lease("t1");
  lead.say({ kind: "split", token: "t1", member: "t1/0", parts, helpers });
  return { broker, attach, sent, clock, lead };
}

/** Messages about parts that the node received. */
function tell({ got }: Node): readonly ToNode[] {
  return got.filter(({ kind }) => kind === "part" || kind === "made");
}

function part(member: string, part: number | null): ToNode {
  return { kind: "part", member, part };
}

/** Tokens of the helper tasks that were leased to the node. */
function join({ got }: Node): readonly string[] {
  return got.flatMap((message) =>
    message.kind === "lease" && message.task.kind === "help" ? [message.task.token] : [],
  );
}

t.test("an idle node joins the helpers of a task that another node split", async (t) => {
  const { attach, lead } = makeLed(3);
  t.equal(lead.got.length, 1, "never the lead's own node, though it has a slot");
  const other = attach(2);
  t.strictSame(other.got, [{ kind: "lease", task: { ...helpers, token: "t2" } }]);
});

t.test("a node joins when it is idle, and waiting tasks go first", async (t) => {
  const { attach, broker, sent } = makeLed(3);
  broker.run(two.key, work(bob, two.task));
  t.equal(sent.length, 2, "the lead's second slot");
  broker.run(job(3).key, work(ada, job(3).task));
  const other = attach(2);
  t.strictSame(sent[2], [job(3).key, { kind: "claim", token: "t3" }]);
  t.strictSame(other.got, [], "it is busy");
  broker.lease("t3");
  other.say({ kind: "finished", token: "t3", outcome: done });
  t.strictSame(join(other), ["t4"]);
  broker.run(job(4).key, work(bob, job(4).task));
  t.match(sent.at(-1), [job(4).key, { kind: "claim" }], "its other slot is for whoever waits");
});

t.test("each part is given to one taker, and what helpers made is passed on", async (t) => {
  const { attach, lead } = makeLed(3);
  const other = attach();
  lead.say({ kind: "take", member: "t1/0" });
  other.say({ kind: "take", member: "t2" });
  lead.say({ kind: "take", member: "t1/0" });
  t.strictSame(tell(lead), [part("t1/0", 0), part("t1/0", 2)]);
  t.strictSame(tell(other), [part("t2", 1)]);
  other.say({ kind: "made", member: "t2", part: 1, result: { size: 7 } });
  t.strictSame(tell(lead)[2], { kind: "made", member: "t1/0", part: 1, result: { size: 7 } });
  other.say({ kind: "made", member: "t2", part: 1, result: {} });
  other.say({ kind: "made", member: "t2", part: 0, result: {} });
  t.equal(tell(lead).length, 3, "not what was made already, nor what another has");
});

t.test("who asks when all are taken waits until all are made", async (t) => {
  const { attach, lead } = makeLed(2);
  const other = attach();
  other.say({ kind: "take", member: "t2" });
  for (let take = 0; take < 2; take++) lead.say({ kind: "take", member: "t1/0" });
  lead.say({ kind: "made", member: "t1/0", part: 1, result: {} });
  t.strictSame(tell(lead), [part("t1/0", 1)]);
  other.say({ kind: "made", member: "t2", part: 0, result: {} });
  t.strictSame(tell(lead).slice(1), [
    { kind: "made", member: "t1/0", part: 0, result: {} },
    part("t1/0", null),
  ]);
  other.say({ kind: "take", member: "t2" });
  t.strictSame(tell(other)[1], part("t2", null));
});

for (const [end, act] of Object.entries({
  dies: ({ other }: { other: Node }) => other.die(),
  fails: ({ other }: { other: Node }) =>
    other.say({ kind: "finished", token: "t2", outcome: broken }),
}))
  t.test(`a helper node that ${end} gives back what it took and did not make`, async (t) => {
    const { attach, lead, sent } = makeLed(3);
    const other = attach();
    for (let take = 0; take < 3; take++) other.say({ kind: "take", member: "t2" });
    other.say({ kind: "made", member: "t2", part: 1, result: {} });
    lead.say({ kind: "take", member: "t1/0" });
    act({ other });
    lead.say({ kind: "take", member: "t1/0" });
    const parts = tell(lead).flatMap((message) => (message.kind === "part" ? message.part : []));
    t.strictSame([...parts].sort(), [0, 2]);
    const heard = lead.got.length;
    other.say({ kind: "made", member: "t2", part: 0, result: {} });
    other.say({ kind: "take", member: "t2" });
    t.equal(lead.got.length, heard, "what it says late counts for nothing");
    t.equal(sent.length, 1, "the task's own lease goes on");
    t.equal(join(other).length, 1, "it is not asked again");
  });

t.test("a helper node that is silent for 15 s gives back what it took", async (t) => {
  const { attach, lead, clock } = makeLed(1);
  const other = attach();
  other.say({ kind: "take", member: "t2" });
  lead.say({ kind: "take", member: "t1/0" });
  for (let second = 0; second < 30; second++) {
    clock.advance(1_000);
    for (const [node, token] of [
      [lead, "t1"],
      [other, "t2"],
    ] as const)
      node.say({ kind: "heartbeat", token, progress: 0 });
  }
  t.strictSame(tell(lead), [], "heartbeats keep it");
  for (let second = 0; second < 17; second++) {
    clock.advance(1_000);
    lead.say({ kind: "heartbeat", token: "t1", progress: 0 });
  }
  t.strictSame(tell(lead), [part("t1/0", 0)]);
  t.strictSame(other.got.at(-1), { kind: "cancel", token: "t2" });
});

for (const [end, act] of Object.entries({
  succeeds: ({ lead }: ReturnType<typeof makeLed>) =>
    lead.say({ kind: "finished", token: "t1", outcome: done }),
  fails: ({ lead }: ReturnType<typeof makeLed>) =>
    lead.say({ kind: "finished", token: "t1", outcome: { ...broken, retryable: false } }),
  "is canceled": ({ broker }: ReturnType<typeof makeLed>) => broker.cancel(one.key),
  "is silent": ({ clock }: ReturnType<typeof makeLed>) =>
    clock.advance(limits.farm.leaseMs + 2_000),
  dies: ({ lead }: ReturnType<typeof makeLed>) => lead.die(),
}))
  t.test(`helpers end when the node that leads ${end}`, async (t) => {
    const farm = makeLed(3);
    const other = farm.attach();
    other.say({ kind: "take", member: "t2" });
    act(farm);
    t.strictSame(
      other.got.filter(({ kind }) => kind === "cancel"),
      [{ kind: "cancel", token: "t2" }],
    );
    const heard = farm.lead.got.length;
    other.say({ kind: "made", member: "t2", part: 0, result: {} });
    t.equal(farm.lead.got.length, heard);
    for (const { key, task } of [two, job(3), job(4)]) farm.broker.run(key, work(key, task));
    const claims = farm.sent.filter(([, { kind }]) => kind === "claim").length;
    t.equal(claims - 1, end === "dies" ? 1 : 3, "all slots are there for the next tasks");
  });

t.test("a second split replaces the first, and asks again who joined it", async (t) => {
  const { attach, lead } = makeLed(3);
  const other = attach();
  for (const [node, member] of [
    [lead, "t1/0"],
    [other, "t2"],
  ] as const)
    node.say({ kind: "take", member });
  const again = { ...helpers, input: { film: 2 } };
  lead.say({ kind: "split", token: "t1", member: "t1/1", parts: 1, helpers: again });
  t.strictSame(other.got.slice(-2), [
    { kind: "cancel", token: "t2" },
    { kind: "lease", task: { ...again, token: "t3" } },
  ]);
  const heard = [lead.got.length, other.got.length];
  lead.say({ kind: "take", member: "t1/0" });
  other.say({ kind: "made", member: "t2", part: 1, result: {} });
  t.strictSame([lead.got.length, other.got.length], heard, "the first is void");
  other.say({ kind: "take", member: "t3" });
  t.strictSame(tell(other).at(-1), part("t3", 0));
});

t.test("only the node that has a task splits it", async (t) => {
  const { broker, attach } = stage();
  const [first, second] = [attach(), attach()];
  broker.run(one.key, work(ada, one.task));
  broker.lease("t1");
  const split = { kind: "split", token: "t1", member: "x", parts: 3, helpers } as const;
  second?.say(split);
  second?.say({ ...split, token: "t9" });
  second?.say({ kind: "take", member: "x" });
  t.strictSame([first?.got.length, second?.got.length], [1, 0]);
});
