import t from "tap";
import type { JobEvent } from "../../clients/typescript/src/jobs.ts";
import { Klieg, KliegError } from "../../clients/typescript/src/klieg.ts";
import { deadOrigin, events, frame, json, silence, standIn } from "../cli/stand-in.ts";
import { brokenUpload, isPut } from "./broken-upload.ts";

const jobPath = "/v1/jobs/j1";
const picture = { model: "studio-image", prompt: "a red kite" };

function createClient(origin: string): Klieg {
  return new Klieg({ url: origin, token: "pat_1", surface: "cli" });
}

async function follow(origin: string): Promise<JobEvent[]> {
  const seen: JobEvent[] = [];
  for await (const event of createClient(origin).jobs.stream("j1")) seen.push(event);
  return seen;
}

t.test("a submit carries credential, surface and an idempotency key", async (t) => {
  const { origin, asked } = await standIn(t, {
    "POST /v1/generate/image": [json(202, { id: "j1", status: "queued" })],
  });
  const client = createClient(origin);
  t.match(await client.generate.image({ ...picture, seed: undefined }), { id: "j1" });
  await client.generate.image(picture);
  t.match(asked[0], {
    headers: {
      authorization: "Bearer pat_1",
      "x-service-surface": "cli",
      "content-type": "application/json",
    },
    body: picture,
  });
  const keys = asked.map(({ headers }) => headers["idempotency-key"]);
  t.match(keys[0], /^[\x21-\x7e]{1,255}$/);
  t.not(keys[0], keys[1], "asking twice on purpose makes two pictures");
});

t.test("a submit whose answer got lost is repeated with its key and finds its job", async (t) => {
  const duplicate = { title: "Duplicate Submission", detail: "Seen.", status: 409, job_id: "j1" };
  const { origin, asked } = await standIn(t, {
    "POST /v1/generate/image": [silence, json(409, duplicate)],
    [`GET ${jobPath}`]: [json(200, { id: "j1", status: "running" })],
  });
  t.match(await createClient(origin).generate.image(picture), { id: "j1", status: "running" });
  t.equal(asked[0]?.headers["idempotency-key"], asked[1]?.headers["idempotency-key"]);
});

t.test("a duplicate of somebody's earlier submit is a refusal", async (t) => {
  const duplicate = { title: "Duplicate Submission", status: 409, job_id: "j1" };
  const { origin, asked } = await standIn(t, {
    "POST /v1/generate/image": [json(409, duplicate)],
  });
  const call = createClient(origin).generate.image(picture, { idempotencyKey: "mine" });
  await t.rejects(call, { name: "KliegError", status: 409, jobId: "j1", code: undefined });
  t.equal(asked.length, 1);
});

t.test("a problem object becomes an error with all its parts", async (t) => {
  const errors = [{ pointer: "/prompt", detail: "is required" }];
  const { origin } = await standIn(t, {
    "POST /v1/generate/image": [
      json(
        400,
        { title: "Invalid Request", detail: "Bad.", code: "validation", errors, request_id: "r" },
        { "retry-after": "7" },
      ),
    ],
  });
  await t.rejects(createClient(origin).generate.image(picture), {
    name: "KliegError",
    status: 400,
    code: "validation",
    title: "Invalid Request",
    detail: "Bad.",
    errors,
    requestId: "r",
    retryAfter: 7,
  });
});

t.test("an answer that is no problem object still has its status", async (t) => {
  const { origin } = await standIn(t, {
    "GET /v1/me": [(response) => response.writeHead(418).end("<html>")],
  });
  await t.rejects(
    createClient(origin).me(),
    new KliegError("The service answered 418.", { status: 418 }),
  );
});

t.test("reads are repeated through silence and 503", async (t) => {
  const { origin, asked } = await standIn(t, {
    "GET /v1/me": [silence, json(503, { title: "Service Unavailable" }), json(200, { id: "u" })],
  });
  t.match(await createClient(origin).me(), { id: "u" });
  t.equal(asked.length, 3);
});

t.test("a write other than a submit is not repeated", async (t) => {
  const { origin, asked } = await standIn(t, { "POST /v1/admin/accounts": [silence] });
  await t.rejects(createClient(origin).admin.createAccount({ email: "a@b.c" }), {
    status: 0,
    code: "unreachable",
  });
  t.equal(asked.length, 1);
});

t.test("where nothing listens the first call says so at once", async (t) => {
  const client = createClient(await deadOrigin());
  await t.rejects(client.me(), { name: "KliegError", code: "unreachable" });
  await t.rejects(client.generate.image(picture), { name: "KliegError", code: "unreachable" });
});

