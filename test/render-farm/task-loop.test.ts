import t from "tap";
import {
  type MemoryBroker,
  memoryBrokerConnection,
} from "../../engine/adapters/farm/memory-broker-connection.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { FromNode, Task, TaskOutcome } from "../../engine/ports/tasks.ts";
import type { ObjectSigner } from "../../render-farm/node/object-asks.ts";
import { type TaskContext, TaskLoop } from "../../render-farm/node/task-loop.ts";
import type { SharedParts } from "../../render-farm/node/task-parts.ts";
import { createSimulatedTimers, type SimulatedTimers } from "./simulated-timers.ts";

const helpers = { kind: "help", input: 1, outputPrefix: "volatile/x" };
const done: TaskOutcome = { kind: "succeeded", outputs: [] };

interface Started {
  readonly context: TaskContext;
  succeed(): void;
  fail(fault: unknown): void;
}

interface Bench {
  readonly broker: MemoryBroker;
  readonly timers: SimulatedTimers;
  readonly sent: FromNode[];
  readonly started: Started[];
  readonly bugs: unknown[];
  /** Signer of each task that was begun. */
  readonly signers: ObjectSigner[];
  readonly loop: TaskLoop;
}

/** Starts a node of two slots whose worker does what the test says. */
function startNode(): Bench {
  const { node, broker } = memoryBrokerConnection();
  const timers = createSimulatedTimers();
  const sent: FromNode[] = [];
  const started: Started[] = [];
  const bugs: unknown[] = [];
  const signers: ObjectSigner[] = [];
  broker.onMessage((message) => sent.push(message));
  const worker = {
    timeoutMs: 60_000,
    run: (context: TaskContext) =>
      new Promise<TaskOutcome>((resolve, reject) => {
        started.push({ context, succeed: () => resolve(done), fail: reject });
      }),
  };
  const loop = new TaskLoop(
    {
      name: "n1",
      version: "0.0.0-test",
      slots: 2,
      heartbeatMs: 1_000,
      drainMs: 15_000,
      workersByKind: new Map([["image", () => worker]]),
      objectsFor(signer) {
        signers.push(signer);
        return memoryObjects();
      },
      reportBug: (fault) => bugs.push(fault),
    },
    node,
    timers,
  );
  return { broker, timers, sent, started, bugs, signers, loop };
}

function task(token: string, kind = "image"): Task {
  return { token, kind, input: { prompt: "x" }, outputPrefix: `jobs/${token}` };
}

function failure(token: string, message: string, retryable: boolean): FromNode {
  return { kind: "finished", token, outcome: { kind: "failed", message, retryable } };
}

/** Returns the parts that the task was split into. */
function split({ started }: Bench, parts: number): SharedParts {
  const { context } = started[0] ?? {};
  if (context === undefined) throw new Error("nothing was started");
  return context.split(parts, helpers);
}

