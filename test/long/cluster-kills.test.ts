/**
 * The owner of all shards is killed again and again under load: nothing acknowledged is lost, and
 * the books are right. How long no write was taken is told; no test passes or fails by it.
 */
import t from "tap";
import { askAny, hasAll, openCluster, submit } from "../crash/cluster-nodes.ts";

const kills = Number(process.env["KLIEG_TEST_KILLS"] ?? 10);

t.test(`${kills} kills of the owner lose nothing`, async (t) => {
  const { start } = await openCluster(t);
  let owner = await start("node-0");
  let standby = await start("node-1");
  const awaySeconds: number[] = [];
  let ids: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const number = kill * 1_000;
    // What comes after the kill is answered by the standby.
    const nodes = [owner, standby];
    const loads = [0, 1, 2, 3].map((lane) => submit(nodes, number + lane * 100, 50));
    ids.push(...(await submit(nodes, number + 500, 20)));
    const began = process.uptime();
    await owner.kill("SIGKILL");
    ids.push(...(await submit([standby], number + 600, 1)));
    awaySeconds.push(process.uptime() - began);
    ids.push(...(await Promise.all(loads)).flat());
    owner = standby;
    standby = await start(`node-${kill % 2}`);
    if (kill % 10 !== 9 && kill !== kills - 1) continue;
    await hasAll(t, [owner], ids);
    ids = [];
    t.match(await askAny([owner], "/admin/invariants"), { items: [] });
  }
  const sorted = awaySeconds.toSorted((a, b) => a - b).map((seconds) => seconds.toFixed(1));
  t.comment(`seconds without writes, of ${kills} kills: ${sorted.join(" ")}`);
});
