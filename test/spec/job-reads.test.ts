import t from "tap";
import { type Caller, imagePath, type Reply } from "./caller.ts";
import { openInProcess, origin } from "./in-process-service.ts";

const nobody = "019d9000-0000-7000-8000-000000000000";

t.test("a job is read as a snapshot by its owner", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite sim:slow=5000");
  const { status, headers, json } = await ada.get(`/v1/jobs/${job.id}`);
  t.equal(status, 200);
  t.equal(headers["content-type"], "application/json; charset=utf-8");
  t.match(json, { id: job.id, model: "sim-instant" });
  t.equal((await ada.get(`/v1/jobs/${job.id.toUpperCase()}`)).status, 200, "ids have no case");
});

t.test("a failed job is read with 200", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:fail");
  await house.settle();
  const { status, json } = await ada.get(`/v1/jobs/${job.id}`);
  t.equal(status, 200);
  t.match(json, { status: "failed" });
});

/** Returns everything of an answer that could distinguish two absent things. */
function show({ status, headers, text }: Reply<unknown>) {
  const { date, ratelimit, ...rest } = headers;
  return { status, headers: rest, text };
}

async function compare(one: Caller, method: string, paths: readonly string[]) {
  const headers = { "x-request-id": "the-same" };
  const replies = [];
  for (const path of paths) replies.push(show(await one.request(method, path, { headers })));
  return replies;
}

t.test("a foreign job answers as an unknown one does, to the byte", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account();
  const bob = await house.account();
  const job = await ada.job("a kite sim:slow=60000");
  await house.settle();
  for (const [method, tail] of [
    ["GET", ""],
    ["HEAD", ""],
    ["GET", "/wait"],
    ["POST", "/cancel"],
    ["POST", "/sse-ticket"],
  ] as const) {
    const paths = [`/v1/jobs/${job.id}${tail}`, `/v1/jobs/${nobody}${tail}`, `/v1/jobs/x${tail}`];
    const [foreign, unknown, malformed] = await compare(bob, method, paths);
    t.equal(foreign?.status, 404, `${method} ${tail}`);
    t.strictSame(foreign, unknown);
    t.strictSame(malformed, unknown, "an id that is no UUID is unknown too");
  }
  t.equal((await ada.read(job.id)).status, "running", "nothing happened to it");
});

t.test("the administrator's token does not open other accounts' jobs", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  t.equal((await house.admin.get(`/v1/jobs/${job.id}`)).status, 404);
  t.equal((await house.admin.cancel(job.id)).status, 404);
});

t.test("a job carries a strong ETag while no asset is attached", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite sim:queue=1000 sim:slow=5000");
  const first = await ada.get(`/v1/jobs/${job.id}`);
  t.match(first.headers["etag"], /^"[^"]+"$/);
  const again = await ada.get(`/v1/jobs/${job.id}`, {
    "if-none-match": `${first.headers["etag"]}`,
  });
  t.equal(again.status, 304);
  t.equal(again.text, "");
  t.equal(again.headers["etag"], first.headers["etag"]);
});

t.test("If-None-Match takes a list and a star", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite sim:slow=5000");
  await house.settle();
  const { headers } = await ada.get(`/v1/jobs/${job.id}`);
  for (const tags of [`"other", ${headers["etag"]}`, "*", `W/${headers["etag"]}`])
    t.equal((await ada.get(`/v1/jobs/${job.id}`, { "if-none-match": tags })).status, 304, tags);
  t.equal((await ada.get(`/v1/jobs/${job.id}`, { "if-none-match": '"other"' })).status, 200);
});

t.test("a change of the job changes its ETag", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite sim:queue=1000 sim:slow=5000");
  const { headers } = await ada.get(`/v1/jobs/${job.id}`);
  await house.advance(1_500);
  const tag = { "if-none-match": `${headers["etag"]}` };
  const { status, json } = await ada.get(`/v1/jobs/${job.id}`, tag);
  t.equal(status, 200);
  t.match(json, { status: "running" });
});

t.test("a job with an asset has no ETag and must not be stored", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  await house.settle();
  const { status, headers } = await ada.get(`/v1/jobs/${job.id}`, { "if-none-match": "*" });
  t.equal(status, 200);
  t.equal(headers["etag"], undefined);
  t.equal(headers["cache-control"], "no-store");
});

t.test("a failed and a canceled job keep their ETag", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const failed = await ada.job("sim:fail");
  const canceled = await ada.job("sim:slow=9000");
  await house.settle();
  await ada.cancel(canceled.id);
  for (const { id } of [failed, canceled])
    t.match((await ada.get(`/v1/jobs/${id}`)).headers["etag"], /^"/);
});

t.test("HEAD answers as GET does, without a body", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite sim:slow=5000");
  await house.settle();
  const { status, headers } = await ada.request("HEAD", `/v1/jobs/${job.id}`);
  t.equal(status, 200);
  t.equal(headers["etag"], (await ada.get(`/v1/jobs/${job.id}`)).headers["etag"]);
  t.equal((await ada.request("HEAD", imagePath)).status, 405, "there is no GET to answer for");
});

t.test("links of a job that is read late are still fresh", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  await house.settle();
  const early = await ada.read(job.id);
  await house.advance(3_000_000);
  const late = await ada.read(job.id);
  const leftMs = Date.parse(late.asset?.expires_at ?? "") - house.clock.nowMs();
  t.ok(leftMs >= 1_800_000, "at least half of its life is left");
  t.not(late.asset?.signed_url, early.asset?.signed_url);
  t.ok(late.asset?.signed_url.startsWith(`${origin}/`));
});
