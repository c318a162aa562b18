import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { User } from "../../contract/account.ts";
import type { AccessToken, ClientList } from "../../contract/oauth.ts";
import type { Caller } from "./caller.ts";
import { adminToken, openInProcess } from "./in-process-service.ts";
import { enter, join, organization } from "./organizations.ts";

interface OAuthRefusal {
  readonly error: string;
  readonly error_description: string;
}

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

async function client(caller: Caller, scopes = ["jobs:read", "generate"]): Promise<Client> {
  return (await caller.post<Client>("/v1/oauth/clients", { name: "robot", scopes })).json;
}

function credentials({ client_id, client_secret }: Client) {
  return { grant_type: "client_credentials", client_id, client_secret };
}

const tokenPath = "/v1/oauth/token";

t.test("GET /.well-known/oauth-authorization-server stands at the origin", async (t) => {
  const house = await openInProcess(t);
  const path = "/.well-known/oauth-authorization-server";
  const { status, json } = await house.stranger.get(path);
  t.equal(status, 200);
  t.match(json, {
    issuer: "https://klieg.example",
    token_endpoint: "https://klieg.example/v1/oauth/token",
    revocation_endpoint: "https://klieg.example/v1/oauth/revoke",
    device_authorization_endpoint: "https://klieg.example/v1/oauth/device_authorization",
    grant_types_supported: [
      "client_credentials",
      "refresh_token",
      "urn:ietf:params:oauth:grant-type:device_code",
    ],
    response_types_supported: [],
  });
});

t.test("POST /oauth/clients answers a client id and, once, its secret", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const body = { name: "robot", scopes: ["jobs:read"] };
  const { status, json } = await ada.post<Client>("/v1/oauth/clients", body);
  t.equal(status, 201);
  t.match(json.client_id, /^[0-9a-f-]{36}$/);
  t.ok(json.client_secret.length > 40);
  const list = await ada.get<Static<typeof ClientList>>("/v1/oauth/clients");
  t.notOk(list.text.includes(json.client_secret));
  t.match(list.json.items, [
    { client_id: json.client_id, name: "robot", scopes: ["jobs:read"], organization_id: null },
  ]);
  const foreign = { ...body, scopes: ["admin"] };
  t.match(await ada.post("/v1/oauth/clients", foreign), {
    status: 403,
    json: { required_scope: "admin" },
  });
  t.equal((await ada.post("/v1/oauth/clients", { name: "x", scopes: [] })).status, 400);
});

t.test("client_credentials answers an access token without a refresh token", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const robot = await client(ada);
  const { status, json, headers } = await house.stranger.form<AccessToken>(
    tokenPath,
    credentials(robot),
  );
  t.equal(status, 200);
  t.equal(headers["cache-control"], "no-store");
  t.match(json, { token_type: "Bearer", expires_in: 3600, scope: "jobs:read generate" });
  t.match(json.access_token, /^oat_[A-Za-z0-9_-]{43}$/);
  t.notOk("refresh_token" in json);
  const machine = ada.asHolder(json.access_token);
  t.match((await machine.get<User>("/v1/me")).json, { id: ada.id, token: { name: "robot" } });
  t.equal((await machine.submit("a kite")).status, 202);
  t.match(await machine.get("/v1/tokens"), { status: 403, json: { required_scope: "tokens" } });
  await house.advance(3_600_000);
  t.equal((await machine.get("/v1/me")).status, 401, "after an hour it is over");
});

