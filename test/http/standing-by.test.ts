/** A cluster node serves once it can take over every shard whose owner dies. */
import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryNodes } from "../../engine/adapters/memory/memory-nodes.ts";
import { MemoryShardLines } from "../../engine/adapters/memory/memory-shard-lines.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { ClusterNodes } from "../../engine/cluster/cluster-nodes.ts";
import { Elsewhere } from "../../engine/cluster/elsewhere.ts";
import { Gateway } from "../../engine/gateway.ts";
import type { Presence } from "../../engine/ports/nodes.ts";
import { ProcessClock } from "../../engine/process-clock.ts";
import { ShardDown } from "../../engine/reading/shard-end.ts";
import { Principals } from "../../http/auth/principals.ts";
import { standBy } from "../../http/cluster/standing-by.ts";
import { idle } from "../engine/toys.ts";

/** Creates a cluster in which no other node has been heard from. */
function otherNodes(clock: ProcessClock): Elsewhere {
  const nodes = new MemoryNodes().open();
  const own: Presence = {
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
  const known = new ClusterNodes(() => own, nodes, clock);
  return new Elsewhere({ line: new MemoryShardLines().open(), nodes, known, clock });
}

/** Sets up two shards and the directory; the node owns the first shard. */
function stage() {
  const ignore = () => {};
  const clock = new ManualClock(1_000);
  const listener = { listens: () => false, onChange: ignore, onMiss: ignore, onLeave: ignore };
  const service = {
    clock: new ProcessClock(clock),
    gateway: new Gateway(2, new ProcessClock(clock), { ...listener, onFailure: ignore }),
  };
  service.gateway.attach(0, ignore, memoryTables());
  service.gateway.leaveElsewhere(1);
  service.gateway.attach(2, undefined, memoryTables());
  let isDone = false;
  const done = standBy(service).then(() => {
    isDone = true;
  });
  const pass = async (ms: number) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 100) {
      clock.advance(100);
      await idle();
    }
    return isDone;
  };
  return { ...service, pass, done };
}

t.test("a node stands by when it has heard the owner of each shard it does not own", async (t) => {
  const { gateway, pass, done } = stage();
  gateway.event(1, { kind: "standby" });
  t.notOk(await pass(500), "nobody was heard of the directory");
  gateway.event(2, { kind: "standby" });
  t.ok(await pass(100));
  await done;
  t.strictSame(
    [0, 1, 2].map((shard) => gateway.isStandby(shard)),
    [false, true, true],
  );
  gateway.attach(1, () => {}, memoryTables());
  t.notOk(gateway.isStandby(1), "it has taken over");
  gateway.detach(1);
  gateway.leaveElsewhere(1);
  t.notOk(gateway.isStandby(1), "its next life has not heard the owner");
});

t.test("a node does not wait for an owner that nobody hears", async (t) => {
  const { pass } = stage();
  t.notOk(await pass(2_900));
  t.ok(await pass(200));
});

t.test("a credential that only another node may know is not called invalid", async (t) => {
  const { gateway, clock } = stage();
  const principals = new Principals(gateway, clock);
  const answer = (): unknown => {
    try {
      return principals.of("Bearer pat_unknown");
    } catch (error) {
      return error;
    }
  };
  t.match(answer(), { refusal: { code: "unauthorized" } }, "a machine that is alone knows all");
  gateway.connect(otherNodes(clock));
  t.ok(answer() instanceof ShardDown, "it has not heard the directory's owner");
  gateway.event(2, { kind: "standby" });
  t.match(answer(), { refusal: { code: "unauthorized" } }, "it follows the directory");
  gateway.detach(2, true);
  t.ok(answer() instanceof ShardDown, "it follows no more and answers on");
  gateway.attach(2, () => {}, memoryTables());
  t.match(answer(), { refusal: { code: "unauthorized" } }, "it owns the directory");
});
