import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits, User } from "../../contract/account.ts";
import { type Caller, imagePath, type Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

async function readCredits(caller: Caller) {
  const { json } = await caller.get<Static<typeof Credits>>("/v1/me/credits");
  return { balance: json.balance_credits, held: json.held_credits };
}

t.test("a job that has not reached the provider is refunded in full at once", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:busy=9", { num_images: 4 });
  await house.settle();
  const { status, json } = await ada.cancel(job.id);
  t.equal(status, 200);
  t.match(json, {
    id: job.id,
    status: "canceled",
    status_message: "Canceled. Your 4 credits were returned.",
    credits_held: 4,
    credits_charged: 0,
    cancellation: {
      stage: "before_submit",
      settlement: "refunded",
      message: "Canceled. Your 4 credits were returned.",
      credits_refunded: 4,
      credits_charged: 0,
      requested_at: "2026-04-15T12:00:00.000Z",
      settled_at: "2026-04-15T12:00:00.000Z",
      canceled_by: ada.id,
    },
  });
  t.equal(json.cancellation?.provider_cancel, undefined, "nothing was sent");
  t.equal(json.failure, undefined, "a canceled job has no failure");
  t.strictSame(await readCredits(ada), { balance: 10, held: 0 });
});

t.test("a job that the provider stops before it starts is refunded in full at once", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:queue=60000", { num_images: 2 });
  await house.settle();
  const { json } = await ada.cancel(job.id);
  t.match(json.cancellation, {
    stage: "provider_queued",
    provider_cancel: "cancelled",
    settlement: "refunded",
    message: "Canceled. Your 2 credits were returned.",
    credits_refunded: 2,
    credits_charged: 0,
  });
  t.strictSame(await readCredits(ada), { balance: 10, held: 0 });
});

t.test("a job that is stopped part way pays for the rendered share", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:slow=60000", { num_images: 4 });
  await house.advance(30_000);
  const { json } = await ada.cancel(job.id);
  t.match(json, {
    status: "canceled",
    credits_charged: 2,
    cancellation: {
      stage: "provider_running",
      provider_cancel: "stopped_partway",
      settlement: "partially_refunded",
      message:
        "Canceled part way. 2 credits were charged for the rendered share and 2 were returned.",
      credits_refunded: 2,
      credits_charged: 2,
    },
  });
  t.strictSame(await readCredits(ada), { balance: 8, held: 0 });
});

t.test(
  "the rendered share is rounded up, and the whole price is said to be one (D3)",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ credits: 10 });
    const long = await ada.job("long sim:slow=60000", { num_images: 3 });
    const short = await ada.job("short sim:queue=54000 sim:slow=60000", { num_images: 3 });
    await house.advance(58_000);
    t.match((await ada.cancel(long.id)).json.cancellation, {
      settlement: "charged",
      credits_charged: 3,
      credits_refunded: 0,
      message:
        "Canceled part way. The rendered share came to the whole price, so 3 credits were charged.",
    });
    const { json } = await ada.cancel(short.id);
    t.match(json.cancellation, { credits_charged: 1 }, "7 of 100 of the work");
  },
);

t.test("all who cancel at once, and the stream, hear the provider's one answer (D2)", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:slow=60000", { num_images: 4 });
  await house.advance(15_000);
  const stream = await house.follow(ada, job.id);
  const answers = await Promise.all(Array.from({ length: 6 }, () => ada.cancel(job.id)));
  for (const { status, json } of answers)
    t.match(
      { status, json },
      { status: 200, json: { cancellation: { credits_refunded: 3, credits_charged: 1 } } },
    );
  await house.settle();
  t.match(stream.frames.at(-1), {
    event: "complete",
    data: {
      status: "canceled",
      error: /^Canceled part way. 1 credit was/,
      credits_refunded: false,
    },
  });
});

const requested = "Canceled. The provider was asked to stop; credits settle when it answers.";
const unstoppable = "Canceled. The provider could not be stopped; credits settle when it finishes.";

t.test("a provider that cannot be stopped leaves the settlement pending", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 10 });
  for (const [answer, message] of [
    ["requested", requested],
    ["refused", unstoppable],
    ["unsupported", unstoppable],
    ["failed", unstoppable],
  ] as const) {
    const job = await ada.job(`sim:slow=5000 sim:cancel_${answer}`);
    await house.settle();
    const { json } = await ada.cancel(job.id);
    t.match(json, {
      status: "canceled",
      status_message: message,
      credits_charged: null,
      cancellation: { provider_cancel: answer, settlement: "pending", message },
    });
    const { cancellation } = json;
    t.equal(cancellation?.credits_refunded, undefined, "no amount while pending");
    t.equal(cancellation?.credits_charged, undefined);
    t.equal(cancellation?.settled_at, undefined);
  }
  t.strictSame(await readCredits(ada), { balance: 6, held: 4 }, "the holds stay");
});

t.test("scenario words combine in any order", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const prompt of [
    "sim:cancel_refused sim:ok sim:slow=5000",
    "sim:slow=5000 sim:ok sim:cancel_refused",
  ]) {
    const job = await ada.job(prompt);
    await house.settle();
    t.equal((await ada.cancel(job.id)).json.cancellation?.provider_cancel, "refused", prompt);
  }
});

