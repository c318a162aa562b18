import t from "tap";
import { isPublished } from "../../http/documents/tags.ts";
import { routeTable } from "../../http/route-table.ts";
import { openInProcess, origin } from "./in-process-service.ts";
import { breach } from "./published-contract.ts";

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
  for (const { method, path } of routeTable.filter(isPublished)) {
    const inside = path.startsWith("/v1/") ? path.slice("/v1".length) : path;
    // Such a path has one more segment in braces, since linters take it for another path.
    const named = inside === "/assets/uploads/{id}" ? "/assets/{collection}/{id}" : inside;
    t.ok(json.paths[named]?.[method.toLowerCase()], `${method} ${path} is published`);
  }
  const etag = headers["etag"] ?? "";
  const again = await house.stranger.get("/v1/openapi.json", { "if-none-match": etag });
  t.equal(again.status, 304, "304 on match");
});

t.test("pages for people and their files are left out of the published document", async (t) => {
  const house = await openInProcess(t);
  const { json } = await house.stranger.get<Document>("/v1/openapi.json");
  for (const path of ["/docs", "/docs/{guide}", "/console", "/look/{file}", "/device"])
    t.notOk(json.paths[path], path);
  t.ok(json.paths["/objects/{rest}"], "what programs read is published");
});

t.test("every operation has an example", async (t) => {
  const house = await openInProcess(t);
  const { json } = await house.stranger.get<Document>("/v1/openapi.json");
  for (const [path, operations] of Object.entries(json.paths))
    for (const [verb, operation] of Object.entries(operations))
      if (verb !== "servers") {
        const { parameters, requestBody, responses } = operation as Record<string, object>;
        const [success] = Object.entries(responses ?? {}).find(([code]) => code < "300") ?? [];
        const shown = [
          parameters,
          requestBody,
          (responses as Record<string, object>)[success ?? ""],
        ];
        t.match(JSON.stringify(shown), /"examples?":/, `${verb} ${path}`);
      }
});

t.test("an answer that breaks the published contract is noticed", async (t) => {
  const job = { id: "x", status: "succeeded" };
  const headers = { "content-type": "application/json", "x-request-id": "req-1" };
  t.match(breach("GET", "/v1/jobs/x", 200, headers, job), /required property/);
  t.match(breach("GET", "/v1/jobs/x", 201, headers, job), /does not publish 201/);
  t.match(breach("GET", "/v1/jobs/x", 402, headers, job), /does not publish 402/);
  t.match(breach("GET", "/v1/nowhere", 200, headers, {}), /is not published/);
  t.match(breach("GET", "/v1/jobs/x", 304, { etag: '"1"' }, undefined), /X-Request-Id is missing/);
  const allow = { ...headers, allow: "GET" };
  t.match(breach("GET", "/v1/jobs/x", 200, allow, job), /Allow is not published/);
});

t.test("GET / has links to documentation, OpenAPI document and health; the release", async (t) => {
  const house = await openInProcess(t);
  const { status, json } = await house.stranger.get<Record<string, string>>("/v1/");
  t.equal(status, 200);
  t.match(json, { release: "0.0.0-test", openapi: /\/v1\/openapi\.json$/, health: /\/healthz$/ });
  t.equal(json["documentation"], `${origin}/docs`);
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

t.test(
  "an operation publishes every status that it can give, with its problem types (D5)",
  async (t) => {
    const house = await openInProcess(t);
    const { json } = await house.stranger.get<Document>("/v1/openapi.json");
    const statuses = (path: string, method: string) => {
      const { responses = {} } = (json.paths[path]?.[method] ?? {}) as { responses?: object };
      return Object.keys(responses).join(" ");
    };
    t.equal(
      statuses("/generate/image", "post"),
      "202 400 401 402 403 409 413 414 415 422 429 431 500 502 503",
    );
    t.equal(statuses("/jobs/{id}", "get"), "200 304 400 401 403 404 409 414 429 431 500 503");
    t.equal(statuses("/jobs/{id}/wait", "get"), "200 400 401 403 404 408 409 414 429 431 500 503");
    t.equal(statuses("/healthz", "get"), "200 400 414 431 500 503");
    const all = Object.values(json.paths).flatMap((path) =>
      Object.keys(path).map((verb) => [path, verb]),
    );
    t.notMatch(JSON.stringify(all), /"[45]XX"/);
    t.match(json, {
      paths: {
        "/compositions/{id}": {
          patch: { responses: { 412: { $ref: "#/components/responses/412-precondition-failed" } } },
        },
      },
      components: {
        responses: {
          "412-precondition-failed": {
            description:
              "`precondition-failed`: The object has changed since the version that If-Match names.",
            content: {
              "application/problem+json": {
                examples: {
                  "precondition-failed": { value: { status: 412, type: /\/precondition-failed$/ } },
                },
              },
            },
          },
        },
      },
    });
  },
);

t.test("an operation publishes the headers of its answers (D5)", async (t) => {
  const house = await openInProcess(t);
  const { json } = await house.stranger.get<Document>("/v1/openapi.json");
  const makeNamed = (name: string) => ({ $ref: `#/components/headers/${name}` });
  t.match(json.paths["/generate/image"]?.["post"], {
    responses: {
      202: {
        headers: {
          "X-Request-Id": makeNamed("X-Request-Id"),
          Location: makeNamed("Location"),
          RateLimit: makeNamed("RateLimit"),
          "RateLimit-Policy": makeNamed("RateLimit-Policy"),
        },
      },
    },
  });
  t.match(json.paths["/jobs/{id}"]?.["get"], {
    responses: { 200: { headers: { ETag: makeNamed("ETag") } }, 304: { headers: { ETag: {} } } },
  });
  t.match(json, {
    components: {
      responses: {
        "401-unauthorized": { headers: { "WWW-Authenticate": {} } },
        "405-method-not-allowed": { headers: { Allow: {} } },
        "429-rate-limit": { headers: { "Retry-After": {}, "Retry-After-Reset": {} } },
        "503-unavailable": { headers: { "Retry-After": {} } },
      },
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
