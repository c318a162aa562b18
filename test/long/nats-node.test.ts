/** Farm nodes in processes of their own, which know where NATS is and nothing else. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { limits } from "../../config/limits.ts";
import type { NodeConnection } from "../../engine/ports/tasks.ts";
import { openNatsHouse, until } from "../render-farm/nats-house.ts";
import { mover, shareFilm } from "../render-farm/two-node-film.ts";

const input = { prompt: "sea", seed: 1, width: 256, height: 256, count: 1, format: "png" };
const small = { kind: "studio-image", input, outputPrefix: "jobs/1" };
/** A task that takes longer than what is tested. */
const large = { ...small, input: { ...input, width: 2048, height: 2048, count: 16 } };

t.test("a farm node joins, paints into the object store, and ends when told", async (t) => {
  const { run, startNode, objects, asked } = await openNatsHouse(t);
  const node = startNode();
  const ending = await run(small);
  t.match(ending, {
    kind: "finished",
    token: "t1",
    outcome: { kind: "succeeded", outputs: [{ media: { objectKey: "jobs/1/t1/0.png" } }] },
  });
  t.ok(((await objects.stat("jobs/1/t1/0.png"))?.sizeBytes ?? 0) > 100);
  t.strictSame(asked, ["PUT jobs/1/t1/0.png", "PUT jobs/1/t1/0.thumb.jpg"]);
  node.process.kill("SIGTERM");
  t.equal(await node.ended, 0);
});

t.test("a farm node that is killed in the midst of a task loses it to another", async (t) => {
  const { run, startNode, told, nodes, clock, broker, job } = await openNatsHouse(t);
  const first = startNode();
  const ended = run(large);
  await until(() => told.length === 1);
  const heard = new Promise<void>((resolve) => {
    nodes[0]?.onMessage(({ kind }) => kind === "heartbeat" && resolve());
  });
  await heard;
  first.process.kill("SIGKILL");
  await first.ended;
  const second = startNode();
  await until(() => nodes.length === 2);
  clock.advance(limits.farm.leaseMs + 2 * limits.farm.heartbeatMs);
  t.ok(limits.farm.leaseMs + 2 * limits.farm.heartbeatMs < 35_000);
  await until(() => told.length >= 3);
  t.match(told.slice(0, 3), [
    { kind: "claim", token: "t1" },
    { kind: "lapsed", token: "t1" },
    { kind: "claim", token: "t2" },
  ]);
  // The picture takes too long to wait for, so it is canceled.
  broker.cancel(job);
  second.process.kill("SIGTERM");
  void ended;
});

t.test("a farm node that is told to end hands back what takes too long", async (t) => {
  const { run, startNode, told, nodes } = await openNatsHouse(t);
  const limitsFile = join(t.testdirName, "limits.json");
  await writeFile(limitsFile, JSON.stringify({ farm: { farewellMs: 1 } }));
  const node = startNode({ KLIEG_LIMITS: limitsFile });
  void run(large);
  await until(() => told.length === 1);
  await new Promise<void>((resolve) => {
    nodes[0]?.onMessage(({ kind }) => kind === "heartbeat" && resolve());
  });
  node.process.kill("SIGTERM");
  t.equal(await node.ended, 0);
  await until(() => told.length === 2);
  t.strictSame(told[1], { kind: "lapsed", token: "t1", isReturned: true });
});

t.test("a farm node goes on without NATS, and its result comes when that is back", async (t) => {
  const { run, startNode, told, server, clock, nodes } = await openNatsHouse(t);
  startNode();
  const ended = run(small);
  await until(() => told.length === 1);
  await server.kill();
  await until(() => nodes[0]?.isAudible() === false);
  for (let second = 0; second < 60; second++) clock.advance(1_000);
  await server.restart();
  const ticking = setInterval(() => clock.advance(20), 5);
  t.match(await ended, { kind: "finished", token: "t1", outcome: { kind: "succeeded" } });
  clearInterval(ticking);
});

t.test("one film is made by two farm nodes, by way of the object store", async (t) => {
  const { run, startNode, nodes, objects, hold, asked } = await openNatsHouse(t);
  const manifest = { files: [] as object[] };
  for (const [path, text] of Object.entries(shareFilm(mover))) {
    const objectKey = `compositions/1/${path}`;
    await objects.put(objectKey, [Buffer.from(text as string)]);
    manifest.files.push({ path, objectKey, mimeType: "text/html" });
  }
  const manifestKey = "compositions/1/manifest.json";
  await objects.put(manifestKey, [Buffer.from(JSON.stringify(manifest))]);
  // One node alone could be done before the other is there.
  let isHelped = false;
  const isLead = (node: NodeConnection) => node === nodes[0];
  hold((node, message) => isLead(node) && message.kind === "take" && !isHelped);
  const unfenced = { KLIEG_ISOLATION: "off" };
  startNode(unfenced);
  await until(() => nodes.length === 1);
  const film = { manifestKey, target: "video", assets: {} };
  const ended = run({ kind: "render", input: film, outputPrefix: "renders/1" });
  startNode(unfenced);
  await until(() => nodes.length === 2);
  nodes[1]?.onMessage(({ kind }) => {
    if (kind !== "made" || isHelped) return;
    isHelped = true;
    hold(() => false);
  });
  t.match(await ended, { kind: "finished", token: "t1", outcome: { kind: "succeeded" } });
  t.ok(isHelped);
  const segments = (method: string) =>
    asked.filter((one) => new RegExp(`^${method} volatile/renders/1/t1/.*/segment`).test(one));
  t.ok(segments("PUT").length > 0);
  t.ok(segments("GET").length >= segments("PUT").length);
  t.comment("what they stored for each other is removed");
  const share = () => objects.list("volatile")[Symbol.asyncIterator]().next();
  while ((await share()).done !== true) await turn();
});

t.test("a farm node says in one sentence why it cannot join", async (t) => {
  const entry = join(import.meta.dirname, "..", "..", "render-farm", "main.js");
  const say = async (environment: Record<string, string>): Promise<readonly unknown[]> => {
    const env = { ...process.env, ...environment };
    const node = spawn(process.execPath, [entry], { env, stdio: ["ignore", "ignore", "pipe"] });
    let text = "";
    node.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    const [code] = await once(node, "close");
    return [code, text];
  };
  t.strictSame(await say({}), [
    1,
    "A farm node is either started by the service or finds it through NATS; set KLIEG_NATS_URL.\n",
  ]);
  t.strictSame(await say({ KLIEG_NATS_URL: "nats://farm.example" }), [
    1,
    "KLIEG_NATS_URL reaches farm.example without TLS; set it to tls://farm.example:4222.\n",
  ]);
  t.strictSame(await say({ KLIEG_NATS_URL: "nats://127.0.0.1:1" }), [
    1,
    "NATS at 127.0.0.1:1 is unreachable (CONNECTION_REFUSED).\n",
  ]);
});
