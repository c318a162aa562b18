/** Tests whole services over real NATS servers and a real bucket: killing nodes loses nothing. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { startNats } from "../nats-server.ts";
import { hasAll, openCluster, submit } from "./cluster-nodes.ts";
import { isOneSentence, startAndFail, startKlieg } from "./klieg-process.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");

t.test("a node that is killed loses nothing: another goes on, then the first again", async (t) => {
  const { start } = await openCluster(t);
  const first = await start("first");
  const second = await start("second");
  const ids = await submit([first, second], 0, 200);
  await first.kill("SIGKILL");
  await hasAll(t, [second], ids);
  ids.push(...(await submit([second], 200, 50)));
  const again = await start("first");
  ids.push(...(await submit([second, again], 250, 50)));
  await second.kill("SIGKILL");
  await hasAll(t, [again], ids);
  t.equal((await again.kill("SIGTERM")).code, 0);
});

t.test("a node that is stopped hands over, and no write is in doubt", async (t) => {
  const { start } = await openCluster(t);
  const first = await start("first");
  const second = await start("second");
  const ids = await submit([first, second], 0, 100);
  t.equal((await first.kill("SIGTERM")).code, 0);
  await hasAll(t, [second], ids);
});

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

t.test("what a cluster lacks is said in one sentence", async (t) => {
  const server = await startNats(t, { hasJetStream: true });
  const noBucket = await startAndFail(t, t.testdir(), { KLIEG_NATS_URL: server.url });
  isOneSentence(t, noBucket, /share an object store; set KLIEG_S3_ENDPOINT/);
  const nowhere = await startAndFail(t, t.testdir(), { KLIEG_DURABILITY: "replicated" });
  isOneSentence(t, nowhere, /no other nodes to replicate to; set KLIEG_NATS_URL/);
});
