import t from "tap";
import {
  type Credential,
  credentialKey,
  type User,
  userKey,
} from "../../actors/directory/directory.ts";
import { computeDigest } from "../../http/auth/principals.ts";
import type { Caller } from "./caller.ts";
import { adminToken, type InProcess, openInProcess } from "./in-process-service.ts";

const pat = "pat_00000000_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

t.test("the scheme Bearer is taken in any case", async (t) => {
  const house = await openInProcess(t);
  for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer "]) {
    const headers = { authorization: `${scheme} ${adminToken}` };
    t.equal((await house.stranger.get("/v1/me", headers)).status, 200, scheme);
  }
});

const presented: readonly (readonly [string, string])[] = [
  ["unknown", `Bearer ${pat}`],
  ["malformed", "Bearer x"],
  ["empty", "Bearer "],
  ["without scheme", adminToken],
  ["of another scheme", `Basic ${adminToken}`],
  ["two in one", `Bearer ${adminToken} ${adminToken}`],
  ["altered", `Bearer ${adminToken}x`],
  ["in other case", `Bearer ${adminToken.toUpperCase()}`],
];

t.test(
  "a token that is presented and not valid answers 401 with error invalid_token",
  async (t) => {
    const house = await openInProcess(t);
    for (const [rule, authorization] of presented) {
      const { status, headers } = await house.stranger.get("/v1/me", { authorization });
      t.equal(status, 401, rule);
      t.equal(headers["www-authenticate"], 'Bearer realm="klieg", error="invalid_token"');
    }
  },
);

t.test("a missing token answers 401 without an error in the challenge", async (t) => {
  const house = await openInProcess(t);
  const { status, headers, json } = await house.stranger.get("/v1/me");
  t.equal(status, 401);
  t.equal(headers["www-authenticate"], 'Bearer realm="klieg"');
  t.match(json, { title: "Unauthorized", detail: "Valid authentication is required." });
  t.equal(json.code, undefined);
});

t.test("every 401 has the same body", async (t) => {
  const house = await openInProcess(t);
  const bodies = new Set<string>();
  const same = { "x-request-id": "same" };
  for (const headers of [
    same,
    ...presented.map(([, authorization]) => ({ ...same, authorization })),
  ])
    bodies.add((await house.stranger.get("/v1/me", headers)).text);
  t.equal(bodies.size, 1);
});

t.test("every route but health and signed links needs a bearer", async (t) => {
  const house = await openInProcess(t);
  const id = "019d9000-0000-7000-8000-000000000000";
  for (const [method, path] of [
    ["GET", "/v1/me"],
    ["GET", "/v1/me/credits"],
    ["GET", "/v1/models"],
    ["GET", "/v1/jobs"],
    ["GET", `/v1/jobs/${id}`],
    ["GET", `/v1/jobs/${id}/wait`],
    ["POST", `/v1/jobs/${id}/cancel`],
    ["POST", `/v1/jobs/${id}/sse-ticket`],
    ["GET", `/v1/assets/${id}`],
    ["POST", "/v1/generate/image"],
    ["POST", "/v1/admin/accounts"],
  ] as const)
    t.equal((await house.stranger.request(method, path)).status, 401, `${method} ${path}`);
  t.equal((await house.stranger.get("/healthz")).status, 200);
  t.equal((await house.stranger.get("/readyz")).status, 200);
});

t.test("a token in the query string is ignored", async (t) => {
  const house = await openInProcess(t);
  t.equal((await house.stranger.get(`/v1/jobs?token=${adminToken}`)).status, 401);
  t.equal((await house.stranger.get(`/v1/me?access_token=${adminToken}`)).status, 401);
});

/** Rewrites rows of the directory, as routes of later parts will. */
async function change(house: InProcess, caller: Caller, more: Partial<Credential & User>) {
  await house.advance(6_000);
  const { gateway } = house.service;
  const credentialAt = credentialKey(computeDigest(caller.token ?? ""));
  const credential = gateway.read(credentialAt);
  const user = gateway.read(userKey(caller.id));
  await house.engine.directoryTables.write([
    [credentialAt, JSON.stringify({ ...credential, ...more, id: credential?.id })],
    [userKey(caller.id), JSON.stringify({ ...user, ...more, id: user?.id })],
  ]);
  house.service.principals.onWrite(credentialAt);
}

t.test("an expired token answers 401", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await change(house, ada, { expiresAtMs: house.clock.nowMs() + 60_000 });
  t.equal((await ada.get("/v1/me")).status, 200);
  await house.advance(60_250);
  const { status, headers } = await ada.get("/v1/me");
  t.equal(status, 401);
  t.match(headers["www-authenticate"], /invalid_token/);
});

t.test("a revoked token answers 401", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await house.advance(6_000);
  t.equal((await ada.get("/v1/me")).status, 200);
  const key = credentialKey(computeDigest(ada.token ?? ""));
  await house.engine.directoryTables.write([[key, undefined]]);
  house.service.principals.onWrite(key);
  t.equal((await ada.get("/v1/me")).status, 401);
});

t.test("a suspended account answers 403 on every route", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  await change(house, ada, { status: "suspended" });
  for (const path of ["/v1/me", "/v1/models", "/v1/jobs", `/v1/jobs/${job.id}`])
    t.equal((await ada.get(path)).status, 403, path);
  t.equal((await ada.submit("another")).status, 403);
  t.equal((await (await house.account()).get("/v1/me")).status, 200, "others go on");
});

const scopeOf: readonly (readonly [string, string, string])[] = [
  ["POST", "/v1/generate/image", "generate"],
  ["GET", "/v1/jobs", "jobs:read"],
  ["GET", "/v1/jobs/{id}", "jobs:read"],
  ["GET", "/v1/jobs/{id}/wait", "jobs:read"],
  ["POST", "/v1/jobs/{id}/sse-ticket", "jobs:read"],
  ["POST", "/v1/jobs/{id}/cancel", "jobs:cancel"],
  ["GET", "/v1/assets/{id}", "assets:read"],
  ["GET", "/v1/me/credits", "billing:read"],
  ["POST", "/v1/admin/accounts", "admin"],
];

t.test("a token without the route's scope answers 403 and names it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("a kite");
  await change(house, ada, { scopes: ["tokens"] });
  for (const [method, path, scope] of scopeOf) {
    const { status, json } = await ada.request<{ required_scope: string }>(
      method,
      path.replace("{id}", id),
    );
    t.equal(status, 403, `${method} ${path}`);
    t.equal(json.required_scope, scope);
  }
});

t.test("the account read and the models need no scope", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await change(house, ada, { scopes: [] });
  for (const path of ["/v1/me", "/v1/models", "/v1/models/studio-image"])
    t.equal((await ada.get(path)).status, 200, path);
});

t.test("tokens are stored as their SHA-256 only", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await house.advance(6_000);
  const range = { start: "\0\x80", end: "\0\xff" };
  const rows = house.engine.directoryTables.range(range, 1_000);
  t.ok(rows.length > 5);
  for (const { key, text } of rows)
    t.notOk((key + text).includes(ada.token?.slice(13) ?? adminToken), "no row holds the secret");
});
