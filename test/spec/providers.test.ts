import { writeFileSync } from "node:fs";
import t from "tap";
import type { AdminProvider, AdminProviderList } from "../../contract/admin.ts";
import type { Job } from "../../contract/job.ts";
import { openInProcess } from "./in-process-service.ts";
import { configureQuiet } from "./quiet-provider.ts";

const path = "/v1/admin/providers";
const far = { model: "far", prompt: "a kite" };

t.test("GET /admin/providers lists configuration, state and work, and no secret", async (t) => {
  const { options } = configureQuiet(t);
  const house = await openInProcess(t, options);
  const ada = await house.account();
  t.equal((await ada.post("/v1/generate/image", far)).status, 202);
  await house.settle();
  const { status, json, text } = await house.admin.get<AdminProviderList>(path);
  t.equal(status, 200);
  t.strictSame(json.items, [
    {
      name: "fal",
      adapter: "fal",
      status: "up",
      paused: false,
      in_flight: 1,
      waiting: 0,
      max_in_flight: null,
      callback: "signed",
      cancel: "any",
    },
  ]);
  t.notMatch(text, /s3cr3t|queue\.fal/);
  const without = await openInProcess(t);
  t.strictSame((await without.admin.get<AdminProviderList>(path)).json.items, []);
});

t.test("the jobs of a paused provider wait as provider_down until it is resumed", async (t) => {
  const { options, provider } = configureQuiet(t);
  const house = await openInProcess(t, options);
  await house.admin.post(`${path}/fal:pause`);
  const ada = await house.account();
  const { json: job } = await ada.post<Job>("/v1/generate/image", far);
  await house.advance(60_000);
  t.match(await ada.read(job.id), { status: "queued", status_detail: "provider_down" });
  t.strictSame(provider.prompts, []);
  const { json } = await house.admin.get<AdminProviderList>(path);
  t.match(json.items, [{ name: "fal", paused: true, in_flight: 0, waiting: 1 }]);
  await house.admin.post(`${path}/fal:resume`);
  await house.advance(1_000);
  t.match(await ada.read(job.id), { status: "running" });
  t.strictSame(provider.prompts, ["a kite"]);
});

t.test("POST /admin/providers/{name}:pause and :resume are kept and audited", async (t) => {
  const { options } = configureQuiet(t);
  const house = await openInProcess(t, options);
  const { admin, engine, service } = house;
  const paused = await admin.post<AdminProvider>(`${path}/fal:pause`);
  t.match(paused, { status: 200, json: { name: "fal", paused: true } });
  t.equal((await admin.post(`${path}/fal:pause`, {})).status, 200, "what is so already stays so");
  engine.lose(1);
  t.strictSame(service.paused.names(), ["fal"], "as it was last");
  await engine.reopen(1);
  await house.settle();
  t.strictSame(service.paused.names(), ["fal"], "the next life of the directory has it");
  const resumed = await admin.post<AdminProvider>(`${path}/fal:resume`);
  t.match(resumed, { status: 200, json: { name: "fal", paused: false } });
  const { json } = await admin.get<{ items: { action: string; target: string }[] }>(
    "/v1/admin/audit",
  );
  t.match(json.items.slice(0, 2), [
    { action: "provider.resume", target: "fal" },
    { action: "provider.pause", target: "fal" },
  ]);
  t.equal(json.items.filter(({ action }) => action === "provider.pause").length, 1);
});

t.test("only configured providers can be paused, and only by administrators", async (t) => {
  const { options } = configureQuiet(t);
  const house = await openInProcess(t, options);
  for (const name of ["nobody", "farm", ""])
    t.equal((await house.admin.post(`${path}/${name}:pause`)).status, 404, name);
  const ada = await house.account();
  t.equal((await ada.get(path)).status, 403);
  for (const verb of ["pause", "resume"])
    t.equal((await ada.post(`${path}/fal:${verb}`)).status, 403);
  t.equal((await house.stranger.get(path)).status, 401);
});

