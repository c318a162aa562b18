/** Tests farm nodes over NATS: network faults, foreign messages, and several services at once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { limits } from "../../config/limits.ts";
import {
  decodeFrame,
  encodeFrame,
  helloSubject,
  nodeSubject,
} from "../../engine/adapters/farm/farm-frames.ts";
import type { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import type { FromNode } from "../../engine/ports/tasks.ts";
import { startNats } from "../nats-server.ts";
import { find, hello, openFarm, openNode, task, until } from "./farm-stage.ts";

const { leaseMs, heartbeatMs, helloMs, brokerSilenceMs } = limits.farm;
const finish = (token: string): FromNode => {
  return { kind: "finished", token, outcome: { kind: "succeeded", outputs: [] } };
};

/** Moves both clocks: a message lost because one side reconnects first is resent a second later. */
function untilHeard(sides: readonly { readonly clock: ManualClock }[], isSo: () => boolean) {
  return until(() => {
    for (const { clock } of sides) clock.advance(20);
    return isSo();
  });
}

t.test("what both sides send while NATS is away arrives when it is back, once", async (t) => {
  const server = await startNats(t);
  const service = await openFarm(t, server.url);
  const node = await openNode(t, server.url);
  const { connection, said } = await find(service);
  for (const token of ["t1", "t2"]) connection.send({ kind: "lease", task: task(token) });
  await until(() => node.got.length === 2);
  await server.kill();
  await until(() => !connection.isAudible());
  node.connection.send({ kind: "heartbeat", token: "t1", progress: 0.5 });
  node.connection.send(finish("t1"));
  connection.send({ kind: "cancel", token: "t2" });
  service.clock.advance(60_000);
  node.clock.advance(60_000);
  await server.restart();
  await untilHeard([service, node], () => said.length === 2 && node.got.length === 3);
  t.ok(connection.isAudible());
  t.strictSame(said, [hello, finish("t1")], "a heartbeat that is late says nothing");
  t.strictSame(node.got[2], { kind: "cancel", token: "t2" });
  node.connection.send(finish("t2"));
  await until(() => said.length === 3);
  t.strictSame(service.nodes.length, 1, "it is the same session");
  service.clock.advance(leaseMs - heartbeatMs);
  t.notOk(service.nodes[0]?.isGone, "and has a full term again");
});

t.test("what NATS took down with it is sent again", async (t) => {
  const server = await startNats(t);
  const service = await openFarm(t, server.url);
  const node = await openNode(t, server.url);
  const { connection, said } = await find(service);
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  // Sent before the client knows that the server is gone.
  const killed = server.kill();
  node.connection.send(finish("t1"));
  await killed;
  await server.restart();
  await untilHeard([service, node], () => said.length === 2);
  t.strictSame(said[1], finish("t1"));
});

t.test("a node that is silent for a lease's term is gone, and comes back as another", async (t) => {
  const { url } = await startNats(t);
  const service = await openFarm(t, url);
  const node = await openNode(t, url);
  const { connection, said } = await find(service);
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  service.clock.advance(leaseMs + 2 * heartbeatMs);
  t.ok(service.nodes[0]?.isGone);
  await until(() => node.got.length === 2);
  t.strictSame(node.got[1], { kind: "cancel", token: "t1" }, "its task is another's");
  node.connection.send(finish("t1"));
  node.clock.advance(helloMs);
  const again = await find(service, 2);
  t.strictSame(again.said, [hello]);
  t.strictSame(said, [hello], "nothing more came of the first");
});