t.test("a client authenticates by Basic or by the body, not by both", async (t) => {
  const house = await openInProcess(t);
  const robot = await client(await house.account());
  const { client_id: id, client_secret: secret } = robot;
  const basic = (text: string) => {
    return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
  };
  const ask = (fields: Record<string, string>, headers = {}) =>
    house.stranger.form<OAuthRefusal>(
      tokenPath,
      { grant_type: "client_credentials", ...fields },
      headers,
    );
  t.equal((await ask({}, basic(`${id}:${secret}`))).status, 200);
  t.equal((await ask({}, basic(`${encodeURIComponent(id)}:${secret}`))).status, 200);
  const both = await ask({ client_id: id, client_secret: secret }, basic(`${id}:${secret}`));
  t.match(both, { status: 400, json: { error: "invalid_request" } });
  for (const [fields, headers] of [
    [{}, {}],
    [{ client_id: id }, {}],
    [{ client_id: id, client_secret: "wrong" }, {}],
    [{ client_id: "nonsense", client_secret: secret }, {}],
    [{}, basic(`${id}:wrong`)],
    [{}, { authorization: `Bearer ${adminToken}` }],
  ] as const) {
    const { status, json, headers: given } = await ask(fields, headers);
    t.equal(status, 401, JSON.stringify([fields, headers]));
    t.equal(json.error, "invalid_client");
    t.match(given["www-authenticate"], /^Basic /);
    t.ok(json.error_description.length > 0);
  }
});

t.test("errors of the token endpoint follow RFC 6749 section 5.2", async (t) => {
  const house = await openInProcess(t);
  const robot = await client(await house.account(), ["jobs:read"]);
  const { client_id, client_secret } = robot;
  const named = { client_id, client_secret };
  for (const [fields, error] of [
    [{}, "invalid_request"],
    [named, "invalid_request"],
    [{ ...named, grant_type: "password" }, "unsupported_grant_type"],
    [{ ...credentials(robot), scope: "generate" }, "invalid_scope"],
    [{ ...credentials(robot), scope: "jobs:read everything" }, "invalid_scope"],
    [{ ...named, grant_type: "refresh_token" }, "invalid_request"],
    [{ ...named, grant_type: "refresh_token", refresh_token: "x" }, "invalid_grant"],
    [{ client_id: "klieg-cli", grant_type: "client_credentials" }, "unauthorized_client"],
  ] as const) {
    const { status, json, headers } = await house.stranger.form<OAuthRefusal>(tokenPath, fields);
    t.equal(status, 400, JSON.stringify(fields));
    t.equal(json.error, error);
    t.match(headers["content-type"], /^application\/json/);
    t.equal(headers["cache-control"], "no-store");
  }
  const twice = "grant_type=client_credentials&grant_type=client_credentials";
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const doubled = await house.stranger.post<OAuthRefusal>(tokenPath, twice, type);
  t.match(doubled, { status: 400, json: { error: "invalid_request" } });
  const asJson = await house.stranger.post<OAuthRefusal>(tokenPath, credentials(robot));
  t.match(asJson, { status: 400, json: { error: "invalid_request" } }, "no form");
  const extra = { ...credentials(robot), audience: "ignored" };
  t.equal((await house.stranger.form(tokenPath, extra)).status, 200);
});

t.test("a client's token acts in the context in which the client was made", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await organization(ada);
  await join(ada, org, bob, "admin");
  await enter(bob, org);
  const robot = await client(bob);
  await enter(bob, null);
  const ask = () => house.stranger.form<AccessToken & OAuthRefusal>(tokenPath, credentials(robot));
  const machine = bob.asHolder((await ask()).json.access_token);
  t.match((await machine.get<User>("/v1/me")).json, {
    id: bob.id,
    active_organization: { id: org.id, role: "admin" },
  });
  await ada.delete(`/v1/organizations/${org.id}/members/${bob.id}`);
  t.equal((await machine.get("/v1/me")).status, 401, "with the membership the token ends");
  t.match(await ask(), { status: 400, json: { error: "unauthorized_client" } });
});

t.test("DELETE /oauth/clients/{id} ends the client and its tokens", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const robot = await client(ada);
  const { json } = await house.stranger.form<AccessToken>(tokenPath, credentials(robot));
  const path = `/v1/oauth/clients/${robot.client_id}`;
  t.equal((await bob.delete(path)).status, 404, "another's is like an unknown one");
  t.equal((await ada.delete("/v1/oauth/clients/nonsense")).status, 404);
  t.equal((await ada.delete(path)).status, 204);
  t.equal((await ada.asHolder(json.access_token).get("/v1/me")).status, 401);
  t.equal((await house.stranger.form(tokenPath, credentials(robot))).status, 401);
  t.equal((await ada.delete(path)).status, 404);
});

