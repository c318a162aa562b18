/** Tests a node's answers about a shard that it owned until a moment ago. */
import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryNodes } from "../../engine/adapters/memory/memory-nodes.ts";
import { MemoryShardLines } from "../../engine/adapters/memory/memory-shard-lines.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { ClusterNodes } from "../../engine/cluster/cluster-nodes.ts";
import { Elsewhere } from "../../engine/cluster/elsewhere.ts";
import { ShardAnswers } from "../../engine/cluster/shard-answers.ts";
import { Gateway } from "../../engine/gateway.ts";
import { createKey, getShard, type Key } from "../../engine/key.ts";
import type { Presence } from "../../engine/ports/nodes.ts";
import { ProcessClock } from "../../engine/process-clock.ts";
import { noHash } from "../../engine/record.ts";
import type { ToShard } from "../../engine/wire.ts";
import { sealRecord } from "./sealed.ts";
import { idle } from "./toys.ts";

const presence: Presence = {
  node: "a",
  name: "a",
  address: "127.0.0.1:1",
  version: "1",
  status: "live",
  startedAtMs: 0,
  atMs: 0,
  warnings: [],
  shards: [],
  directorySeq: 0,
  firstRequest: 0,
};

t.test("an owner whose lease lapsed answers no other node before it knows better", async (t) => {
  const clock = new ManualClock(1_000);
  const processClock = new ProcessClock(clock);
  const ignore = () => {};
  const listener = { listens: () => false, onChange: ignore, onMiss: ignore, onLeave: ignore };
  const gateway = new Gateway(1, processClock, { ...listener, onFailure: ignore });
  const sent: ToShard[] = [];
  gateway.attach(0, (message) => sent.push(message), memoryTables());
  const lines = new MemoryShardLines();
  const nodes = new MemoryNodes().open();
  const known = new ClusterNodes(() => presence, nodes, processClock);
  gateway.connect(new Elsewhere({ line: lines.open(), nodes, known, clock: processClock }));
  clock.advance(1_000);
  gateway.event(0, { kind: "lease", endsMs: 500 });
  const question = {
    kind: "ask",
    to: createKey(1, 16, "a"),
    message: { kind: "one" },
    lane: "work",
  };
  const answer = lines.open().ask(0, question, 1_000);
  await idle();
  t.strictSame(sent, [], "another node may own the shard and decide it");
  gateway.event(0, { kind: "lease", endsMs: 3_000 });
  clock.advance(100);
  await idle();
  t.equal(sent.length, 1, "no other node owns it");
  const { bytes: record } = sealRecord({ shard: 0, epoch: 1, seq: 1, atMs: 0 }, {}, noHash);
  const replies = [{ to: 1, reply: "reply" }];
  gateway.event(0, { kind: "release", seq: 1, record, replies });
  t.strictSame(await answer, { kind: "answer", answer: { kind: "reply", reply: "reply" } });

  gateway.event(0, { kind: "lease", endsMs: 500 });
  const unknown = lines.open().ask(0, question, 1_000);
  gateway.detach(0);
  clock.advance(100);
  t.strictSame(await unknown, { kind: "answer", answer: { kind: "lost" } });
});

t.test("a node that owns a shard no more lets the next owner's answer come first", async (t) => {
  const clock = new ManualClock(1_000);
  let owns = true;
  const answers = new ShardAnswers({
    clock: new ProcessClock(clock),
    owns: () => owns,
    getShard: () => 0,
    reads: () => true,
    readText: () => undefined,
    ask: async () => ({ kind: "reply", reply: "reply" }),
  });
  const lines = new MemoryShardLines();
  const nodes = new MemoryNodes().open();
  const known = new ClusterNodes(() => presence, nodes, new ProcessClock(clock));
  const line = lines.open();
  answers.offer(0, new Elsewhere({ line, nodes, known, clock: new ProcessClock(clock) }));
  const question = {
    kind: "ask",
    to: createKey(1, 16, "a"),
    message: { kind: "one" },
    lane: "work",
  };
  t.match(await line.ask(0, question, 1_000), { answer: { kind: "reply" } });
  owns = false;
  let answer: unknown;
  void line.ask(0, question, 1_000).then((said) => {
    answer = said;
  });
  await idle();
  t.equal(answer, undefined, "the question may have reached the next owner too");
  clock.advance(100);
  await idle();
  t.match(answer, { answer: { kind: "moved" } });
});

t.test("a question for what is in another shard is not decided", async (t) => {
  const clock = new ProcessClock(new ManualClock(1_000));
  const answers = new ShardAnswers({
    clock,
    owns: () => true,
    getShard: (key) => getShard(key, 4),
    reads: () => true,
    readText: () => "1",
    ask: async () => ({ kind: "reply", reply: "reply" }),
  });
  const line = new MemoryShardLines().open();
  const known = new ClusterNodes(() => presence, new MemoryNodes().open(), clock);
  answers.offer(1, new Elsewhere({ line, nodes: new MemoryNodes().open(), known, clock }));
  const [own, other] = [createKey(64, 16, "a"), createKey(128, 16, "a")];
  const ask = (to: Key) => ({ kind: "ask", to, message: { kind: "one" }, lane: "work" });
  t.match(await line.ask(1, ask(own), 1_000), { answer: { kind: "reply" } });
  t.match(await line.ask(1, { kind: "rows", keys: [own] }, 1_000), { answer: { kind: "rows" } });
  // Of two shards the second had it.
  t.match(await line.ask(1, ask(other), 1_000), { answer: { kind: "moved" } });
  const rows = { kind: "rows", keys: [own, other] };
  t.match(await line.ask(1, rows, 1_000), { answer: { kind: "moved" } });
});