t.test("a pending settlement is charged when the provider finishes and bills", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:slow=5000 sim:cancel_refused", { num_images: 2 });
  await house.settle();
  await ada.cancel(job.id);
  await house.advance(5_250);
  const settled = await ada.read(job.id);
  t.match(settled, {
    status: "canceled",
    credits_charged: 2,
    status_message:
      "Canceled. The provider finished and billed the work, so 2 credits were charged.",
    cancellation: {
      settlement: "charged",
      credits_refunded: 0,
      credits_charged: 2,
      settled_at: "2026-04-15T12:00:05.000Z",
    },
  });
  t.equal(settled.asset, undefined, "never delivered");
  t.match((await ada.get("/v1/assets")).json, { items: [], total: 0 }, "and no asset is added");
  t.strictSame(await readCredits(ada), { balance: 8, held: 0 });
});

t.test("a pending settlement is refunded when the provider fails without billing", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:slow=5000 sim:fail sim:cancel_failed");
  await house.settle();
  await ada.cancel(job.id);
  await house.advance(5_250);
  t.match((await ada.read(job.id)).cancellation, {
    settlement: "refunded",
    message: "Canceled. Your 1 credit was returned.",
    credits_refunded: 1,
    credits_charged: 0,
  });
  t.strictSame(await readCredits(ada), { balance: 10, held: 0 });
});

t.test("a pending settlement is charged when the provider fails and bills", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:slow=5000 sim:fail sim:billed sim:cancel_requested");
  await house.settle();
  await ada.cancel(job.id);
  await house.advance(5_250);
  t.match((await ada.read(job.id)).cancellation, { settlement: "charged", credits_charged: 1 });
});

t.test("an unanswered settlement is refunded 3600 s after the job's deadline", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:slow=90000000 sim:cancel_requested");
  await house.settle();
  await ada.cancel(job.id);
  await house.advance(4_100_000);
  t.equal((await ada.read(job.id)).cancellation?.settlement, "pending");
  await house.advance(150_000);
  t.match((await ada.read(job.id)).cancellation, { settlement: "refunded", credits_refunded: 1 });
  t.strictSame(await readCredits(ada), { balance: 10, held: 0 });
});

t.test("a repeated cancel answers 200 with the same record", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:slow=60000");
  await house.advance(250);
  const first = await ada.cancel(job.id);
  await house.advance(2_000);
  const second = await ada.cancel(job.id);
  t.equal(second.status, 200);
  t.strictSame(second.json, first.json);
});

t.test("cancels at once make one cancellation", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("sim:slow=60000", { num_images: 4 });
  await house.advance(30_000);
  const replies = await Promise.all(Array.from({ length: 8 }, () => ada.cancel(job.id)));
  t.ok(replies.every(({ status }) => status === 200));
  t.strictSame(await readCredits(ada), { balance: 8, held: 0 });
});

t.test("a job that has ended cannot be canceled and nothing changes", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  for (const prompt of ["sim:ok", "sim:fail", "sim:nsfw"]) {
    const job = await ada.job(prompt);
    await house.settle();
    const before = await ada.read(job.id);
    const { status, json } = await ada.cancel<Refused>(job.id);
    t.equal(status, 409, prompt);
    t.match(json, { title: "Conflict", code: "job_not_cancellable" });
    t.strictSame(await ada.read(job.id), before);
  }
});

t.test("a cancel takes an empty body or {}", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const [body, status] of [
    ["", 200],
    ["{}", 200],
    ['{"why":1}', 400],
    ["[]", 400],
  ] as const) {
    const job = await ada.job(`sim:slow=60000 ${body}`);
    await house.settle();
    t.equal((await ada.post(`/v1/jobs/${job.id}/cancel`, body)).status, status, body);
  }
});

t.test("a cancel frees the slot at once, whatever the settlement", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 10 });
  const job = await ada.job("sim:slow=60000 sim:cancel_unsupported");
  await house.settle();
  await ada.cancel(job.id);
  const { json } = await ada.get<User>("/v1/me");
  t.equal(json.generation_limits?.concurrent_active, 0);
  t.equal((await ada.submit("next")).status, 202);
});

t.test("a task that no farm node has leased is canceled before submit", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const { json: job } = await ada.post<{ id: string }>(imagePath, { model: "studio", prompt: "x" });
  const { json } = await ada.cancel(job.id);
  t.match(json.cancellation, { stage: "before_submit", settlement: "refunded" });
  const node = house.farmNode();
  await house.settle();
  t.strictSame(node.leases, [], "nobody is asked to make it");
  t.strictSame(await readCredits(ada), { balance: 10, held: 0 });
});

t.test(
  "a task that a farm node runs is stopped part way and charged by its progress",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ credits: 10 });
    const node = house.farmNode();
    const body = { model: "studio", prompt: "x", num_images: 4 };
    const { json: job } = await ada.post<{ id: string }>(imagePath, body);
    await house.advance(2_500);
    node.progress(0.25);
    await house.settle();
    const { json } = await ada.cancel(job.id);
    await house.settle();
    t.match(json.cancellation, {
      stage: "provider_running",
      provider_cancel: "stopped_partway",
      settlement: "partially_refunded",
      credits_charged: 2,
      credits_refunded: 6,
    });
    t.strictSame(node.canceled, [node.lease.token], "the node is told");
    await node.finish([Buffer.from("late")]);
    await house.settle();
    t.equal((await ada.read(job.id)).status, "canceled", "a late picture changes nothing");
    t.strictSame(await readCredits(ada), { balance: 8, held: 0 });
  },
);
