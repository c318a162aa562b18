import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits } from "../../contract/account.ts";
import type { Job } from "../../contract/job.ts";
import type { Caller } from "./caller.ts";
import { type InProcess, openInProcess, origin } from "./in-process-service.ts";

async function readBalance(caller: Caller): Promise<number> {
  const { json } = await caller.get<Static<typeof Credits>>("/v1/me/credits");
  return (json.balance_credits ?? 0) + json.held_credits;
}

/** Returns the job of a prompt after its end, and what it cost. */
async function onEnd(house: InProcess, prompt: string): Promise<{ job: Job; cost: number }> {
  const ada = await house.account({ credits: 100 });
  const { id } = await ada.job(prompt, { num_images: 4 });
  await house.advance(prompt.includes("sim:lost") ? 11_000 : 1_000);
  return { job: await ada.read(id), cost: 100 - (await readBalance(ada)) };
}

t.test("a job that succeeds is charged what was held", async (t) => {
  const house = await openInProcess(t);
  for (const prompt of ["a kite", "sim:ok", "sim:slow=500", "sim:queue=500", "sim:billed"]) {
    const { job, cost } = await onEnd(house, prompt);
    t.match(job, { status: "succeeded", credits_held: 4, credits_charged: 4, progress: 1 }, prompt);
    t.equal(cost, 4);
    t.equal(job.failure ?? job.error, undefined);
  }
});

t.test("a job that the provider could not finish is failed and refunded", async (t) => {
  const house = await openInProcess(t);
  for (const prompt of ["sim:fail", "sim:fail sim:slow=500", "sim:lost"]) {
    const { job, cost } = await onEnd(house, prompt);
    t.match(job, { status: "failed", credits_charged: 0 }, prompt);
    t.match(job.failure, { kind: "error", code: "job_failed", credits_refunded: true });
    t.match(job.error, { status: 502, title: "Generation Failed", code: "job_failed" });
    t.equal(cost, 0);
  }
});

t.test("what the filter refuses is moderated and refunded", async (t) => {
  const house = await openInProcess(t);
  for (const [prompt, code, slug] of [
    ["sim:nsfw", "prompt_nsfw", "prompt-nsfw"],
    ["sim:nsfw_output", "prompt_nsfw", "prompt-nsfw"],
    ["sim:ip", "ip_detected", "ip-detected"],
    ["sim:ip_output", "ip_detected", "ip-detected"],
  ] as const) {
    const { job, cost } = await onEnd(house, prompt);
    t.match(job, { status: "failed", credits_charged: 0 }, prompt);
    t.match(job.failure, { kind: "moderated", code, credits_refunded: true });
    t.match(job.error, { status: 422, title: "Request Refused", code });
    t.equal(job.error?.type, `${origin}/v1/problems/${slug}`);
    t.equal(cost, 0);
  }
});

t.test("a failed job whose attempt the provider billed is charged", async (t) => {
  const house = await openInProcess(t);
  for (const prompt of [
    "sim:fail sim:billed",
    "sim:nsfw sim:billed",
    "sim:nsfw_output sim:billed",
  ]) {
    const { job, cost } = await onEnd(house, prompt);
    t.match(job, { status: "failed", credits_charged: 4 }, prompt);
    t.equal(job.failure?.credits_refunded, false);
    t.equal(cost, 4);
  }
});

t.test("a likeness refused on finished output is always refunded", async (t) => {
  const house = await openInProcess(t);
  const { job, cost } = await onEnd(house, "sim:ip_output sim:billed");
  t.equal(job.failure?.credits_refunded, true);
  t.equal(cost, 0);
});

t.test("the sentence of a failure is the same in failure and in error", async (t) => {
  const house = await openInProcess(t);
  for (const prompt of ["sim:fail", "sim:nsfw", "sim:ip_output"]) {
    const { job } = await onEnd(house, prompt);
    t.equal(job.error?.detail, job.failure?.message, prompt);
    t.match(job.failure?.message, /^[A-Z].*\.$/);
  }
});

t.test("a failed job has no asset and a succeeded one no failure", async (t) => {
  const house = await openInProcess(t);
  const { job: failed } = await onEnd(house, "sim:nsfw_output sim:slow=250");
  t.equal(failed.asset ?? failed.assets, undefined);
  t.equal(failed.completed_at, "2026-04-15T12:00:00.250Z");
  const { job: done } = await onEnd(house, "a kite");
  t.ok(done.asset);
  t.equal(done.failure ?? done.error, undefined);
});

t.test("scenario words may stand anywhere and in any order", async (t) => {
  const house = await openInProcess(t);
  const { job } = await onEnd(house, "a kite sim:slow=500 over sim:fail dunes");
  t.equal(job.status, "failed");
  t.equal(job.started_at, "2026-04-15T12:00:00.000Z");
  const { job: other } = await onEnd(house, "not-sim:fail xsim:nsfw sim:nsfwx");
  t.equal(other.status, "succeeded", "only whole words count");
});

t.test(
  "a busy provider shows upstream_at_capacity with its sentence while the job waits",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ credits: 10 });
    const { id } = await ada.job("sim:busy=2");
    await house.settle();
    t.match(await ada.read(id), {
      status: "queued",
      status_detail: "upstream_at_capacity",
      status_message:
        "The model provider is at capacity. Your generation is waiting for a free slot.",
      credits_held: 1,
      credits_charged: null,
    });
    await house.advance(4_000);
    t.match(await ada.read(id), {
      status: "succeeded",
      status_detail: null,
      status_message: null,
    });
  },
);

t.test("a provider that is down shows provider_down with its sentence", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("sim:down=1 sim:slow=60000");
  await house.settle();
  t.match(await ada.read(id), {
    status: "queued",
    status_detail: "provider_down",
    status_message:
      "The model provider is unavailable. Your generation is waiting and will start when it recovers.",
  });
  await house.advance(1_250);
  t.match(await ada.read(id), { status: "running", status_detail: null, status_message: null });
});

t.test(
  "a submit that the provider did not accept is tried again after 1 s, 2 s, 4 s",
  async (t) => {
    const house = await openInProcess(t);
    for (const [failures, waitMs] of [
      [1, 1_000],
      [2, 3_000],
      [3, 7_000],
    ] as const) {
      const ada = await house.account();
      const { id, created_at } = await ada.job(`sim:down=${failures} sim:slow=60000`);
      await house.advance(waitMs - 250);
      t.equal((await ada.read(id)).started_at, null);
      await house.advance(500);
      const { started_at } = await ada.read(id);
      t.equal(Date.parse(`${started_at}`) - Date.parse(created_at), waitMs);
    }
  },
);

t.test("waiting never makes a second job or a second hold", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  await ada.job("sim:busy=3 sim:down=2", { num_images: 2 });
  await house.advance(40_000);
  const { json } = await ada.get<{ total: number }>("/v1/jobs");
  t.equal(json.total, 1);
  t.equal(await readBalance(ada), 8);
});
