/** The thread of a shard: connects it to its stores, the HTTP thread and the effects thread. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { MessagePort } from "node:worker_threads";
import { domain } from "../../actors/domain.ts";
import { limits } from "../../config/limits.ts";
import type { NatsAccess } from "../../config/secret-files.ts";
import type { Context, Report } from "../../engine/actor.ts";
import { openJournal } from "../../engine/adapters/file-journal.ts";
import { openTables } from "../../engine/adapters/lmdb.ts";
import { checkTablesFile, hasTables } from "../../engine/adapters/lmdb-file.ts";
import { type Logger, openLog } from "../../engine/adapters/log.ts";
import { openObjects } from "../../engine/adapters/objects/open-objects.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { systemEntropy } from "../../engine/adapters/system-entropy.ts";
import { openTraces } from "../../engine/adapters/traces/open-traces.ts";
import type { Domain } from "../../engine/domain.ts";
import { IdMint } from "../../engine/id.ts";
import { Link } from "../../engine/link.ts";
import { Tally } from "../../engine/metrics/tally.ts";
import type { Snapshot } from "../../engine/ports/snapshots.ts";
import { damageSentence, StoreDamage } from "../../engine/ports/store-damage.ts";
import type { Traces } from "../../engine/ports/traces.ts";
import { type Answered, answerQuestion } from "../../engine/questions.ts";
import { SampledLog } from "../../engine/sampled-log.ts";
import { ClusterShard } from "../../engine/shard/cluster-shard.ts";
import { Opening } from "../../engine/shard/opening.ts";
import { openShard } from "../../engine/shard/ownership.ts";
import type { ShardPlace } from "../../engine/shard/replica.ts";
import type { Shard } from "../../engine/shard/shard.ts";
import type { ShardOutlets, ShardStores } from "../../engine/shard/shard-ports.ts";
import type { SnapshotTask } from "../../engine/snapshot-thread/snapshot-task.ts";
import { ShortThreads } from "../../engine/threads.ts";
import type {
  FromEffects,
  FromShardThread,
  ShardTask,
  ToEffects,
  ToShardThread,
} from "../../engine/wire.ts";
import { concludeAtOnce } from "../../providers/simulated/at-once.ts";
import { type CountedLife, readSamples } from "./shard-samples.ts";

const snapshotEntry = new URL("../../engine/snapshot-thread/main.js", import.meta.url);

/** Returns when the shard was stopped. A fault ends the whole thread, so that no part lives on. */
export async function run(task: ShardTask): Promise<void> {
  const log = openLog(task.logLevel, `shard ${task.shard}`);
  try {
    await runShard(task, log);
  } catch (error) {
    log.error(error, "shard thread restarting");
    process.exit(1);
  }
}

async function runShard(task: ShardTask, log: Logger): Promise<void> {
  const { shardCount, dataDir, shard: number } = task;
  const folder = join(dataDir, `shard-${number === shardCount ? "directory" : number}`);
  const ends = new SampledLog(systemClock, {
    line: (level, fields, message) => log[level](fields, message),
    onSkip: (lines) => log.info({ lines }, "job end lines dropped"),
  });
  const tally = new Tally();
  const ids = new IdMint(systemClock, systemEntropy());
  const concluding: Domain = { ...domain, ...concludeAtOnce(ids, tally) };
  const traces = await openTraces(task.otlpUrl, `shard ${number}`);
  let life: ShardLife | undefined;
  const effects = new EffectsLine((envelope) => life?.shard?.receive(envelope, "settle"));
  const onSamplesFault = (error: unknown) => log.warn(error, "shard metrics unavailable");
  const readShard = () => readSamples(tally, life, systemClock);
  const toGateway = new Link<FromShardThread, ToShardThread>(task.gateway, (message) => {
    if ("kind" in message && message.kind === "effects") effects.connect(message.port, toGateway);
    else if ("kind" in message && message.kind === "question")
      void answerQuestion(message, readShard, onSamplesFault).then(answer);
    else if (life !== undefined) tell(life, message);
  });
  const answer = (answered: Answered) => toGateway.send(answered);
  const outlets: ShardOutlets = {
    event: (event) => toGateway.send(event),
    deliver: (deliveries, acknowledged) => effects.send({ deliveries, acknowledged }),
    brokenStep: (_, error) => log.error(error, "actor invariant violated, turn dropped"),
    report(report, get) {
      ends.add(report, get);
      report.count(tally, get);
      tellSpan(traces, report, get);
    },
    flushes(error) {
      if (error === undefined) log.info({ shard: number }, "store writable again");
      else log.error({ err: error, shard: number }, "store write failed, retrying");
    },
  };
  try {
    const stores = openStores(folder, task, (sentence) => log.warn(sentence));
    const place = { shard: number, shardCount };
    life =
      task.cluster === undefined
        ? localLife(task, place, concluding, stores, outlets)
        : await clusterLife(task, task.cluster, folder, concluding, stores, outlets, log);
    await life.run();
    toGateway.close();
    effects.close();
    await stores.journal.close();
    await stores.tables.close();
    await traces?.close();
  } catch (error) {
    if (!(error instanceof StoreDamage)) throw error;
    toGateway.send({ kind: "damaged", sentence: damageSentence(folder, error) });
    // Retrying does not help, so the thread waits for the end of the process.
    await new Promise(() => {});
  }
}

