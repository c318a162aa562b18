/** How a service becomes a node of a cluster, over real servers of NATS and a real bucket. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { hasAll, openCluster, submit } from "../crash/cluster-nodes.ts";
import { isOneSentence, startAndFail, startKlieg } from "../crash/klieg-process.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");

t.test("the store of one machine becomes the first node of a cluster", async (t) => {
  const { folder, settings, start } = await openCluster(t);
  const dataDir = join(folder, "first");
  const { KLIEG_NATS_URL: _, ...bucket } = settings;
  const alone = await startKlieg(t, dataDir, bucket);
  const ids = await submit([alone], 0, 50);
  await alone.kill("SIGTERM");
  isOneSentence(t, await startAndFail(t, dataDir, settings), /run "klieg cluster join"/);
  const env = { ...process.env, KLIEG_DATA_DIR: dataDir };
  const command = spawnSync(process.execPath, [commandLine, "cluster", "join"], { env });
  t.match(`${command.stdout}`, /belongs to a cluster from now on/);
  const first = await start("first");
  await hasAll(t, [first], ids);
  const second = await start("second");
  ids.push(...(await submit([first, second], 50, 50)));
  await first.kill("SIGKILL");
  await hasAll(t, [second], ids);
  const withoutNats = await startAndFail(t, dataDir, bucket);
  isOneSentence(t, withoutNats, /a node of a cluster; set KLIEG_NATS_URL/);
});
