/** Tests that a service stores only digests of the secrets that it issues. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Job } from "../../contract/job.ts";
import type { ShareResolution } from "../../contract/share.ts";
import { node, openFigma, text } from "../spec/figma-double.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function form(port: number, path: string, fields: Record<string, string>) {
  const body = new URLSearchParams(fields);
  const reply = await fetch(`http://127.0.0.1:${port}/v1${path}`, { method: "POST", body });
  return (await reply.json()) as Record<string, string>;
}

t.test("no file and no line of the log holds a secret but admin-token (B1)", async (t) => {
  const dataDir = t.testdir();
  const klieg = await startKlieg(t, dataDir, { KLIEG_LOG_LEVEL: "trace" });
  const { port } = klieg;
  const secrets = new Map<string, string>([["the first token", firstToken]]);
  const post = async (path: string, body: object, token = firstToken) =>
    (await ask<Record<string, string>>(port, token, path, body)).json;
  const keep = (name: string, secret: string | undefined) => {
    t.ok(secret, `${name} was given out`);
    secrets.set(name, secret ?? "");
  };

  const account = await post("/admin/accounts", { email: "ada@klieg.example", issue_token: true });
  keep("an account's token", account["token"]);
  const more = await post(`/admin/accounts/${account["id"]}/tokens`, { name: "second" });
  keep("a token that an administrator made", more["token"]);
  keep("a personal token", (await post("/tokens", { name: "script" }))["token"]);
  const client = await post("/oauth/clients", { name: "robot", scopes: ["jobs:read"] });
  keep("a client's secret", client["client_secret"]);
  const credentials = {
    client_id: `${client["client_id"]}`,
    client_secret: `${client["client_secret"]}`,
  };
  const grant = { grant_type: "client_credentials", ...credentials };
  keep("an access token", (await form(port, "/oauth/token", grant))["access_token"]);
  const asked = { client_id: "klieg-cli" };
  const device = await form(port, "/oauth/device_authorization", asked);
  keep("a device code", device["device_code"]);
  keep("a user code", device["user_code"]);
  await fetch(`http://127.0.0.1:${port}/v1/oauth/device/approve`, {
    method: "POST",
    headers: { authorization: `Bearer ${firstToken}`, "content-type": "application/json" },
    body: JSON.stringify({ user_code: device["user_code"], approve: true }),
  });
  const pair = await form(port, "/oauth/token", {
    ...asked,
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: `${device["device_code"]}`,
  });
  keep("a device's access token", pair["access_token"]);
  keep("a refresh token", pair["refresh_token"]);
  const session = await post("/agent/sessions", {});
  const turn = await post(`/agent/sessions/${session["id"]}/turns`, { brief: "a kite" });
  keep("a turn's credential", turn["credential"]);
  const image = { model: "sim-instant", prompt: "a kite" };
  const quote = await post("/jobs/cost", { kind: "image", image });
  keep("a confirmation token", quote["confirmation_token"]);
  const token = quote["confirmation_token"];
  const job = await post("/generate/image", { ...image, confirmation_token: token });
  keep("a stream's ticket", (await post(`/jobs/${job["id"]}/sse-ticket`, {}))["ticket"]);
  const used = (await post(`/jobs/${job["id"]}/sse-ticket`, {}))["ticket"];
  keep("a redeemed ticket", used);
  await fetch(`http://127.0.0.1:${port}/v1/jobs/${job["id"]}/sse?ticket=${used}`);
  const done = await ask<{ asset: { signed_url: string } }>(
    port,
    firstToken,
    `/jobs/${job["id"]}/wait?timeout_seconds=900`,
  );
  const signature = new URL(done.json.asset.signed_url).searchParams.get("signature");
  keep("a signed link's signature", signature ?? undefined);

  const asset = (await ask<Job>(port, firstToken, `/jobs/${job["id"]}`)).json.asset?.id;
  const password = "a password that opens a link";
  keep("a share link's password", password);
  const link = await post(`/assets/${asset}/share`, { password });
  keep("a share link's token", link["token"]);
  const shared = `http://127.0.0.1:${port}/v1/share/${link["token"]}`;
  const opened = await fetch(shared, { headers: { "x-share-password": password } });
  const media = new URL(((await opened.json()) as ShareResolution).media_url);
  keep("a shared link's signature", media.searchParams.get("signature") ?? undefined);
  const unlocked = await fetch(shared, {
    method: "POST",
    body: new URLSearchParams({ password }),
    redirect: "manual",
  });
  keep("a cookie", /=([^;]+);/.exec(unlocked.headers.get("set-cookie") ?? "")?.[1]);
  await fetch(shared, { headers: { "x-share-password": "wrong" } });

  const { stdout, stderr } = await klieg.kill("SIGTERM");
  const found: string[] = [];
  const look = (place: string, bytes: Buffer) => {
    for (const [name, secret] of secrets)
      for (const spelled of [secret, secret.replaceAll("-", "")])
        if (bytes.includes(spelled)) found.push(`${name} in ${place}`);
  };
  for (const file of filesBelow(dataDir))
    if (!file.endsWith("/admin-token")) look(file, readFileSync(file));
  look("the log", Buffer.from(stdout + stderr));
  for (const [name, secret] of secrets)
    for (const form of ["hex", "base64url", "base64"] as const) {
      const digest = createHash("sha256").update(secret).digest(form);
      if ((stdout + stderr).includes(digest)) found.push(`the digest of ${name} in the log`);
    }
  t.strictSame(found, []);
});

t.test("a token of the design host is in no log, store, error or event", async (t) => {
  const secret = "figd_a-token-of-the-design-host";
  const children = [node("RECTANGLE", "1:3", [0, 0, 64, 64]), text("1:4", [0, 0, 64, 24], "Up")];
  const figma = await openFigma(t, node("FRAME", "1:2", [0, 0, 64, 64], { children }));
  const dataDir = t.testdir();
  const environment = { KLIEG_LOG_LEVEL: "trace", KLIEG_FIGMA_URL: figma.url };
  const klieg = await startKlieg(t, dataDir, environment);
  const said: string[] = [];
  const post = async (path: string, body: object) => {
    const { status, json } = await ask<Record<string, string>>(klieg.port, firstToken, path, body);
    said.push(JSON.stringify(json));
    return { status, json };
  };
  const { id } = (await post("/compositions", {})).json;
  const importFigma = (more: object = {}) =>
    post(`/compositions/${id}/imports/figma`, {
      access_token: secret,
      file_key: "AbC",
      node_id: "1:2",
      insert: true,
      ...more,
    });
  t.equal((await importFigma()).status, 200);
  t.equal((await importFigma({ node_id: "9:9" })).status, 404);
  t.equal((await importFigma({ access_token: `${secret} ` })).status, 400);
  figma.answers.pictures = (response) => response.destroy();
  t.equal((await importFigma()).status, 502);
  figma.answers.images = (response) => response.writeHead(200).end("<html>");
  t.equal((await importFigma()).status, 502);
  figma.answers.files = (response, { headers }) => {
    response.writeHead(403).end(JSON.stringify(headers));
  };
  t.equal((await importFigma()).status, 403);
  const { stdout, stderr } = await klieg.kill("SIGTERM");
  const places = filesBelow(dataDir).map((file) => [file, readFileSync(file)] as const);
  const more = [
    ["the log", Buffer.from(stdout + stderr)],
    ["an answer", Buffer.from(said.join("\n"))],
  ] as const;
  const found = [...places, ...more].filter(([, bytes]) => bytes.includes(secret));
  t.strictSame(
    found.map(([place]) => place),
    [],
  );
});
