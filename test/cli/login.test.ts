import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { type Answer, deadOrigin, json, standIn } from "./stand-in.ts";

const main = join(import.meta.dirname, "../../cli/main.js");
const begin = "POST /v1/oauth/device_authorization";
const token = "POST /v1/oauth/token";
const device = {
  device_code: "d1",
  user_code: "BCDF-GHJK",
  verification_uri: "http://klieg.test/device",
  verification_uri_complete: "http://klieg.test/device?user_code=BCDF-GHJK",
  expires_in: 900,
  interval: 0,
};
const refuse = (error: string, description: string): Answer =>
  json(400, { error, error_description: description });

async function klieg(t: Test, args: readonly string[], origin: string) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { HOME: t.testdirName, KLIEG_DATA_DIR: join(t.testdirName, "data"), KLIEG_URL: origin },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, out, err };
}

function loginFile(t: Test): string {
  return join(t.testdirName, ".config/klieg/login.json");
}

t.test("a login asks on until it is granted, then keeps a token of its own", async (t) => {
  t.testdir({});
  const { origin, asked } = await standIn(t, {
    [begin]: [json(200, device)],
    [token]: [
      refuse("authorization_pending", "The request has not been decided yet."),
      json(200, { access_token: "oat_1", refresh_token: "ort_1", scope: "generate tokens" }),
    ],
    "POST /v1/tokens": [
      json(201, { token: "pat_12345678_s", expires_at: "2026-07-14T12:00:00.000Z" }),
    ],
    "POST /v1/oauth/revoke": [json(200, {})],
    "GET /v1/me": [json(200, { email: "ada@klieg.example", plan: "pro" })],
  });
  const { code, out, err } = await klieg(t, ["login"], origin);
  t.equal(code, 0);
  t.equal(out, "");
  t.match(err, "Open http://klieg.test/device?user_code=BCDF-GHJK\nand approve the code BCDF-GHJK");
  t.match(err, `Logged in at ${origin} until 2026-07-14T12:00:00.000Z`);
  const body = (route: string, at = 0) => asked.filter((one) => one.route === route)[at]?.body;
  t.match(body(begin), { client_id: "klieg-cli", scope: /\btokens\b/ });
  t.strictSame(body(token, 1), {
    client_id: "klieg-cli",
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: "d1",
  });
  t.match(body("POST /v1/tokens"), { name: /^klieg login, /, scopes: ["generate", "tokens"] });
  const revoked = [0, 1].map((at) => body("POST /v1/oauth/revoke", at));
  const client_id = "klieg-cli";
  t.strictSame(
    revoked,
    [
      { token: "ort_1", client_id },
      { token: "oat_1", client_id },
    ],
    "what was used is ended",
  );
  t.strictSame(JSON.parse(readFileSync(loginFile(t), "utf8")), { origin, token: "pat_12345678_s" });

  await klieg(t, ["me"], origin);
  t.equal(asked.at(-1)?.headers.authorization, "Bearer pat_12345678_s");
});

t.test("a login that is denied or expires says so, and keeps nothing", async (t) => {
  for (const [error, words] of [
    ["access_denied", "The request was denied."],
    ["expired_token", "The device code has expired; start over."],
  ] as const) {
    t.testdir({});
    const { origin } = await standIn(t, {
      [begin]: [json(200, device)],
      [token]: [refuse(error, words)],
    });
    const { code, err } = await klieg(t, ["login"], origin);
    t.equal(code, 1);
    t.match(err, `Not logged in: ${words}\n`);
    t.notOk(existsSync(loginFile(t)));
  }
});

t.test("a login at another service is not shown to this one", async (t) => {
  t.testdir({});
  mkdirSync(join(t.testdirName, ".config/klieg"), { recursive: true });
  const other = { origin: "http://other.example", token: "pat_other" };
  writeFileSync(loginFile(t), JSON.stringify(other));
  const { origin, asked } = await standIn(t, {});
  t.match(await klieg(t, ["me"], origin), { code: 1, err: /^No credential/ });
  t.strictSame(asked, []);
});

t.test("a login file that is damaged is named", async (t) => {
  t.testdir({});
  mkdirSync(join(t.testdirName, ".config/klieg"), { recursive: true });
  writeFileSync(loginFile(t), "{");
  const { code, err } = await klieg(t, ["me"], "http://127.0.0.1:1");
  t.equal(code, 1);
  t.match(err, /login\.json is damaged; run klieg login again/);
});

t.test("without a service or a login it says what to do", async (t) => {
  t.testdir({});
  t.match(await klieg(t, ["login"], await deadOrigin()), { code: 1, err: /is not reachable/ });
  t.match(await klieg(t, ["logout"], "http://127.0.0.1:1"), {
    code: 1,
    err: "Nobody is logged in on this machine.\n",
  });
});
