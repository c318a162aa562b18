import t from "tap";
import { routeTable } from "../../http/route-table.ts";
import { imagePath, type Refused, type Reply } from "./caller.ts";
import { type InProcess, openInProcess, origin } from "./in-process-service.ts";

const nobody = "019d9000-0000-7000-8000-000000000000";
const kite = '{"model":"sim-instant","prompt":"a kite"}';

/** Makes one refusal of each kind that a client can cause. */
async function refusals(house: InProcess): Promise<readonly (readonly [string, Reply<Refused>])[]> {
  const ada = await house.account({ plan: "free", credits: 2 });
  const rich = await house.account({ plan: "enterprise", credits: 0 });
  const job = await ada.job("sim:slow=60000");
  const waiting = ada.get(`/v1/jobs/${job.id}/wait?timeout_seconds=1`);
  await house.advance(1_250);
  return [
    ["validation", await ada.post(imagePath, {})],
    ["unauthorized", await house.stranger.get("/v1/me")],
    ["out-of-credits", await rich.submit<Refused>("x")],
    ["forbidden", await ada.post("/v1/admin/accounts", {})],
    ["not-found", await ada.get(`/v1/jobs/${nobody}`)],
    ["method-not-allowed", await ada.get(imagePath)],
    ["wait-timeout", await waiting],
    ["duplicate", await ada.submit<Refused>("sim:slow=60000")],
    ["payload-too-large", await ada.post(imagePath, "x".repeat(300_000))],
    ["unsupported-media-type", await ada.post(imagePath, "x", { "content-type": "text/html" })],
    ["confirmation-rejected", await ada.submit<Refused>("x", { confirmation_token: "x" })],
    ["concurrency", await ada.submit<Refused>("x")],
  ];
}

t.test("a refusal is a problem object with the type of its kind", async (t) => {
  const house = await openInProcess(t);
  for (const [slug, { status, headers, json }] of await refusals(house)) {
    t.equal(headers["content-type"], "application/problem+json", slug);
    t.equal(json.type, `${origin}/v1/problems/${slug}`);
    t.equal(json.status, status, "status is that of the response");
    t.match(json.title, /^[A-Z]/);
  }
});

t.test("request_id is in every problem, in instance and in X-Request-Id", async (t) => {
  const house = await openInProcess(t);
  const ids = new Set<string>();
  const all = await refusals(house);
  for (const [slug, { headers, json }] of all) {
    t.match(json.request_id, /^[A-Za-z0-9._-]{1,64}$/, slug);
    t.equal(headers["x-request-id"], json.request_id);
    t.equal(json.instance, `urn:klieg:request:${json.request_id}`);
    ids.add(`${json.request_id}`);
  }
  t.equal(ids.size, all.length, "each request has its own");
});

t.test("X-Request-Id of the request is taken when it is 1 to 64 of its characters", async (t) => {
  const house = await openInProcess(t);
  for (const id of ["a", "A.b_c-9", "x".repeat(64)]) {
    const { headers, json } = await house.stranger.get("/v1/me", { "x-request-id": id });
    t.equal(headers["x-request-id"], id);
    t.equal(json.request_id, id);
  }
});

t.test("another X-Request-Id is replaced", async (t) => {
  const house = await openInProcess(t);
  for (const id of ["", "x".repeat(65), "a b", "a/b", "\u00e9", "a\r\nb"]) {
    const { headers } = await house.stranger.get("/healthz", { "x-request-id": id });
    t.match(headers["x-request-id"], /^req-[A-Za-z0-9._-]+$/, JSON.stringify(id.slice(0, 9)));
  }
});

t.test("every answer forbids sniffing and, without an ETag, storing", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const good = [
    await ada.get("/v1/me"),
    await ada.get("/v1/jobs"),
    await house.stranger.get("/healthz"),
  ];
  for (const { headers } of [...good, ...(await refusals(house)).map(([, reply]) => reply)]) {
    t.equal(headers["x-content-type-options"], "nosniff");
    t.equal(headers["cache-control"], "no-store");
  }
});

/** Matches what would betray internals: a stack's line, a file, a module, an internal key. */
const inside =
  /\n +at |\\n +at |\/work\/|\/tmp\/|node_modules|node:internal|\.[tj]s\b|Error:|\\u0000/;

t.test("nothing in any answer shows a stack or a path", async (t) => {
  const house = await openInProcess(t);
  for (const [slug, { text }] of await refusals(house)) t.notMatch(text, inside, slug);
  const ada = await house.account();
  const bodies = ["{", "[]", "null", "7", '"x"', '{"__proto__":1}', '{"model":{}}', "\0", "{}{}"];
  for (const body of bodies) {
    const { status, text } = await ada.post(imagePath, body);
    t.equal(status, 400, body);
    t.notMatch(text, inside);
  }
});

t.test("a fault of ours answers 500 without a word about its inside", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const broken = {
    ...house.service.catalogue,
    get models(): never {
      throw new Error("ENOENT: /srv/klieg/secret.ts at Object.<anonymous> (/srv/klieg/x.ts:1:2)");
    },
    find(): never {
      throw new Error("ENOENT: /srv/klieg/secret.ts at Object.<anonymous> (/srv/klieg/x.ts:1:2)");
    },
  };
  Object.defineProperty(house.service, "catalogue", { value: broken });
  const read = await ada.get("/v1/models");
  t.equal(read.status, 500);
  t.notMatch(read.text, inside);
  t.match(read.json, { title: "Internal Error" });
  t.equal(read.json.code, undefined);
  const submit = await ada.submit<Refused>("a kite");
  t.equal(submit.status, 500);
  t.equal(submit.json.code, "job_failed", "on generation routes the code is job_failed");
  t.equal(house.faults.splice(0).length, 2, "the operator hears of both");
});

