import { type JobMessage, jobKey } from "../../actors/protocol/job.ts";
import { FarmBroker } from "../../effects/farm-broker.ts";
import { memoryBrokerConnection } from "../../engine/adapters/farm/memory-broker-connection.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { IdMint } from "../../engine/id.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { FromNode } from "../../engine/ports/tasks.ts";
import { TaskLoop, type WorkerOf } from "../../render-farm/node/task-loop.ts";
import { recordShare } from "../../render-farm/render/film/helper-node.ts";
import { render } from "../../render-farm/render/render.ts";
import type { Studio } from "../../render-farm/render/staging.ts";
import { createSimulatedTimers } from "./simulated-timers.ts";

/** A node that a test may hold up or kill. */
export interface NodeInReach {
  /** Holds these messages to the broker back until they are let go. */
  hold(kind: FromNode["kind"]): void;
  letGo(): void;
  onSaid(listener: (message: FromNode) => void): void;
  /** Ends the node as if its process had died. */
  die(): void;
}

/** A farm of two real nodes, of which the second only helps with renders. */
export interface TwoNodes {
  readonly lead: NodeInReach;
  readonly other: NodeInReach;
  /** Runs a render; resolves to its end and the number of attempts. */
  run(input: object): Promise<{ readonly ending: JobMessage; readonly attempts: number }>;
}

export function twoNodes(studio: Studio): TwoNodes {
  const clock = new ManualClock(1_000_000);
  let tokens = 0;
  let attempts = 0;
  let end: (message: JobMessage) => void = () => undefined;
  const broker = new FarmBroker({
    clock,
    objects: studio.objects,
    ids: new IdMint(clock, createSeededEntropy(1)),
    mintToken: () => `t${++tokens}`,
    send: (_, message) => {
      if (message.kind === "claim") {
        attempts += 1;
        queueMicrotask(() => broker.lease(message.token));
      } else if (message.kind === "finished") end(message);
    },
  });
  const { objects } = studio;
  const lead = attach(broker, objects, "lead", new Map([["render", () => render(studio)]]));
  const other = attach(
    broker,
    objects,
    "other",
    new Map([["render-help", () => recordShare(studio)]]),
  );
  return {
    lead,
    other,
    async run(input) {
      attempts = 0;
      const ended = new Promise<JobMessage>((resolve) => {
        end = resolve;
      });
      const key = jobKey("01990000-0000-7021-8000-000000000001");
      const task = { kind: "render", input, outputPrefix: `renders/${tokens}` };
      broker.run(key, { owner: "payer", scope: "payer", task });
      return { ending: await ended, attempts };
    },
  };
}

function attach(
  broker: FarmBroker,
  objects: Objects,
  name: string,
  workersByKind: ReadonlyMap<string, WorkerOf>,
): NodeInReach {
  const connection = memoryBrokerConnection();
  const held: FromNode[] = [];
  const heard: ((message: FromNode) => void)[] = [];
  const gone: (() => void)[] = [];
  let heldKind: FromNode["kind"] | undefined;
  let onSaid = (_: FromNode): void => undefined;
  const pass = (message: FromNode): void => {
    for (const listener of heard) listener(message);
  };
  connection.broker.onMessage((message) => {
    onSaid(message);
    if (message.kind === heldKind) held.push(message);
    else pass(message);
  });
  broker.attach({
    send: (message) => connection.broker.send(message),
    onMessage: (listener) => void heard.push(listener),
    onClose: (listener) => void gone.push(listener),
    isAudible: () => true,
  });
  new TaskLoop(
    {
      name,
      version: "0.0.0-test",
      slots: 1,
      heartbeatMs: 1_000,
      drainMs: 1_000,
      workersByKind,
      objectsFor: () => objects,
      reportBug: (fault) => {
        throw fault;
      },
    },
    connection.node,
    createSimulatedTimers(),
  );
  return {
    hold: (kind) => {
      heldKind = kind;
    },
    letGo() {
      heldKind = undefined;
      for (const message of held.splice(0)) pass(message);
    },
    onSaid: (listener) => {
      onSaid = listener;
    },
    die() {
      connection.broker.close();
      for (const listener of gone) listener();
    },
  };
}
