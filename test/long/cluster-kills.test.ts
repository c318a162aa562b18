/**
 * The owner of all jobs is killed again and again under load, now and then with the server of NATS
 * that leads its log: nothing acknowledged is lost, and the books are right. How long no write was
 * taken is told; no test passes or fails by it.
 *
 * `KLIEG_TEST_KILLS` and `KLIEG_TEST_NODES` say how often and of how many nodes;
 * `KLIEG_TEST_LEADER_KILLS=5` that each fifth time a leader dies too.
 */
import t from "tap";
import type { AdminNodeList } from "../../actors/contract/admin.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { askAny, hasAll, openCluster, submit } from "../crash/cluster-nodes.ts";

const kills = Number(process.env["KLIEG_TEST_KILLS"] ?? 10);
const nodeCount = Number(process.env["KLIEG_TEST_NODES"] ?? 2);
const leaderKills = Number(process.env["KLIEG_TEST_LEADER_KILLS"] ?? 0);

t.test(`${kills} kills of the owner among ${nodeCount} nodes lose nothing`, async (t) => {
  const { start, servers } = await openCluster(t);
  const connection = await connectNats({
    ...{ servers: servers.map(({ url }) => url), credentials: undefined, name: "test" },
  });
  t.teardown(() => connection.close());
  /** The server that leads the log of the one shard. */
  const findLeader = async () => {
    const manager = await connection.jetstreamManager({ checkAPI: false });
    const { cluster } = await manager.streams.info("LOG_0");
    return servers[Number(cluster?.leader?.slice("nats-".length))];
  };
  const nodes: Awaited<ReturnType<typeof start>>[] = [];
  for (let node = 0; node < nodeCount; node++) nodes.push(await start(`node-${node}`));
  /** Where among the nodes the owner of the one shard is. */
  const findOwner = async () => {
    for (;;) {
      const { items } = await askAny<AdminNodeList>(nodes, "/admin/nodes");
      const owner = items.find(({ shards }) =>
        shards.some(({ shard, role }) => shard === 0 && role === "owner"),
      );
      const at = nodes.findIndex(({ clusterPort }) => owner?.address.endsWith(`:${clusterPort}`));
      if (at >= 0) return at;
    }
  };
  const awaySeconds: number[] = [];
  const withLeader: number[] = [];
  let ids: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const number = kill * 1_000;
    const at = await findOwner();
    const owner = nodes[at] as (typeof nodes)[number];
    const others = nodes.filter((node) => node !== owner);
    const isLeaderKilled = leaderKills > 0 && kill % leaderKills === leaderKills - 1;
    const leader = isLeaderKilled ? await findLeader() : undefined;
    // What comes after the kill is answered by the others.
    const loads = [0, 1, 2, 3].map((lane) => submit([...nodes], number + lane * 100, 50));
    ids.push(...(await submit(nodes, number + 500, 20)));
    const began = process.uptime();
    await Promise.all([owner.kill("SIGKILL"), leader?.kill()]);
    ids.push(...(await submit(others, number + 600, 1)));
    (isLeaderKilled ? withLeader : awaySeconds).push(process.uptime() - began);
    await leader?.restart();
    ids.push(...(await Promise.all(loads)).flat());
    nodes[at] = await start(`node-${at}`);
    if (kill % 10 !== 9 && kill !== kills - 1) continue;
    await hasAll(t, nodes, ids);
    ids = [];
    t.match(await askAny(nodes, "/admin/invariants"), { items: [] });
  }
  const sorted = (seconds: readonly number[]) =>
    seconds.toSorted((a, b) => a - b).map((each) => each.toFixed(1));
  t.comment(`seconds without writes, of ${awaySeconds.length} kills:`, ...sorted(awaySeconds));
  if (leaderKills > 0)
    t.comment(`and of ${withLeader.length} with a leader of NATS:`, ...sorted(withLeader));
});
