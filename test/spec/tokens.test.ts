import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { User } from "../../contract/account.ts";
import type { CreatedToken, TokenList } from "../../contract/token.ts";
import type { Caller } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

type List = Static<typeof TokenList>;

async function make(caller: Caller, body: object = {}): Promise<CreatedToken> {
  const { json } = await caller.post<CreatedToken>("/v1/tokens", { name: "a token", ...body });
  return json;
}

t.test("POST /tokens answers 201 with the token, which is shown once", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, json } = await ada.post<CreatedToken>("/v1/tokens", { name: "ci" });
  t.equal(status, 201);
  t.match(json.token, /^pat_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
  t.match(json, {
    id: json.token.slice(4, 12),
    name: "ci",
    prefix: json.token.slice(0, 12),
    organization_id: null,
    created_at: "2026-04-15T12:00:00.000Z",
    last_used_at: null,
  });
  const list = await ada.get<List>("/v1/tokens");
  t.notOk(list.text.includes(json.token.slice(13)));
  t.equal((await ada.asHolder(json.token).get<User>("/v1/me")).json.id, ada.id);
});

t.test("omitted scopes are all but admin and tokens", async (t) => {
  const house = await openInProcess(t);
  for (const caller of [house.admin, await house.account()]) {
    const { scopes } = await make(caller);
    t.equal(scopes.length, 11);
    t.notOk(scopes.includes("admin") || scopes.includes("tokens"));
  }
});

t.test("expires_in_days omitted is 90, null is never", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  t.equal((await make(ada)).expires_at, "2026-07-14T12:00:00.000Z");
  t.equal((await make(ada, { expires_in_days: 1 })).expires_at, "2026-04-16T12:00:00.000Z");
  t.equal((await make(ada, { expires_in_days: null })).expires_at, null);
});

t.test("a wrong field of a new token is named", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const name = "x";
  for (const [body, pointer] of [
    [{}, "/name"],
    [{ name: "" }, "/name"],
    [{ name: "n".repeat(101) }, "/name"],
    [{ name, expires_in_days: 0 }, "/expires_in_days"],
    [{ name, expires_in_days: 366 }, "/expires_in_days"],
    [{ name, scopes: ["all"] }, "/scopes/0"],
    [{ name, scopes: ["generate", "generate"] }, "/scopes"],
    [{ name, organization_id: "mine" }, "/organization_id"],
    [{ name, organization_id: ada.id }, "/organization_id"],
    [{ name, role: "owner" }, "/role"],
  ] as const) {
    const { status, json } = await ada.post("/v1/tokens", body);
    t.equal(status, 400, JSON.stringify(body));
    t.ok(
      json.errors?.some((fault) => fault.pointer === pointer),
      `${pointer} in ${JSON.stringify(json.errors)}`,
    );
  }
});

t.test("a token cannot create one with scopes it lacks", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, json } = await ada.post("/v1/tokens", { name: "x", scopes: ["admin"] });
  t.equal(status, 403);
  t.equal(json.required_scope, "admin");
  const narrow = ada.asHolder((await make(ada, { scopes: ["tokens", "jobs:read"] })).token);
  t.strictSame((await make(narrow)).scopes, ["jobs:read"], "omitted: of the usual, what it has");
  t.equal((await narrow.post("/v1/tokens", { name: "x", scopes: ["generate"] })).status, 403);
  const none = ada.asHolder((await make(ada, { scopes: ["jobs:read"] })).token);
  t.match(await none.post("/v1/tokens", { name: "x" }), {
    status: 403,
    json: { required_scope: "tokens" },
  });
});

t.test("GET /tokens lists active tokens, newest first", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await make(ada, { name: "one", expires_in_days: 1 });
  await make(ada, { name: "two" });
  const names = async () => {
    return (await ada.get<List>("/v1/tokens")).json.items.map(({ name }) => name);
  };
  t.strictSame(await names(), ["two", "one", "First credential"]);
  await house.advance(86_400_000 + 1_000);
  t.strictSame(await names(), ["two", "First credential"], "the expired one is gone");
});

t.test("last_used_at is the minute of the last use", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { token, id } = await make(ada);
  const listUsed = async () => {
    await house.settle();
    const { items } = (await ada.get<List>("/v1/tokens")).json;
    return items.find((one) => one.id === id)?.last_used_at;
  };
  t.equal(await listUsed(), null);
  await house.advance(90_000);
  await ada.asHolder(token).get("/v1/me");
  await ada.asHolder(token).get("/v1/me");
  t.equal(await listUsed(), "2026-04-15T12:01:00.000Z");
  await house.advance(60_000);
  await ada.asHolder(token).get("/v1/me");
  t.equal(await listUsed(), "2026-04-15T12:02:00.000Z");
});