/** Lets the handlers of settled promises run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

t.test("a node says hello with its slots and kinds", async (t) => {
  const { sent } = startNode();
  t.strictSame(sent, [
    { kind: "hello", node: "n1", version: "0.0.0-test", slots: 2, kinds: ["image"] },
  ]);
});

t.test("a leased task runs and is reported under its token", async (t) => {
  const { broker, sent, started } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  t.strictSame(started[0]?.context.input, { prompt: "x" });
  t.equal(started[0]?.context.outputPrefix, "jobs/t1");
  started[0]?.succeed();
  await settle();
  t.strictSame(sent.slice(1), [{ kind: "finished", token: "t1", outcome: done }]);
});

t.test("each lease has a heartbeat with its progress until it ends", async (t) => {
  const { broker, timers, sent, started } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  broker.send({ kind: "lease", task: task("t2") });
  timers.advance(999);
  t.equal(sent.length, 1);
  started[1]?.context.reportProgress(0.5);
  timers.advance(1);
  t.strictSame(sent.slice(1), [
    { kind: "heartbeat", token: "t1", progress: 0 },
    { kind: "heartbeat", token: "t2", progress: 0.5 },
  ]);
  started[0]?.succeed();
  await settle();
  started[1]?.context.reportProgress(0.25);
  timers.advance(1_000);
  t.strictSame(sent.at(-1), { kind: "heartbeat", token: "t2", progress: 0.5 });
  t.equal(sent.length, 5);
});

t.test("a canceled task is aborted and answered at once, its slot free", async (t) => {
  const { broker, sent, started } = startNode();
  for (const token of ["t1", "t2"]) broker.send({ kind: "lease", task: task(token) });
  broker.send({ kind: "cancel", token: "t1" });
  t.ok(started[0]?.context.signal.aborted);
  t.notOk(started[1]?.context.signal.aborted);
  t.strictSame(sent.slice(1), [failure("t1", "the task was canceled", false)]);
  broker.send({ kind: "lease", task: task("t3") });
  t.equal(started.length, 3);
  started[0]?.fail(new Error("late"));
  await settle();
  t.equal(sent.length, 2, "what the worker still says is ignored");
  broker.send({ kind: "cancel", token: "unknown" });
  t.equal(sent.length, 2);
});

t.test("an operating fault keeps what it says about another attempt", async (t) => {
  const { broker, sent, started, bugs } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  broker.send({ kind: "lease", task: task("t2") });
  started[0]?.fail(new PortError("the browser died", true));
  started[1]?.fail(new PortError("no such font", false));
  await settle();
  t.strictSame(sent.slice(1), [
    failure("t1", "the browser died", true),
    failure("t2", "no such font", false),
  ]);
  t.strictSame(bugs, []);
});

t.test("a bug fails its task for good, is reported, and the node goes on", async (t) => {
  const { broker, sent, started, bugs } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  const bug = new TypeError("x is not a function");
  started[0]?.fail(bug);
  await settle();
  t.strictSame(sent.slice(1), [
    failure("t1", "The render farm failed to carry out this task.", false),
  ]);
  t.equal(bugs[0], bug);
  broker.send({ kind: "lease", task: task("t2") });
  t.equal(started.length, 2);
});

t.test("a task past its time is aborted and may be tried again", async (t) => {
  const { broker, timers, sent, started } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  timers.advance(59_999);
  t.notOk(started[0]?.context.signal.aborted);
  timers.advance(1);
  t.ok(started[0]?.context.signal.aborted);
  const late = { message: "image took longer than 60000 ms", retryable: true, isTimeout: true };
  const outcome = { kind: "failed", ...late };
  t.strictSame(sent.at(-1), { kind: "finished", token: "t1", outcome });
});

t.test("a lease beyond the slots or of an unknown kind goes back", async (t) => {
  const { broker, sent, started } = startNode();
  broker.send({ kind: "lease", task: task("t0", "video") });
  for (const token of ["t1", "t2", "t3"]) broker.send({ kind: "lease", task: task(token) });
  t.equal(started.length, 2);
  t.strictSame(sent.slice(1), [
    failure("t0", "the node does not do video", true),
    { kind: "returned", token: "t3" },
  ]);
});

t.test("a task asks for objects under its lease, until it ends", async (t) => {
  const { broker, sent, started, signers } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  const [signer] = signers;
  if (signer === undefined) throw new Error("nothing was started");
  const [got, put, removed] = [
    signer.urlFor("get", "a"),
    signer.urlFor("put", "b"),
    signer.remove("c"),
  ];
  t.strictSame(
    sent.slice(1),
    (["get", "put", "remove"] as const).map((order, at) => {
      return { kind: "ask", token: "t1", id: at + 1, order, key: "abc"[at] };
    }),
  );
  broker.send({ kind: "granted", token: "t1", id: 3, url: null });
  broker.send({ kind: "granted", token: "t1", id: 1, url: "https://store/a" });
  const reason = "the lease does not cover this object";
  broker.send({ kind: "denied", token: "t1", id: 2, reason, retryable: false });
  t.equal(await got, "https://store/a");
  await t.rejects(put, new PortError(reason, false));
  await removed;
  const unanswered = signer.urlFor("get", "d");
  started[0]?.succeed();
  await t.rejects(unanswered, new PortError("the task has ended", true));
  await t.rejects(signer.urlFor("get", "e"), new PortError("the task has ended", true));
});

t.test("a lease delivered twice runs once", async (t) => {
  const { broker, started, sent } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  broker.send({ kind: "lease", task: task("t1") });
  t.equal(started.length, 1);
  t.equal(sent.length, 1);
});

t.test("a drain takes nothing new, lets what runs end, then the node ends", async (t) => {
  const { broker, timers, sent, started, loop } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  broker.send({ kind: "drain" });
  broker.send({ kind: "lease", task: task("t2") });
  t.strictSame(sent.slice(1), [
    { kind: "capacity", slots: 0 },
    { kind: "returned", token: "t2" },
  ]);
  timers.advance(1_000);
  t.strictSame(sent.at(-1), { kind: "heartbeat", token: "t1", progress: 0 });
  started[0]?.succeed();
  t.equal(await loop.ended, "drained");
  const count = sent.length;
  timers.advance(60_000);
  t.equal(sent.length, count);
});

t.test("a drain hands back what does not end in time", async (t) => {
  const { broker, timers, sent, started, loop } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  loop.drain();
  timers.advance(15_000);
  t.ok(started[0]?.context.signal.aborted);
  t.strictSame(sent.at(-1), { kind: "returned", token: "t1" });
  t.equal(await loop.ended, "drained");
});

t.test("an idle node ends as soon as it is drained", async (t) => {
  const { broker, loop } = startNode();
  broker.send({ kind: "drain" });
  t.equal(await loop.ended, "drained");
});

t.test("the node ends at once when the broker is gone", async (t) => {
  const { broker, timers, sent, started, loop } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  broker.close();
  t.equal(await loop.ended, "closed");
  t.ok(started[0]?.context.signal.aborted);
  timers.advance(60_000);
  t.equal(sent.length, 1);
});

t.test("a task that is split hears of its parts until all are made", async (t) => {
  const node = startNode();
  const { broker, sent } = node;
  broker.send({ kind: "lease", task: task("t1") });
  const parts = split(node, 3);
  broker.send({ kind: "made", member: "t1/0", part: 2, result: { early: true } });
  const takes = [parts.take(), parts.take()];
  t.strictSame(sent.slice(1), [
    { kind: "split", token: "t1", member: "t1/0", parts: 3, helpers },
    { kind: "take", member: "t1/0" },
    { kind: "take", member: "t1/0" },
  ]);
  for (const part of [1, null]) broker.send({ kind: "part", member: "t1/0", part });
  t.strictSame(await Promise.all(takes), [1, undefined]);
  parts.storePart(1, { size: 7 });
  t.strictSame(sent.at(-1), { kind: "made", member: "t1/0", part: 1, result: { size: 7 } });
  const heard: unknown[] = [];
  parts.onMade((part, result) => heard.push([part, result]));
  broker.send({ kind: "made", member: "t1/0", part: 0, result: {} });
  t.strictSame(
    heard,
    [
      [2, { early: true }],
      [0, {}],
    ],
    "also of what was made before it listened",
  );
});

t.test("a helper's task takes parts under its own token", async (t) => {
  const { broker, sent, started } = startNode();
  broker.send({ kind: "lease", task: task("t1") });
  const part = started[0]?.context.join().take();
  t.strictSame(sent.at(-1), { kind: "take", member: "t1" });
  broker.send({ kind: "part", member: "t2", part: 1 });
  broker.send({ kind: "part", member: "t1", part: 4 });
  t.equal(await part, 4);
});

t.test("a second split replaces the first, and what is said of that one is void", async (t) => {
  const node = startNode();
  const { broker, sent } = node;
  broker.send({ kind: "lease", task: task("t1") });
  const first = split(node, 3);
  const waiting = first.take();
  const second = split(node, 2);
  await t.rejects(waiting, { name: "PortError", retryable: true });
  t.match(sent.at(-1), { kind: "split", member: "t1/1", parts: 2 });
  const part = second.take();
  broker.send({ kind: "part", member: "t1/0", part: 2 });
  broker.send({ kind: "part", member: "t1/1", part: 0 });
  t.equal(await part, 0);
});

t.test("whoever waits for a part when its task ends hears so", async (t) => {
  const node = startNode();
  const { broker, sent } = node;
  broker.send({ kind: "lease", task: task("t1") });
  const parts = split(node, 3);
  const waiting = parts.take();
  broker.send({ kind: "cancel", token: "t1" });
  await t.rejects(waiting, { message: "the parts of the task are no longer wanted" });
  const count = sent.length;
  await t.rejects(parts.take());
  parts.storePart(0, {});
  t.equal(sent.length, count, "the broker hears no more of them");
});
