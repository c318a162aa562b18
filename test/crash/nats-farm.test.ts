/** A whole service and farm nodes of their own, which share NATS and a bucket. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Asset } from "../../actors/contract/asset.ts";
import type { Job } from "../../actors/contract/job.ts";
import { startNats } from "../nats-server.ts";
import { startFarmNode } from "../render-farm/nats-house.ts";
import { swiftStore } from "../s3/swift.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

async function openHouse(t: Test, farm: object) {
  const { endpoint, bucket, accessKey, secretKey } = await swiftStore(t);
  const server = await startNats(t);
  const limitsFile = join(t.testdirName, "limits.json");
  await writeFile(limitsFile, JSON.stringify({ farm }));
  const klieg = await startKlieg(t, join(t.testdirName, "data"), {
    KLIEG_NATS_URL: server.url,
    KLIEG_LIMITS: limitsFile,
    KLIEG_S3_ENDPOINT: endpoint,
    KLIEG_S3_BUCKET: bucket,
    KLIEG_S3_ACCESS_KEY: accessKey,
    KLIEG_S3_SECRET_KEY: secretKey,
  });
  const startNode = () => startFarmNode(t, server.url, {});
  return { klieg, startNode, ...klieg };
}

const image = { model: "studio-image", prompt: "a kite", width: 1024, height: 1024 };

t.test("a farm node elsewhere makes a picture and a probe, and never has a secret", async (t) => {
  const { klieg, port, startNode } = await openHouse(t, {});
  const node = startNode();
  const { json: job } = await ask<Job>(port, firstToken, "/generate/image", image);
  const wait = `/jobs/${job.id}/wait?timeout_seconds=60`;
  const { json: made } = await ask<Job>(port, firstToken, wait);
  t.match(made, { status: "succeeded", asset: { width: 1024, height: 1024 } });
  const { json: asset } = await ask<Asset>(port, firstToken, `/assets/${made.asset?.id}`);
  const reply = await fetch(asset.signed_url.replace("127.0.0.1:8080", `127.0.0.1:${port}`));
  t.equal((await reply.arrayBuffer()).byteLength, asset.size_bytes);
  node.process.kill("SIGTERM");
  t.equal(await node.ended, 0);
  t.equal((await klieg.kill("SIGTERM")).code, 0);
});

t.test("the task of a farm node that is killed is done once, by another", async (t) => {
  const { port, startNode } = await openHouse(t, { leaseMs: 3_000 });
  const first = startNode();
  const large = { ...image, width: 2048, height: 2048, count: 4 };
  const { json: job } = await ask<Job>(port, firstToken, "/generate/image", large);
  const read = async () => (await ask<Job>(port, firstToken, `/jobs/${job.id}`)).json;
  while ((await read()).status === "queued");
  first.process.kill("SIGKILL");
  await first.ended;
  startNode();
  for (;;) {
    const wait = `/jobs/${job.id}/wait?timeout_seconds=60`;
    const { json } = await ask<Job>(port, firstToken, wait);
    if (json.status !== "succeeded") continue;
    break;
  }
  const { json: page } = await ask<{ items: readonly Asset[] }>(port, firstToken, "/assets");
  t.equal(page.items.length, 1);
});
