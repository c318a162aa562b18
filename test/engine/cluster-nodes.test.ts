import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryNodes } from "../../engine/adapters/memory/memory-nodes.ts";
import { ClusterNodes } from "../../engine/cluster/cluster-nodes.ts";
import type { Presence } from "../../engine/ports/nodes.ts";
import { idle } from "./toys.ts";

function stage(...names: readonly string[]) {
  const clock = new ManualClock(1_000_000);
  const shared = new MemoryNodes();
  const nodes = names.map((node, number) => {
    const state: { -readonly [Name in keyof Presence]: Presence[Name] } = {
      node,
      name: node,
      address: `127.0.0.1:${number + 1}`,
      version: "1.0.0",
      status: "live",
      startedAtMs: 0,
      atMs: clock.nowMs(),
      warnings: [],
      directorySeq: 6,
      firstRequest: 1_000 * (number + 1),
      shards: [{ shard: 0, role: number === 0 ? "owner" : "standby" }],
    };
    const known = new ClusterNodes(() => state, shared.open(), clock);
    known.open();
    return { state, known };
  });
  clock.advance(1_000);
  return { clock, nodes };
}

t.test("every node knows which node owns a shard, until it is silent", (t) => {
  const { clock, nodes } = stage("a", "b");
  const [a, b] = nodes;
  t.match(b?.known.getOwner(0), { node: "a", address: "127.0.0.1:1" });
  t.equal(a?.known.getOwner(0), undefined, "no other node");
  a?.known.close();
  t.equal(b?.known.getOwner(0), undefined, "it said that it goes");
  t.match(b?.known.list(), [{ node: "b" }, { node: "a", status: "gone" }]);
  clock.advance(4_000);
  t.match(b?.known.list(), [
    { node: "b", status: "live" },
    { node: "a", status: "gone" },
  ]);
  t.end();
});

t.test("of two nodes that say they own a shard the one counts that came to own it last", (t) => {
  const { clock, nodes } = stage("a", "b", "c");
  const [, b, c] = nodes;
  if (b !== undefined) b.state.shards = [{ shard: 0, role: "owner" }];
  b?.known.onChange();
  clock.advance(20);
  t.match(c?.known.getOwner(0), { node: "b" });
  t.end();
});

t.test("a request is known by its number to wait on the node that drew it", (t) => {
  const { nodes } = stage("a", "b", "c");
  t.equal(nodes[0]?.known.nodeOfRequest(2_007), "b");
  t.equal(nodes[0]?.known.nodeOfRequest(3_000), "c");
  t.equal(nodes[0]?.known.nodeOfRequest(7), undefined);
  t.end();
});

t.test(
  "a change of rights is spread when every living node has it, or after a second",
  async (t) => {
    const { clock, nodes } = stage("a", "b", "c", "starting");
    const [a, b, c, starting] = nodes;
    if (starting !== undefined) starting.state.directorySeq = 0;
    starting?.known.onChange();
    clock.advance(20);
    let isSpread = false;
    void a?.known.whenApplied(7).then(() => {
      isSpread = true;
    });
    for (const other of [b, c]) {
      await idle();
      t.notOk(isSpread);
      if (other === undefined) continue;
      other.state.directorySeq = 7;
      other.known.onChange();
      clock.advance(20);
    }
    await idle();
    t.ok(isSpread);
    let isGivenUp = false;
    void a?.known.whenApplied(8).then(() => {
      isGivenUp = true;
    });
    clock.advance(1_000);
    await idle();
    t.ok(isGivenUp);
  },
);
