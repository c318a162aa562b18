import t, { type Test } from "tap";
import { jobKey } from "../../actors/protocol/job.ts";
import { limits } from "../../config/limits.ts";
import type { Job } from "../../contract/job.ts";
import { CallbackTokens } from "../../http/providers/callback-tokens.ts";
import { configureCalled, signAsFal } from "./called-providers.ts";
import type { Headers } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

const path = "/v1/callbacks/fal";
const job = "0198c0de-0000-7000-8000-000000000001";

async function open(t: Test) {
  const { options, web } = configureCalled(t);
  const house = await openInProcess(t, options);
  const ada = await house.account();
  /** Submits a job to its provider; returns its callback URL and the provider's name for it. */
  const submit = async (model: string) => {
    const { json } = await ada.post<Job>("/v1/generate/image", { model, prompt: "a kite" });
    await house.settle();
    return { id: json.id, url: web.callbacks.at(-1) ?? "", name: web.names.at(-1) ?? "" };
  };
  return { house, ada, web, submit };
}

/** Posts a callback with fal's signature. */
function callBack(house: InProcess, url: string, body: string, atMs = house.clock.nowMs()) {
  return house.stranger.post(url, body, signAsFal(body, atMs));
}

function makeEnding(name: string): string {
  return JSON.stringify({ request_id: name, status: "OK", payload: {} });
}

const accepted = { status: 200, json: { status: "accepted" } };
const ignored = { status: 200, json: { status: "ignored" } };

t.test(
  "POST /callbacks/{provider} is accepted and has its job read after the answer",
  async (t) => {
    const { house, ada, web, submit } = await open(t);
    const { id, url, name } = await submit("fal");
    t.match(url, new RegExp(`^${path}\\?job=${id}&t=[A-Za-z0-9_-]{32}$`));
    await house.advance(1_000);
    t.equal(web.reads, 0);
    t.match(await callBack(house, url, makeEnding(name)), accepted);
    t.equal(web.reads, 0, "the answer is there first");
    await house.advance(250);
    t.equal(web.reads, 1);
    t.match(await ada.read(id), { status: "running" });
  },
);

t.test(
  "a callback is ignored that is a duplicate, or names no submission of its job",
  async (t) => {
    const { house, web, submit } = await open(t);
    const { id, url, name } = await submit("fal");
    t.match(await callBack(house, url, makeEnding(name)), accepted);
    t.match(await callBack(house, url, makeEnding(name)), ignored, "fal sends each again");
    await house.advance(250);
    t.match(await callBack(house, url, makeEnding(name)), ignored);
    t.match(await callBack(house, url, makeEnding("another")), ignored);
    const later = house.service.callbackTokens.urlFor("fal", id, 2);
    t.match(await callBack(house, later, makeEnding(name)), { status: 403 }, "not submitted yet");
    await house.advance(1_000);
    t.equal(web.reads, 1);
  },
);

t.test("a callback of a job that is settled is ignored", async (t) => {
  const { house, ada, web, submit } = await open(t);
  for (const model of ["fal", "near"]) {
    const { id, url, name } = await submit(model);
    await ada.cancel(id);
    await house.settle();
    t.match(await ada.read(id), { status: "canceled", cancellation: { settlement: "refunded" } });
    const body = model === "fal" ? makeEnding(name) : cogEnding(name);
    t.match(await callBack(house, url, body), ignored, model);
    const { pathname } = new URL(url, "http://localhost");
    const strange = `${pathname}?job=${id}&t=${"x".repeat(32)}`;
    t.match(await callBack(house, strange, body), { status: 403 }, model);
  }
  const reads = web.reads;
  await house.advance(1_000);
  t.equal(web.reads, reads);
});

t.test("a callback whose signature is bad or stale answers 401", async (t) => {
  const { house, web, submit } = await open(t);
  const { url, name } = await submit("fal");
  const body = makeEnding(name);
  const nowMs = house.clock.nowMs();
  const right = signAsFal(body, nowMs);
  const forgeries: readonly [string, Headers][] = [
    ["no headers", {}],
    ["of another body", signAsFal(`${body} `, nowMs)],
    ["another time", { ...right, "x-fal-webhook-timestamp": String(nowMs / 1000 + 1) }],
    ["no hexadecimal", { ...right, "x-fal-webhook-signature": "x".repeat(128) }],
    ["old", signAsFal(body, nowMs - 301_000)],
    ["of the future", signAsFal(body, nowMs + 301_000)],
  ];
  for (const [what, headers] of forgeries)
    t.match(await house.stranger.post(url, body, headers), { status: 401 }, what);
  await house.advance(1_000);
  t.equal(web.reads, 0);
  const late = signAsFal(body, house.clock.nowMs() - 299_000);
  t.match(await house.stranger.post(url, body, late), accepted, "300 s are not over");
});

t.test("a callback with a bad token answers 403, and 401 when both are bad", async (t) => {
  const { house, web, submit } = await open(t);
  const one = await submit("fal");
  const other = await submit("fal");
  const token = new URL(one.url, "http://localhost").searchParams.get("t") ?? "";
  const body = makeEnding(one.name);
  const urls = [
    path,
    `${path}?job=${one.id}`,
    `${path}?t=${token}`,
    `${path}?job=nonsense&t=${token}`,
    `${path}?job=${one.id}&t=`,
    `${path}?job=${one.id}&t=${token.slice(0, -1)}`,
    `${path}?job=${other.id}&t=${token}`,
    one.url.replace("/fal?", "/fenced?"),
  ];
  const address = "203.0.113.9";
  for (const url of urls) {
    const headers = signAsFal(body, house.clock.nowMs());
    const signed = await house.stranger.request("POST", url, { body, headers, address });
    t.match(signed, { status: 403, json: { type: /forbidden/ } }, url);
    const unsigned = await house.stranger.request("POST", url, { body, address });
    t.match(unsigned, { status: 401 }, url);
  }
  await house.advance(1_000);
  t.equal(web.reads, 0);
});

