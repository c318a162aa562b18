/** Runs a whole service with separate farm nodes, which share NATS and a bucket. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Test } from "tap";
import { startNats } from "../nats-server.ts";
import { startFarmNode } from "../render-farm/nats-house.ts";
import { swiftStore } from "../s3/swift.ts";
import { startKlieg } from "./klieg-process.ts";

/** Starts the service; `farm` is the limits of its farm that differ from the usual ones. */
export async function openBucketHouse(t: Test, farm: object) {
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