function tell(
  life: ShardLife,
  message: Exclude<ToShardThread, { kind: "effects" | "question" }>,
): void {
  if ("kind" in message && message.kind === "drain") life.drain?.();
  else if ("kind" in message && message.kind === "reach") life.reach?.(message.number, message.seq);
  else if (life.shard !== undefined) life.shard.handle(message);
  else if ("kind" in message && message.kind === "stop") life.stop();
}

function tellSpan(traces: Traces | undefined, { span }: Report, get: Context["get"]): void {
  const told = traces && span(get);
  if (told !== undefined) traces?.record(told);
}

/** One run of a shard, from its opening to its end. */
interface ShardLife extends CountedLife {
  run(): Promise<void>;
  /** Stops the shard before it is open. */
  stop(): void;
  /** Hands the shard over to another node; only in a cluster. */
  drain?(): void;
  reach?(number: number, seq: number): void;
}

function localLife(
  { nodeId: node, storeId: store }: ShardTask,
  place: ShardPlace,
  domain: Domain,
  stores: ShardStores,
  outlets: ShardOutlets,
): ShardLife {
  const owner = { node, nonce: drawNonce(), store, members: [node], isQuorum: false };
  const open = () => openShard(place, domain, stores, { owner }, outlets);
  const opening = new Opening(open, stores, outlets);
  const life = {
    shard: undefined as Shard | undefined,
    async run() {
      life.shard = await opening.run();
      await life.shard?.run();
    },
    stop: () => opening.stop(),
  };
  return life;
}

async function clusterLife(
  task: ShardTask,
  access: NatsAccess,
  folder: string,
  domain: Domain,
  stores: ShardStores,
  outlets: ShardOutlets,
  log: Logger,
): Promise<ClusterShard> {
  const { nodeId: node, storeId: store, shard, shardCount, dataDir, objectStore } = task;
  const { isFounder, isQuorum, isDraining, forgotten } = task;
  const name = shard === shardCount ? "directory" : String(shard);
  const { connectNats, natsPeers, natsSnapshots, openJetStreamLog } = await import(
    "../../engine/adapters/nats/node-nats.ts"
  );
  const connection = await connectNats({ ...access, name: `klieg shard ${name}` });
  const threads = new ShortThreads<SnapshotTask, Snapshot>(snapshotEntry, {
    threads: 1,
    queueMax: 1,
    timeoutMs: limits.cluster.snapshotMs,
    memoryMegabytes: limits.cluster.snapshotMegabytes,
  });
  return new ClusterShard({
    place: { shard, shardCount },
    domain,
    stores,
    outlets,
    node,
    isFounder,
    isQuorum,
    store,
    isDraining,
    forgotten,
    acceptedLoss: task.acceptedLosses.find((loss) => loss.shard === shard),
    log: await openJetStreamLog(connection, name),
    peers: natsPeers(connection, name),
    nonce: drawNonce(),
    snapshots: natsSnapshots(connection, name),
    makeSnapshot() {
      const origin = { store, shard, nonce: drawNonce() };
      return threads.run({ dataDir, objectStore, tables: join(folder, "tables"), origin });
    },
    openObjects: () => openObjects(dataDir, objectStore),
    onFault: (sentence, error) => log.warn({ err: error, shard: name }, sentence),
  });
}

/** Returns a random name for the attempts of one ownership, or for a snapshot. */
function drawNonce(): string {
  return Buffer.from(systemEntropy().bytes(12)).toString("base64url");
}

/** Opens a shard's stores; throws `StoreDamage` when existing data is gone or cut short. */
function openStores(
  folder: string,
  { isNew, startMs, memory }: ShardTask,
  onPassed: (sentence: string) => void,
): ShardStores {
  const tables = join(folder, "tables");
  if (hasTables(tables)) checkTablesFile(tables);
  else if (!isNew) throw new StoreDamage("tables/data.mdb is missing, and with it all of its rows");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    clock: systemClock,
    startMs,
    memory,
    journal: openJournal(join(folder, "journal"), onPassed),
    tables: openTables(tables),
  };
}

/**
 * The link to the effects thread; messages sent before it is connected are queued. Results of an
 * effect in another shard must not reach clients before their cause, so the link to the gateway is
 * flushed first.
 */
class EffectsLine {
  private readonly receive: (message: FromEffects) => void;
  private link: Link<ToEffects, FromEffects> | undefined;
  private waiting: ToEffects[] = [];

  constructor(receive: (message: FromEffects) => void) {
    this.receive = receive;
  }

  connect(port: MessagePort, toGateway: Link<FromShardThread, ToShardThread>): void {
    const link = new Link<ToEffects, FromEffects>(port, this.receive, toGateway);
    for (const message of this.waiting) link.send(message);
    this.waiting = [];
    this.link = link;
  }

  send(message: ToEffects): void {
    if (this.link === undefined) this.waiting.push(message);
    else this.link.send(message);
  }

  close(): void {
    this.link?.close();
  }
}
