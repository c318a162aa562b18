/** Tests that a node reads what another node's directory has told it. */
import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryNodes } from "../../engine/adapters/memory/memory-nodes.ts";
import { MemoryShardLines } from "../../engine/adapters/memory/memory-shard-lines.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { createAddress } from "../../engine/address.ts";
import { ClusterNodes } from "../../engine/cluster/cluster-nodes.ts";
import { Elsewhere } from "../../engine/cluster/elsewhere.ts";
import { Gateway } from "../../engine/gateway.ts";
import { createKey, directoryCode } from "../../engine/key.ts";
import { ProcessClock } from "../../engine/process-clock.ts";
import { noHash } from "../../engine/record.ts";
import type { ToShard } from "../../engine/wire.ts";
import { sealRecord } from "./sealed.ts";
import { idle } from "./toys.ts";

const key = createKey(0, directoryCode, "a token");

/** A node with one shard and the directory, which it owns or follows. */
function openNode(clock: ManualClock, lines: MemoryShardLines, name: string) {
  const processClock = new ProcessClock(clock);
  const ignore = () => {};
  const listener = { listens: () => false, onChange: ignore, onMiss: ignore, onLeave: ignore };
  const gateway = new Gateway(1, processClock, { ...listener, onFailure: ignore });
  const nodes = new MemoryNodes().open();
  const presence = {
    ...{ node: name, name, address: name, version: "1", startedAtMs: 0, atMs: 0 },
    ...{ status: "live" as const, warnings: [], shards: [], directorySeq: 0, firstRequest: 0 },
  };
  const known = new ClusterNodes(() => presence, nodes, processClock);
  gateway.connect(new Elsewhere({ line: lines.open(), nodes, known, clock: processClock }));
  return gateway;
}

function stage() {
  const clock = new ManualClock(1_000);
  const lines = new MemoryShardLines();
  const [owner, follower] = [openNode(clock, lines, "a"), openNode(clock, lines, "b")];
  const sent: ToShard[] = [];
  owner.attach(1, (message) => sent.push(message), memoryTables());
  owner.event(1, { kind: "lease", endsMs: 60_000 });
  follower.attach(1, undefined, memoryTables());
  follower.event(1, { kind: "lease", endsMs: 60_000 });
  const record = sealRecord({ shard: 1, epoch: 1, seq: 1, atMs: 0 }, { [key]: "{}" }, noHash).bytes;
  let reply: unknown;
  void follower
    .ask(createAddress<{ kind: "make" }, unknown>(key), { kind: "make" }, "work")
    .then((made) => {
      reply = made;
    });
  const release = () =>
    owner.event(1, { kind: "release", seq: 1, record, replies: [{ to: 1, reply: "made" }] });
  return { clock, follower, record, release, getReply: () => reply };
}

t.test("who was told of a token by another node can read it here", async (t) => {
  const { clock, follower, record, release, getReply } = stage();
  await idle();
  release();
  await idle();
  clock.advance(2_000);
  await idle();
  t.equal(getReply(), undefined, "the record has not come");
  follower.event(1, { kind: "applied", record });
  clock.advance(100);
  await idle();
  t.equal(getReply(), "made");
});

t.test(
  "who was told of it is answered when the directory can no longer be read here",
  async (t) => {
    const { clock, follower, release, getReply } = stage();
    await idle();
    release();
    await idle();
    clock.advance(2_000);
    await idle();
    t.equal(getReply(), undefined);
    follower.event(1, { kind: "lease", endsMs: 0 });
    clock.advance(100);
    await idle();
    t.equal(getReply(), "made");
  },
);
