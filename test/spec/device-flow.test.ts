import t from "tap";
import { limits } from "../../config/limits.ts";
import type { User } from "../../contract/account.ts";
import type { AccessToken, DeviceAuthorization } from "../../contract/oauth.ts";
import type { CreatedToken } from "../../contract/token.ts";
import type { Caller } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

type Authorization = DeviceAuthorization;

interface OAuthRefusal {
  readonly error: string;
}

const cli = { client_id: "klieg-cli" };
const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
const usual =
  "generate jobs:read jobs:cancel assets:read assets:write compositions renders shares agents " +
  "organizations billing:read";

async function begin(house: InProcess, fields: object = {}): Promise<Authorization> {
  const path = "/v1/oauth/device_authorization";
  return (await house.stranger.form<Authorization>(path, { ...cli, ...fields })).json;
}

function poll(house: InProcess, { device_code }: Authorization) {
  const fields = { ...cli, grant_type, device_code };
  return house.stranger.form<AccessToken & OAuthRefusal>("/v1/oauth/token", fields);
}

function refresh(house: InProcess, refresh_token: string, more: object = {}) {
  const fields = { ...cli, grant_type: "refresh_token", refresh_token, ...more };
  return house.stranger.form<AccessToken & OAuthRefusal>("/v1/oauth/token", fields);
}

function decide(caller: Caller, user_code: string, approve = true) {
  return caller.post("/v1/oauth/device/approve", { user_code, approve });
}

async function logIn(house: InProcess, caller: Caller): Promise<AccessToken> {
  const device = await begin(house);
  await decide(caller, device.user_code);
  return (await poll(house, device)).json;
}

t.test("POST /oauth/device_authorization answers per RFC 8628", async (t) => {
  const house = await openInProcess(t);
  const path = "/v1/oauth/device_authorization";
  const { status, json } = await house.stranger.form<Authorization>(path, cli);
  t.equal(status, 200);
  t.match(json, {
    user_code: /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/,
    verification_uri: "https://klieg.example/device",
    verification_uri_complete: `https://klieg.example/device?user_code=${json.user_code}`,
    expires_in: 900,
    interval: 5,
  });
  t.match(await house.stranger.form(path, { client_id: "other" }), {
    status: 401,
    json: { error: "invalid_client" },
  });
  t.match(await house.stranger.form(path, { ...cli, scope: "everything" }), {
    status: 400,
    json: { error: "invalid_scope" },
  });
});

t.test("a device waits, is approved with 204, and gets its tokens once", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const device = await begin(house);
  t.match(await poll(house, device), { status: 400, json: { error: "authorization_pending" } });
  const { status, text } = await decide(ada, device.user_code);
  t.equal(status, 204);
  t.equal(text, "");
  const { status: granted, json } = await poll(house, device);
  t.equal(granted, 200);
  t.match(json, { token_type: "Bearer", expires_in: 3600, scope: usual, refresh_token: /^ort_/ });
  const { json: me } = await ada.asHolder(json.access_token).get<User>("/v1/me");
  t.match(me, { id: ada.id, token: { name: "klieg command line" } });
  t.match(await poll(house, device), { status: 400, json: { error: "invalid_grant" } });
  t.equal((await decide(ada, device.user_code)).status, 404, "a user code works once");
});

t.test("a user code is taken however it is written", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const device = await begin(house);
  const written = device.user_code.toLowerCase().replace("-", " ");
  t.equal((await decide(ada, written)).status, 204);
});

t.test("a device that is denied hears access_denied", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const device = await begin(house);
  t.equal((await decide(ada, device.user_code, false)).status, 204);
  t.match(await poll(house, device), { status: 400, json: { error: "access_denied" } });
});

t.test("a device code expires after 900 seconds", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const device = await begin(house);
  await house.advance(900_000);
  t.equal((await decide(ada, device.user_code)).status, 404);
  t.match(await poll(house, device), { status: 400, json: { error: "expired_token" } });
  await house.advance(901_000);
  t.match(await poll(house, device), { status: 400, json: { error: "invalid_grant" } });
});

t.test("who polls too early must slow down by 5 seconds each time", async (t) => {
  const house = await openInProcess(t);
  const device = await begin(house);
  const hear = async (afterMs: number) => {
    await house.advance(afterMs);
    return (await poll(house, device)).json.error;
  };
  t.equal(await hear(5_000), "authorization_pending");
  t.equal(await hear(5_000), "authorization_pending");
  t.equal(await hear(2_000), "slow_down");
  t.equal(await hear(5_000), "slow_down", "ten seconds by now");
  t.equal(await hear(15_000), "authorization_pending");
});

t.test("a device gets no scope that its approver lacks", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const body = { name: "narrow", scopes: ["tokens", "jobs:read"] };
  const narrow = ada.asHolder((await ada.post<CreatedToken>("/v1/tokens", body)).json.token);
  const device = await begin(house, { scope: "jobs:read generate admin" });
  await decide(narrow, device.user_code);
  t.equal((await poll(house, device)).json.scope, "jobs:read");
});

t.test("approving needs a bearer with the scope tokens and a right body", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { user_code } = await begin(house);
  t.equal((await decide(house.stranger, user_code)).status, 401);
  const { token } = (await ada.post<CreatedToken>("/v1/tokens", { name: "usual" })).json;
  t.match(await decide(ada.asHolder(token), user_code), {
    status: 403,
    json: { required_scope: "tokens" },
  });
  t.equal((await ada.post("/v1/oauth/device/approve", { user_code })).status, 400);
  t.equal((await decide(ada, "BBBB-BBBB")).status, 404);
});