t.test("a body up to its limit is read, one byte more answers 413 with limit_bytes", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const fill = (bytes: number) => kite + " ".repeat(bytes - kite.length);
  t.equal((await ada.post(imagePath, fill(256 * 1024))).status, 202);
  const { status, json } = await ada.post(imagePath, fill(256 * 1024 + 1));
  t.equal(status, 413);
  t.match(json, { title: "Payload Too Large", limit_bytes: 262_144 });
});

t.test("other JSON bodies have 1 MiB", async (t) => {
  const house = await openInProcess(t);
  const fill = (bytes: number) => `{"email":"big@klieg.example"}`.padEnd(bytes);
  t.equal((await house.admin.post("/v1/admin/accounts", fill(1024 * 1024))).status, 201);
  const { status, json } = await house.admin.post("/v1/admin/accounts", fill(1024 * 1024 + 1));
  t.equal(status, 413);
  t.equal(json.limit_bytes, 1_048_576);
});

t.test("bodies are JSON in UTF-8", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 10 });
  const accepted = [
    "application/json",
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
  ];
  for (const [index, type] of accepted.entries()) {
    const body = kite.replace("kite", `kite ${index}`);
    t.equal((await ada.post(imagePath, body, { "content-type": type })).status, 202, type);
  }
  t.equal((await ada.post(imagePath, kite)).status, 202, "a missing type counts as JSON");
});

t.test("another media type answers 415", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=iso-8859-1",
    "application/jsonp",
    "",
  ]) {
    const { status, json } = await ada.post(imagePath, kite, { "content-type": type });
    t.equal(status, 415, type);
    t.equal(json.title, "Unsupported Media Type");
  }
});

t.test("malformed JSON and malformed UTF-8 answer 400", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const wrong = ["{", '{"model":}', `${kite},`, "{'model':1}", '{"a":1}\u0000', "\ufeff{", "NaN"];
  for (const body of wrong) {
    const { status, json } = await ada.post(imagePath, body);
    t.equal(status, 400, JSON.stringify(body));
    t.match(json, { code: "validation", detail: /not valid JSON/ });
  }
  const bytes = Buffer.concat([
    Buffer.from('{"prompt":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}'),
  ]);
  t.match((await ada.post(imagePath, bytes)).json, { status: 400, detail: /not valid UTF-8/ });
});

t.test("a member that comes twice answers 400", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const body of [
    '{"model":"sim-instant","prompt":"a","prompt":"b"}',
    '{"model":"sim-instant","prompt":"a","pro\\u006dpt":"b"}',
    '{"model":"sim-instant","prompt":"a","tags":[{"x":1,"x":2}]}',
    '{"model":"sim-instant","prompt":"a","__proto__":1,"__proto__":2}',
  ])
    t.match((await ada.post(imagePath, body)).json, { status: 400, detail: /twice/ }, body);
});

t.test("colons, quotes and braces inside strings are no members", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const prompt of ['a: "b": {c:', "\\", '\\"', '\\\\":', "\u2028:"]) {
    t.equal((await ada.submit(prompt)).status, 202, prompt);
    await house.settle();
  }
});

t.test("JSON is 32 levels deep at most", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const nest = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  t.match((await ada.post(imagePath, nest(33))).json, { status: 400, detail: /deeper/ });
  t.match((await ada.post(imagePath, "[".repeat(40) + "]".repeat(40))).json, { detail: /deeper/ });
  const allowed = await ada.post(imagePath, nest(32));
  t.notMatch(allowed.json.detail, /deeper/, "at 32 levels another fault is named");
  t.equal((await ada.post(imagePath, nest(20_000))).status, 400);
});

t.test("a body that is no object answers 400", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const body of ["[]", "null", "true", "1", '"x"', ""])
    t.match((await ada.post(imagePath, body)).json, { status: 400, code: "validation" }, body);
});

t.test("a wrong method answers 405 with Allow", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const [method, path, allow] of [
    ["GET", imagePath, "POST"],
    ["POST", "/v1/jobs", "GET, HEAD"],
    ["PUT", "/v1/me", "GET, HEAD"],
    ["DELETE", `/v1/jobs/${nobody}/wait`, "GET, HEAD"],
    ["PATCH", "/healthz", "GET, HEAD"],
    ["TRACE", "/v1/me", "GET, HEAD"],
    ["BREW", "/v1/me", "GET, HEAD"],
  ] as const) {
    const { status, headers, json } = await ada.request<Refused>(method, path);
    t.equal(status, 405, `${method} ${path}`);
    t.equal(headers["allow"], allow);
    t.match(json, { title: "Method Not Allowed", detail: `This path allows only ${allow}.` });
  }
});

t.test("HEAD is answered wherever GET is, except on event streams", async (t) => {
  const house = await openInProcess(t);
  for (const { method, path } of routeTable) {
    if (method !== "GET") continue;
    const place = path.replaceAll(/\{\w+\}/g, nobody);
    const { status } = await house.admin.request("HEAD", place);
    const isStream = /\/(sse|events)$/.test(path) && !path.startsWith("/v1/jobs/{id}/events");
    t.equal(status === 405, isStream, path);
    if (!isStream) t.equal(status, (await house.admin.get(place)).status, path);
  }
});

t.test("an unknown path answers 404", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const path of [
    "/v1",
    "/v2/me",
    "/V1/me",
    "/v1/me/",
    "/v1/Me",
    "/v1/jobs/",
    `/v1/jobs/${nobody}/`,
    `/v1/jobs/${nobody}/dream`,
    "/v1/%6d%65",
    "/me",
    "/objects",
  ]) {
    const { status, json } = await ada.get(path);
    t.equal(status, 404, path);
    t.equal(json.title, "Not Found");
  }
});