t.test("a wait whose window closes returns nothing", async (t) => {
  const { origin } = await standIn(t, {
    [`GET ${jobPath}/wait`]: [
      json(408, { title: "Wait Timed Out", code: "timeout" }),
      json(200, { id: "j1", status: "failed" }),
    ],
  });
  t.equal(await createClient(origin).jobs.awaitEnd("j1", 1), undefined);
  t.match(await createClient(origin).jobs.awaitEnd("j1", 1), { status: "failed" });
});

t.test("following reports each frame and returns the terminal job", async (t) => {
  const { origin, asked } = await standIn(t, {
    [`POST ${jobPath}/sse-ticket`]: [json(201, { ticket: "s+1" })],
    [`GET ${jobPath}/sse`]: [
      events(
        "retry: 5000\n\n",
        'event: status\r\ndata: {"status":"running",\r\n',
        'data: "progress":0.5}\r\n\r',
        "\n: keep-alive\n\n",
        frame("complete", { status: "succeeded", progress: 1 }),
        frame("status", { status: "never read" }),
      ),
    ],
    [`GET ${jobPath}`]: [json(200, { id: "j1", status: "succeeded" })],
  });
  t.strictSame(await follow(origin), [
    { event: "status", data: { status: "running", progress: 0.5 } },
    { event: "complete", data: { status: "succeeded", progress: 1 } },
  ]);
  t.equal(asked.find(({ route }) => route.endsWith("/sse"))?.headers.authorization, undefined);
});

t.test("following goes on with a new ticket when the stream ends early", async (t) => {
  const { origin, asked } = await standIn(t, {
    [`POST ${jobPath}/sse-ticket`]: [json(201, { ticket: "s" })],
    [`GET ${jobPath}/sse`]: [
      events(frame("reconnect", {})),
      events(frame("complete", { status: "canceled" })),
    ],
    [`GET ${jobPath}`]: [
      json(200, { id: "j1", status: "running" }),
      json(200, { id: "j1", status: "canceled" }),
    ],
  });
  t.match((await follow(origin)).at(-1), { event: "complete", data: { status: "canceled" } });
  t.equal(asked.filter(({ route }) => route.endsWith("sse-ticket")).length, 2);
});

t.test("following falls back to the long-poll when there is no stream", async (t) => {
  const { origin } = await standIn(t, {
    [`POST ${jobPath}/sse-ticket`]: [json(503, { title: "Service Unavailable" })],
    [`GET ${jobPath}/wait`]: [json(200, { id: "j1", status: "succeeded" })],
  });
  t.strictSame(await follow(origin), [{ event: "complete", data: { status: "succeeded" } }]);
});

t.test("following a job that is not there is a refusal", async (t) => {
  const { origin } = await standIn(t, {});
  await t.rejects(follow(origin), { name: "KliegError", status: 404 });
});

t.test("a job that failed or was canceled is thrown by a wait, with its code", async (t) => {
  const error = { title: "Bad Gateway", status: 502, detail: "It broke." };
  const failed = { id: "j1", status: "failed", error };
  const failure = { kind: "error", message: "It broke.", credits_refunded: true };
  const cancellation = { message: "It was canceled.", settlement: "refunded" };
  const { origin } = await standIn(t, {
    [`GET ${jobPath}/wait`]: [
      json(200, { ...failed, failure: { ...failure, code: "prompt_nsfw" } }),
      json(200, { ...failed, failure: { ...failure, code: "a_code_of_tomorrow" } }),
      json(200, { id: "j1", status: "canceled", cancellation }),
      json(200, { id: "j1", status: "succeeded" }),
    ],
  });
  const wait = () => createClient(origin).jobs.wait("j1");
  const broken = { name: "KliegError", message: "It broke.", status: 502, jobId: "j1" };
  await t.rejects(wait(), { ...broken, code: "prompt_nsfw" });
  await t.rejects(wait(), { ...broken, code: "job_failed" }, "an unfamiliar code is job_failed");
  const canceled = { message: "It was canceled.", status: 0, jobId: "j1", code: "canceled" };
  await t.rejects(wait(), { name: "KliegError", ...canceled, job: { cancellation } });
  t.match(await wait(), { status: "succeeded" });
});

