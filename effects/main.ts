/**
 * The effects thread: passes released effects to providers and farm nodes, and returns their
 * results.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { MessagePort } from "node:worker_threads";
import { farmEnvironment } from "../config/farm-environment.ts";
import { limits } from "../config/limits.ts";
import { signedObjects, startFarmChild } from "../engine/adapters/farm/farm-child.ts";
import { sparingNotes } from "../engine/adapters/farm/sparing-notes.ts";
import { type Logger, openLog } from "../engine/adapters/log.ts";
import { openObjects } from "../engine/adapters/objects/open-objects.ts";
import { systemClock } from "../engine/adapters/system-clock.ts";
import { systemEntropy } from "../engine/adapters/system-entropy.ts";
import { openWeb } from "../engine/adapters/web.ts";
import { RemoteTells } from "../engine/cluster/remote-tells.ts";
import { IdMint } from "../engine/id.ts";
import { getShard, type Key } from "../engine/key.ts";
import { Link } from "../engine/link.ts";
import { Outbox } from "../engine/outbox.ts";
import type { Objects } from "../engine/ports/objects.ts";
import type {
  EffectsControl,
  EffectsTask,
  FromEffects,
  FromEffectsThread,
  ToEffects,
} from "../engine/wire.ts";
import { adapters } from "../providers/adapters.ts";
import type { ToEffectsThread } from "./effects-messages.ts";
import { FarmBroker } from "./farm-broker.ts";
import { createPerformer, type TracedCall } from "./performers.ts";
import { type HubPorts, ProviderHub } from "./provider-hub.ts";

export async function run(task: EffectsTask): Promise<void> {
  const log = openLog(task.logLevel, "effects");
  const shards = new Map<number, Link<FromEffects, ToEffects>>();
  const others = await meetOthers(task);
  const outbox = new Outbox(task.shardCount, {
    ...(others === undefined ? {} : { sendElsewhere: others.tells.send }),
    send: (shard, message) => shards.get(shard)?.send(message),
    perform: (delivery) => perform(delivery),
    onFault: (_, error) => log.error(error, "effect failed"),
    after: (delayMs, then) => systemClock.after(delayMs, then),
  });
  const entropy = systemEntropy();
  const objects = await openObjects(task.dataDir, task.objectStore);
  const ports = {
    clock: systemClock,
    entropy,
    ids: new IdMint(systemClock, entropy),
    mintToken: () => randomBytes(12).toString("base64url"),
    send: outbox.send.bind(outbox),
    onFault: (_: Key, error: unknown) => log.error(error, "provider call failed"),
  };
  const broker = new FarmBroker({ ...ports, objects });
  const hub = new ProviderHub({
    ...ports,
    objects,
    broker,
    open: openAdapters(),
    tell: (message) => host.send({ kind: "message", message }),
    onFailure: (error) => log.error(error, "provider unreachable"),
  });
  const onTraced = (call: TracedCall) => log.info(call, "traced submit sent to provider");
  const perform = createPerformer({ broker, providerJobs: hub.jobs, objects, onTraced });
  const stopFarm = startFarm(task, broker, objects, log);
  const stopRemoteFarm = startRemoteFarm(task, broker, objects, log);

  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const host = new Link<FromEffectsThread, EffectsControl>(task.control, (message) => {
    switch (message.kind) {
      case "stop":
        return stop();
      case "message":
        return hub.take(message.message as ToEffectsThread);
      default:
        changeShard(message, { shards, outbox, broker, hub, ...others }, task.shardCount);
    }
  });
  host.send({ kind: "ready" });
  await stopped;
  hub.close();
  await Promise.all([stopFarm(broker), stopRemoteFarm(), others?.close()]);
}

/** Connects to the other nodes; returns undefined when this machine is the only one. */
async function meetOthers({ isClustered, nats }: EffectsTask) {
  if (!isClustered || nats === undefined) return undefined;
  const { closeNats, connectNats, natsShardLine } = await import(
    "../engine/adapters/nats/node-nats.ts"
  );
  const connection = await connectNats({ ...nats, name: "klieg effects" });
  return {
    tells: new RemoteTells(natsShardLine(connection, "TELL")),
    close: () => closeNats(connection, limits.farm.drainMs),
  };
}

interface Carriers {
  readonly shards: Map<number, Link<FromEffects, ToEffects>>;
  readonly outbox: Outbox;
  readonly broker: FarmBroker;
  readonly hub: ProviderHub;
  /** Sends messages to other nodes; undefined when this machine is the only one. */
  readonly tells?: RemoteTells;
}

