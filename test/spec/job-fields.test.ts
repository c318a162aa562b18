import t, { type Test } from "tap";
import type { Job } from "../../contract/job.ts";
import { type Caller, imagePath, type Refused } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function onEnd(house: InProcess, ada: Caller, prompt: string, more: object = {}) {
  const { id } = await ada.job(prompt, more);
  await house.settle();
  return ada.read(id);
}

t.test("job ids are UUIDv7", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const [first, second] = [await ada.job("one"), await ada.job("two")];
  for (const { id } of [first, second]) t.match(id, uuid7);
  t.ok(first.id < second.id, "they rise");
  const stampMs = Number.parseInt(first.id.replaceAll("-", "").slice(0, 12), 16);
  t.equal(stampMs, Date.parse(first.created_at), "created_at is in the id");
});

t.test("a queued job holds no outcome", async (t) => {
  const ada = await (await openInProcess(t)).account();
  const job = await ada.job("a kite sim:queue=60000");
  t.match(job, {
    status: "queued",
    modality: "image",
    model: "sim-instant",
    user_id: ada.id,
    status_detail: null,
    status_message: null,
    progress: null,
    started_at: null,
    completed_at: null,
    credits_held: 1,
    credits_charged: null,
    set_id: null,
    agent_session_id: null,
    parent_job_id: null,
    surface: null,
  });
  for (const name of ["asset", "assets", "error", "failure", "cancellation"])
    t.notOk(Object.hasOwn(job, name), name);
});

t.test("progress is null while queued, at least 0 while running, 1 on succeeded", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("a kite sim:queue=1000 sim:slow=4000");
  const seen: Job[] = [];
  for (let second = 0; second < 6; second++) {
    seen.push(await ada.read(id));
    await house.advance(1_000);
  }
  seen.push(await ada.read(id));
  for (const { status, progress } of seen)
    if (status === "queued") t.equal(progress, null);
    else t.ok(typeof progress === "number" && progress >= 0, `${status} ${progress}`);
  const values = seen.map(({ progress }) => progress ?? 0);
  t.strictSame(
    values,
    [...values].sort((a, b) => a - b),
    "never decreases",
  );
  t.match(seen.at(-1), { status: "succeeded", progress: 1 });
});

t.test("updated_at changes on every state, progress or settlement change", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job(
    "a kite sim:queue=1000 sim:slow=9000 sim:cancel_requested sim:billed",
  );
  const times = [(await ada.read(id)).updated_at];
  await house.advance(2_000);
  times.push((await ada.read(id)).updated_at);
  await ada.cancel(id);
  const canceled = await ada.read(id);
  times.push(canceled.updated_at);
  t.equal(canceled.cancellation?.settlement, "pending");
  await house.advance(20_000);
  const settled = await ada.read(id);
  t.equal(settled.cancellation?.settlement, "charged");
  times.push(settled.updated_at);
  t.equal(new Set(times).size, 4, times.join(" "));
  t.equal(settled.completed_at, canceled.completed_at);

  const { json: drawn } = await ada.post<Job>(imagePath, { model: "studio", prompt: "a kite" });
  const node = house.farmNode();
  await house.settle();
  const { updated_at } = await ada.read(drawn.id);
  await house.advance(2_000);
  node.progress(0.5);
  await house.settle();
  const further = await ada.read(drawn.id);
  t.equal(further.progress, 0.5);
  t.ok(further.updated_at > updated_at, "progress alone");
});

t.test("asset equals assets[0] when one request produced several", async (t) => {
  const house = await openInProcess(t);
  const job = await onEnd(house, await house.account(), "a kite", { num_images: 3 });
  t.equal(job.assets?.length, 3);
  t.strictSame(job.asset, job.assets?.[0]);
});

t.test("error.status, type and title follow the kind and code of the failure", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const [failed, refused] = ["Generation Failed", "Request Refused"];
  const late = await ada.job("too late sim:slow=99999999");
  const waiting = await ada.job("too busy sim:busy=999999");
  for (const [prompt, expected, slug] of [
    ["a sim:fail", { kind: "error", code: "job_failed", status: 502, title: failed }, "job-failed"],
    [
      "a sim:nsfw",
      { kind: "moderated", code: "prompt_nsfw", status: 422, title: refused },
      "prompt-nsfw",
    ],
    [
      "a sim:ip",
      { kind: "moderated", code: "ip_detected", status: 422, title: refused },
      "ip-detected",
    ],
  ] as const)
    check(t, await onEnd(house, ada, prompt), expected, slug);
  await house.advance(600_500);
  const timeout = { kind: "timeout", code: "timeout", status: 504, title: failed };
  check(t, await ada.read(late.id), timeout, "job-failed");
  await house.advance(86_400_000);
  const limit = { kind: "error", code: "rate_limit", status: 429, title: failed };
  check(t, await ada.read(waiting.id), limit, "job-failed");
});

interface Expected {
  readonly kind: string;
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

function check(t: Test, { failure, error }: Job, expected: Expected, slug: string) {
  const { kind, ...shown } = expected;
  t.match(failure, { kind, code: expected.code, credits_refunded: true });
  t.match(error, { ...shown, detail: failure?.message ?? "" });
  t.ok(error?.type.endsWith(`/problems/${slug}`), `${error?.type}`);
}

t.test("nothing is visible of a job whose id is no UUID", async (t) => {
  const ada = await (await openInProcess(t)).account();
  for (const id of ["1", "nonsense", "019d9000-0000-7000-8000-00000000000g"])
    t.equal((await ada.get<Refused>(`/v1/jobs/${id}`)).status, 404, id);
});