t.test("POST /oauth/revoke ends a client's own token; unknown ones answer 200 too", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const robot = await client(ada);
  const { json } = await house.stranger.form<AccessToken>(tokenPath, credentials(robot));
  const own = { client_id: robot.client_id, client_secret: robot.client_secret };
  const revoke = (token: string) => house.stranger.form("/v1/oauth/revoke", { token, ...own });
  t.equal((await ada.asHolder(json.access_token).get("/v1/me")).status, 200);
  const { status, text } = await revoke(json.access_token);
  t.equal(status, 200);
  t.equal(text, "");
  t.equal((await ada.asHolder(json.access_token).get("/v1/me")).status, 401);
  t.equal((await revoke(json.access_token)).status, 200, "a second time");
  t.equal((await revoke("nonsense")).status, 200);
  t.equal((await house.stranger.form("/v1/oauth/revoke", own)).status, 400);
  const wrong = { token: "x", client_id: robot.client_id, client_secret: "wrong" };
  t.equal((await house.stranger.form("/v1/oauth/revoke", wrong)).status, 401);
});

t.test("POST /oauth/revoke authenticates the client and ends nothing of others (D4)", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const [robot, other] = [await client(ada), await client(ada)];
  const { json } = await house.stranger.form<AccessToken>(tokenPath, credentials(robot));
  const token = json.access_token;
  const revoke = (fields: object) => house.stranger.form("/v1/oauth/revoke", { token, ...fields });
  t.match(await revoke({}), { status: 401, json: { error: "invalid_client" } }, "no client");
  const foreign = { client_id: other.client_id, client_secret: other.client_secret };
  t.equal((await revoke(foreign)).status, 200, "another client");
  t.equal((await revoke({ client_id: "klieg-cli" })).status, 200, "the public one");
  t.equal((await ada.asHolder(token).get("/v1/me")).status, 200, "the token lives");
  const personal = (await ada.post<{ token: string }>("/v1/tokens", { name: "x" })).json.token;
  const own = { client_id: robot.client_id, client_secret: robot.client_secret };
  t.equal((await revoke({ ...own, token: personal })).status, 200);
  t.equal((await ada.asHolder(personal).get("/v1/me")).status, 200, "a personal one lives, too");
});

t.test("revocations are counted in the rate class of POST /oauth/token (D4)", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const statuses: number[] = [];
  for (let n = 0; n < 61; n++) {
    const fields = { token: "nonsense", client_id: "klieg-cli" };
    statuses.push((await house.stranger.form("/v1/oauth/revoke", fields)).status);
  }
  t.strictSame([statuses[59], statuses[60]], [200, 429]);
});

t.test("a client of a suspended account gets nothing", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const robot = await client(ada);
  await house.admin.patch(`/v1/admin/accounts/${ada.id}`, { status: "suspended" });
  t.match(await house.stranger.form(tokenPath, credentials(robot)), {
    status: 400,
    json: { error: "unauthorized_client" },
  });
});

t.test("guesses at clients are counted by address", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ask = () =>
    house.stranger.form(tokenPath, { grant_type: "client_credentials", client_id: "x" });
  for (let n = 0; n < 60; n++) t.equal((await ask()).status, 401);
  const { status, headers } = await ask();
  t.equal(status, 429);
  t.ok(Number(headers["retry-after"]) > 0);
});

t.test("the token endpoint answers 503 with Retry-After without the directory", async (t) => {
  const house = await openInProcess(t);
  const robot = await client(await house.account());
  house.engine.lose(1);
  const { status, headers } = await house.stranger.form(tokenPath, credentials(robot));
  t.equal(status, 503);
  t.ok(headers["retry-after"]);
});
