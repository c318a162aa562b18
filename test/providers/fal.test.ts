import { createFalClient } from "@fal-ai/client";
import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { openFal } from "../../providers/fal/fal.ts";
import type { Callback, SubmitOutcome } from "../../providers/provider.ts";
import type { FalSimulator } from "./fal-simulator.ts";
import { createScriptedWeb, type ScriptedAnswer, type Silence } from "./scripted-web.ts";
import { providerConfig, stageFal } from "./stages.ts";
import { begin, submission } from "./submissions.ts";

const queue = "https://queue.example.com";

function script(...answers: readonly (ScriptedAnswer | Silence)[]) {
  const web = createScriptedWeb(...answers);
  const config = providerConfig("fal", { urls: [queue], key: "kite:secret" });
  const ports = { web, clock: new ManualClock(1_000_000_000), entropy: createSeededEntropy(1) };
  return { provider: openFal(config, ports), web };
}

/** A reference to a request that was never made. */
const ref = JSON.stringify({ id: "r-1", app: "/kites/image" });

t.test("the vendor's client completes its calls against the simulator", async (t) => {
  const stage = await stageFal(t);
  const { simulator, pass, callbackUrl = "" } = stage;
  const client = createClient(simulator);
  const kite = { input: { prompt: "a kite sim:queue=10 sim:slow=10" }, webhookUrl: callbackUrl };
  const { request_id: requestId } = await client.queue.submit("kites/image/fast", kite);
  const status = () => client.queue.status("kites/image/fast", { requestId });
  t.match(await status(), { status: "IN_QUEUE", queue_position: 0, request_id: requestId });
  await pass(10);
  t.match(await status(), { status: "IN_PROGRESS" });
  await pass(10);
  t.match(await status(), { status: "COMPLETED", metrics: { inference_time: 0.01 } });
  const { data } = await client.queue.result("kites/image/fast", { requestId });
  t.match(data, { images: [{ content_type: "image/png", width: 1, height: 1 }] });
  t.equal(stage.callbacks.length, 1);

  const slow = await client.queue.submit("kites/image", { input: { prompt: "sim:queue=1000" } });
  await client.queue.cancel("kites/image", { requestId: slow.request_id });
  const gone = client.queue.status("kites/image", { requestId: slow.request_id });
  await t.rejects(gone, { name: "ApiError", message: "Not Found" });
  await t.rejects(client.queue.submit("kites/image", { input: { prompt: "sim:nsfw" } }), {
    name: "ValidationError",
    body: { detail: [{ type: "content_policy_violation" }] },
  });
  const stranger = createClient(simulator, "wrong").queue;
  await t.rejects(stranger.status("kites/image", { requestId }), { message: "Unauthorized" });
});

function createClient({ url, key }: FalSimulator, credentials = key) {
  return createFalClient({
    credentials,
    fetch: (asked, init) => fetch(String(asked).replace("https://queue.fal.run", url), init),
  });
}

t.test("a submit says the webhook, the start timeout and how long files are kept", async (t) => {
  const { provider, web } = script({ status: 200, json: { request_id: "r-1" } });
  const callbackUrl = "https://klieg.example/v1/callbacks/fal?job=7&t=x";
  const input = { prompt: "a kite", seed: 7 };
  const submitted = submission("", { model: "kites/image/fast", input, callbackUrl });
  t.match(await provider.submit({ ...submitted, timeLeftMs: 90_500 }), { kind: "accepted" });
  const [asked] = web.requests;
  t.equal(asked?.url, `${queue}/kites/image/fast?fal_webhook=${encodeURIComponent(callbackUrl)}`);
  t.match(asked, {
    method: "POST",
    redirectsMax: 0,
    body: JSON.stringify(input),
    headers: {
      authorization: "Key kite:secret",
      "content-type": "application/json",
      "x-fal-queue-priority": "normal",
      "x-fal-request-timeout": "90",
      "x-fal-object-lifecycle-preference": '{"expiration_duration_seconds":86400}',
    },
  });
  await provider.submit(submission("", { timeLeftMs: 3 }));
  t.equal(web.requests[1]?.headers?.["x-fal-request-timeout"], "2", "it must be above 1");
});

