/** Tests that threads of a real engine die on command and the service recovers from its disk. */

import t from "tap";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import type { Static } from "../../config/schema.ts";
import type { Credits } from "../../contract/account.ts";
import type { Job } from "../../contract/job.ts";
import { getShard } from "../../engine/key.ts";
import type { Caller } from "../spec/caller.ts";
import { again, openHouse, shardCount } from "./threads-house.ts";

t.test(
  "a shard thread that dies starts again from disk and loses nothing acknowledged",
  async (t) => {
    const house = await openHouse(t);
    const ada = await house.account();
    const jobs: Job[] = [];
    for (let n = 0; n < 6; n++) jobs.push(await ada.job(`kite ${n} sim:slow=300`));
    const shard = getShard(accountKey(ada.id), shardCount);
    await house.strike(shard);
    t.strictSame(house.deaths, [`shard ${shard}`]);
    t.equal((await ada.get("/v1/jobs")).status, 503, "while it is away callers hear 503");
    for (const { id } of jobs) {
      const { status, json } = await again(() =>
        ada.get<Job>(`/v1/jobs/${id}/wait?timeout_seconds=900`),
      );
      t.equal(status, 200);
      t.equal(json.status, "succeeded", "acknowledged jobs end");
    }
    const { json } = await ada.get<Static<typeof Credits>>("/v1/me/credits");
    t.match(json, { balance_credits: 94, held_credits: 0 });
  },
);

t.test("callers that wait for a shard that dies hear 503, and asking again is safe", async (t) => {
  const house = await openHouse(t);
  const ada = await house.account();
  const shard = getShard(accountKey(ada.id), shardCount);
  const death = house.strike(shard);
  const answers = [];
  let n = 0;
  while (house.deaths.length === 0) {
    answers.push(ada.submit(`kite ${n++} sim:slow=60000`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await death;
  const replies = await Promise.all(answers);
  t.ok(replies.every(({ status }) => [202, 429, 503].includes(status)));
  const accepted = replies.filter(({ status }) => status === 202).map(({ json }) => json.id);
  for (const id of accepted)
    t.equal((await again(() => ada.get(`/v1/jobs/${id}`))).status, 200, "acknowledged, so there");
  const body = ["kite after the fall", {}, { "idempotency-key": "once" }] as const;
  for (const { id } of (await again(() => ada.get<{ items: Job[] }>("/v1/jobs"))).json.items)
    await ada.cancel(id);
  const first = await again(() => ada.submit(...body));
  t.equal(first.status, 202);
  t.equal((await ada.submit(...body)).status, 409);
});

t.test("the death of one shard does not touch another's accounts", async (t) => {
  const house = await openHouse(t);
  const callers: (Caller | undefined)[] = [undefined, undefined];
  while (callers.includes(undefined)) {
    const caller = await house.account();
    callers[getShard(accountKey(caller.id), shardCount)] = caller;
  }
  const [ada, bob] = callers as [Caller, Caller];
  await house.strike(0);
  t.equal((await ada.get("/v1/me/credits")).status, 503);
  t.equal((await bob.submit("a kite")).status, 202);
  t.equal((await again(() => ada.submit("a kite"))).status, 202);
});

t.test("the directory comes back with every account and token", async (t) => {
  const house = await openHouse(t);
  const ada = await house.account();
  const bob = await house.account();
  t.equal((await ada.get("/v1/me")).status, 200);
  await house.strike(shardCount);
  t.equal((await again(() => bob.get("/v1/me"))).status, 200);
  t.equal((await ada.get("/v1/me")).status, 200);
  t.equal((await house.account()).token?.length, 56, "and takes new ones");
});

t.test("when the effects thread dies, what it had under way is done again", async (t) => {
  const house = await openHouse(t);
  const ada = await house.account();
  const jobs: Job[] = [];
  for (const prompt of ["sim:slow=500", "sim:queue=300", "sim:busy=1", "sim:fail sim:slow=200"])
    jobs.push(await ada.job(prompt));
  await house.strike("effects");
  const ends = [];
  for (const { id } of jobs) {
    const { json } = await again(() => ada.get<Job>(`/v1/jobs/${id}/wait?timeout_seconds=900`));
    ends.push(json.status);
  }
  t.strictSame(ends, ["succeeded", "succeeded", "succeeded", "failed"]);
  const { json } = await ada.get<Static<typeof Credits>>("/v1/me/credits");
  t.match(json, { balance_credits: 97, held_credits: 0 });
});