t.test("DELETE /tokens/{id} answers 204 and the token 401 from then on", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { token, id } = await make(ada);
  t.equal((await ada.asHolder(token).get("/v1/me")).status, 200);
  const { status, text } = await ada.delete(`/v1/tokens/${id}`);
  t.equal(status, 204);
  t.equal(text, "");
  t.equal((await ada.asHolder(token).get("/v1/me")).status, 401);
  t.equal((await ada.delete(`/v1/tokens/${id}`)).status, 404, "it is gone");
  t.equal((await ada.get("/v1/me")).status, 200, "others go on");
});

t.test("another account's token answers like an unknown one", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const { id, token } = await make(ada);
  const headers = { "x-request-id": "same" };
  const foreign = await bob.request("DELETE", `/v1/tokens/${id}`, { headers });
  const unknown = await bob.request("DELETE", "/v1/tokens/00000000", { headers });
  t.equal(foreign.status, 404);
  t.equal(foreign.text, unknown.text);
  t.equal((await ada.asHolder(token).get("/v1/me")).status, 200);
});

t.test("an expired token answers 401 though it was just used", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const short = ada.asHolder((await make(ada, { expires_in_days: 1 })).token);
  await house.advance(86_400_000 - 1_000);
  t.equal((await short.get("/v1/me")).status, 200);
  await house.advance(1_000);
  t.equal((await short.get("/v1/me")).status, 401);
});

t.test("an account has at most 50 active tokens", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const ids: string[] = [];
  for (let n = 1; n < 50; n++) ids.push((await make(ada)).id);
  const { status, json } = await ada.post("/v1/tokens", { name: "one more" });
  t.equal(status, 409);
  t.match(json.detail, /at most 50/);
  await ada.delete(`/v1/tokens/${ids[0]}`);
  t.equal((await ada.post("/v1/tokens", { name: "one more" })).status, 201);
});

t.test("a token without a scope answers 403 on its routes and names it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bare = ada.asHolder((await make(ada, { scopes: [] })).token);
  for (const [method, path, scope] of [
    ["GET", "/v1/tokens", "tokens"],
    ["POST", "/v1/tokens", "tokens"],
    ["DELETE", "/v1/tokens/00000000", "tokens"],
    ["GET", "/v1/oauth/clients", "tokens"],
    ["POST", "/v1/oauth/clients", "tokens"],
    ["DELETE", "/v1/oauth/clients/x", "tokens"],
    ["POST", "/v1/oauth/device/approve", "tokens"],
    ["GET", "/v1/organizations", "organizations"],
    ["POST", "/v1/organizations", "organizations"],
    ["GET", "/v1/organizations/x", "organizations"],
    ["PATCH", "/v1/organizations/x", "organizations"],
    ["DELETE", "/v1/organizations/x", "organizations"],
    ["GET", "/v1/organizations/x/members", "organizations"],
    ["POST", "/v1/organizations/x/members", "organizations"],
    ["PATCH", "/v1/organizations/x/members/y", "organizations"],
    ["DELETE", "/v1/organizations/x/members/y", "organizations"],
    ["PUT", "/v1/organizations/x/members/y/budget", "organizations"],
    ["DELETE", "/v1/organizations/x/members/y/budget", "organizations"],
    ["PUT", "/v1/me/active-organization", "organizations"],
    ["GET", "/v1/organizations/x/usage", "billing:read"],
    ["GET", "/v1/me/credits", "billing:read"],
    ["GET", "/v1/me/credits/ledger", "billing:read"],
    ["GET", "/v1/reports/spend", "billing:read"],
    ["GET", "/v1/admin/accounts", "admin"],
    ["PATCH", "/v1/admin/accounts/x", "admin"],
    ["POST", "/v1/admin/accounts/x/tokens", "admin"],
    ["POST", "/v1/admin/accounts/x/credits", "admin"],
    ["PATCH", "/v1/admin/organizations/x", "admin"],
    ["POST", "/v1/admin/organizations/x/credits", "admin"],
    ["GET", "/v1/admin/audit", "admin"],
    ["GET", "/v1/admin/invariants", "admin"],
    ["GET", "/v1/admin/providers", "admin"],
    ["POST", "/v1/admin/providers/x:pause", "admin"],
    ["POST", "/v1/admin/providers/x:resume", "admin"],
    ["POST", "/v1/admin/jobs/x/requeue-read", "admin"],
  ] as const) {
    const { status, json } = await bare.request<{ required_scope: string }>(method, path);
    t.equal(status, 403, `${method} ${path}`);
    t.equal(json.required_scope, scope);
    t.equal((await house.stranger.request(method, path)).status, 401, `${method} ${path}`);
  }
  for (const path of ["/v1/me", "/v1/models", "/v1/limits"])
    t.equal((await bare.get(path)).status, 200, path);
});
