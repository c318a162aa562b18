/** Whole services over real servers of NATS and a real bucket: who is killed loses nothing. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openTableReader } from "../../engine/adapters/lmdb.ts";
import { hasTables } from "../../engine/adapters/lmdb-file.ts";
import { openJetStreamLog, openStream } from "../../engine/adapters/nats/jetstream-log.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { noPosition, readPosition } from "../../engine/shard/replica.ts";
import { startNats } from "../nats-server.ts";
import { hasAll, openCluster, submit } from "./cluster-nodes.ts";
import { failedStart, isOneSentence, startKlieg } from "./klieg-process.ts";

const commandLine = join(import.meta.dirname, "..", "..", "http", "cli", "main.js");

/** How far a node's tables are. */
async function positionOf(dataDir: string, shard: string) {
  const tables = join(dataDir, `shard-${shard}`, "tables");
  if (!hasTables(tables)) return noPosition;
  const reader = openTableReader(tables);
  try {
    return readPosition(reader);
  } finally {
    await reader.close();
  }
}

/** Resolves when a node has told the servers of NATS which store the cluster has. */
async function isStoreKnown(servers: readonly { readonly url: string }[]): Promise<void> {
  const connection = await connectNats({
    ...{ servers: servers.map(({ url }) => url), credentials: undefined, name: "test" },
  });
  const store = await openStream(connection, { stream: "STORE", subject: "STORE" });
  while ((await store.end()).logSeq === 0) await new Promise((again) => setTimeout(again, 100));
  await connection.close();
}

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

t.test("with a quorum an answer outlives the log and the owner's disk", async (t) => {
  const { folder, servers, settings, start } = await openCluster(t, {
    KLIEG_DURABILITY: "quorum",
  });
  const nodes = await Promise.all([start("first"), start("second")]);
  const ids = await submit(nodes, 0, 50);
  for (const node of nodes) await node.kill("SIGKILL");
  for (const server of servers) await server.kill();
  for (const server of servers) await server.forget();
  await Promise.all(servers.map((server) => server.restart()));
  const { nodeId } = JSON.parse(readFileSync(join(folder, "first", "store.json"), "utf8"));
  rmSync(join(folder, "first"), { recursive: true });
  const env = { ...process.env, ...settings, KLIEG_DATA_DIR: join(folder, "second") };
  const run = (...args: string[]) => {
    const { stdout, stderr } = spawnSync(process.execPath, [commandLine, ...args], { env });
    return `${stdout}${stderr}`;
  };
  t.match(run("shard", "rebuild", "0"), /The log holds no record.\n.*\n.*did not answer.*\n.*/);
  t.match(run("shard", "rebuild", "9"), /There is no shard "9"; name one from 0 to 0/);
  t.match(run("node", "forget", nodeId), /is forgotten; start the service/);
  const second = start("second");
  // An empty node that comes first to empty servers begins a store of its own.
  await isStoreKnown(servers);
  const again = await Promise.all([second, start("third")]);
  await hasAll(t, again, ids);
  t.match(run("node", "forget", nodeId), /Another Klieg process uses/);
  for (const node of again) await node.kill("SIGTERM");
  const accepted = run("shard", "rebuild", "0", "--accept-loss");
  t.match(accepted, /^Shard 0: this node has its records up to \d+ of epoch \d+/);
  t.match(accepted, /to which this node's lead.\nLost: whatever came behind record \d+.\n/);
  t.match(accepted, /The loss is accepted/);
});

t.test("servers of NATS that lose their disks are told all again", async (t) => {
  const { start, servers } = await openCluster(t);
  const first = await start("first");
  const second = await start("second");
  const ids = await submit([first, second], 0, 100);
  for (const server of servers) await server.kill();
  for (const server of servers) await server.forget();
  await Promise.all(servers.map((server) => server.restart()));
  ids.push(...(await submit([first, second], 100, 100)));
  await hasAll(t, [first, second], ids);
  await first.kill("SIGKILL");
  await hasAll(t, [second], ids);
});

t.test("a node that loses its disk joins from a snapshot while load goes on", async (t) => {
  const { folder, servers, start } = await openCluster(t);
  const first = await start("first");
  const second = await start("second");
  const ids = await submit([first, second], 0, 20);
  await second.kill("SIGKILL");
  rmSync(join(folder, "second"), { recursive: true });
  const load = async () => void ids.push(...(await submit([first], ids.length, 10)));

  const connection = await connectNats({
    ...{ servers: servers.map(({ url }) => url), credentials: undefined, name: "test" },
  });
  t.teardown(() => connection.close());
  for (const shard of ["0", "directory"]) {
    const log = await openJetStreamLog(connection, shard);
    const { logSeq } = await log.end();
    while ((await positionOf(join(folder, "first"), shard)).logSeq < logSeq) await load();
    await log.trim(logSeq);
  }

  let isServing = false;
  const starting = start("second").finally(() => {
    isServing = true;
  });
  while (!isServing) await load();
  const again = await starting;
  const { seq } = await positionOf(join(folder, "first"), "0");
  while ((await positionOf(join(folder, "second"), "0")).seq <= seq) await load();
  await first.kill("SIGKILL");
  await hasAll(t, [again], ids);
});

t.test("the store of one machine becomes the first node of a cluster", async (t) => {
  const { folder, settings, start } = await openCluster(t);
  const dataDir = join(folder, "first");
  const { KLIEG_NATS_URL: _, ...bucket } = settings;
  const alone = await startKlieg(t, dataDir, bucket);
  const ids = await submit([alone], 0, 50);
  await alone.kill("SIGTERM");
  isOneSentence(t, await failedStart(t, dataDir, settings), /run "klieg cluster join"/);
  const env = { ...process.env, KLIEG_DATA_DIR: dataDir };
  const command = spawnSync(process.execPath, [commandLine, "cluster", "join"], { env });
  t.match(`${command.stdout}`, /belongs to a cluster from now on/);
  const first = await start("first");
  await hasAll(t, [first], ids);
  const second = await start("second");
  ids.push(...(await submit([first, second], 50, 50)));
  await first.kill("SIGKILL");
  await hasAll(t, [second], ids);
  const withoutNats = await failedStart(t, dataDir, bucket);
  isOneSentence(t, withoutNats, /a node of a cluster; set KLIEG_NATS_URL/);
});

t.test("what a cluster lacks is said in one sentence", async (t) => {
  const server = await startNats(t, { hasJetStream: true });
  const noBucket = await failedStart(t, t.testdir(), { KLIEG_NATS_URL: server.url });
  isOneSentence(t, noBucket, /share an object store; set KLIEG_S3_ENDPOINT/);
  const nowhere = await failedStart(t, t.testdir(), { KLIEG_DURABILITY: "replicated" });
  isOneSentence(t, nowhere, /nowhere to replicate to; set KLIEG_NATS_URL/);
});
