import t from "tap";
import type { Job } from "../../contract/job.ts";
import type { Caller } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const dayMs = 86_400_000;

async function readActive(ada: Caller): Promise<number | undefined> {
  type Me = { readonly generation_limits: { readonly concurrent_active: number } };
  return (await ada.get<Me>("/v1/me")).json.generation_limits.concurrent_active;
}

const timedOut = {
  status: "failed",
  credits_charged: 0,
  failure: { kind: "timeout", code: "timeout", credits_refunded: true },
  error: { status: 504, code: "timeout" },
};

t.test(
  "an image that is not there 600 s after acceptance fails with timeout, refunded",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ credits: 10 });
    const { id } = await ada.job("sim:slow=700000");
    await house.advance(598_000);
    t.equal((await ada.read(id)).status, "running");
    await house.advance(3_000);
    t.match(await ada.read(id), timedOut);
    t.equal(await readActive(ada), 0, "the slot is free");
  },
);

t.test("a job that ends before its deadline is not touched by it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("sim:slow=590000");
  await house.advance(700_000);
  t.equal((await ada.read(id)).status, "succeeded");
});

t.test("time in the provider's queue counts", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("sim:queue=700000");
  await house.advance(603_000);
  t.match(await ada.read(id), timedOut);
});

t.test("time with status_detail set does not count", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("sim:busy=12 sim:slow=590000");
  await house.advance(700_000);
  t.equal((await ada.read(id)).status, "running", "423 s of these it waited");
  await house.advance(330_000);
  t.equal((await ada.read(id)).status, "succeeded");
});

t.test("after the wait the deadline goes on where it stood", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("sim:down=12 sim:slow=700000");
  await house.advance(1_000_000);
  t.equal((await ada.read(id)).status, "running");
  await house.advance(30_000);
  const job = await ada.read(id);
  t.match(job, timedOut);
  const lifeMs = Date.parse(`${job.completed_at}`) - Date.parse(job.created_at);
  t.ok(lifeMs >= 1_023_000 && lifeMs < 1_030_000, "600 s and the 423 s of waiting");
});

async function afterADay(t: Parameters<typeof openInProcess>[0], prompt: string) {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const { id } = await ada.job(prompt);
  await house.advance(dayMs - 3_600_000);
  const before = await ada.read(id);
  await house.advance(3_700_000);
  return { before, after: (await ada.read(id)) as Job };
}

t.test("24 h after acceptance a job that waits for capacity fails with rate_limit", async (t) => {
  const { before, after } = await afterADay(t, "sim:busy=3000");
  t.match(before, { status: "queued", status_detail: "upstream_at_capacity" });
  t.match(after, {
    status: "failed",
    credits_charged: 0,
    failure: { kind: "error", code: "rate_limit", credits_refunded: true },
    error: { status: 429, code: "rate_limit" },
  });
});

t.test(
  "24 h after acceptance a job that waits for a provider that is down times out",
  async (t) => {
    const { before, after } = await afterADay(t, "sim:down=3000");
    t.match(before, { status: "queued", status_detail: "provider_down" });
    t.match(after, timedOut);
  },
);

t.test("what a provider delivers after the deadline changes nothing", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const { id } = await ada.job("sim:slow=620000");
  await house.advance(605_000);
  const failed = await ada.read(id);
  t.match(failed, timedOut);
  await house.advance(60_000);
  t.strictSame(await ada.read(id), failed);
});

t.test("the deadline of a task that no farm node takes is the same", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const { json } = await ada.post<Job>("/v1/generate/image", { model: "studio", prompt: "x" });
  await house.advance(603_000);
  t.match(await ada.read(json.id), timedOut);
  const node = house.farmNode();
  await house.settle();
  t.strictSame(node.leases, [], "nobody makes it any more");
});

t.test("each modality ends at its own deadline", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const photo = await ada.job("a photo");
  await house.settle();
  const image_asset_ids = [(await ada.read(photo.id)).asset?.id];
  const prompt = "sim:slow=9999999";
  for (const [path, body, seconds] of [
    ["audio", { model: "sim-audio", text: prompt }, 900],
    ["video", { model: "sim-video", prompt }, 3_600],
    ["3d", { model: "sim-3d", image_asset_ids, prompt }, 3_600],
  ] as const) {
    const { json } = await ada.post<Job>(`/v1/generate/${path}`, body);
    await house.advance((seconds - 2) * 1_000);
    t.equal((await ada.read(json.id)).status, "running", path);
    await house.advance(3_000);
    t.match(await ada.read(json.id), timedOut, path);
  }
});

t.test("deadlines by modality: image 600 s, audio 900 s, video 3600 s, 3D 3600 s", async (t) => {
  const house = await openInProcess(t);
  const { json } = await house.admin.get<{
    readonly items: readonly { id: string; modality: string; deadline_seconds: number }[];
  }>("/v1/models");
  const expected = new Map([
    ["image", 600],
    ["audio", 900],
    ["video", 3600],
    ["three_d", 3600],
  ]);
  for (const { id, modality, deadline_seconds: seconds } of json.items)
    t.equal(seconds, expected.get(modality), id);
});