t.test("a wait asks again while its time lasts, and then throws timeout", async (t) => {
  const { origin, asked } = await standIn(t, {
    [`GET ${jobPath}/wait`]: [json(408, { title: "Wait Timed Out", code: "timeout" })],
  });
  const wait = createClient(origin).jobs.wait("j1", { timeoutSeconds: 90 });
  await t.rejects(wait, { name: "KliegError", status: 408, code: "timeout", jobId: "j1" });
  t.equal(asked.length, 2);
});

t.test("429 is tried again, not earlier than it asks, unless a quota is used up", async (t) => {
  const { origin, asked } = await standIn(t, {
    "POST /v1/tokens": [json(429, { title: "Too Many" }), json(201, { id: "t1" })],
    "POST /v1/generate/image": [
      json(429, { code: "rate_limit" }, { "retry-after-reset": "2026-01-02T00:00:00Z" }),
    ],
    "GET /v1/me": [json(429, { title: "Too Many" }, { "retry-after": "3600" })],
  });
  const client = createClient(origin);
  t.match(await client.tokens.create({ name: "a" }), { id: "t1" });
  const quota = { status: 429, code: "rate_limit", retryAfterReset: "2026-01-02T00:00:00Z" };
  await t.rejects(client.generate.image(picture), quota);
  await t.rejects(client.me(), { name: "KliegError", status: 429, retryAfter: 3600 });
  t.equal(asked.length, 4);
  const hasty = new Klieg({ url: origin, token: "x", retriesLimits: false });
  await t.rejects(hasty.me(), { name: "KliegError", status: 429 });
});

t.test("a signal ends a call, its retries and a stream, with its own reason", async (t) => {
  const { origin } = await standIn(t, {
    "GET /v1/me": [json(503, { title: "Service Unavailable" }, { "retry-after": "20" })],
    [`GET ${jobPath}/wait`]: [() => undefined],
    [`POST ${jobPath}/sse-ticket`]: [json(201, { ticket: "s" })],
    [`GET ${jobPath}/sse`]: [
      (response) => response.writeHead(200).write(frame("status", { status: "running" })),
    ],
  });
  const client = createClient(origin);
  const reason = new Error("enough");
  const stop = (call: (signal: AbortSignal) => Promise<unknown>) => {
    const controller = new AbortController();
    const called = call(controller.signal);
    controller.abort(reason);
    return t.rejects(called, reason);
  };
  await stop((signal) => client.me({ signal }));
  await stop((signal) => client.jobs.wait("j1", { signal }));
  const controller = new AbortController();
  const { signal } = controller;
  const seen: string[] = [];
  const stream = async () => {
    for await (const { data } of client.jobs.stream("j1", { signal })) {
      seen.push(data.status);
      controller.abort(reason);
    }
  };
  await t.rejects(stream(), reason);
  t.strictSame(seen, ["running"]);
});

t.test("the address may end with the version, and the credential may be found late", async (t) => {
  const { origin, asked } = await standIn(t, { "GET /v1/me": [json(200, { id: "u" })] });
  const tokens = ["pat_1", "pat_2"];
  const client = new Klieg({ url: `${origin}/v1/`, token: async () => tokens.shift() ?? "" });
  await client.me();
  await client.me();
  const bearers = asked.map(({ headers }) => headers.authorization);
  t.strictSame(bearers, ["Bearer pat_1", "Bearer pat_2"]);
  t.equal(asked[0]?.headers["x-service-surface"], "sdk");
});

t.test("an upload goes on where it broke off, and says how far it is", async (t) => {
  const { origin, asked } = await standIn(t, brokenUpload);
  const sent: number[] = [];
  const onProgress = ({ sentBytes }: { readonly sentBytes: number }) => sent.push(sentBytes);
  const file = new Blob(["0123456789"]);
  const options = { resume: "u1", onProgress };
  t.match(await createClient(origin).assets.upload(file, { filename: "a.png" }, options), {
    id: "a1",
    status: "ready",
  });
  const puts = asked.map(({ route }) => route).filter(isPut);
  t.strictSame(puts.sort(), ["PUT /parts/2", "PUT /parts/2-again", "PUT /parts/3"]);
  t.strictSame([sent[0], sent.at(-1)], [4, 10]);
});

t.test("a file that the service cannot use is thrown with its reason", async (t) => {
  const { origin } = await standIn(t, {
    "POST /v1/assets": [json(201, { id: "a1", status: "processing" })],
    "GET /v1/assets/a1": [json(200, { id: "a1", status: "failed", failure_reason: "No picture." })],
  });
  const call = createClient(origin).assets.upload(new File(["x"], "a.png"));
  await t.rejects(call, { name: "KliegError", code: "validation", message: "No picture." });
});