t.test("GET /models shows live availability, and its ETag follows", async (t) => {
  const { options, provider } = configureQuiet(t);
  const house = await openInProcess(t, options);
  const ada = await house.account();
  const read = (headers = {}) => ada.get<{ availability: string }>("/v1/models/far", headers);
  const before = await read();
  t.equal(before.json.availability, "up");
  provider.is = "degraded";
  await house.advance(31_000);
  const after = await read({ "if-none-match": `${before.headers["etag"]}` });
  t.match(after, { status: 200, json: { availability: "degraded" } });
  const own = await ada.get<{ availability: string }>("/v1/models/studio-image");
  t.equal(own.json.availability, "up", "the farm is no provider");
  await house.admin.post(`${path}/fal:pause`);
  t.equal((await read()).json.availability, "down", "the jobs of a paused provider wait");
});

t.test("administrators see a model's mapping, nobody else does", async (t) => {
  const { options } = configureQuiet(t);
  const house = await openInProcess(t, options);
  type Page = { items: readonly object[] };
  const { json } = await house.admin.get<Page>("/v1/models?include_disabled=true");
  t.match(json.items.at(-1), { id: "far", mapping: { prompt: "$prompt" }, callback: false });
  const { text } = await (await house.account()).get("/v1/models");
  t.match(text, /"far"/);
  for (const member of ["mapping", "callback", "provider_model", "always_refund_moderation"])
    t.notMatch(text, new RegExp(`"${member}":`), member);
});

t.test("POST /admin/jobs/{id}/requeue-read has a job read at its provider", async (t) => {
  const { options, provider } = configureQuiet(t);
  const house = await openInProcess(t, options);
  const ada = await house.account();
  const { json: open } = await ada.post<Job>("/v1/generate/image", far);
  await house.settle();
  t.equal(provider.reads, 0);
  const answer = await house.admin.post(`/v1/admin/jobs/${open.id}/requeue-read`);
  t.match(answer, { status: 200, json: { status: "accepted" } });
  await house.advance(250);
  t.equal(provider.reads, 1);
  const { json } = await house.admin.get<{ items: object[] }>("/v1/admin/audit");
  t.match(json.items[0], { action: "job.requeue_read", target: open.id });
  const over = await ada.job("a kite");
  await house.settle();
  t.equal((await house.admin.post(`/v1/admin/jobs/${over.id}/requeue-read`)).status, 409);
  for (const id of ["0199c0de-7000-7000-8000-000000000001", "nonsense"])
    t.equal((await house.admin.post(`/v1/admin/jobs/${id}/requeue-read`)).status, 404);
  t.equal((await ada.post(`/v1/admin/jobs/${open.id}/requeue-read`)).status, 403);
});

t.test("a reload reads the providers too; a wrong file keeps them", async (t) => {
  const { options } = configureQuiet(t);
  const house = await openInProcess(t, options);
  const fal = { name: "fal", adapter: "fal", url: "https://queue.fal.test" };
  const write = (...providers: readonly object[]) =>
    writeFileSync(options.providersFile, JSON.stringify({ providers }));
  const names = async () => {
    return (await house.admin.get<AdminProviderList>(path)).json.items.map(({ name }) => name);
  };
  const reload = () => house.admin.post<{ detail: string }>("/v1/admin/models:reload");
  const key = { env: "FAL_KEY" };
  write({ ...fal, key }, { ...fal, name: "other", key });
  t.equal((await reload()).status, 200);
  t.strictSame(await names(), ["fal", "other"]);
  write({ ...fal, key: "s3cr3t" });
  const { status, json } = await reload();
  t.equal(status, 409);
  t.match(json.detail, /the provider fal: key must name where the secret is/);
  t.notMatch(json.detail, /s3cr3t/);
  t.strictSame(await names(), ["fal", "other"]);
});
