import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits } from "../../contract/account.ts";
import type { Job } from "../../contract/job.ts";
import type { Caller, Reply } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

async function readCredits(caller: Caller) {
  const { json } = await caller.get<Static<typeof Credits>>("/v1/me/credits");
  return { balance: json.balance_credits, held: json.held_credits };
}

/** Cancels a job; returns the answer, and after how long it came. */
async function cancel(house: InProcess, caller: Caller, job: string) {
  const answer = caller.cancel(job);
  const heard: Reply<Job>[] = [];
  void answer.then((reply) => heard.push(reply));
  await house.settle();
  const beganMs = house.clock.nowMs();
  while (heard.length === 0) await house.advance(250);
  return { ...(await answer), afterMs: house.clock.nowMs() - beganMs };
}

t.test("a cancel whose submit has no outcome answers after 10 s, failed and pending", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 10 });
  const { id } = await ada.job("sim:unknown_submit");
  await house.settle();
  t.equal((await ada.read(id)).status, "queued");
  const { status, json, afterMs } = await cancel(house, ada, id);
  t.equal(status, 200);
  t.ok(afterMs >= 10_000 && afterMs <= 10_500, `${afterMs}`);
  t.match(json, {
    status: "canceled",
    credits_charged: null,
    cancellation: { stage: "submitting", provider_cancel: "failed", settlement: "pending" },
  });
  t.strictSame(await readCredits(ada), { balance: 9, held: 1 });
  t.equal((await ada.submit("next")).status, 202, "the slot is free");
  await house.advance(80_000_000);
  t.equal((await ada.read(id)).cancellation?.settlement, "pending");
  await house.advance(7_000_000);
  t.match((await ada.read(id)).cancellation, {
    provider_cancel: "failed",
    settlement: "refunded",
    message: "Canceled. Your 1 credit was returned.",
    credits_refunded: 1,
  });
});

t.test("a submit with unknown outcome is never sent again and ends at its deadline", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const { id } = await ada.job("sim:unknown_submit");
  await house.advance(590_000);
  t.match(await ada.read(id), { status: "queued", status_detail: null });
  await house.advance(15_000);
  t.match(await ada.read(id), { status: "failed", failure: { code: "timeout" } });
  t.strictSame(await readCredits(ada), { balance: 10, held: 0 });
});

t.test("lost twice in a row 10 s apart ends the job failed, refunded", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const { id } = await ada.job("sim:lost sim:billed");
  await house.advance(9_000);
  t.equal((await ada.read(id)).status, "running");
  await house.advance(1_500);
  const job = await ada.read(id);
  t.match(job, { status: "failed", failure: { kind: "error", credits_refunded: true } });
});

t.test("a callback that is lost, doubled or forged changes no outcome", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const dropped = (await ada.job("sim:drop_callback sim:slow=1000")).id;
  const forged = (await ada.job("sim:bad_signature sim:slow=1000")).id;
  const doubled = (await ada.job("sim:dup_callback sim:slow=1000")).id;
  await house.advance(1_500);
  t.equal((await ada.read(doubled)).status, "succeeded");
  for (const id of [dropped, forged]) t.equal((await ada.read(id)).status, "running");
  await house.advance(22_000);
  for (const id of [dropped, forged, doubled])
    t.match(await ada.read(id), { status: "succeeded", credits_charged: 1 });
  t.strictSame(await readCredits(ada), { balance: 7, held: 0 });
});
