/**
 * The order of checks: each test makes two faults at once, and the earlier step of the
 * specification's list answers. 1 credential, scope, role; 2 size, type, JSON, schema, model, plan,
 * assets; 3 duplicate; 4 confirmation token; 7 request rate, concurrency, quota; 8 wallet.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import shipped from "../../config/models.json" with { type: "json" };
import { imagePath, type Refused } from "./caller.ts";
import { adminToken, openInProcess } from "./in-process-service.ts";
import { join as addMember, enter, foundPaidOrganization } from "./organizations.ts";

const token = { confirmation_token: "x" };
const tooLarge = JSON.stringify({ model: "sim-instant", prompt: "x".repeat(300_000) });
const text = { "content-type": "text/plain" };

t.test("an unknown path answers before a missing credential", async (t) => {
  const house = await openInProcess(t);
  t.equal((await house.stranger.post("/v1/generate/dreams")).status, 404);
  t.equal((await house.stranger.get("/v1/nothing")).status, 404);
});

t.test("a wrong method answers before a missing credential", async (t) => {
  const house = await openInProcess(t);
  t.equal((await house.stranger.get(imagePath)).status, 405);
  t.equal((await house.stranger.request("DELETE", "/v1/jobs")).status, 405);
});

t.test("a missing credential answers before the body is looked at", async (t) => {
  const house = await openInProcess(t);
  t.equal((await house.stranger.post(imagePath, "{")).status, 401);
  t.equal((await house.stranger.post(imagePath, tooLarge)).status, 401);
  t.equal((await house.stranger.get("/v1/jobs?limit=0")).status, 401);
});

t.test("a missing scope or role answers before the body is looked at", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const narrow = { name: "reads", scopes: ["jobs:read"] };
  const { json: reads } = await ada.post<{ token: string }>("/v1/tokens", narrow);
  const org = await foundPaidOrganization(house, ada);
  await addMember(ada, org, bob, "viewer");
  await enter(bob, org);
  for (const caller of [ada.asHolder(reads.token), bob])
    for (const body of ["{", tooLarge]) t.equal((await caller.post(imagePath, body)).status, 403);
  t.equal((await ada.post("/v1/admin/accounts", "{")).status, 403);
  t.equal((await ada.post("/v1/admin/accounts", {}, text)).status, 403);
});

t.test("the body's size answers before its media type", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  t.equal((await ada.post(imagePath, tooLarge, text)).status, 413);
  t.equal((await house.admin.post("/v1/admin/accounts", "x".repeat(2_000_000), text)).status, 413);
});

t.test("the media type answers before the JSON", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  t.equal((await ada.post(imagePath, "{", text)).status, 415);
  t.equal((await ada.post(imagePath, { wrong: 1 }, text)).status, 415);
});

t.test("the schema answers before the model", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await ada.post(imagePath, { model: "nobody", prompt: "x", seed: "x" });
  t.strictSame(
    json.errors?.map(({ pointer }) => pointer),
    ["/seed"],
  );
});

t.test("the schema answers before the duplicate", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await ada.job("a kite");
  t.equal((await ada.submit("a kite", { colour: "red" })).status, 400);
  t.equal((await ada.submit("a kite", {}, { "idempotency-key": "a b" })).status, 400);
});

t.test("the duplicate answers before the confirmation token", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  const { status, json } = await ada.submit<Refused>("a kite", token);
  t.equal(status, 409, "the token is no part of the canonical body");
  t.equal(json.job_id, job.id);
});

t.test("the duplicate answers before request rate, concurrency, quota and wallet", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account({ plan: "free", credits: 1 });
  await ada.job("a kite sim:slow=90000");
  for (let n = 0; n < 130; n++)
    t.equal((await ada.submit("a kite sim:slow=90000")).status, 409, `submit ${n + 2}`);
});

t.test("the confirmation token answers before the request rate", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account();
  for (let n = 0; n < 125; n++) t.equal((await ada.submit(`kite ${n}`, token)).status, 422);
});

t.test("the confirmation token answers before concurrency and wallet", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 1 });
  await ada.job("a kite sim:slow=90000");
  t.equal((await ada.submit("another", token)).status, 422);
});

t.test("the request rate answers before concurrency", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account({ plan: "free", credits: 10 });
  await ada.job("a kite sim:slow=90000");
  for (let n = 0; n < 119; n++) await ada.submit(`kite ${n}`);
  const { json, headers } = await ada.submit<Refused>("the 121st");
  t.match(json, { status: 429, title: "Too Many Requests" });
  t.match(headers["retry-after"], /^\d+$/);
});

t.test("concurrency answers before the quota", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 100 });
  for (let n = 0; n < 49; n++) {
    await ada.job(`kite ${n}`);
    await house.settle();
  }
  await ada.job("the fiftieth sim:slow=90000");
  const { json } = await ada.submit<Refused>("one more");
  t.equal(json.title, "Generation Concurrency Limit Reached");
});

t.test("concurrency answers before the wallet", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 1 });
  await ada.job("a kite sim:slow=90000");
  t.equal((await ada.submit("another")).status, 429);
});

t.test("the quota answers before the wallet", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 50 });
  for (let n = 0; n < 50; n++) {
    await ada.job(`kite ${n}`);
    await house.settle();
  }
  const { json } = await ada.submit<Refused>("the 51st");
  t.equal(json.title, "Generation Quota Reached");
});

t.test(
  "capabilities answer before the plan, it before assets, these before the token",
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "klieg-models-"));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const modelsFile = join(folder, "models.json");
    const models = shipped.models.map((model) => ({ ...model, plans: ["studio", "team"] }));
    writeFileSync(modelsFile, JSON.stringify({ ...shipped, models }));
    const house = await openInProcess(t, { modelFiles: [modelsFile] });
    const ada = await house.account({ plan: "pro" });
    t.equal((await ada.submit("a kite", { num_images: 9 })).status, 400);
    const unknown = { ...token, reference_asset_ids: ["019d9000-0000-7000-8000-000000000000"] };
    const { status, json } = await ada.submit<Refused>("a kite", unknown);
    t.equal(status, 402);
    t.match(json, { title: "Plan Required", required_plan: "studio" });
    t.equal(json.code, undefined);
    const rich = await house.account({ plan: "studio" });
    const missing = await rich.submit<Refused>("a kite", unknown);
    t.match(missing, { status: 400, json: { errors: [{ pointer: "/reference_asset_ids/0" }] } });
    t.equal((await rich.submit("a kite", token)).status, 422);
    t.equal((await rich.submit("a kite")).status, 202, "a plan of the list may");
  },
);

t.test("outside submits the query answers before the object", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const nobody = "/v1/jobs/019d9000-0000-7000-8000-000000000000";
  t.equal((await ada.get(`${nobody}/wait?timeout_seconds=0`)).status, 400);
  t.equal((await ada.post(`${nobody}/cancel`, { why: "not" })).status, 400);
  t.equal((await ada.get(`${nobody}?colour=red`)).status, 400);
  t.equal((await ada.get(nobody)).status, 404);
});

t.test("the first account passes every scope", async (t) => {
  const house = await openInProcess(t);
  t.equal(house.admin.token, adminToken);
  for (const path of ["/v1/me", "/v1/me/credits", "/v1/jobs", "/v1/models"])
    t.equal((await house.admin.get(path)).status, 200, path);
});