t.test("bytes that are no message of the farm's change nothing", async (t) => {
  const { url } = await startNats(t);
  const service = await openFarm(t, url);
  const spy = await connectNats({ servers: [url], credentials: undefined, name: "spy" });
  t.teardown(() => spy.close());
  const subjects = new Set<string>();
  spy.subscribe("farm.>", { callback: (_, { subject }) => subjects.add(subject) });
  await spy.flush();
  const node = await openNode(t, url);
  const { connection, said } = await find(service);
  await until(() => subjects.size === 3);
  const from = "a".repeat(24);
  const piece = { kind: "piece", from, name: "x", session: "y", seq: 1, ack: 0 } as const;
  const foreign: readonly Uint8Array[] = [
    new Uint8Array(),
    Buffer.from("hello"),
    Buffer.alloc(900_000, 0xdf),
    Buffer.alloc(2_000, 0x91),
    encodeFrame({ kind: "hello", from: "../.." }),
    encodeFrame({ ...piece, isLast: true, bytes: "text" as never }),
    encodeFrame({ ...piece, seq: -1, isLast: true, bytes: new Uint8Array() }),
    encodeFrame({ ...piece, seq: Number.NaN, isLast: true, bytes: new Uint8Array() }),
  ];
  for (const subject of subjects) for (const bytes of foreign) spy.publish(subject, bytes);
  await spy.flush();
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  node.connection.send(finish("t1"));
  await until(() => said.length === 2);
  t.equal(service.nodes.length, 1);
  t.equal(service.notes.length, 2 * foreign.length);
  t.equal(node.notes.length, foreign.length);
  t.match(new Set(service.notes), new Set(["malformed message from a farm node ignored"]));
});

t.test("messages in a session that no node would send are dropped", async (t) => {
  const { url } = await startNats(t);
  const service = await openFarm(t, url);
  const node = await openNode(t, url);
  const { connection, said } = await find(service);
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  const wrong: readonly object[] = [
    { kind: "heartbeat", token: "t1", progress: "half" },
    { kind: "heartbeat", token: "t1", progress: 7 },
    { kind: "split", token: "t1", member: "t1/0", parts: 0, helpers: task("t1") },
    { kind: "ask", token: "t1", id: 1, order: "list", key: "" },
  ];
  for (const message of wrong) node.connection.send(message as FromNode);
  node.connection.send(finish("t1"));
  await until(() => said.length === 2);
  t.strictSame(said[1], finish("t1"));
  t.strictSame(
    service.notes,
    wrong.map(() => "unknown message from a farm node ignored"),
  );
});

t.test("what only JSON's cousins can say does not reach an actor", async (t) => {
  const { url } = await startNats(t);
  const service = await openFarm(t, url);
  const node = await openNode(t, url);
  const { connection, said } = await find(service);
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  const details = { at: new Date(0), all: new Set([1]), many: Number.MAX_SAFE_INTEGER };
  const outcome = { kind: "succeeded", outputs: [], details } as const;
  node.connection.send({ kind: "finished", token: "t1", outcome });
  await until(() => said.length === 2);
  t.match(said[1], { outcome: { details: { at: String, many: Number.MAX_SAFE_INTEGER } } });
});

t.test("a node of another version is refused with a sentence", async (t) => {
  const { url } = await startNats(t);
  const service = await openFarm(t, url);
  const other = await connectNats({ servers: [url], credentials: undefined, name: "other" });
  t.teardown(() => other.close());
  const answers: Uint8Array[] = [];
  other.subscribe(nodeSubject("old"), { callback: (_, { data }) => answers.push(data) });
  await other.flush();
  const frame = Buffer.from(encodeFrame({ kind: "hello", from: "old" }));
  // 0x92 marks an array of two, here two small integers that follow.
  const at = frame.indexOf(0x92) + 1;
  t.equal(frame[at], 1);
  other.publish(helloSubject, frame.fill(2, at, at + 1));
  await until(() => answers.length === 1);
  t.equal(service.nodes.length, 0);
  const sentence =
    "This farm node speaks version 2 of the farm's messages and the service version 1; install the service's version here.";
  t.strictSame(service.notes, [sentence]);
  const answer = Buffer.from(answers[0] ?? []);
  const versionAt = answer.indexOf(0x92) + 1;
  // The answer as a node of another version receives it.
  t.match(decodeFrame(answer.fill(3, versionAt, versionAt + 1)), {
    kind: "refused",
    reason: sentence,
  });
});

