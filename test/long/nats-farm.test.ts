/** Tests a whole service one of whose separate farm nodes is killed. */
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import type { Asset } from "../../contract/asset.ts";
import type { Job } from "../../contract/job.ts";
import { ask } from "../crash/accounts.ts";
import { openBucketHouse } from "../crash/bucket-house.ts";
import { firstToken } from "../crash/klieg-process.ts";

/** A request for a video that takes some seconds. */
const video = { model: "studio-video", prompt: "a kite", duration_seconds: 4 };

t.test("the task of a farm node that is killed is done once, by another", async (t) => {
  const { port, startNode } = await openBucketHouse(t, { leaseMs: 3_000 });
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
