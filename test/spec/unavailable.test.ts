import t from "tap";
import { accountKey, type JobChanged } from "../../actors/protocol/account-messages.ts";
import { jobKey } from "../../actors/protocol/job.ts";
import type { Static } from "../../config/schema.ts";
import type { JobPage } from "../../contract/job.ts";
import { partitionOfId } from "../../engine/id.ts";
import { watchFarm } from "../../http/health-watch.ts";
import type { Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

interface Ready {
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
}

t.test("/healthz answers 200 with status and version", async (t) => {
  const house = await openInProcess(t);
  const { status, json } = await house.stranger.get<object>("/healthz");
  t.equal(status, 200);
  t.strictSame(json, { status: "ok", version: "0.0.0-test" });
});

t.test("/readyz answers 200 with the checks", async (t) => {
  const house = await openInProcess(t);
  const { status, json } = await house.stranger.get<Ready>("/readyz");
  t.equal(status, 200);
  t.strictSame(json, {
    status: "ok",
    warnings: [],
    checks: { store: "ok", log: "ok", objects: "ok", workers: "ok", renderers: "ok" },
  });
});

t.test("/readyz answers 503 while a shard is away and while the service drains", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  house.service.health.isDraining = true;
  t.equal((await house.stranger.get("/readyz")).status, 503);
  house.service.health.isDraining = false;
  house.engine.lose(1);
  const { status, json } = await house.stranger.get<Ready>("/readyz");
  t.equal(status, 503);
  t.match(json, { status: "down", checks: { store: "down" } });
  t.equal((await house.stranger.get("/healthz")).status, 200, "the process serves");
});

t.test("short of disk /readyz says so and stays ready", async (t) => {
  const house = await openInProcess(t);
  house.service.health.isDiskLow = true;
  const { status, json } = await house.stranger.get<Ready>("/readyz");
  t.equal(status, 200);
  t.equal(json.checks["objects"], "degraded");
});

t.test("without its object store /readyz says so and stays ready", async (t) => {
  const house = await openInProcess(t);
  house.service.health.areObjectsAway = true;
  const { status, json } = await house.stranger.get<Ready>("/readyz");
  t.equal(status, 200);
  t.equal(json.checks["objects"], "down");
});

t.test("without a farm node /readyz says so and stays ready", async (t) => {
  const house = await openInProcess(t);
  const notes: string[] = [];
  await watchFarm(house.service, { info: (sentence) => notes.push(sentence) });
  const renderers = async () => {
    const { status, json } = await house.stranger.get<Ready>("/readyz");
    return [status, json.checks["renderers"]];
  };
  t.strictSame(await renderers(), [200, "ok"], "one that starts may need a moment");
  await house.advance(5_000);
  t.strictSame(await renderers(), [200, "down"]);
  house.farmNode();
  await house.advance(5_000);
  t.strictSame(await renderers(), [200, "ok"]);
  house.engine.broker.drainNode("double");
  await house.advance(10_000);
  t.strictSame(await renderers(), [200, "down"], "one that drains takes no task");
  t.strictSame(notes, [
    "no farm node available, tasks waiting",
    "farm accepting tasks again",
    "no farm node available, tasks waiting",
  ]);
});

t.test("while its shard is away an account's requests answer 503 with Retry-After", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  house.engine.lose(0);
  for (const reply of [
    await ada.get("/v1/me"),
    await ada.get(`/v1/jobs/${job.id}`),
    await ada.get("/v1/jobs"),
    await ada.cancel<Refused>(job.id),
    await ada.submit<Refused>("another"),
  ]) {
    t.equal(reply.status, 503);
    t.match(reply.headers["retry-after"], /^\d+$/);
    t.match(reply.json, { title: "Service Unavailable" });
  }
});

t.test("an id of another partition is not found, whoever owns that, or no node", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  const ada = await house.account();
  const { id: scope } = (await ada.get<{ id: string }>("/v1/me")).json;
  const isInFirst = partitionOfId(scope) < 128;
  house.engine.lose(isInFirst ? 1 : 0);
  const id = `0199c0de-7000-70${isInFirst ? "90" : "10"}-8000-000000000001`;
  for (const path of [
    ...[`jobs/${id}`, `jobs/${id}/events`, `jobs/${id}/wait`, `renders/${id}`],
    ...[`renders/${id}/share`, `agent/sessions/${id}`, `agent/sessions/${id}/turns/${id}`],
  ])
    t.equal((await ada.get(`/v1/${path}`)).status, 404, path);
  t.equal((await ada.cancel(id)).status, 404);
  const many = await ada.post("/v1/jobs:cancel", { ids: [id] });
  t.strictSame(many.json, { results: [{ job_id: id, status: 404 }] });
});