t.test("a node that is refused says why, and stays when another service serves it", async (t) => {
  const { url } = await startNats(t);
  const node = await openNode(t, url);
  const other = await connectNats({ servers: [url], credentials: undefined, name: "other" });
  t.teardown(() => other.close());
  const nodes: string[] = [];
  const subjects: string[] = [];
  other.subscribe("farm.>", { callback: (_, { subject }) => subjects.push(subject) });
  await other.flush();
  node.clock.advance(helloMs);
  const service = await openFarm(t, url);
  node.clock.advance(helloMs);
  await find(service);
  const own = subjects.find((subject) => subject.startsWith("farm.node."));
  if (own === undefined) throw new Error("the node has no subject");
  const refused = { kind: "refused", from: "b", reason: "Install the newer one." } as const;
  other.publish(own, encodeFrame(refused));
  await until(() => node.notes.length === 1);
  t.strictSame([node.notes, node.refusals, nodes], [["Install the newer one."], [], []]);
  service.close();
  await until(() => {
    other.publish(own, encodeFrame(refused));
    return node.refusals.length > 0;
  });
  t.equal(node.refusals[0], "Install the newer one.");
});

t.test("a minor version that is newer is served", async (t) => {
  const { url } = await startNats(t);
  const service = await openFarm(t, url);
  const other = await connectNats({ servers: [url], credentials: undefined, name: "other" });
  t.teardown(() => other.close());
  const frame = Buffer.from(encodeFrame({ kind: "hello", from: "new" }));
  const at = frame.indexOf(0x92) + 2;
  other.publish(helloSubject, frame.fill(7, at, at + 1));
  await until(() => service.nodes.length === 1);
  t.strictSame(service.notes, []);
});

t.test(
  "several services share a node's room, and one that ends takes its tasks along",
  async (t) => {
    const { url } = await startNats(t);
    const first = await openFarm(t, url, "first");
    const second = await openFarm(t, url, "second");
    const node = await openNode(t, url);
    const [one, two] = [await find(first), await find(second)];
    one.connection.send({ kind: "lease", task: task("t1") });
    await until(() => two.said.length === 2);
    t.strictSame(two.said[1], { kind: "capacity", slots: 1 });
    two.connection.send({ kind: "lease", task: task("t2") });
    await until(() => one.said.length === 2);
    t.strictSame(one.said[1], { kind: "capacity", slots: 1 });
    node.connection.send(finish("t2"));
    await until(() => two.said.length === 3 && one.said.length === 3);
    t.strictSame(two.said[2], finish("t2"), "each hears of its own");
    t.strictSame(one.said[2], { kind: "capacity", slots: 2 });
    first.close();
    await until(() => two.said.length === 4);
    t.strictSame(two.said[3], { kind: "capacity", slots: 2 });
    t.strictSame(node.got.at(-1), { kind: "cancel", token: "t1" });
    t.notOk(two.isGone);
  },
);

t.test("a service that was started again takes the place of the one before", async (t) => {
  const { url } = await startNats(t);
  const before = await openFarm(t, url);
  const node = await openNode(t, url);
  const { connection } = await find(before);
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  const after = await openFarm(t, url);
  node.clock.advance(helloMs);
  const again = await find(after);
  t.strictSame(again.said, [hello]);
  t.strictSame(node.got[1], { kind: "cancel", token: "t1" });
  await until(() => before.nodes[0]?.isGone === true);
});

t.test("a service that stays silent is given up after long", async (t) => {
  const { url } = await startNats(t);
  const service = await openFarm(t, url);
  const node = await openNode(t, url);
  const { connection } = await find(service);
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  node.clock.advance(brokerSilenceMs - 2 * heartbeatMs);
  t.equal(node.got.length, 1);
  node.clock.advance(4 * heartbeatMs);
  t.strictSame(node.got[1], { kind: "cancel", token: "t1" });
});

