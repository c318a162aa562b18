import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import { NatsBrokerConnection } from "../../engine/adapters/farm/nats-broker-connection.ts";
import { NatsFarm } from "../../engine/adapters/farm/nats-farm.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import type { FromNode, NodeConnection, Task, ToNode } from "../../engine/ports/tasks.ts";

/** Waits for an effect of another process. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5);
}

export const hello: FromNode = { kind: "hello", node: "n", slots: 2, kinds: ["image"] };

export function task(token: string): Task {
  return { token, kind: "image", input: { prompt: "kite" }, outputPrefix: `jobs/${token}` };
}

/** A farm node that the service has found. */
export interface FoundNode {
  readonly connection: NodeConnection;
  readonly said: FromNode[];
  isGone: boolean;
}

export interface OpenFarm {
  readonly nodes: FoundNode[];
  readonly clock: ManualClock;
  readonly notes: string[];
  close(): void;
}

/** Opens the service's side, with a clock that the test moves. */
export async function openFarm(t: Test, url: string, name = "service"): Promise<OpenFarm> {
  const connection = await connectNats({ servers: [url], credentials: undefined, name });
  t.teardown(() => connection.close());
  const clock = new ManualClock(1_000_000);
  const nodes: FoundNode[] = [];
  const notes: string[] = [];
  const farm = new NatsFarm({
    connection,
    clock,
    name,
    attach(node) {
      const found: FoundNode = { connection: node, said: [], isGone: false };
      node.onMessage((message) => found.said.push(message));
      node.onClose(() => {
        found.isGone = true;
      });
      nodes.push(found);
    },
    note: (sentence) => notes.push(sentence),
  });
  await connection.flush();
  return { nodes, clock, notes, close: () => farm.close() };
}

export interface OpenNode {
  readonly connection: NatsBrokerConnection;
  readonly got: ToNode[];
  readonly clock: ManualClock;
  readonly notes: string[];
  readonly refusals: string[];
}

/** Opens a farm node that has said hello, with a clock that the test moves. */
export async function openNode(t: Test, url: string): Promise<OpenNode> {
  const nats = await connectNats({ servers: [url], credentials: undefined, name: "node" });
  t.teardown(() => nats.close());
  const clock = new ManualClock(1_000_000);
  const notes: string[] = [];
  const refusals: string[] = [];
  const connection = new NatsBrokerConnection({
    connection: nats,
    user: new URL(url).username || "farm",
    clock,
    name: "node",
    onRefused: (sentence) => refusals.push(sentence),
    note: (sentence) => notes.push(sentence),
  });
  const got: ToNode[] = [];
  connection.onMessage((message) => got.push(message));
  await nats.flush();
  connection.send(hello);
  return { connection, got, clock, notes, refusals };
}

/** Returns the `count`th node that the service found, once it has said hello. */
export async function find({ nodes }: OpenFarm, count = 1): Promise<FoundNode> {
  await until(() => (nodes[count - 1]?.said.length ?? 0) > 0);
  return nodes[count - 1] as FoundNode;
}