const refusedBilling = { kind: "refused", class: "billing" } as const;
const submits: readonly [string, ScriptedAnswer | Silence, Partial<SubmitOutcome>][] = [
  ["the connection is refused", "unreached", { kind: "down" }],
  ["the answer is cut off", "cut", { kind: "unknown" }],
  ["a 503", { status: 503 }, { kind: "down" }],
  ["a 429", { status: 429, headers: { "retry-after": "7" } }, { kind: "busy", retryAfterMs: 7000 }],
  ["a 401", { status: 401, json: { detail: "key id kite is not known" } }, refusedBilling],
  ["a 403", { status: 403, json: { detail: "Exhausted balance" } }, refusedBilling],
  ["an unknown model", { status: 404, json: {} }, { kind: "refused", class: "upstream" }],
  [
    "invalid input",
    detail("missing", "Field required"),
    { kind: "refused", class: "invalid_input", message: "Field required", billed: false },
  ],
  [
    "an error whose detail is a string",
    { status: 422, json: { detail: "Prompt is too long" } },
    { kind: "refused", class: "invalid_input", message: "Prompt is too long" },
  ],
  [
    "a content policy",
    detail("content_policy_violation", "Flagged by a checker."),
    { kind: "refused", class: "moderation_safety" },
  ],
  [
    "a likeness",
    detail("content_policy_violation", "A likeness of a public figure."),
    { kind: "refused", class: "moderation_ip" },
  ],
  ["HTML", { status: 200, text: "<html>" }, { kind: "unknown" }],
  ["other types", { status: 200, json: { request_id: 7 } }, { kind: "unknown" }],
  ["an id that is a path", { status: 200, json: { request_id: "../x" } }, { kind: "unknown" }],
  ["a redirect", { status: 302, headers: { location: "http://10.0.0.1/" } }, { kind: "unknown" }],
  ["too much", { status: 200, text: "x".repeat(9_000_000) }, { kind: "unknown" }],
];

function detail(type: string, msg: string): ScriptedAnswer {
  return { status: 422, json: { detail: [{ loc: ["body", "prompt"], msg, type }] } };
}

for (const [what, answer, outcome] of submits)
  t.test(`a submit that meets ${what} is ${outcome.kind}`, async (t) => {
    const { provider } = script(answer);
    t.match(await provider.submit(submission("a kite")), outcome);
  });

t.test("the path of a request is without the model's subpath; URLs are preferred", async (t) => {
  const own = `${queue}/other/place/requests/r-1`;
  const urls = { status_url: `${own}/status`, response_url: own, cancel_url: `${own}/cancel` };
  const answers = [
    { status: 200, json: { request_id: "r-1", ...urls } },
    { status: 202, json: {} },
  ];
  const { provider, web } = script(...answers);
  const outcome = await provider.submit(submission("", { model: "kites/image/fast/er" }));
  if (outcome.kind !== "accepted") return void t.fail(outcome.kind);
  await t.rejects(provider.status(outcome.ref));
  t.equal(web.requests[1]?.url, `${own}/status?logs=0`);

  const plain = script({ status: 202, json: { status: "IN_QUEUE" } });
  t.strictSame(await plain.provider.status(ref), { state: "queued" });
  t.equal(plain.web.requests[0]?.url, `${queue}/kites/image/requests/r-1/status?logs=0`);
});

t.test("URLs of another origin are not used, so the key stays with the provider", async (t) => {
  const elsewhere = "https://elsewhere.example.com/requests/r-1";
  const urls = { status_url: elsewhere, response_url: elsewhere, cancel_url: elsewhere };
  const { provider, web } = script(
    { status: 200, json: { request_id: "r-1", ...urls } },
    { status: 202, json: { status: "IN_QUEUE" } },
    { status: 202, json: { status: "IN_QUEUE" } },
    { status: 200, json: { status: "OK" } },
  );
  const outcome = await provider.submit(submission("a kite"));
  if (outcome.kind !== "accepted") return void t.fail(outcome.kind);
  await provider.status(outcome.ref);
  await provider.status(JSON.stringify({ id: "r-1", app: "/kites/image", status_url: elsewhere }));
  await provider.cancel(outcome.ref);
  t.strictSame(new Set(web.requests.map(({ url }) => new URL(url).origin)), new Set([queue]));
});

