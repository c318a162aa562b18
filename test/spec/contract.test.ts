import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { routeTable } from "../../http/route-table.ts";
import { openInProcess } from "./in-process-service.ts";
import { breach } from "./published-contract.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

t.test("GET /v1/openapi.json is OpenAPI 3.1 of every operation, without a bearer", async (t) => {
  const house = await openInProcess(t);
  const { status, json, headers } = await house.stranger.get<Document>("/v1/openapi.json");
  t.equal(status, 200);
  t.match(json.openapi, /^3\.1\./);
  t.equal(headers["access-control-allow-origin"], "*");
  for (const { method, path } of routeTable) {
    const inside = path.startsWith("/v1/") ? path.slice("/v1".length) : path;
    t.ok(json.paths[inside]?.[method.toLowerCase()], `${method} ${path} is published`);
  }
  const etag = headers["etag"] ?? "";
  const again = await house.stranger.get("/v1/openapi.json", { "if-none-match": etag });
  t.equal(again.status, 304, "304 on match");
});

t.test("the published document passes redocly lint and spectral lint", async (t) => {
  const house = await openInProcess(t);
  const { text } = await house.stranger.get("/v1/openapi.json");
  const folder = mkdtempSync(join(tmpdir(), "klieg-contract-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "openapi.json");
  const ruleset = join(folder, "spectral.yaml");
  writeFileSync(file, text);
  writeFileSync(ruleset, 'extends: ["spectral:oas"]\n');
  const bin = (name: string) => join(root, "node_modules/.bin", name);
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  await t.resolves(run(bin("redocly"), ["lint", file], { env, cwd: folder }));
  await t.resolves(
    run(bin("spectral"), ["lint", "--ruleset", ruleset, file], { env, cwd: folder }),
  );
});

t.test("an answer that breaks the published contract is noticed", async (t) => {
  const job = { id: "x", status: "succeeded" };
  t.match(breach("GET", "/v1/jobs/x", 200, "application/json", job), /required property/);
  t.match(breach("GET", "/v1/jobs/x", 201, "application/json", job), /does not publish 201/);
  t.match(breach("GET", "/v1/nowhere", 200, "application/json", {}), /is not published/);
});

t.test("GET / has links to documentation, OpenAPI document and health; the release", async (t) => {
  const house = await openInProcess(t);
  const { status, json } = await house.stranger.get<Record<string, string>>("/v1/");
  t.equal(status, 200);
  t.match(json, { release: "0.0.0-test", openapi: /\/v1\/openapi\.json$/, health: /\/healthz$/ });
});

t.test("GET / shows a page to a browser, and links to anybody else (E7)", async (t) => {
  const house = await openInProcess(t);
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const page = await house.stranger.get("/", { accept });
  t.equal(page.status, 200);
  t.match(page.headers, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": /default-src 'none'/,
  });
  t.match(page.text, /klieg generate image/);
  t.match(page.text, /href="\/v1\/openapi\.json"/);
  t.notMatch(page.text, /ORIGIN|VERSION/);
  t.match((await house.stranger.get("/")).json, { openapi: /openapi\.json$/ });
});

t.test("what a request must have is published as required (D5)", async (t) => {
  const house = await openInProcess(t);
  const { json } = await house.stranger.get<Document>("/v1/openapi.json");
  const at = (path: string, method: string) => json.paths[path]?.[method];
  for (const path of ["/jobs/{id}/sse", "/renders/{id}/sse", "/agent/sessions/{id}/events"])
    t.match(at(path, "get"), { parameters: [{}, { name: "ticket", required: true }] }, path);
  t.match(at("/compositions/{id}/file", "put"), {
    parameters: [{}, { name: "path", required: true }],
  });
  t.match(at("/generate/image", "post"), { requestBody: { required: true } });
  t.match(at("/assets", "post"), {
    requestBody: {
      required: true,
      content: { "multipart/form-data": { schema: { $ref: "#/components/schemas/UploadForm" } } },
    },
  });
});

t.test("GET /v1/problems/{slug} needs no bearer and says meaning and remedy", async (t) => {
  const house = await openInProcess(t);
  const { status, json } = await house.stranger.get("/v1/problems/out-of-credits");
  t.equal(status, 200);
  t.match(json, { title: "Out Of Credits", status: 402, meaning: /./, remedy: /./ });
  const html = await house.stranger.get("/v1/problems/duplicate", { accept: "text/html" });
  t.match(html.headers["content-type"], /^text\/html/);
  t.match(html.text, /Duplicate Submission/);
  t.equal((await house.stranger.get("/v1/problems/unheard-of")).status, 404);
});

t.test("OPTIONS answers CORS preflight", async (t) => {
  const house = await openInProcess(t);
  const open = await house.stranger.request("OPTIONS", "/v1/openapi.json");
  t.equal(open.status, 204);
  t.match(open.headers, {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD",
    "access-control-max-age": "600",
  });
  const closed = await house.stranger.request("OPTIONS", "/v1/jobs");
  t.equal(closed.status, 204);
  t.equal(closed.headers["access-control-allow-origin"], undefined, "closed to other origins");
  t.equal(closed.headers["allow"], "GET, HEAD, OPTIONS");
  t.equal((await house.stranger.request("OPTIONS", "/v1/nowhere")).status, 404);
});
