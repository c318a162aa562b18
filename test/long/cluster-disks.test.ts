/** Whole services over real NATS servers, some of which lose their disks. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openTableReader } from "../../engine/adapters/lmdb.ts";
import { hasTables } from "../../engine/adapters/lmdb-file.ts";
import { openJetStreamLog, openStream } from "../../engine/adapters/nats/jetstream-log.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { noPosition, readPosition } from "../../engine/shard/replica.ts";
import { hasAll, openCluster, submit } from "../crash/cluster-nodes.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");

/** Reads the position up to which a node's tables are written. */
async function readDiskPosition(dataDir: string, shard: string) {
  const tables = join(dataDir, `shard-${shard}`, "tables");
  if (!hasTables(tables)) return noPosition;
  const reader = openTableReader(tables);
  try {
    return readPosition(reader);
  } finally {
    await reader.close();
  }
}

/** Resolves when a node has told the NATS servers which store the cluster has. */
async function isStoreKnown(servers: readonly { readonly url: string }[]): Promise<void> {
  const connection = await connectNats({
    servers: servers.map(({ url }) => url),
    credentials: undefined,
    name: "test",
  });
  const store = await openStream(connection, { stream: "STORE", subject: "STORE" });
  while ((await store.end()).logSeq === 0) await new Promise((again) => setTimeout(again, 100));
  await connection.close();
}

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
  t.match(run("shard", "rebuild", "0"), /The log has no records.\n.*\n.*did not answer.*\n.*/);
  t.match(run("shard", "rebuild", "9"), /There is no shard "9"; name one from 0 to 0/);
  t.match(run("node", "forget", nodeId), /is forgotten; start the service/);
  const second = start("second");
  // An empty node that is the first to connect to empty servers begins a store of its own.
  await isStoreKnown(servers);
  const again = await Promise.all([second, start("third")]);
  await hasAll(t, again, ids);
  t.match(run("node", "forget", nodeId), /Another Klieg process uses/);
  for (const node of again) await node.kill("SIGTERM");
  const accepted = run("shard", "rebuild", "0", "--accept-loss");
  t.match(accepted, /^Shard 0: this node has records up to \d+ of epoch \d+/);
  t.match(
    accepted,
    /which continues this node's records\.\nLost: any records that followed record \d+.\n/,
  );
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
    servers: servers.map(({ url }) => url),
    credentials: undefined,
    name: "test",
  });
  t.teardown(() => connection.close());
  for (const shard of ["0", "directory"]) {
    const log = await openJetStreamLog(connection, shard);
    const { logSeq } = await log.end();
    while ((await readDiskPosition(join(folder, "first"), shard)).logSeq < logSeq) await load();
    await log.trim(logSeq);
  }

  let isServing = false;
  const starting = start("second").finally(() => {
    isServing = true;
  });
  while (!isServing) await load();
  const again = await starting;
  const { seq } = await readDiskPosition(join(folder, "first"), "0");
  while ((await readDiskPosition(join(folder, "second"), "0")).seq <= seq) await load();
  await first.kill("SIGKILL");
  await hasAll(t, [again], ids);
});
