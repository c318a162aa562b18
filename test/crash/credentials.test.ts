/** Tests the command line's credentials on the real service: login, tokens, account recovery. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";
import type { CreatedAccount, User } from "../../contract/account.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

const main = join(import.meta.dirname, "../../cli/main.js");

function run(args: readonly string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [main, ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const out = text(child.stdout);
  let err = "";
  let hear = () => {};
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    err += chunk;
    hear();
  });
  const say = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      hear = () => {
        const found = pattern.exec(err)?.[1];
        if (found !== undefined) resolve(found);
      };
      hear();
    });
  const whenOver = Promise.all([ended, out]).then(([[code], out]) => ({ code, out, err }));
  return { said: say, whenOver };
}

t.test("klieg login waits for a person and keeps a token for this user only", async (t) => {
  const folder = t.testdir({ home: {} });
  const klieg = await startKlieg(t, join(folder, "data"));
  const account = { email: "ada@klieg.example", plan: "pro", issue_token: true };
  const { json } = await ask<CreatedAccount>(klieg.port, firstToken, "/admin/accounts", account);
  const adas = json.token ?? "";
  const environment = {
    HOME: join(folder, "home"),
    KLIEG_DATA_DIR: join(folder, "nowhere"),
    KLIEG_URL: `http://127.0.0.1:${klieg.port}`,
  };
  const login = run(["login"], environment);
  const code = await login.said(/approve the code ([A-Z]{4}-[A-Z]{4})/);
  const approve = { user_code: code, approve: true };
  const approved = await fetch(`${environment.KLIEG_URL}/v1/oauth/device/approve`, {
    method: "POST",
    headers: { authorization: `Bearer ${adas}`, "content-type": "application/json" },
    body: JSON.stringify(approve),
  });
  t.equal(approved.status, 204);
  t.match(await login.whenOver, { code: 0, out: "", err: /Logged in at .* until 20/ });
  const file = join(folder, "home/.config/klieg/login.json");
  t.equal(statSync(file).mode & 0o777, 0o600);

  const me = JSON.parse((await run(["me", "--json"], environment).whenOver).out) as User;
  t.match(me, { email: "ada@klieg.example", token: { name: /^klieg login, / } });
  t.ok(me.token.scopes.includes("tokens"), "so that a logout can end it");
  const kept = (JSON.parse(readFileSync(file, "utf8")) as { token: string }).token;
  t.match(await run(["logout"], environment).whenOver, { code: 0 });
  t.notOk(existsSync(file));
  t.equal((await ask(klieg.port, kept, "/me")).status, 401, "it is revoked as well");
  t.match(await run(["me"], environment).whenOver, { code: 1, err: /^No credential/ });
});

t.test("klieg token creates, lists and revokes", async (t) => {
  const klieg = await startKlieg(t, t.testdir());
  const environment = {
    KLIEG_URL: `http://127.0.0.1:${klieg.port}`,
    KLIEG_TOKEN: firstToken,
  };
  const command = ["token", "create", "ci", "--scopes", "jobs:read,generate"];
  const made = await run([...command, "--expires-in-days", "never"], environment).whenOver;
  t.match(made, { code: 0, out: /^pat_[0-9a-f]{8}_[\w-]{43}\n$/ });
  const token = made.out.trim();
  t.match((await ask<User>(klieg.port, token, "/me")).json, {
    token: { name: "ci", scopes: ["jobs:read", "generate"], expires_at: null },
  });
  const listed = await run(["token", "list"], environment).whenOver;
  t.match(listed.out, new RegExp(`${token.slice(4, 12)}  never expires  .*  ci\n`));
  const ended = await run(["token", "revoke", token.slice(4, 12)], environment).whenOver;
  t.match(ended, { code: 0, err: /is revoked/ });
  t.equal((await ask(klieg.port, token, "/me")).status, 401);
  const wrong = await run(["token", "create", "x", "--scopes", "all"], environment).whenOver;
  t.match(wrong, { code: 2, err: /--scopes contains "all"; the scopes are generate, / });
});

t.test("klieg token reset replaces the first credential, running or stopped", async (t) => {
  const dataDir = t.testdir();
  const environment = { KLIEG_DATA_DIR: dataDir };
  const refused = await run(["token", "reset"], environment).whenOver;
  t.match(refused, { code: 1, err: /does not contain a store; set KLIEG_DATA_DIR/ });

  const klieg = await startKlieg(t, dataDir);
  const first = await run(["token", "reset"], environment).whenOver;
  t.match(first, { code: 0, out: "", err: /The new first credential is in .*admin-token/ });
  const read = () => readFileSync(join(dataDir, "admin-token"), "utf8").trim();
  const second = read();
  t.not(second, firstToken);
  t.equal(statSync(join(dataDir, "admin-token")).mode & 0o777, 0o600);
  t.equal((await ask(klieg.port, firstToken, "/me")).status, 401);
  const me = await ask<User>(klieg.port, second, "/me");
  t.match(me.json, { email: "admin@localhost", token: { expires_at: null } });
  t.equal(me.json.token.scopes.length, 13);
  await klieg.kill("SIGTERM");

  const stopped = await run(["token", "reset"], environment).whenOver;
  t.match(stopped, { code: 0, err: /when it starts/ });
  const again = await startKlieg(t, dataDir);
  const third = read();
  t.not(third, second);
  t.equal((await ask(again.port, second, "/me")).status, 401);
  t.equal((await ask(again.port, third, "/me")).status, 200);
  t.notOk(existsSync(join(dataDir, "token-reset")));
  await again.kill("SIGKILL");
});
