/** The log of requests, as an operator reads it. */
import t from "tap";
import type { Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

t.test("a request is one line with method, route, status, time, id and account (E1)", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  await ada.get(`/v1/jobs/${job.id}?x=secret`, { "x-request-id": "mine-1" });
  t.match(house.requests.at(-1), {
    level: "warn",
    method: "GET",
    route: "/v1/jobs/{id}",
    status: 400,
    ms: Number,
    requestId: "mine-1",
    account: ada.id,
    address: "192.0.2.1",
  });
  t.notMatch(JSON.stringify(house.requests), /secret|a kite/, "no query and no prompt");
  const { json } = await house.stranger.get<Refused>("/v1/nothing");
  t.match(house.requests.at(-1), { route: undefined, status: 404, requestId: json.request_id });
  await ada.get("/v1/me");
  t.match(house.requests.at(-1), { level: "info", status: 200 });
  await ada.get("/healthz");
  t.match(house.requests.at(-1), { level: "debug", route: "/healthz" });
});

t.test("the end of a job leads back to the request that submitted it (E1)", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await ada.submit("a kite", {}, { "x-request-id": "mine-2" });
  t.match(house.requests.at(-1), { status: 202, requestId: "mine-2", made: json.id });
  await house.settle();
  t.match(house.engine.reported, [{ job: json.id, status: "succeeded" }]);
  await ada.get(`/v1/jobs/${json.id}`);
  t.match(house.requests.at(-1), { status: 200, made: undefined });
});

t.test("at high rates some lines are left out, and their number is said (E1)", async (t) => {
  const house = await openInProcess(t);
  await house.advance(1_000);
  const before = house.requests.length;
  for (let n = 0; n < 80; n++) await house.stranger.get("/healthz");
  t.equal(house.requests.length - before, 50);
  await house.advance(1_000);
  await house.stranger.get("/healthz");
  t.match(house.requests.slice(-2), [{ missing: 30 }, { route: "/healthz" }]);
});

t.test("a request that failed for our fault is always a line (E1)", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (let n = 0; n < 60; n++) await house.stranger.get("/healthz");
  house.service.health.isDiskLow = true;
  const submitted = await ada.submit("a kite");
  t.equal(submitted.status, 503);
  t.match(house.requests.at(-1), { level: "error", status: 503, account: ada.id });
});

t.test("a job that ends is one line with model, status, time and account (E1)", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 100 });
  const done = await ada.job("a kite");
  await house.settle();
  const failed = await ada.job("a kite sim:fail");
  await house.settle();
  const slow = await ada.job("a kite sim:slow=60000");
  await house.settle();
  await ada.cancel(slow.id);
  await house.advance(120_000);
  const common = { model: done.model, account: ada.id };
  const { reported } = house.engine;
  t.equal(reported.length, 3, "once, also for one that settles later");
  t.match(reported, [
    { ...common, job: done.id, status: "succeeded", ms: Number },
    { ...common, job: failed.id, status: "failed", failure: "job_failed" },
    { ...common, job: slow.id, status: "canceled" },
  ]);
  t.notMatch(JSON.stringify(reported), /kite/);
});
