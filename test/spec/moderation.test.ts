import t from "tap";
import type { Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const dayMs = 86_400_000;

for (const [word, code, title] of [
  ["sim:nsfw", "prompt_nsfw", "Request Refused"],
  ["sim:ip", "ip_detected", "Request Refused"],
] as const) {
  t.test(`a provider's ${code} is remembered 24 h for the same canonical body`, async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ credits: 10 });
    const job = await ada.job(`a kite ${word}`);
    await house.settle();
    t.match(await ada.read(job.id), { status: "failed", failure: { kind: "moderated", code } });
    const again = await ada.submit<Refused>(`a kite ${word}`, {}, { "idempotency-key": "k" });
    t.equal(again.status, 400, "the repeat answers 400 with that code");
    t.match(again.json, { code, title });
    t.match((await ada.get("/v1/me/credits")).json, { balance_credits: 10 }, "it costs nothing");
    t.equal((await (await house.account()).submit(`a kite ${word}`)).status, 202, "of one account");
    await house.advance(dayMs + 1_000);
    t.equal((await ada.submit(`a kite ${word}`, {}, { "idempotency-key": "l" })).status, 202);
  });

  t.test(`the same body after a job that failed with ${code} answers 400 (D14)`, async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ credits: 10 });
    const job = await ada.job(`a kite ${word}`);
    await house.settle();
    t.match(await ada.read(job.id), { status: "failed" });
    const again = await ada.submit<Refused>(`a kite ${word}`);
    t.match(again, { status: 400, json: { code, title } }, "the remembered refusal, not 409");
    t.equal((await ada.submit("a kite")).status, 202);
    t.equal((await ada.submit("a kite")).status, 409, "of another body still a duplicate");
  });

  t.test(`an immediate upstream ${code} answers the submit 422 and leaves no job`, async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ credits: 10 });
    const more = { model: "sim-inline" };
    const { status, json } = await ada.submit<Refused>(`a kite ${word}`, more);
    t.equal(status, 422);
    t.match(json, { code, title });
    t.match((await ada.get("/v1/jobs")).json, { items: [], total: 0 }, "the job is discarded");
    t.match((await ada.get("/v1/me/credits")).json, { balance_credits: 10, held_credits: 0 });
    t.match((await ada.get("/v1/me")).json, { generation_limits: { concurrent_active: 0 } });
    const again = await ada.submit<Refused>(`a kite ${word}`, more);
    t.equal(again.status, 400, "no duplicate, but remembered");
  });
}

t.test("acceptance inside the window answers 202", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, json } = await ada.submit("a kite sim:slow=5000", { model: "sim-inline" });
  t.equal(status, 202);
  t.equal((await ada.read(json.id)).status, "running");
});

t.test("unavailability and capacity answer 202 and keep the job queued", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const [word, detail] of [
    ["sim:down=1", "provider_down"],
    ["sim:busy=1", "upstream_at_capacity"],
  ] as const) {
    const { status, json } = await ada.submit(`a kite ${word}`, { model: "sim-inline" });
    t.equal(status, 202);
    t.match(await ada.read(json.id), { status: "queued", status_detail: detail });
  }
});

t.test(
  "silence inside the window answers 202, and a later refusal ends the job failed",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const more = { model: "sim-inline" };
    const silent = ada.submit("a kite sim:unknown_submit", more);
    await house.advance(500);
    t.equal((await silent).status, 202);
    const { status, json } = await ada.submit("a kite sim:down=1 sim:nsfw", more);
    t.equal(status, 202);
    await house.advance(5_000);
    t.match(await ada.read(json.id), { status: "failed", failure: { code: "prompt_nsfw" } });
  },
);
