import t from "tap";
import type { PlanName } from "../../config/plans.ts";
import type { Static } from "../../config/schema.ts";
import type { Credits, User } from "../../contract/account.ts";
import type { Job, JobPage } from "../../contract/job.ts";
import type { Caller, Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

async function getLimits(caller: Caller) {
  return (await caller.get<User>("/v1/me")).json.generation_limits;
}

async function readCredits(caller: Caller) {
  return (await caller.get<Static<typeof Credits>>("/v1/me/credits")).json;
}

const ceilings: readonly (readonly [PlanName, number])[] = [
  ["free", 1],
  ["starter", 2],
  ["pro", 4],
  ["studio", 8],
  ["team", 8],
  ["enterprise", 8],
];

t.test("each plan has its ceiling of simultaneous generations", async (t) => {
  const house = await openInProcess(t);
  for (const [plan, max] of ceilings) {
    const ada = await house.account({ plan, credits: 100 });
    for (let n = 0; n < max; n++) await ada.job(`${n} sim:slow=60000`);
    t.strictSame(await getLimits(ada), { concurrent_max: max, concurrent_active: max });
    const { status, json } = await ada.submit<Refused>("one more");
    t.equal(status, 429, plan);
    t.match(json, {
      title: "Generation Concurrency Limit Reached",
      code: "rate_limit",
      concurrent_max: max,
      concurrent_active: max,
    });
  }
});

t.test(
  "64 different submits on a ceiling of 4: four are active, nothing is held for the rest",
  async (t) => {
    for (const shardCount of [1, 2]) {
      const house = await openInProcess(t, { shardCount });
      const ada = await house.account({ plan: "pro", credits: 100 });
      const replies = await Promise.all(
        Array.from({ length: 64 }, (_, n) => ada.submit<Refused>(`kite ${n} sim:slow=10000`)),
      );
      t.equal(replies.filter(({ status }) => status === 202).length, 4);
      const refused = replies.filter(({ status }) => status === 429);
      t.equal(refused.length, 60);
      t.ok(refused.every(({ json }) => json.code === "rate_limit" && json.concurrent_max === 4));
      t.match(await getLimits(ada), { concurrent_active: 4 });
      t.match(await readCredits(ada), { balance_credits: 96, held_credits: 4 });
      t.equal((await ada.get<Static<typeof JobPage>>("/v1/jobs")).json.total, 4);
    }
  },
);

t.test("while jobs end, a ceiling of 4 is never exceeded", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "pro", credits: 1000 });
  let accepted = 0;
  for (let round = 0; round < 16; round++) {
    const submits = Array.from({ length: 4 }, (_, n) => {
      return ada.submit(`${round} ${n} sim:slow=${500 * (1 + ((round + n) % 4))}`);
    });
    for (const { status } of await Promise.all(submits)) if (status === 202) accepted++;
    const limits = await getLimits(ada);
    t.ok((limits?.concurrent_active ?? 99) <= 4, `round ${round}`);
    await house.advance(500);
  }
  await house.advance(5_000);
  t.match(await getLimits(ada), { concurrent_active: 0 });
  t.match(await readCredits(ada), { balance_credits: 1000 - accepted, held_credits: 0 });
});

t.test("queued and running jobs both count against the ceiling", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter", credits: 10 });
  await ada.job("queued sim:queue=60000");
  await ada.job("running sim:slow=60000");
  await house.settle();
  t.equal((await ada.submit("third")).status, 429);
});

t.test("a job that ends frees its slot, however it ends", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 10 });
  for (const prompt of ["sim:ok", "sim:fail", "sim:nsfw", "sim:ip_output"]) {
    t.equal((await ada.submit(prompt)).status, 202, prompt);
    await house.settle();
  }
  const last = await ada.job("sim:slow=60000");
  t.equal((await ada.submit("while it runs")).status, 429);
  await ada.cancel(last.id);
  t.equal((await ada.submit("after the cancel")).status, 202);
});