t.test("a node says goodbye once all is heard", async (t) => {
  const { url } = await startNats(t);
  const service = await openFarm(t, url);
  const node = await openNode(t, url);
  const { connection, said } = await find(service);
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  node.connection.send(finish("t1"));
  const closed = node.connection.close(1_000);
  await until(() => {
    node.clock.advance(20);
    return service.nodes[0]?.isGone === true;
  });
  await closed;
  t.strictSame(said.at(-1), finish("t1"));
});

const deployed = join(import.meta.dirname, "../../../config/deploy/nats/farm-user.conf");

function readPermissions(user: string): string {
  return readFileSync(deployed, "utf8").replace("NAME.*", `${user}.*`);
}

const users = `
authorization {
  users = [
    { user: service, password: s }
    { user: farm, password: f, permissions { ${readPermissions("farm")} } }
    { user: other, password: o, permissions { ${readPermissions("other")} } }
  ]
}`;

t.test("a farm node's own user reaches the farm's subjects, and no log", async (t) => {
  const { port } = await startNats(t, { config: users, hasJetStream: true });
  const service = await openFarm(t, `nats://service:s@127.0.0.1:${port}`);
  const url = `nats://farm:f@127.0.0.1:${port}`;
  const node = await openNode(t, url);
  const { connection, said } = await find(service);
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  node.connection.send(finish("t1"));
  await until(() => said.length === 2);
  const user = await connectNats({ servers: [url], credentials: undefined, name: "user" });
  t.teardown(() => user.close());
  const refused: string[] = [];
  for (const subject of ["LOG.>", "$JS.>", "farm.hello", "farm.broker.*", "_INBOX.>", ">"])
    user.subscribe(subject, { callback: (fault) => void (fault && refused.push(subject)) });
  await until(() => refused.length === 6);
  await t.rejects(user.request("$JS.API.STREAM.NAMES", "", { timeout: 2_000 }));
  t.strictSame(node.notes, []);
});

t.test("A7: a farm node hears nothing of what another one is given", async (t) => {
  const { port } = await startNats(t, { config: users });
  const service = await openFarm(t, `nats://service:s@127.0.0.1:${port}`);
  const node = await openNode(t, `nats://farm:f@127.0.0.1:${port}`);
  const { connection } = await find(service);
  const servers = [`nats://other:o@127.0.0.1:${port}`];
  const other = await connectNats({ servers, credentials: undefined, name: "other" });
  t.teardown(() => other.close());
  const [heard, refused]: [string[], string[]] = [[], []];
  for (const subject of ["farm.node.>", "farm.node.*.*", "farm.node.farm.*", "farm.node.*"])
    other.subscribe(subject, {
      callback: (fault, message) =>
        void (fault === null ? heard.push(message.subject) : refused.push(subject)),
    });
  await until(() => refused.length === 4);
  connection.send({ kind: "lease", task: task("t1") });
  await until(() => node.got.length === 1);
  t.strictSame(heard, []);
});

t.test("an unknown user is refused with a sentence", async (t) => {
  const { port } = await startNats(t, { config: users });
  const servers = [`nats://127.0.0.1:${port}`];
  const connect = (credentials: string) => connectNats({ servers, credentials, name: "stranger" });
  await t.rejects(connect("farm:wrong"), {
    message: `NATS at 127.0.0.1:${port} rejects these credentials.`,
  });
  await t.rejects(connect("nothing"), {
    message:
      "The file of KLIEG_NATS_CREDENTIALS_FILE contains neither NATS credentials nor user:password.",
  });
  await (await connect("farm:f\n")).close();
});

t.test("a server without TLS is not reached as if it had it", async (t) => {
  const { port } = await startNats(t);
  await t.rejects(
    connectNats({ servers: [`tls://127.0.0.1:${port}`], credentials: undefined, name: "n" }),
    { message: `NATS at 127.0.0.1:${port} does not offer TLS.` },
  );
});
