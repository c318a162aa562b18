/** Simulated jobs that take no time end in the step that begins them, without any provider. */
import t from "tap";
import { openInProcess } from "./in-process-service.ts";

t.test("the answer is a 202 with a queued job, and the next read has its end", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const { status, json } = await ada.submit("a kite", { num_images: 3 });
  t.equal(status, 202);
  t.match(json, { status: "queued", credits_held: 3, credits_charged: null });
  const done = await ada.read(json.id);
  t.match(done, { status: "succeeded", credits_charged: 3, progress: 1 });
  t.equal(done.assets?.length, 3);
  const { json: credits } = await ada.get<object>("/v1/me/credits");
  t.match(credits, { balance_credits: 7, held_credits: 0 });
  const { json: ledger } = await ada.get<{ items: object[] }>("/v1/me/credits/ledger");
  t.match(ledger.items.slice(0, 3), [
    { type: "charge", amount: -3, balance_after: 7 },
    { type: "release", amount: 3, balance_after: 10 },
    { type: "hold", amount: -3, balance_after: 7 },
  ]);
});

t.test("what takes time, fails or is traced is asked of its provider", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const slow = await ada.job("a kite sim:slow=1000");
  t.match(await ada.read(slow.id), { status: /queued|running/ });
  const failing = await ada.job("a kite sim:fail");
  await house.settle();
  t.match(await ada.read(failing.id), { status: "failed" });
  await house.advance(2_000);
  t.match(await ada.read(slow.id), { status: "succeeded" });
});

t.test("a set whose members take no time is answered as one that begins", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const members = ["one", "two"].map((label) => ({ label, prompt: label }));
  const base = { model: "sim-instant", prompt: "a cup" };
  const { json } = await ada.post<{ id: string }>("/v1/generate/set", { base, members });
  t.match(json, { status: "generating" });
  await house.settle();
  t.match((await ada.get(`/v1/sets/${json.id}`)).json, { status: "ready" });
});