t.test("a refresh token rotates, and its access tokens live on", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const first = await logIn(house, ada);
  const second = await refresh(house, first.refresh_token ?? "");
  t.equal(second.status, 200);
  t.not(second.json.refresh_token, first.refresh_token);
  for (const token of [first.access_token, second.json.access_token])
    t.equal((await ada.asHolder(token).get("/v1/me")).status, 200);
  const less = { scope: "jobs:read" };
  const third = await refresh(house, second.json.refresh_token ?? "", less);
  t.equal(third.json.scope, "jobs:read");
  const more = { scope: "admin" };
  t.match(await refresh(house, third.json.refresh_token ?? "", more), {
    status: 400,
    json: { error: "invalid_scope" },
  });
  t.equal((await refresh(house, third.json.refresh_token ?? "")).json.scope, usual);
});

t.test("reuse of a rotated refresh token revokes the family", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const first = await logIn(house, ada);
  const second = (await refresh(house, first.refresh_token ?? "")).json;
  t.match(await refresh(house, first.refresh_token ?? ""), {
    status: 400,
    json: { error: "invalid_grant" },
  });
  t.match(await refresh(house, second.refresh_token ?? ""), {
    status: 400,
    json: { error: "invalid_grant" },
  });
  for (const token of [first.access_token, second.access_token])
    t.equal((await ada.asHolder(token).get("/v1/me")).status, 401);
  t.equal((await ada.get("/v1/me")).status, 200);
});

t.test("a refresh token is its client's", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { refresh_token: token = "" } = await logIn(house, ada);
  const made = { name: "robot", scopes: ["jobs:read"] };
  const robot = await ada.post<Record<string, string>>("/v1/oauth/clients", made);
  const { client_id, client_secret } = robot.json;
  t.match(await refresh(house, token, { client_id, client_secret }), {
    status: 400,
    json: { error: "invalid_grant" },
  });
  t.equal((await refresh(house, token)).status, 200);
});

t.test("revoking a refresh token revokes its access tokens", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { access_token, refresh_token: token = "" } = await logIn(house, ada);
  await house.stranger.form("/v1/oauth/revoke", {
    token,
    token_type_hint: "refresh_token",
    client_id: "klieg-cli",
  });
  t.equal((await ada.asHolder(access_token).get("/v1/me")).status, 401);
  t.equal((await refresh(house, token)).status, 400);
});

/** Time after which rows are in the tables. */
const untilTables = limits.engine.flushIntervalMs + 1_000;

t.test("what is over leaves no row behind", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await house.advance(untilTables);
  const range = { start: "\0\x80", end: "\0\xff" };
  const rows = () => house.engine.directoryTables.range(range, 10_000).length;
  const made = { name: "robot", scopes: ["jobs:read"] };
  const { json } = await ada.post<Record<string, string>>("/v1/oauth/clients", made);
  const { client_id = "", client_secret = "" } = json;
  await house.advance(untilTables);
  const before = rows();
  await begin(house);
  const robot = { grant_type: "client_credentials", client_id, client_secret };
  await house.stranger.form("/v1/oauth/token", robot);
  await house.advance(untilTables);
  t.equal(rows(), before + 7, "a device, its user code and client, a token, and three timers");
  await house.advance(3_605_000);
  t.equal(rows(), before);
});

t.test("GET /device is a page that loads nothing from elsewhere", async (t) => {
  const house = await openInProcess(t);
  const { status, headers, text } = await house.stranger.get("/device?user_code=BCDF-GHJK");
  t.equal(status, 200);
  t.match(headers["content-type"], /^text\/html/);
  const policy = headers["content-security-policy"] ?? "";
  const nonce = /script-src 'nonce-([\w-]+)'/.exec(policy)?.[1] ?? "?";
  t.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
  t.ok(text.includes(`<script nonce="${nonce}">`));
  t.notMatch(text, /(?:src|href)="(?!\/[^/])|https?:\/\//);
  t.notOk(text.includes("BCDF-GHJK"), "what comes in the address is not written into the page");
  const other = await house.stranger.get("/device");
  t.notOk(other.text.includes(nonce), "a nonce is used once");
});

t.test("A3: one client has 20 device authorizations open, and others go on", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const path = "/v1/oauth/device_authorization";
  const ask = (address: string) =>
    house.stranger.request<Authorization>("POST", path, {
      body: "client_id=klieg-cli",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      address,
    });
  const [first] = await Promise.all(Array.from({ length: 20 }, () => ask("198.51.100.7")));
  const refused = await ask("198.51.100.7");
  t.match(refused, { status: 429, headers: { "retry-after": "900" } });
  t.equal((await ask("198.51.100.8")).status, 200);
  await decide(ada, first?.json.user_code ?? "", false);
  t.equal((await ask("198.51.100.7")).status, 200, "what was decided leaves its place");
  for (let n = 0; n < 20; n++)
    t.equal((await ask(`2001:db8::${n}`)).status, 200, "a /64 is a client");
  t.equal((await ask("2001:db8::ffff")).status, 429);
  await house.advance(900_000);
  t.equal((await ask("198.51.100.7")).status, 200);
});
