import t from "tap";
import { type Caller, imagePath } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const nobody = "019d9000-0000-7000-8000-000000000000";

/** Counts the requests that are answered with another status than 429 before the first 429. */
async function until429(request: () => Promise<{ readonly status: number }>): Promise<number> {
  for (let count = 0; count < 1_000; count++) if ((await request()).status === 429) return count;
  return 1_000;
}

t.test("an account reads 600, submits 120, writes 240 and uploads 60 times a minute", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account({ credits: 0 });
  let n = 0;
  t.equal(await until429(() => ada.get("/v1/me")), 600);
  t.equal(await until429(() => ada.submit(`kite ${n++}`)), 120);
  t.equal(await until429(() => ada.post(`/v1/jobs/${nobody}/cancel`)), 240);
  t.equal(await until429(() => ada.post("/v1/assets/uploads", {})), 60);
});

t.test("quotes, tickets and waits are reads", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account();
  t.equal(await until429(() => ada.post(`/v1/jobs/${nobody}/sse-ticket`)), 600);
  t.equal((await ada.get(`/v1/jobs/${nobody}/wait`)).status, 429);
  t.equal((await ada.post("/v1/jobs/cost", {})).status, 429);
  t.equal((await ada.post(`/v1/jobs/${nobody}/cancel`)).status, 404, "writes are counted apart");
});

t.test("over its rate a request answers 429 with Retry-After until the minute's end", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account();
  await house.advance(20_000);
  await until429(() => ada.get("/v1/me"));
  const { status, headers, json } = await ada.get("/v1/me");
  t.equal(status, 429);
  t.match(json, { title: "Too Many Requests", code: "rate_limit" });
  t.equal(headers["retry-after"], "40");
  await house.advance(40_000);
  t.equal((await ada.get("/v1/me")).status, 200, "the same request is accepted then");
});

t.test("a submit over its rate answers 429 and is accepted in the next minute", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account({ plan: "enterprise", credits: 10 });
  await until429(() => ada.submit(""));
  for (let n = 0; n < 130; n++) await ada.submit("");
  const { status, headers } = await ada.submit("a kite");
  t.equal(status, 429);
  t.equal(headers["retry-after"], "60");
  await house.advance(60_000);
  t.equal((await ada.submit("a kite")).status, 202);
});

t.test("every authenticated answer carries RateLimit-Policy and RateLimit", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account();
  const policy = async (caller: Caller, method: string, path: string) => {
    const { headers } = await caller.request(method, path);
    return [headers["ratelimit-policy"], headers["ratelimit"]];
  };
  t.strictSame(await policy(ada, "GET", "/v1/me"), ['"read";q=600;w=60', '"read";r=599;t=60']);
  await house.advance(1_000);
  t.strictSame(await policy(ada, "GET", "/v1/models"), ['"read";q=600;w=60', '"read";r=598;t=59']);
  t.strictSame(await policy(ada, "POST", imagePath), [
    '"submit";q=120;w=60',
    '"submit";r=119;t=59',
  ]);
  t.strictSame(await policy(ada, "POST", `/v1/jobs/${nobody}/cancel`), [
    '"write";q=240;w=60',
    '"write";r=239;t=59',
  ]);
});

t.test("an anonymous answer carries no rate headers", async (t) => {
  const house = await openInProcess(t, { rates: true });
  for (const path of ["/v1/me", "/healthz", "/v1/nothing"])
    t.equal((await house.stranger.get(path)).headers["ratelimit"], undefined, path);
});

t.test("accounts are counted apart", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account();
  const bob = await house.account();
  await until429(() => ada.get("/v1/me"));
  t.equal((await bob.get("/v1/me")).status, 200);
});

t.test("an address without a valid bearer asks 60 times a minute", async (t) => {
  const house = await openInProcess(t, { rates: true });
  t.equal(await until429(() => house.stranger.get("/v1/me")), 60);
  const { status, headers } = await house.stranger.get("/v1/jobs");
  t.equal(status, 429);
  t.equal(headers["retry-after"], "60");
  await house.advance(60_000);
  t.equal((await house.stranger.get("/v1/me")).status, 401);
});

t.test("addresses are counted apart, and a valid bearer is not held up by strangers", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account();
  await until429(() => house.stranger.get("/v1/me", { authorization: "Bearer wrong" }));
  const other = { address: "192.0.2.2" };
  t.equal((await house.stranger.request("GET", "/v1/me", other)).status, 401);
  t.equal((await ada.get("/v1/me")).status, 200);
});

t.test("a trusted proxy is no client and is not held up for those it asks for (D10)", async (t) => {
  const house = await openInProcess(t, { rates: true, trustedProxies: ["192.0.2.0/24"] });
  for (let n = 0; n < 70; n++)
    t.equal((await house.stranger.request("GET", "/v1/me", {})).status, 401);
});

t.test("guessing tickets is held to 60 a minute and address too", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const guess = Buffer.alloc(33, 3).toString("base64url");
  const path = `/v1/jobs/${nobody}/sse?ticket=${guess}`;
  t.equal(await until429(() => house.stranger.get(path)), 60);
});

t.test("the operator may lift the rates", async (t) => {
  const house = await openInProcess(t, { rates: false });
  const ada = await house.account();
  t.equal(await until429(() => ada.get("/v1/me")), 1_000);
  t.equal((await ada.get("/v1/me")).headers["ratelimit"], undefined);
});