t.test("a submit that the ceiling refused is accepted later, unchanged", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 10 });
  await ada.job("first sim:slow=1000");
  t.equal((await ada.submit("second")).status, 429);
  await house.advance(1_500);
  t.equal((await ada.submit("second")).status, 202);
});

t.test("jobs of one account do not count against another's ceiling", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 10 });
  const bob = await house.account({ plan: "free", credits: 10 });
  await ada.job("sim:slow=60000");
  t.equal((await bob.submit("sim:slow=60000")).status, 202);
});

t.test("at the daily quota a submit answers 429 until the next UTC midnight", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 1000 });
  for (let n = 0; n < 50; n++) {
    await ada.job(`kite ${n}`);
    await house.settle();
  }
  const { status, headers, json } = await ada.submit<Refused>("kite 50");
  t.equal(status, 429);
  t.equal(headers["retry-after-reset"], "2026-04-16T00:00:00.000Z");
  t.match(json, {
    title: "Generation Quota Reached",
    code: "rate_limit",
    quota: 50,
    used: 50,
  });
  t.match(await readCredits(ada), { balance_credits: 950, held_credits: 0 });
  t.match((await ada.get<User>("/v1/me")).json.quota, {
    limit: 50,
    used: 50,
    resets_at: "2026-04-16T00:00:00.000Z",
  });
});

t.test("a new UTC day has a new quota", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 1000 });
  for (let n = 0; n < 50; n++) {
    await ada.job(`kite ${n}`);
    await house.settle();
  }
  await house.advance(12 * 3_600_000 - 2_000);
  t.equal((await ada.submit("two seconds before midnight")).status, 429);
  await house.advance(3_000);
  t.equal((await ada.submit("after midnight")).status, 202);
  t.match((await ada.get<User>("/v1/me")).json.quota, {
    used: 1,
    resets_at: "2026-04-17T00:00:00.000Z",
  });
});

t.test("refused submits do not use the quota, failed jobs do", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 10 });
  await ada.submit("");
  await ada.job("sim:fail");
  await ada.submit("sim:fail");
  t.match((await ada.get<User>("/v1/me")).json.quota, { used: 1 });
});

t.test("the plan enterprise has no daily quota", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 100 });
  for (let n = 0; n < 60; n++) {
    t.equal((await ada.submit(`kite ${n}`)).status, 202);
    await house.settle();
  }
  t.equal((await ada.get<User>("/v1/me")).json.quota, null);
});

t.test("a wallet that cannot pay answers 402 with what is needed and what is left", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 3 });
  const { status, json } = await ada.submit<Refused>("four kites", { num_images: 4 });
  t.equal(status, 402);
  t.match(json, {
    title: "Out Of Credits",
    code: "out_of_credits",
    credits_required: 4,
    balance_credits: 3,
  });
  t.match(await readCredits(ada), { balance_credits: 3, held_credits: 0 });
});

t.test("a wallet pays to its last credit, and held credits cannot be spent twice", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 4 });
  t.equal((await ada.submit("three sim:slow=9000", { num_images: 3 })).status, 202);
  t.equal((await ada.submit("two", { num_images: 2 })).status, 402);
  t.equal((await ada.submit("one")).status, 202);
  t.match(await readCredits(ada), { balance_credits: 0 });
});

t.test("credits that come back can be spent again", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 1 });
  await ada.job("sim:fail");
  await house.settle();
  t.equal((await ada.submit("again")).status, 202);
});

t.test("until quotes are given out a confirmation token is refused with 422", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const more = { confirmation_token: "bm8gcXVvdGU" };
  const { status, json } = await ada.submit<Refused>("a kite", more);
  t.equal(status, 422);
  t.match(json, {
    title: "Confirmation Rejected",
    code: "confirmation_rejected",
    reason: "invalid",
  });
});

t.test("a submit without confirmation token is never refused for confirmation", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  t.equal((await ada.submit("a kite")).status, 202);
  t.equal((await ada.submit<Job>("b kite", { confirmation_token: null })).status, 202);
});
