/**
 * Tests a whole service with a separate farm node, which share NATS and a bucket; one whose farm
 * node is killed: `test/long/nats-farm`.
 */
import t from "tap";
import type { Asset } from "../../contract/asset.ts";
import type { Job } from "../../contract/job.ts";
import { ask } from "./accounts.ts";
import { openBucketHouse } from "./bucket-house.ts";
import { firstToken } from "./klieg-process.ts";

const image = { model: "studio-image", prompt: "a kite", aspect_ratio: "1:1" };

t.test(
  "a farm node that knows nothing but NATS makes a picture that is in the bucket",
  async (t) => {
    const { klieg, port, startNode } = await openBucketHouse(t, {});
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
