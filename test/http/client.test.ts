import t from "tap";
import { ApiProblem, Unreachable } from "../../http/client/call.ts";
import { Client } from "../../http/client/client.ts";
import { follow, type JobEvent } from "../../http/client/follow.ts";
import { deadOrigin, events, frame, json, silence, standIn } from "./stand-in.ts";

const jobPath = "/v1/jobs/j1";
const picture = { model: "studio-image", prompt: "a red kite" };

function clientOf(origin: string): Client {
  return new Client({ origin, token: "pat_1", surface: "cli" });
}

t.test("a submit carries credential, surface and an idempotency key", async (t) => {
  const { origin, asked } = await standIn(t, {
    "POST /v1/generate/image": [json(202, { id: "j1", status: "queued" })],
  });
  const client = clientOf(origin);
  t.match(await client.submitImage({ ...picture, seed: undefined }), { id: "j1" });
  await client.submitImage(picture);
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
  t.match(await clientOf(origin).submitImage(picture), { id: "j1", status: "running" });
  t.equal(asked[0]?.headers["idempotency-key"], asked[1]?.headers["idempotency-key"]);
});

t.test("a duplicate of somebody's earlier submit is a refusal", async (t) => {
  const duplicate = { title: "Duplicate Submission", status: 409, job_id: "j1" };
  const { origin, asked } = await standIn(t, {
    "POST /v1/generate/image": [json(409, duplicate)],
  });
  const call = clientOf(origin).submitImage(picture, "mine");
  await t.rejects(call, { name: "ApiProblem", status: 409, jobId: "j1", code: undefined });
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
  await t.rejects(clientOf(origin).submitImage(picture), {
    name: "ApiProblem",
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
  await t.rejects(clientOf(origin).me(), new ApiProblem(418, {}, undefined));
});

t.test("reads are repeated through silence and 503", async (t) => {
  const { origin, asked } = await standIn(t, {
    "GET /v1/me": [silence, json(503, { title: "Service Unavailable" }), json(200, { id: "u" })],
  });
  t.match(await clientOf(origin).me(), { id: "u" });
  t.equal(asked.length, 3);
});

t.test("a write other than a submit is not repeated", async (t) => {
  const { origin, asked } = await standIn(t, { "POST /v1/admin/accounts": [silence] });
  await t.rejects(clientOf(origin).createAccount({ email: "a@b.c" }), Unreachable);
  t.equal(asked.length, 1);
});

t.test("where nothing listens the first call says so at once", async (t) => {
  const client = clientOf(await deadOrigin());
  await t.rejects(client.me(), { name: "Unreachable", nobodyListens: true });
  await t.rejects(client.submitImage(picture), { name: "Unreachable", nobodyListens: true });
});

t.test("a wait whose window closes returns nothing", async (t) => {
  const { origin } = await standIn(t, {
    [`GET ${jobPath}/wait`]: [
      json(408, { title: "Wait Timed Out", code: "timeout" }),
      json(200, { id: "j1", status: "failed" }),
    ],
  });
  t.equal(await clientOf(origin).wait("j1", 1), undefined);
  t.match(await clientOf(origin).wait("j1", 1), { status: "failed" });
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
  const seen: JobEvent[] = [];
  const job = await follow(clientOf(origin), "j1", (event) => seen.push(event));
  t.equal(job.status, "succeeded");
  t.strictSame(seen, [
    { status: "running", progress: 0.5 },
    { status: "succeeded", progress: 1 },
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
  t.match(await follow(clientOf(origin), "j1", () => undefined), { status: "canceled" });
  t.equal(asked.filter(({ route }) => route.endsWith("sse-ticket")).length, 2);
});

t.test("following falls back to the long-poll when there is no stream", async (t) => {
  const { origin } = await standIn(t, {
    [`POST ${jobPath}/sse-ticket`]: [json(503, { title: "Service Unavailable" })],
    [`GET ${jobPath}/wait`]: [json(200, { id: "j1", status: "succeeded" })],
  });
  t.match(await follow(clientOf(origin), "j1", () => undefined), { status: "succeeded" });
});

t.test("following a job that is not there is a refusal", async (t) => {
  const { origin } = await standIn(t, {});
  await t.rejects(
    follow(clientOf(origin), "j1", () => undefined),
    { name: "ApiProblem", status: 404 },
  );
});
