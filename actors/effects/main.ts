/**
 * The effects thread: carries released effects to providers and farm nodes, and brings back their
 * results.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { farmEnvironment } from "../../config/farm-environment.ts";
import { limits } from "../../config/limits.ts";
import { diskObjects } from "../../engine/adapters/disk-objects.ts";
import { startFarmChild } from "../../engine/adapters/farm-child.ts";
import { type Logger, openLog } from "../../engine/adapters/log.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { systemEntropy } from "../../engine/adapters/system-entropy.ts";
import { IdMint } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import { Link } from "../../engine/link.ts";
import { Outbox } from "../../engine/outbox.ts";
import type {
  EffectsControl,
  EffectsTask,
  FromEffects,
  FromEffectsThread,
  ToEffects,
} from "../../engine/wire.ts";
import { jobKey } from "../job/job.ts";
import { SimulatedProvider } from "../providers/simulated/simulated-provider.ts";
import { FarmBroker } from "./farm-broker.ts";
import { performerOf, type TracedCall } from "./performers.ts";
import { ProviderJobs } from "./provider-jobs.ts";

export async function run(task: EffectsTask): Promise<void> {
  const log = openLog(task.logLevel, "effects");
  const links = new Map<number, Link<FromEffects, ToEffects>>();
  const outbox = new Outbox(task.shardCount, {
    send: (shard, message) => links.get(shard)?.send(message),
    perform: (delivery) => perform(delivery),
    onFault: (_, error) => log.error(error, "an effect failed"),
    after: (delayMs, then) => systemClock.after(delayMs, then),
  });
  const entropy = systemEntropy();
  const ports = {
    clock: systemClock,
    entropy,
    ids: new IdMint(systemClock, entropy),
    mintToken: () => randomBytes(12).toString("base64url"),
    send: outbox.send.bind(outbox),
    onFault: (_: Key, error: unknown) => log.error(error, "a provider failed"),
  };
  const broker = new FarmBroker(ports);
  const simulated = new SimulatedProvider({
    clock: systemClock,
    callBack: (job, callback) => void providerJobs.receiveCallback(jobKey(job), callback),
  });
  // Jobs of an earlier start are simulated to their end whatever KLIEG_SIM is now.
  const providerJobs = new ProviderJobs([simulated], ports);
  const objects = diskObjects(join(task.dataDir, "objects"));
  const onTraced = (call: TracedCall) => log.info(call, "a traced submit goes to its provider");
  const perform = performerOf({ broker, providerJobs, objects, onTraced });
  const stopFarm = startFarm(task, broker, log);

  await new Promise<void>((resolve) => {
    const host = new Link<FromEffectsThread, EffectsControl>(task.control, (message) => {
      if (message.kind === "stop") return resolve();
      const { shard } = message;
      if (message.kind === "detach") {
        outbox.closed(shard);
        links.get(shard)?.close();
        return;
      }
      links.set(
        shard,
        new Link<FromEffects, ToEffects>(message.port, ({ deliveries, acknowledged }) => {
          outbox.acknowledge(acknowledged);
          outbox.deliver(shard, deliveries);
        }),
      );
      outbox.opened(shard);
    });
    host.send({ kind: "ready" });
  });
  await stopFarm(broker);
}

/** Keeps the node's own farm workers alive until the returned function is called. */
function startFarm(
  task: EffectsTask,
  broker: FarmBroker,
  log: Logger,
): (broker: FarmBroker) => Promise<void> {
  const children = new Set<{ kill(): void; ended: Promise<void> }>();
  const environment = farmEnvironment(process.env);
  let stopping = false;
  const start = () => {
    if (stopping) return;
    const child = startFarmChild(task.farmEntry, environment);
    const { pid } = child;
    log.info({ pid }, "a farm worker started");
    broker.attach(child);
    const ended = new Promise<void>((resolve) => child.onClose(resolve));
    const entry = { kill: () => child.kill(), ended };
    children.add(entry);
    void ended.then(() => {
      children.delete(entry);
      if (stopping) log.info({ pid }, "a farm worker ended");
      else log.warn({ pid }, "a farm worker ended, and another one starts");
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