const completed = { status: "COMPLETED", metrics: { inference_time: 1.5 } };
const endings: readonly [string, object, ScriptedAnswer, object][] = [
  [
    "an error of the model",
    completed,
    { status: 500, json: { detail: "CUDA out of memory" } },
    { state: "failed", class: "upstream", message: "CUDA out of memory", atOutput: true },
  ],
  [
    "a message that names a host",
    completed,
    { status: 500, json: { detail: "cannot reach http://10.0.0.7/app" } },
    { state: "failed", message: "The model could not finish this generation." },
  ],
  [
    "a start timeout",
    { status: "COMPLETED", error: "timeout" },
    { status: 504, headers: { "x-fal-request-timeout-type": "user" }, json: { detail: "late" } },
    { class: "upstream", message: /in time/, atOutput: false, billed: false },
  ],
  [
    "a filter at the output",
    completed,
    {
      status: 422,
      headers: { "x-fal-billable-units": "1.5" },
      json: { detail: [{ loc: ["body"], msg: "Flagged", type: "content_policy_violation" }] },
    },
    { class: "moderation_safety", atOutput: true, billed: true },
  ],
  [
    "a filter at the input",
    completed,
    detail("content_policy_violation", "Flagged"),
    { class: "moderation_safety", atOutput: false },
  ],
  [
    "a request that was canceled",
    { ...completed, error: "cancelled", error_type: "request_cancelled" },
    { status: 400, json: { detail: "Request was cancelled" } },
    { state: "canceled" },
  ],
  [
    "units that are no number",
    completed,
    { status: 500, headers: { "x-fal-billable-units": "-1e9" }, json: { detail: "broken" } },
    { state: "failed", billed: undefined },
  ],
];

for (const [what, status, result, ending] of endings)
  t.test(`a request that is completed ends with its result: ${what}`, async (t) => {
    const { provider } = script({ status: 200, json: status }, result);
    t.match(await provider.status(ref), ending);
  });

t.test("a queue that is out of order is no end of a request", async (t) => {
  for (const status of [401, 429, 500, 503]) {
    await t.rejects(script({ status }).provider.status(ref), { name: "PortError" });
    const { provider } = script({ status: 200, json: { status: "COMPLETED" } }, { status });
    await t.rejects(provider.status(ref), { name: "PortError" }, `${status} of the result`);
  }
  await t.rejects(script("unreached").provider.status(ref), { name: "PortError" });
});

t.test("billable units over the expected ones are the billed share", async (t) => {
  const stage = await stageFal(t);
  const failing = await begin(stage, "sim:fail sim:billed sim:slow=10", { expectedUnits: 4 });
  await stage.pass(10);
  t.match(await stage.provider.status(failing), { billed: true, billedFraction: 0.25 });
});

const cancels = [
  ["sim:queue=1000", "cancelled"],
  ["sim:slow=1000", "requested"],
  ["sim:slow=1000 sim:cancel_requested", "requested"],
  ["sim:slow=1000 sim:cancel_refused", "refused"],
  ["sim:slow=1000 sim:cancel_unsupported", "unsupported"],
  ["sim:slow=1000 sim:cancel_failed", "failed"],
  ["sim:slow=10", "refused"],
] as const;

for (const [prompt, kind] of cancels)
  t.test(`a cancel of ${prompt} is ${kind}`, async (t) => {
    const stage = await stageFal(t);
    const job = await begin(stage, prompt);
    await stage.pass(100);
    t.strictSame(await stage.provider.cancel(job), { kind });
    t.strictSame(await stage.reopen().cancel("nowhere"), { kind: "failed" });
  });

t.test("an older server says 202 of a request that it removed from its queue", async (t) => {
  const stage = await stageFal(t, { isOlder: true });
  const job = await begin(stage, "sim:queue=1000");
  t.strictSame(await stage.provider.cancel(job), { kind: "cancelled" });
});

t.test("a cancel that is answered with a page is not believed", async (t) => {
  const { provider } = script({ status: 200, text: "<html>" });
  await t.rejects(provider.cancel(ref), { name: "ReplyError" });
});

t.test("a reference is enough to go on after a restart", async (t) => {
  const stage = await stageFal(t);
  const job = await begin(stage, "sim:slow=10", { input: { prompt: "sim:slow=10" } });
  await stage.pass(10);
  const restarted = stage.reopen();
  t.strictSame(await restarted.status(job), { state: "succeeded" });
  t.match(await restarted.result(job), { files: [{ kind: "url" }] });
  t.strictSame(await stage.reopen().result(job), await restarted.result(job));
});