/** Handles a shard that begins, ends, or has moved to another node. */
function changeShard(
  message: Extract<EffectsControl, { readonly shard: number }>,
  { shards, outbox, broker, hub, tells }: Carriers,
  shardCount: number,
): void {
  const { shard } = message;
  switch (message.kind) {
    case "attach":
      shards.set(shard, createLink(outbox, shard, message.port));
      outbox.onOpen(shard);
      tells?.receive(shard, outbox);
      break;
    case "detach":
      outbox.onClose(shard);
      tells?.withdraw(shard);
      shards.get(shard)?.close();
      shards.delete(shard);
      break;
    case "left": {
      const hasLeft = (job: Key) => getShard(job, shardCount) === shard;
      broker.giveUp(hasLeft);
      hub.jobs.giveUp(hasLeft);
    }
  }
  // The directory's shard is not counted, because it submits nothing.
  const owned = [...shards.keys()].filter((other) => other < shardCount);
  hub.resize(owned.length / shardCount);
}

function createLink(
  outbox: Outbox,
  shard: number,
  port: MessagePort,
): Link<FromEffects, ToEffects> {
  return new Link(port, ({ deliveries, acknowledged }) => {
    outbox.acknowledge(acknowledged);
    outbox.deliver(shard, deliveries);
  });
}

/** Opens adapters, which all share the same connections. */
function openAdapters(): HubPorts["open"] {
  const web = openWeb(limits.providers.connectionsPerHost);
  const entropy = systemEntropy();
  return (config) => adapters[config.adapter](config, { web, clock: systemClock, entropy });
}

/** Keeps the node's own farm workers alive until the returned function is called. */
function startFarm(
  task: EffectsTask,
  broker: FarmBroker,
  objects: Objects,
  log: Logger,
): (broker: FarmBroker) => Promise<void> {
  const children = new Set<{ kill(): void; ended: Promise<void> }>();
  const environment = farmEnvironment(process.env);
  const entryArgs = objects.presign === undefined ? [] : [signedObjects];
  let stopping = false;
  const start = () => {
    if (stopping) return;
    const child = startFarmChild(task.farmEntry, environment, ...entryArgs);
    const { pid } = child;
    log.info({ pid }, "farm worker started");
    broker.attach(child);
    const ended = new Promise<void>((resolve) => child.onClose(resolve));
    const entry = { kill: () => child.kill(), ended };
    children.add(entry);
    void ended.then(() => {
      children.delete(entry);
      if (stopping) log.info({ pid }, "farm worker stopped");
      else log.warn({ pid }, "farm worker exited, restarting");
      systemClock.after(limits.farm.restartDelayMs, start);
    });
  };
  for (let worker = 0; worker < task.farmWorkers; worker++) start();
  return async () => {
    stopping = true;
    broker.drain();
    const stopKilling = systemClock.after(limits.farm.drainMs, () => {
      for (const child of children) child.kill();
    });
    await Promise.all([...children].map(({ ended }) => ended));
    stopKilling();
  };
}

/** Serves standalone farm nodes once NATS is reached, until the returned function is called. */
function startRemoteFarm(
  { nats, dataDir }: EffectsTask,
  broker: FarmBroker,
  objects: Objects,
  log: Logger,
): () => Promise<void> {
  if (nats === undefined) return async () => undefined;
  if (objects.presign === undefined) {
    log.error("farm nodes over NATS disabled: they need an S3 object store");
    return async () => undefined;
  }
  const name = `${hostname()} ${dataDir}`;
  const note = sparingNotes(systemClock, (sentence, leftOut) => log.warn({ leftOut }, sentence));
  let close = async (): Promise<void> => undefined;
  let isStopped = false;
  const open = async (): Promise<void> => {
    const { closeNats, connectNats, NatsFarm } = await import(
      "../engine/adapters/nats/node-nats.ts"
    );
    const connection = await connectNats({ ...nats, name: "klieg farm" });
    if (isStopped) return connection.close();
    const farm = new NatsFarm({
      connection,
      clock: systemClock,
      name,
      note,
      attach(node) {
        log.info("farm node joined");
        broker.attach(node);
        node.onClose(() => log.info("farm node left"));
      },
    });
    close = async () => {
      farm.close();
      await closeNats(connection, limits.farm.drainMs);
    };
  };
  const tryOpen = (): void => {
    open().catch((fault: unknown) => {
      log.error(fault, "farm nodes over NATS unavailable, retrying");
      if (!isStopped) systemClock.after(limits.farm.restartDelayMs, tryOpen);
    });
  };
  tryOpen();
  return () => {
    isStopped = true;
    return close();
  };
}
