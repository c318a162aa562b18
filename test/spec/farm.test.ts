import t from "tap";
import type { Job } from "../../contract/job.ts";
import { type Caller, imagePath } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const picture = Buffer.from("a picture");

async function draw(ada: Caller, prompt: string, more: object = {}): Promise<Job> {
  const { json } = await ada.post<Job>(imagePath, { model: "studio-image", prompt, ...more });
  return json;
}

t.test("a job of a built-in model waits until a farm node takes it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await draw(ada, "a kite", { seed: 7, aspect_ratio: "16:9", resolution: "2k" });
  await house.advance(5_000);
  t.match(await ada.read(id), { status: "queued", progress: null, started_at: null });
  const node = house.farmNode();
  await house.settle();
  t.match(await ada.read(id), { status: "running", progress: 0 });
  t.equal(node.leases.length, 1);
  t.match(node.lease, {
    kind: "image",
    input: { prompt: "a kite", seed: 7, width: 2048, height: 1152, count: 1, format: "png" },
  });
});

t.test("what the node delivers is the job's asset, and the hold is charged", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const node = house.farmNode();
  const { id } = await draw(ada, "two kites", { num_images: 2 });
  await house.settle();
  await node.finish([picture, picture]);
  await house.settle();
  const job = await ada.read(id);
  t.match(job, { status: "succeeded", credits_charged: 4, assets: [{}, {}] });
  t.equal(job.asset?.size_bytes, picture.length);
  const { bytes } = await house.stranger.get(`${job.asset?.signed_url}`);
  t.ok(bytes.equals(picture));
});

t.test("fewer images than asked for are delivered and only they are charged", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const node = house.farmNode();
  const { id } = await draw(ada, "four kites", { num_images: 4 });
  await house.settle();
  await node.finish([picture, picture, picture]);
  await house.settle();
  const job = await ada.read(id);
  t.match(job, { status: "succeeded", credits_held: 8, credits_charged: 6 });
  t.equal(job.assets?.length, 3);
});

t.test("a node holds as many leases as it has slots", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob, eve] = [await house.account(), await house.account(), await house.account()];
  const node = house.farmNode(2);
  const jobs = [await draw(ada, "1"), await draw(bob, "2"), await draw(eve, "3")];
  await house.settle();
  t.equal(node.leases.length, 2);
  t.equal((await eve.read(`${jobs[2]?.id}`)).status, "queued");
  await node.finish([picture], node.leases[0]);
  await house.settle();
  t.equal(node.leases.length, 3, "the next follows at once");
});

t.test("tasks are handed out in the order of their submits", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const prompt of ["first", "second", "third"]) await draw(ada, prompt);
  const node = house.farmNode(6);
  await house.settle();
  const prompts = node.leases.map(({ input }) => (input as { prompt: string }).prompt);
  t.strictSame(prompts, ["first", "second", "third"]);
});

t.test("progress is seen, and never falls", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const node = house.farmNode();
  const { id } = await draw(ada, "a kite");
  const seen = [];
  for (const progress of [0.25, 0.5, 0.4, 0.75, 2]) {
    await house.advance(2_000);
    node.progress(progress);
    await house.settle();
    seen.push((await ada.read(id)).progress);
  }
  t.strictSame(seen, [0.25, 0.5, 0.5, 0.75, 1]);
});

t.test("a node that dies loses its task to another", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const [first, second] = [house.farmNode(), house.farmNode()];
  const { id } = await draw(ada, "a kite");
  await house.settle();
  const [dead, heir] = first.leases.length === 1 ? [first, second] : [second, first];
  dead.die();
  await house.settle();
  t.equal(heir.leases.length, 1);
  t.not(heir.lease.token, dead.lease.token, "each attempt has its own token");
  await heir.finish([picture]);
  await house.settle();
  t.match(await ada.read(id), { status: "succeeded", credits_charged: 2 });
});

t.test(
  "a node that is silent for 15 s loses its lease, and its late result counts for nothing",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ credits: 10 });
    const silent = house.farmNode();
    const { id } = await draw(ada, "a kite");
    await house.advance(14_000);
    t.equal(silent.leases.length, 1);
    const late = silent.lease;
    const node = house.farmNode();
    await house.advance(3_000);
    const heir = node.leases.length === 1 ? node : silent;
    t.not(heir.lease.token, late.token);
    await silent.finish([Buffer.from("late")], late);
    await house.settle();
    t.equal((await ada.read(id)).status, "running");
    await heir.finish([picture]);
    await house.settle();
    t.equal((await ada.read(id)).asset?.size_bytes, picture.length);
  },
);

t.test("heartbeats keep a lease", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const node = house.farmNode();
  const { id } = await draw(ada, "a kite");
  for (let second = 0; second < 60; second++) {
    await house.advance(1_000);
    node.progress(0.1);
  }
  t.equal(node.leases.length, 1);
  t.equal((await ada.read(id)).status, "running");
});

t.test("a failed attempt is tried again, three times in all", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const node = house.farmNode();
  const { id } = await draw(ada, "a kite");
  await house.settle();
  for (const attempt of [1, 2]) {
    node.fail("the browser crashed", true);
    await house.settle();
    t.equal(node.leases.length, attempt + 1);
    t.equal((await ada.read(id)).status, "running");
  }
  node.fail("the browser crashed", true);
  await house.settle();
  t.match(await ada.read(id), {
    status: "failed",
    credits_charged: 0,
    failure: { kind: "error", code: "job_failed", credits_refunded: true },
    error: { status: 502 },
  });
  t.equal(node.leases.length, 3);
});

t.test("a task that the node refuses fails at once and is refunded", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const node = house.farmNode();
  const { id } = await draw(ada, "a kite");
  await house.settle();
  node.fail("This size cannot be drawn.", false);
  await house.settle();
  t.match(await ada.read(id), {
    status: "failed",
    credits_charged: 0,
    failure: { code: "job_failed", message: "This size cannot be drawn.", credits_refunded: true },
    error: { status: 422 },
  });
  t.equal(node.leases.length, 1);
});

t.test("the sentence of a failure has at most 500 characters", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const node = house.farmNode();
  const { id } = await draw(ada, "a kite");
  await house.settle();
  node.fail("x".repeat(2_000), false);
  await house.settle();
  const { failure, error } = await ada.read(id);
  t.equal(failure?.message.length, 500);
  t.equal(error?.detail, failure?.message);
});

t.test("a slot that a cancel frees takes the next task", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const node = house.farmNode();
  const [one, two] = [await draw(ada, "one"), await draw(ada, "two")];
  await house.settle();
  await ada.cancel(one.id);
  await house.settle();
  t.equal(node.leases.length, 2);
  t.equal((await ada.read(two.id)).status, "running");
});