t.test("a result's own kind of file counts, not its previews", async (t) => {
  const file = (name: string) => ({ url: `https://files.example.com/${name}` });
  for (const [output, names] of [
    [{ images: [file("a.png"), file("b.png")], prompt: "https://no.example/" }, ["a.png", "b.png"]],
    [{ video: file("v.mp4"), image: file("first.png") }, ["v.mp4"]],
    [{ model_mesh: file("m.glb"), images: [file("m.png")] }, ["m.glb"]],
    [{ audio_file: file("a.mp3") }, ["a.mp3"]],
    [{ data: { clips: [file("c.mp4")] } }, ["c.mp4"]],
  ] as const) {
    const { provider } = script({ status: 200, json: output });
    const { files } = await provider.result(ref);
    t.strictSame(
      files.map((one) => one.kind === "url" && new URL(one.url).pathname.slice(1)),
      names,
    );
  }
  const inline = { images: [{ url: "data:image/png;base64,AAAA" }] };
  t.match(await script({ status: 200, json: inline }).provider.result(ref), {
    files: [{ kind: "stream" }],
  });
  for (const output of [{}, [], 7, { images: [] }, { images: [{ url: "file:///etc/passwd" }] }])
    await t.rejects(script({ status: 200, json: output }).provider.result(ref), {
      name: "ReplyError",
    });
});

t.test("hostile answers to a read are faults of the provider", async (t) => {
  const stage = await stageFal(t);
  for (const word of ["html", "types", "endless", "huge"]) {
    const job = await begin(stage, `hostile:${word}`);
    await stage.pass(10);
    await t.rejects(stage.provider.status(job), { name: "ReplyError" }, word);
  }
});

t.test("a callback is taken that a key of the provider signed within 300 seconds", async (t) => {
  const stage = await stageFal(t);
  const { provider, simulator, clock } = stage;
  const sign = async (words = ""): Promise<Callback> => {
    await begin(stage, `sim:slow=10 ${words}`);
    await stage.pass(10);
    return stage.callbacks.at(-1) ?? { rawBody: Buffer.of(), headers: {} };
  };
  const verdict = async (callback: Callback, lateMs = 0) =>
    (await provider.verifyCallback(callback, clock.nowMs() + lateMs)).ok;
  const first = await sign();
  t.equal(await verdict(first), true);
  t.equal(await verdict(first, 299_000), true);
  t.equal(await verdict(first, 301_000), false, "stale");
  t.equal(await verdict(first, -301_000), false, "of the future");
  for (const name of Object.keys(first.headers).filter((name) => name.startsWith("x-fal"))) {
    const { [name]: _, ...others } = first.headers;
    t.equal(await verdict({ ...first, headers: others }), false, `without ${name}`);
    const headers = { ...first.headers, [name]: `${first.headers[name]}0` };
    t.equal(await verdict({ ...first, headers }), false, `another ${name}`);
  }
  const rawBody = Buffer.from(first.rawBody);
  rawBody[5] = (rawBody[5] ?? 0) ^ 1;
  t.equal(await verdict({ ...first, rawBody }), false, "another body");
  t.equal(await verdict(await sign("sim:bad_signature")), false, "an unknown key");
  t.equal(simulator.calls("GET", "/.well-known").length, 1, "forged ones fetch no keys at once");

  simulator.rotateKeys();
  clock.advance(60_000);
  const rotated = await sign();
  t.equal(await verdict(rotated), true, "a new key is fetched");
  t.equal(simulator.calls("GET", "/.well-known").length, 2);
  t.equal(simulator.calls("GET", "/.well-known")[0]?.headers.authorization, undefined);
});

t.test("keys are fetched again after 24 hours, and a failure is no verdict", async (t) => {
  const stage = await stageFal(t);
  await begin(stage, "sim:slow=10");
  await stage.pass(10);
  const [callback] = stage.callbacks;
  if (callback === undefined) return void t.fail("no callback");
  const nowMs = stage.nowMs();
  const keys = () => stage.simulator.calls("GET", "/.well-known").length;
  for (const hours of [0, 23, 24, 25]) {
    await stage.provider.verifyCallback(callback, nowMs);
    t.equal(keys(), hours < 24 ? 1 : 2, `${hours}`);
    stage.clock.advance(hours === 0 ? 23 * 3_600_000 : 3_600_000);
  }
  const unreachable = stage.reopen({ jwksUrl: "http://127.0.0.1:1/" });
  await t.rejects(unreachable.verifyCallback(callback, nowMs), { name: "PortError" });
});

t.test("health is what one call says", async (t) => {
  t.equal(await script({ status: 404, json: {} }).provider.health(), "up");
  t.equal(await script({ status: 401, json: {} }).provider.health(), "degraded");
  t.equal(await script({ status: 503 }).provider.health(), "down");
  t.equal(await script("unreached").provider.health(), "down");
});
