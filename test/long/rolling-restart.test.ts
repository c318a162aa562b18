/** Every node of a cluster is restarted, one after the other, while clients go on. */
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import type { AdminNode, AdminNodeList } from "../../contract/admin.ts";
import { allEnd, ask } from "../crash/accounts.ts";
import { askAny, openCluster } from "../crash/cluster-nodes.ts";
import { ClientLoad, type Place } from "./client-load.ts";

const rounds = Number(process.env["TEST_RESTARTS"] ?? 1);

async function isReady({ port }: Place): Promise<void> {
  while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status !== 200) await delay(50);
}

/** Makes the node at that address hand over what it owns before it is stopped. */
async function drain(others: readonly Place[], address: string): Promise<void> {
  const node = async (): Promise<AdminNode | undefined> => {
    const { items } = await askAny<AdminNodeList>(others, "/admin/nodes");
    return items.find((known) => known.address === address);
  };
  const { id } = (await node()) ?? {};
  await askAny(others, `/admin/nodes/${id}:drain`, {});
  while ((await node())?.shards.some(({ role }) => role === "owner")) await delay(50);
}

t.test("a rolling restart of all nodes under load fails no request", async (t) => {
  const { start } = await openCluster(t, { KLIEG_SHARDS: "4" });
  const names = ["a", "b", "c"];
  const nodes = await Promise.all(names.map((name) => start(name)));
  const places: Place[] = nodes.map(({ port }) => ({ port }));
  await Promise.all(places.map(isReady));
  const load = await ClientLoad.begin(t, places, 6);
  for (let round = 0; round < rounds; round++)
    for (const [number, name] of names.entries()) {
      const node = nodes[number] as (typeof nodes)[number];
      const place = places[number] as Place;
      load.takeSlowest();
      const began = process.uptime();
      const isDrained = number === 2;
      if (isDrained)
        await drain(
          places.filter((other) => other !== place),
          `127.0.0.1:${node.clusterPort}`,
        );
      const { code } = await node.kill("SIGTERM");
      t.equal(code, 0);
      const stopped = process.uptime();
      const again = await start(name);
      nodes[number] = again;
      place.port = again.port;
      await Promise.all(places.map(isReady));
      const [stop, back] = [stopped - began, process.uptime() - stopped].map((s) => s.toFixed(1));
      t.comment(
        `${name}${isDrained ? ", drained first," : ""} stopped in ${stop} s and was back in ` +
          `${back} s; ${load.takeSlowest()}`,
      );
    }
  const owners = await load.end();
  t.strictSame(load.failures, []);
  t.ok(load.untaken <= rounds * names.length, "what was taken was answered");
  t.comment(
    `${load.acknowledged.length} jobs were acknowledged, ${load.untaken} connections were not taken`,
  );
  const { port } = places[0] as Place;
  await allEnd(t, port, load.acknowledged);
  for (const { token } of owners)
    t.match(await ask(port, token, "/me/credits"), { status: 200, json: { held_credits: 0 } });
  t.match(await askAny(places, "/admin/invariants?limit=100"), { items: [] });
});