t.test("while the directory is away a new bearer answers 503, not 401", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  house.engine.lose(1);
  t.equal((await ada.get("/v1/me")).status, 503);
});

t.test("who asked a shard that goes away hears 503: the outcome is unknown", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const asked = ada.submit<Refused>("a kite");
  house.engine.lose(0);
  const { status, json } = await asked;
  t.equal(status, 503);
  t.match(json.detail, /outcome is unknown/);
});

t.test("a full inbox answers submits with 503 and settlements go on", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 100_000 });
  const job = await ada.job("sim:slow=60000");
  await house.settle();
  const flood = Array.from({ length: 9_000 }, (_, n) => ada.submit<Refused>(`kite ${n}`));
  const canceled = ada.cancel(job.id);
  const replies = await Promise.all(flood);
  const refused = replies.filter(({ status }) => status === 503);
  t.ok(refused.length > 0 && refused.length < 9_000);
  t.ok(refused.every(({ headers }) => headers["retry-after"] !== undefined));
  t.equal((await canceled).status, 200);
});

t.test("an actor that breaks a promise drops its turn and answers 500", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const { gateway } = house.service;
  const wrong: JobChanged = {
    kind: "job_changed",
    terms: {
      job: ada.id,
      scope: ada.id,
      modality: "image",
      modelTag: 0,
      provider: "sim",
      hold: 1,
      count: 1,
      createdAtMs: 0,
    },
    from: "running",
    to: "running",
    hadSlot: true,
    charge: 5,
    assets: [],
    bytes: 0,
  };
  const breakTurn = () => gateway.ask(accountKey(ada.id), wrong, "settle");
  t.strictSame(await breakTurn(), { kind: "broken" });
  t.equal((await ada.submit("still served")).status, 202, "others of its messages are answered");
  await breakTurn();
  await breakTurn();
  const { status, json } = await ada.submit<Refused>("set aside");
  t.equal(status, 500, "the third sets the actor aside");
  t.match(json, { title: "Internal Error", code: "job_failed" });
  const bob = await house.account();
  t.equal((await bob.submit("a kite")).status, 202, "nobody else notices");
  t.ok(house.faults.splice(0).length >= 3);
});

t.test("a message to a job that never was changes nothing", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { gateway } = house.service;
  const reply = await gateway.ask(jobKey(ada.id), { kind: "cancel", user: ada.id }, "settle");
  t.match(reply, { kind: "refused", refusal: { code: "not_found" } });
});

t.test("while the disk is full, reads go on and show what was accepted", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 100 });
  const early = await ada.job("kite");
  await ada.get("/v1/jobs");
  house.engine.fillDisk(true);
  const late = await ada.job("kite two");
  const open = await ada.job("kite three sim:slow=600000");
  await house.advance(20_000);
  const ids = async (query = "") => {
    const { status, json } = await ada.get<Static<typeof JobPage>>(`/v1/jobs${query}`);
    t.equal(status, 200);
    return json.items.map(({ id }) => id);
  };
  const all = [open.id, late.id, early.id];
  t.strictSame(await ids(), all);
  t.strictSame(await ids("?status=succeeded"), [late.id, early.id], "each once, as it is now");
  t.strictSame(await ids("?limit=2"), [open.id, late.id]);
  t.match(await ada.get("/v1/assets"), { status: 200, json: { items: { length: 2 } } });
  t.equal((await house.admin.get("/v1/admin/accounts")).status, 200);
  t.equal((await ada.get(`/v1/jobs/${late.id}`)).status, 200);
  t.equal((await ada.delete(`/v1/jobs/${early.id}`)).status, 204);
  t.strictSame(await ids(), [open.id, late.id], "what is deleted is gone");
  house.engine.fillDisk(false);
  await house.advance(10_000);
  t.strictSame(await ids(), [open.id, late.id], "and the same once there is room");
});
