/** What a farm node in a process of its own needs: NATS, an object store and a service's broker. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import type { FarmTask } from "../../actors/protocol/farm-task.ts";
import { type JobMessage, jobKey } from "../../actors/protocol/job.ts";
import { FarmBroker } from "../../effects/farm-broker.ts";
import { NatsFarm } from "../../engine/adapters/farm/nats-farm.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { IdMint } from "../../engine/id.ts";
import type { FromNode, NodeConnection } from "../../engine/ports/tasks.ts";
import { type NatsServer, startNats } from "../nats-server.ts";
import { type SignedStore, startSignedStore } from "../signed-store.ts";

const job = jobKey("01990000-0000-7021-8000-000000000001");
const ownBuild = join(import.meta.dirname, "..", "..");

export interface NatsHouse extends SignedStore {
  readonly server: NatsServer;
  /** Clock of the service; a test moves it. */
  readonly clock: ManualClock;
  readonly broker: FarmBroker;
  /** The job that requests the tasks. */
  readonly job: typeof job;
  /** All messages that the job received, in their order. */
  readonly told: JobMessage[];
  readonly nodes: NodeConnection[];
  /** Runs a task; resolves when the job has ended. */
  run(task: FarmTask): Promise<JobMessage>;
  /** Holds these messages to the broker back until another call releases them. */
  hold(isHeld: Held): void;
  startNode(environment?: Readonly<Record<string, string>>): FarmProcess;
}

type Held = (node: NodeConnection, message: FromNode) => boolean;

export interface FarmProcess {
  readonly process: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

export async function openNatsHouse(t: Test): Promise<NatsHouse> {
  t.testdir();
  const server = await startNats(t);
  const store = await startSignedStore(t);
  const connection = await connectNats({
    servers: [server.url],
    credentials: undefined,
    name: "service",
  });
  t.teardown(() => connection.close());
  const clock = new ManualClock(1_000_000);
  const told: JobMessage[] = [];
  const nodes: NodeConnection[] = [];
  const held: (() => void)[] = [];
  let isHeld: Held = () => false;
  let tokens = 0;
  let end = (_: JobMessage): void => undefined;
  const broker: FarmBroker = new FarmBroker({
    clock,
    ids: new IdMint(clock, createSeededEntropy(1)),
    objects: store.objects,
    mintToken: () => `t${++tokens}`,
    send: (_, message) => {
      told.push(message);
      if (message.kind === "claim") queueMicrotask(() => broker.lease(message.token));
      else if (message.kind === "finished") end(message);
    },
  });
  new NatsFarm({
    connection,
    clock,
    name: "service",
    attach(node) {
      nodes.push(node);
      const pass = (message: FromNode, listener: (message: FromNode) => void): void => {
        if (isHeld(node, message)) held.push(() => pass(message, listener));
        else listener(message);
      };
      broker.attach({
        send: (message) => node.send(message),
        onClose: (listener) => node.onClose(listener),
        isAudible: () => node.isAudible(),
        onMessage: (listener) => node.onMessage((message) => pass(message, listener)),
      });
    },
    note: (sentence) => t.comment(sentence),
  });
  await connection.flush();
  return {
    ...store,
    server,
    clock,
    broker,
    told,
    nodes,
    job,
    run(task) {
      const ended = new Promise<JobMessage>((resolve) => {
        end = resolve;
      });
      broker.run(job, { owner: "payer", scope: "payer", task });
      return ended;
    },
    hold(holds) {
      isHeld = holds;
      for (const pass of held.splice(0)) pass();
    },
    startNode: (environment = {}) => startFarmNode(t, server.url, environment),
  };
}

export function startFarmNode(
  t: Test,
  url: string,
  environment: Readonly<Record<string, string>>,
  build = ownBuild,
): FarmProcess {
  const child = spawn(process.execPath, [join(build, "render-farm", "main.js")], {
    cwd: t.testdirName,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      KLIEG_NATS_URL: url,
      KLIEG_LOG_LEVEL: "info",
      KLIEG_OPERATOR_PORT: "0",
      ...environment,
    },
  });
  t.teardown(() => child.kill("SIGKILL"));
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { process: child, said: () => text, ended };
}

/** Waits for something that other processes do. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5);
}
