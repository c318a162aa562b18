/** Tests the behaviour of the task port that all in-process adapters share. */
import t, { type Test } from "tap";
import { memoryBrokerConnection } from "../../engine/adapters/farm/memory-broker-connection.ts";
import type {
  BrokerConnection,
  FromNode,
  NodeConnection,
  ToNode,
} from "../../engine/ports/tasks.ts";
import { startNats } from "../nats-server.ts";
import { find, hello, openFarm, openNode, task, until } from "./farm-stage.ts";

interface Ends {
  readonly node: BrokerConnection;
  readonly broker: Pick<NodeConnection, "send">;
  readonly got: ToNode[];
  readonly said: FromNode[];
}

const adapters: Readonly<Record<string, (t: Test) => Promise<Ends>>> = {
  async memory() {
    const { node, broker } = memoryBrokerConnection();
    const [got, said]: [ToNode[], FromNode[]] = [[], []];
    node.onMessage((message) => got.push(message));
    broker.onMessage((message) => said.push(message));
    node.send(hello);
    return { node, broker, got, said };
  },
  async NATS(t) {
    const { url } = await startNats(t);
    const service = await openFarm(t, url);
    const { connection: node, got } = await openNode(t, url);
    const { connection: broker, said } = await find(service);
    return { node, broker, got, said };
  },
};

for (const [name, open] of Object.entries(adapters)) {
  t.test(`${name}: a node says hello, is leased a task, and reports it`, async (t) => {
    const { node, broker, got, said } = await open(t);
    t.strictSame(said, [hello]);
    broker.send({ kind: "lease", task: task("t1") });
    await until(() => got.length === 1);
    t.strictSame(got, [{ kind: "lease", task: task("t1") }]);
    node.send({ kind: "heartbeat", token: "t1", progress: 0.5 });
    const outcome = { kind: "succeeded", outputs: [], details: { frames: 3 } } as const;
    node.send({ kind: "finished", token: "t1", outcome });
    await until(() => said.length === 3);
    t.strictSame(said.slice(1), [
      { kind: "heartbeat", token: "t1", progress: 0.5 },
      { kind: "finished", token: "t1", outcome },
    ]);
  });

  t.test(`${name}: messages arrive in their order, also of parts and objects`, async (t) => {
    const { node, broker, got, said } = await open(t);
    broker.send({ kind: "lease", task: task("t1") });
    await until(() => got.length === 1);
    const helpers = {
      kind: "help",
      input: { part: "of a film" },
      outputPrefix: "volatile/jobs/t1/x",
    };
    const messages: FromNode[] = [
      { kind: "split", token: "t1", member: "t1/0", parts: 2, helpers },
      { kind: "take", member: "t1/0" },
      { kind: "made", member: "t1/0", part: 0, result: { warnings: ["dim"] } },
      { kind: "ask", token: "t1", id: 1, order: "put", key: "jobs/t1/0.png" },
      { kind: "returned", token: "t1" },
    ];
    for (const message of messages) node.send(message);
    const answers: ToNode[] = [
      { kind: "part", member: "t1/0", part: 1 },
      { kind: "part", member: "t1/0", part: null },
      { kind: "made", member: "t1/0", part: 1, result: { warnings: [] } },
      { kind: "granted", token: "t1", id: 1, url: "https://store/jobs" },
      { kind: "denied", token: "t1", id: 2, reason: "no", retryable: false },
      { kind: "cancel", token: "t1" },
    ];
    for (const answer of answers) broker.send(answer);
    await until(() => said.length === 6 && got.length === 7);
    t.strictSame(said.slice(1), messages);
    t.strictSame(got.slice(1), answers);
  });

  t.test(`${name}: a message of megabytes arrives whole`, async (t) => {
    const { node, broker, got, said } = await open(t);
    const input = { texts: Array.from({ length: 3_000 }, (_, at) => `${at}`.padStart(1_000)) };
    broker.send({ kind: "lease", task: { ...task("t1"), input } });
    await until(() => got.length === 1);
    t.strictSame(got, [{ kind: "lease", task: { ...task("t1"), input } }]);
    const outcome = { kind: "succeeded", outputs: [], details: input } as const;
    node.send({ kind: "finished", token: "t1", outcome });
    await until(() => said.length === 2);
    t.strictSame(said[1], { kind: "finished", token: "t1", outcome });
  });
}
