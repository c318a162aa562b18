/**
 * Farm nodes of a cluster are killed in the middle of a task: another one begins it anew within 35
 * seconds, and it yields one asset.
 */
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import type { AdminNodeList } from "../../contract/admin.ts";
import type { Asset } from "../../contract/asset.ts";
import type { Job } from "../../contract/job.ts";
import { askAny, hasAll, openCluster } from "../crash/cluster-nodes.ts";
import { startFarmNode } from "../render-farm/nats-house.ts";

const deaths = 3;
/** A request whose task takes some seconds. */
const video = { model: "studio-video", prompt: "a kite", duration_seconds: 4 };

t.test("the task of a farm node that is killed is done once, by another", async (t) => {
  const { start, settings } = await openCluster(t);
  const nodes = await Promise.all(["first", "second"].map((name) => start(name)));
  const startFarm = () => startFarmNode(t, settings.KLIEG_NATS_URL, {});
  let farm = [startFarm(), startFarm()];
  /** Finds the farm node that has a task. */
  const busy = async () => {
    const { items } = await askAny<AdminNodeList>(nodes, "/admin/nodes");
    const working = items.find(({ kind, tasks }) => kind === "farm" && tasks > 0);
    return farm.find(({ process }) => working?.id.endsWith(`-${process.pid}`));
  };
  for (let death = 1; death <= deaths; death++) {
    const { id } = await askAny<Job>(nodes, "/generate/video", video);
    let victim = await busy();
    for (; victim === undefined; victim = await busy()) await delay(50);
    const killed = victim;
    killed.process.kill("SIGKILL");
    await killed.ended;
    const began = process.uptime();
    farm = farm.filter((other) => other !== killed);
    while ((await busy()) === undefined) await delay(50);
    const seconds = process.uptime() - began;
    t.ok(seconds < 35, `it began anew after ${seconds.toFixed(1)} s`);
    await hasAll(t, nodes, [id]);
    const { items } = await askAny<{ items: readonly Asset[] }>(nodes, "/assets");
    t.equal(items.length, death, "each video is one asset");
    farm.push(startFarm());
  }
});
