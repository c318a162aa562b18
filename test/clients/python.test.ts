/** Tests the rules of `client.test.ts` for the Python client, both sync and async. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { deadOrigin, events, frame, json, silence, standIn } from "../cli/stand-in.ts";
import { brokenUpload, isPut } from "./broken-upload.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const probe = join(root, "test/clients/python-probe.py");
const image = "POST /v1/generate/image";

/** Returns the result of the call; `raised` is the exception, if there was one. */
async function callTool(kind: string, origin: string, call: string): Promise<unknown> {
  const env = { PYTHONPATH: join(root, "clients/python"), PYTHONDONTWRITEBYTECODE: "1" };
  const { stdout } = await run("/usr/bin/python3", [probe, kind, origin, call], { env });
  return JSON.parse(stdout);
}

for (const kind of ["sync", "async"])
  t.test(`the Python client, ${kind}`, async (t) => {
    t.test("a submit carries credential, surface and a key", async (t) => {
      const { origin, asked } = await standIn(t, {
        [image]: [json(202, { id: "j1", status: "queued" })],
      });
      t.match(await callTool(kind, origin, "image"), { id: "j1" });
      t.match(asked[0], {
        headers: { authorization: "Bearer pat_1", "x-service-surface": "sdk" },
        body: { model: "studio-image", prompt: "a red kite" },
      });
      t.match(asked[0]?.headers["idempotency-key"], /^[\x21-\x7e]{1,255}$/);
    });

    t.test("a submit whose answer got lost is repeated and finds its job", async (t) => {
      const { origin, asked } = await standIn(t, {
        [image]: [json(503, {}), silence, json(409, { job_id: "j1" })],
        "GET /v1/jobs/j1": [json(200, { id: "j1", status: "running" })],
      });
      await callTool(kind, origin, "me");
      t.match(await callTool(kind, origin, "image"), { id: "j1", status: "running" });
      const keys = asked.map(({ headers }) => headers["idempotency-key"]).filter((key) => key);
      t.equal(new Set(keys).size, 1);
      t.equal(keys.length, 3);
    });

    t.test("a duplicate of an earlier submit is raised", async (t) => {
      const { origin, asked } = await standIn(t, { [image]: [json(409, { job_id: "j1" })] });
      t.match(await callTool(kind, origin, "own-key"), {
        raised: { status: 409, code: null, job_id: "j1" },
      });
      t.equal(asked.length, 1);
    });

    t.test("reads go through silence and 503, other writes do not", async (t) => {
      const { origin, asked } = await standIn(t, {
        "GET /v1/me": [json(503, {}), silence, json(200, { id: "u" })],
        "POST /v1/admin/accounts": [silence],
        "POST /v1/tokens": [json(429, {}), json(201, { id: "t1" })],
      });
      t.match(await callTool(kind, origin, "me"), { id: "u" });
      t.match(await callTool(kind, origin, "account"), {
        raised: { status: 0, code: "unreachable" },
      });
      t.match(await callTool(kind, origin, "token"), { id: "t1" }, "429 refused it");
      t.equal(asked.length, 6);
      t.match(await callTool(kind, await deadOrigin(), "me"), { raised: { code: "unreachable" } });
    });

    t.test("a failed job is raised by a wait, and a stream that ends comes back", async (t) => {
      const failure = { kind: "error", code: "a_code_of_tomorrow", message: "It broke." };
      const { origin, asked } = await standIn(t, {
        "GET /v1/jobs/j1/wait": [
          json(408, { code: "timeout" }),
          json(200, { id: "j1", status: "failed", failure, error: { status: 502 } }),
        ],
        "GET /v1/jobs/j1": [json(200, { id: "j1", status: "running" })],
        "POST /v1/jobs/j1/sse-ticket": [json(201, { ticket: "s+1" })],
        "GET /v1/jobs/j1/sse": [
          events(
            ": keep-alive\n\n",
            'event: status\r\ndata: {"status":\r\n',
            'data: "queued"}\r\n\r\n',
          ),
          events(frame("reconnect", {})),
          events(frame("complete", { status: "succeeded" })),
        ],
      });
      t.match(await callTool(kind, origin, "wait"), {
        raised: { status: 502, code: "job_failed", job_id: "j1" },
      });
      const running = { event: "status", data: { status: "running" } };
      t.strictSame(await callTool(kind, origin, "stream"), [
        { event: "status", data: { status: "queued" } },
        running,
        running,
        { event: "complete", data: { status: "succeeded" } },
      ]);
      const streams = asked.filter(({ route }) => route.endsWith("/sse"));
      t.equal(streams[0]?.headers.authorization, undefined);
    });

    t.test("an upload goes on where it broke off", async (t) => {
      const { origin, asked } = await standIn(t, brokenUpload);
      t.match(await callTool(kind, origin, "upload"), { id: "a1", status: "ready" });
      t.strictSame(asked.map(({ route }) => route).filter(isPut), [
        "PUT /parts/2",
        "PUT /parts/2-again",
        "PUT /parts/3",
      ]);
    });
  });