t.test(
  "a token names one of the last submissions, by the current key or the previous one",
  async (t) => {
    const key = { current: "one", previous: "none" as string | null };
    const tokens = new CallbackTokens("https://klieg.example/v1", () => key);
    const makeToken = (number: number) =>
      new URL(tokens.urlFor("fal", job, number)).searchParams.get("t") ?? "";
    const third = makeToken(3);
    t.equal(tokens.findSubmission(third, "fal", job, 3), 3);
    t.equal(tokens.findSubmission(third, "fal", job, 18), 3);
    t.equal(tokens.findSubmission(third, "fal", job, 19), undefined, "older than the last 16");
    t.equal(tokens.findSubmission(third, "near", job, 3), undefined);
    Object.assign(key, { current: "two", previous: key.current });
    t.equal(tokens.findSubmission(third, "fal", job, 3), 3);
    t.not(makeToken(3), third);
    Object.assign(key, { current: "three", previous: key.current });
    t.equal(tokens.findSubmission(third, "fal", job, 3), undefined);
  },
);

t.test("a provider that is unknown, or has no callbacks, answers 404", async (t) => {
  const { house } = await open(t);
  for (const name of ["other", "graphs", "sim", "farm"])
    t.match(await callBack(house, `/v1/callbacks/${name}`, "{}"), { status: 404 }, name);
  t.match(await house.stranger.get(path), { status: 405, headers: { allow: "POST" } });
});

t.test("a callback of more than 1 MiB answers 413", async (t) => {
  const { house, submit } = await open(t);
  const { url, name } = await submit("fal");
  const { bodyBytesMax } = limits.callbacks;
  const pad = (bytes: number) => makeEnding(name).padEnd(bytes, " ");
  const large = await callBack(house, url, pad(bodyBytesMax + 1));
  t.match(large, { status: 413, json: { limit_bytes: 1024 * 1024 } });
  t.match(await callBack(house, url, pad(bodyBytesMax)), accepted);
});

t.test("cog may send its outputs, 100 MiB of them, once its token is checked", async (t) => {
  const { house, ada, submit } = await open(t);
  const { id, url, name } = await submit("near");
  const huge = Buffer.alloc(limits.callbacks.outcomeBytesMax + 1, " ");
  const { stranger } = house;
  t.match(await stranger.post(url.replace(/t=..../, "t=xxxx"), huge), { status: 403 });
  const tooLarge = await stranger.post(url, huge);
  t.match(tooLarge, { status: 413, json: { limit_bytes: 100 * 1024 * 1024 } });
  t.match(await stranger.post(url, cogEnding("another")), { status: 401 });
  const failed = cogEnding(name).padEnd(2 * 1024 * 1024, " ");
  t.match(await stranger.post(url, failed), accepted);
  await house.advance(250);
  t.match(await ada.read(id), { status: "failed", credits_charged: 0 });
  t.match(await stranger.post(url, failed), ignored);
});

function cogEnding(id: string): string {
  return JSON.stringify({ id, status: "failed", error: "it broke" });
}

t.test("a container's callback is asked for again while its job is not handed over", async (t) => {
  const { house, submit } = await open(t);
  const { id, url, name } = await submit("near");
  house.engine.hub.jobs.withdraw(jobKey(id));
  const called = await house.stranger.post(url, cogEnding(name));
  t.match(called, { status: 503, headers: { "retry-after": "5" } });
  house.faults.length = 0;
});

t.test("a provider may call back 100 times per second", async (t) => {
  const { house, submit } = await open(t);
  const { url, name } = await submit("fal");
  for (let call = 0; call < 100; call++) await house.stranger.post(url, "{}");
  const refused = await callBack(house, url, makeEnding(name));
  t.match(refused, { status: 429, headers: { "retry-after": "1" } });
  const near = await submit("near");
  t.match(await house.stranger.post(near.url, cogEnding(near.name)), accepted, "another provider");
  await house.advance(1_000);
  t.match(await callBack(house, url, makeEnding(name)), accepted);
});

t.test("callback_addresses says from where a provider's callbacks come", async (t) => {
  const { house } = await open(t);
  const fenced = "/v1/callbacks/fenced";
  const ask = async (address: string) =>
    (await house.stranger.request("POST", fenced, { body: "{}", address })).status;
  for (const address of ["198.51.100.7", "::1", "2001:db9::1"])
    for (let call = 0; call < 101; call++) t.equal(await ask(address), 403);
  for (const address of ["203.0.113.1", "::ffff:203.0.113.255", "2001:db8:7::1"])
    t.equal(await ask(address), 401, "they did not use up the others' rate");
});

t.test("A4: callbacks without a job's token take no place of those that have one", async (t) => {
  const { house, submit } = await open(t);
  const { url, name } = await submit("near");
  const flood = "/v1/callbacks/near";
  for (let call = 0; call < 300; call++) await house.stranger.post(flood, "{}");
  const forged = url.replace(/t=..../, "t=xxxx");
  t.match(await house.stranger.post(forged, "{}"), { status: 429 }, "they are counted by client");
  t.match(await house.stranger.post(url, cogEnding(name)), accepted);
});
