/** Tests a whole service with separate farm nodes, which share NATS and a bucket. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import type { Asset } from "../../contract/asset.ts";
import type { Job } from "../../contract/job.ts";
import { startNats } from "../nats-server.ts";
import { startFarmNode } from "../render-farm/nats-house.ts";
import { swiftStore } from "../s3/swift.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

async function openHouse(t: Test, farm: object) {
  const folder = t.testdir();
  const { endpoint, bucket, accessKey, secretKey } = await swiftStore(t);
  const server = await startNats(t, { hasJetStream: true });
  const limitsFile = join(folder, "limits.json");
  await writeFile(limitsFile, JSON.stringify({ farm }));
  const klieg = await startKlieg(t, join(folder, "data"), {
    KLIEG_NATS_URL: server.url,
    KLIEG_DURABILITY: "local",
    KLIEG_LIMITS: limitsFile,
    KLIEG_S3_ENDPOINT: endpoint,
    KLIEG_S3_BUCKET: bucket,
    KLIEG_S3_ACCESS_KEY: accessKey,
    KLIEG_S3_SECRET_KEY: secretKey,
  });
  const startNode = () => startFarmNode(t, server.url, {});
  return { klieg, startNode, ...klieg };
}

const image = { model: "studio-image", prompt: "a kite", aspect_ratio: "1:1" };
/** A request for a video that takes some seconds. */
const video = { model: "studio-video", prompt: "a kite", duration_seconds: 4 };

t.test(
  "a farm node that knows nothing but NATS makes a picture that is in the bucket",
  async (t) => {
    const { klieg, port, startNode } = await openHouse(t, {});
    const node = startNode();
    const { json: job } = await ask<Job>(port, firstToken, "/generate/image", image);
    const wait = `/jobs/${job.id}/wait?timeout_seconds=60`;
    const { json: made } = await ask<Job>(port, firstToken, wait);
    t.match(made, { status: "succeeded", asset: { mime_type: "image/png" } });
    const { json: asset } = await ask<Asset>(port, firstToken, `/assets/${made.asset?.id}`);
    const reply = await fetch(asset.signed_url.replace("127.0.0.1:8080", `127.0.0.1:${port}`));
    t.equal((await reply.arrayBuffer()).byteLength, asset.size_bytes);
    node.process.kill("SIGTERM");
    t.equal(await node.ended, 0);
    t.equal((await klieg.kill("SIGTERM")).code, 0);
  },
);

t.test("the task of a farm node that is killed is done once, by another", async (t) => {
  const { port, startNode } = await openHouse(t, { leaseMs: 3_000 });
  const first = startNode();
  const { json: job } = await ask<Job>(port, firstToken, "/generate/video", video);
  const read = async () => (await ask<Job>(port, firstToken, `/jobs/${job.id}`)).json;
  while ((await read()).status === "queued") await delay(20);
  first.process.kill("SIGKILL");
  await first.ended;
  startNode();
  for (;;) {
    const wait = `/jobs/${job.id}/wait?timeout_seconds=60`;
    const { status, json } = await ask<Job>(port, firstToken, wait);
    if (status === 408) continue;
    if (json.status === "succeeded") break;
    if (json.status !== "running") throw new Error(JSON.stringify(json));
  }
  const { json: page } = await ask<{ items: readonly Asset[] }>(port, firstToken, "/assets");
  t.equal(page.items.length, 1);
});
