/**
 * A thread that runs shards: wires each to its stores, to the HTTP thread and to the effects
 * thread.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "../../engine/adapters/file-journal.ts";
import { openTables } from "../../engine/adapters/lmdb.ts";
import { openLog } from "../../engine/adapters/log.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { Link } from "../../engine/link.ts";
import { openShard, type Shard, type ShardEvent } from "../../engine/shard.ts";
import type { FromEffects, ShardTask, ToEffects, ToShard } from "../../engine/wire.ts";
import { domain } from "../domain.ts";

/**
 * Ends when every shard was told to stop. A fault ends the whole thread: nothing half alive stays.
 */
export async function run(task: ShardTask): Promise<void> {
  const log = openLog(task.logLevel, `shards ${task.shards.map(({ shard }) => shard).join(", ")}`);
  try {
    await Promise.all(task.shards.map((place) => runShard(task, place, log)));
  } catch (error) {
    log.error(error, "the shard thread ends and starts again");
    process.exit(1);
  }
}

async function runShard(
  { shardCount, dataDir }: ShardTask,
  { shard: number, gateway, effects }: ShardTask["shards"][number],
  log: ReturnType<typeof openLog>,
): Promise<void> {
  const folder = join(dataDir, `shard-${number === shardCount ? "directory" : number}`);
  mkdirSync(folder, { recursive: true });
  const stores = {
    clock: systemClock,
    journal: openJournal(join(folder, "journal")),
    tables: openTables(join(folder, "tables")),
  };
  let shard: Shard | undefined;
  const toGateway = new Link<ShardEvent, ToShard>(gateway, (message) => shard?.hear(message));
  const toEffects = new Link<ToEffects, FromEffects>(effects, (envelope) =>
    shard?.receive(envelope, "settle"),
  );
  const place = { shard: number, shardCount };
  shard = await openShard(place, domain, stores, {
    event: (event) => toGateway.send(event),
    deliver: (deliveries, acknowledged) =>
      toEffects.send({ kind: "deliver", deliveries, acknowledged }),
    brokenTurn: (_, error) => log.error(error, "an actor broke a promise; its turn was dropped"),
  });
  toEffects.send({ kind: "opened" });
  await shard.run();
  toGateway.close();
  toEffects.close();
  await stores.journal.close();
  await stores.tables.close();
}
