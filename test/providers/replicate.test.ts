import Replicate, { validateWebhook } from "replicate";
import t from "tap";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import type { Callback, SubmitOutcome } from "../../providers/provider.ts";
import { openReplicate } from "../../providers/replicate/replicate.ts";
import { createScriptedWeb, type ScriptedAnswer, type Silence } from "./scripted-web.ts";
import { providerConfig, stageReplicate } from "./stages.ts";
import { begin, submission } from "./submissions.ts";

const api = "https://api.example.com";

function script(...answers: readonly (ScriptedAnswer | Silence)[]) {
  return scriptWith({}, ...answers);
}

function scriptWith(
  more: Partial<ProviderConfig>,
  ...answers: readonly (ScriptedAnswer | Silence)[]
) {
  const web = createScriptedWeb(...answers);
  const config = providerConfig("replicate", { urls: [api], key: "r8_kite", ...more });
  const ports = { web, clock: new ManualClock(1_000_000_000), entropy: createSeededEntropy(1) };
  return { provider: openReplicate(config, ports), web };
}

const ref = "p1~10.000";
const started = "2026-01-01T00:00:00Z";

function prediction(more: object): ScriptedAnswer {
  return { status: 200, json: { id: "p1", ...more } };
}

t.test("the vendor's client completes its calls against the simulator", async (t) => {
  const { simulator, pass, callbacks, callbackUrl = "" } = await stageReplicate(t);
  const client = new Replicate({ auth: simulator.key, baseUrl: `${simulator.url}/v1` });
  const kite = { input: { prompt: "a kite sim:queue=10 sim:slow=10" }, webhook: callbackUrl };
  const created = await client.predictions.create({ model: "kites/image", ...kite });
  t.match(created, { status: "starting", urls: { get: /^http/, cancel: /cancel$/ } });
  await pass(10);
  t.match(await client.predictions.get(created.id), { status: "processing" });
  await pass(10);
  t.match(await client.wait(created, {}), {
    status: "succeeded",
    metrics: { predict_time: 0.01 },
    output: /^http.*\.png$/,
  });
  const [callback] = callbacks;
  if (callback === undefined) return void t.fail("no callback");
  const { key: secret } = await client.webhooks.default.secret.get();
  const webhook = verifyWebhook(callback, secret);
  t.equal(await validateWebhook(webhook), true);
  t.equal(await validateWebhook({ ...webhook, body: "{}" }), false);

  const version = "5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa";
  const slow = await client.predictions.create({ version, input: { prompt: "sim:slow=1000" } });
  t.match(await client.predictions.cancel(slow.id), { status: "canceled" });
  const deployed = client.deployments.predictions.create("kites", "image", kite);
  t.match(await deployed, { status: "starting" });
  const stranger = new Replicate({ auth: "wrong", baseUrl: `${simulator.url}/v1` });
  await t.rejects(stranger.predictions.get(slow.id), { message: /401/ });
});

function verifyWebhook({ headers, rawBody }: Callback, secret: string) {
  return {
    id: headers["webhook-id"] ?? "",
    timestamp: headers["webhook-timestamp"] ?? "",
    signature: headers["webhook-signature"] ?? "",
    body: rawBody.toString(),
    secret,
  };
}

const models = [
  ["kites/image", "/v1/models/kites/image/predictions", undefined],
  ["kites/image:5c7d", "/v1/predictions", "5c7d"],
  ["deployment:kites/fast", "/v1/deployments/kites/fast/predictions", undefined],
] as const;

for (const [model, path, version] of models)
  t.test(`a submit to ${model} goes to ${path}`, async (t) => {
    const { provider, web } = script({ status: 201, json: { id: "p1", status: "starting" } });
    const callbackUrl = "https://klieg.example/v1/callbacks/replicate?job=7&t=x";
    const asked = submission("a kite", { model, callbackUrl, timeLeftMs: 90_500 });
    t.strictSame(await provider.submit(asked), {
      kind: "accepted",
      ref,
      status: { state: "queued" },
    });
    const [request] = web.requests;
    t.equal(request?.url, `${api}${path}`);
    t.match(request?.headers, { authorization: "Bearer r8_kite", "cancel-after": "90s" });
    t.notOk(request?.headers?.["prefer"]);
    t.strictSame(JSON.parse(String(request?.body)), {
      ...(version === undefined ? {} : { version }),
      input: { prompt: "a kite" },
      webhook: callbackUrl,
      webhook_events_filter: ["completed"],
    });
  });

type Expected = Pick<SubmitOutcome, "kind"> & Record<string, unknown>;
const billing = { kind: "refused", class: "billing" } as const;
const submits: readonly [string, ScriptedAnswer | Silence, Expected][] = [
  ["the connection is refused", "unreached", { kind: "down" }],
  ["the answer is cut off", "cut", { kind: "unknown" }],
  ["a 500", { status: 500 }, { kind: "down" }],
  [
    "a 429",
    { status: 429, headers: { "retry-after": "3" }, json: {} },
    { kind: "busy", retryAfterMs: 3000 },
  ],
  ["a 401", { status: 401, json: { title: "Unauthenticated" } }, billing],
  ["a 402", { status: 402, json: { detail: "Insufficient credit" } }, billing],
  [
    "invalid input",
    { status: 422, json: { detail: "- input.seed: Invalid type" } },
    { kind: "refused", class: "invalid_input", message: "- input.seed: Invalid type" },
  ],
  [
    "a filter",
    { status: 422, json: { detail: "The input was flagged. (E005)" } },
    { kind: "refused", class: "moderation_safety", message: /content filter/ },
  ],
  ["HTML", { status: 201, text: "<html>" }, { kind: "unknown" }],
  ["other types", { status: 201, json: { id: "p1", status: 4 } }, { kind: "unknown" }],
  [
    "an id that is a path",
    { status: 201, json: { id: "../x", status: "starting" } },
    { kind: "unknown" },
  ],
];

for (const [what, answer, outcome] of submits)
  t.test(`a submit that meets ${what} is ${outcome.kind}`, async (t) => {
    t.match(await script(answer).provider.submit(submission("a kite")), outcome);
  });

const statuses: readonly [object, object][] = [
  [{ status: "starting" }, { state: "queued" }],
  [{ status: "processing", started_at: started }, { state: "running" }],
  [{ status: "succeeded" }, { state: "succeeded" }],
  [{ status: "aborted" }, { state: "canceled", billed: false }],
  [{ status: "canceled" }, { state: "canceled", billed: false }],
  [
    { status: "canceled", started_at: started, metrics: { predict_time: 2.5 } },
    { state: "canceled", billed: true, billedFraction: 0.25 },
  ],
  [
    { status: "failed", started_at: started, error: "CUDA out of memory" },
    { state: "failed", class: "upstream", message: "CUDA out of memory", atOutput: true },
  ],
  [
    { status: "failed", error: "NSFW content detected" },
    { state: "failed", class: "moderation_safety", atOutput: false },
  ],
  [
    { status: "failed", started_at: started, error: null, logs: "a\nnsfw output\n" },
    { state: "failed", class: "moderation_safety", atOutput: true },
  ],
  [
    { status: "failed", error: "case insensitive" },
    { state: "failed", class: "upstream" },
  ],
];

for (const [answer, status] of statuses)
  t.test(`a prediction ${JSON.stringify(answer)} is read`, async (t) => {
    t.match(await script(prediction(answer)).provider.status(ref), status);
  });

t.test("what marks a refusal is the operator's choice", async (t) => {
  const answer = prediction({ status: "failed", error: "NSFW (blocked)" });
  const status = (moderationPatterns: readonly string[]) =>
    scriptWith({ moderationPatterns }, answer).provider.status(ref);
  t.match(await status(["(blocked)"]), { class: "moderation_safety" });
  t.match(await status(["(bloc.ed)"]), { class: "upstream" });
  t.match(await status([]), { class: "upstream" });
});

t.test("a state that is no word, or of another prediction, is not understood", async (t) => {
  for (const json of [{ status: 7 }, { id: "p2", status: "starting" }, { status: null }]) {
    const { provider } = script(prediction(json));
    await t.rejects(provider.status(ref), { name: "ReplyError" });
  }
  for (const status of [401, 429, 500])
    await t.rejects(script({ status }).provider.status(ref), { name: "PortError" });
  t.strictSame(await script({ status: 404 }).provider.status(ref), { state: "lost" });
});

const running = prediction({ status: "processing", started_at: started });
const cancels: readonly [string, readonly ScriptedAnswer[], object, number][] = [
  ["before it started", [prediction({ status: "canceled" })], { kind: "cancelled" }, 1],
  ["aborted", [prediction({ status: "aborted" })], { kind: "cancelled" }, 1],
  [
    "while it ran",
    [prediction({ status: "canceled", started_at: started, metrics: { predict_time: 4 } })],
    { kind: "stopped_partway", billedFraction: 0.4 },
    1,
  ],
  [
    "longer than it typically runs",
    [running, prediction({ status: "canceled", metrics: { predict_time: 90 } })],
    { kind: "stopped_partway", billedFraction: 1 },
    2,
  ],
  ["and goes on", [running], { kind: "requested" }, 3],
  ["and had ended", [prediction({ status: "succeeded" })], { kind: "refused" }, 1],
  ["and ends meanwhile", [running, prediction({ status: "failed" })], { kind: "refused" }, 2],
  ["that is not there", [{ status: 404 }], { kind: "failed" }, 1],
  ["that cannot be", [{ status: 405 }], { kind: "unsupported" }, 1],
];

for (const [what, answers, answer, calls] of cancels)
  t.test(`a cancel of a prediction ${what} takes ${calls} calls`, async (t) => {
    const web = createScriptedWeb(...answers);
    const config = providerConfig("replicate", { urls: [api] });
    const clock = new ManualClock(1_000_000_000);
    const after: ManualClock["after"] = (delayMs, run) => {
      if (delayMs === 1_000) setImmediate(() => clock.advance(delayMs));
      return ManualClock.prototype.after.call(clock, delayMs, run);
    };
    const ports = { web, clock: Object.assign(clock, { after }), entropy: createSeededEntropy(1) };
    t.strictSame(await openReplicate(config, ports).cancel(ref), answer);
    t.equal(web.requests.length, calls);
    t.equal(web.requests[0]?.url, `${api}/v1/predictions/p1/cancel`);
  });

const words = [
  ["sim:queue=1000", { kind: "cancelled" }],
  ["sim:slow=1000", { kind: "stopped_partway", billedFraction: 0.01 }],
  ["sim:slow=1000 sim:cancel_requested", { kind: "requested" }],
  ["sim:slow=1000 sim:cancel_refused", { kind: "refused" }],
  ["sim:slow=1000 sim:cancel_unsupported", { kind: "unsupported" }],
  ["sim:slow=1000 sim:cancel_failed", { kind: "failed" }],
  ["sim:slow=10", { kind: "refused" }],
] as const;

for (const [prompt, answer] of words)
  t.test(`a cancel of ${prompt} is ${answer.kind}, after a restart too`, async (t) => {
    const stage = await stageReplicate(t);
    const job = await begin(stage, prompt);
    await stage.pass(100);
    t.strictSame(await stage.reopen().cancel(job), answer);
  });

t.test("an output is a URL, an array or an object of URLs", async (t) => {
  const file = (name: string) => `https://files.example.com/${name}`;
  for (const [output, count] of [
    [file("a.png"), 1],
    [[file("a.png"), file("b.png")], 2],
    [{ video: file("v.mp4"), others: [file("a.png")], seed: 7 }, 2],
    ["data:image/png;base64,AAAA", 1],
  ] as const) {
    const { provider } = script(prediction({ status: "succeeded", output }));
    t.equal((await provider.result(ref)).files.length, count);
  }
  for (const output of [null, "a poem", [], { a: 7 }, Array(100).fill(file("a"))]) {
    const { provider } = script(prediction({ status: "succeeded", output }));
    await t.rejects(provider.result(ref), { name: "ReplyError" });
  }
  const removed = script(prediction({ status: "succeeded", data_removed: true, output: null }));
  await t.rejects(removed.provider.result(ref), { name: "PortError" });
});

t.test("hostile answers to a read are faults of the provider", async (t) => {
  const stage = await stageReplicate(t);
  for (const word of ["html", "types", "endless", "huge"]) {
    const job = await begin(stage, `hostile:${word}`);
    await stage.pass(10);
    await t.rejects(stage.provider.status(job), { name: "ReplyError" }, word);
  }
});

t.test("a callback is taken that has a signature of the secret, within 300 s", async (t) => {
  const stage = await stageReplicate(t);
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
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    const { [name]: _, ...others } = first.headers;
    t.equal(await verdict({ ...first, headers: others }), false, `without ${name}`);
    const headers = { ...first.headers, [name]: `${first.headers[name]}0` };
    t.equal(await verdict({ ...first, headers }), false, `another ${name}`);
  }
  const rawBody = Buffer.concat([first.rawBody, Buffer.from(" ")]);
  t.equal(await verdict({ ...first, rawBody }), false, "another body");
  t.equal(await verdict(await sign("sim:bad_signature")), false, "an unknown secret");
  const ask = () => simulator.calls("GET", "/v1/webhooks").length;
  t.equal(ask(), 1);

  simulator.rotateSecret();
  clock.advance(60_000);
  t.equal(await verdict(await sign()), true, "a new secret is fetched");
  t.equal(ask(), 2);
  const configured = stage.reopen({ webhookSecret: simulator.secret });
  t.match(await configured.verifyCallback(await sign(), clock.nowMs()), { ok: true });
  t.equal(ask(), 2, "a secret of the configuration is not fetched");
});

t.test("a secret that cannot be had is no verdict", async (t) => {
  const stage = await stageReplicate(t);
  await begin(stage, "sim:slow=10");
  await stage.pass(10);
  const [callback] = stage.callbacks;
  if (callback === undefined) return void t.fail("no callback");
  for (const answer of ["unreached", { status: 500 }] as const) {
    const { provider } = script(answer);
    await t.rejects(provider.verifyCallback(callback, stage.nowMs()), { name: "PortError" });
  }
  const { provider } = script({ status: 200, json: { key: "secret" } });
  await t.rejects(provider.verifyCallback(callback, stage.nowMs()), { name: "ReplyError" });
});

t.test("health is what one call says", async (t) => {
  t.equal(await script({ status: 200, json: {} }).provider.health(), "up");
  t.equal(await script({ status: 401, json: {} }).provider.health(), "degraded");
  t.equal(await script({ status: 503 }).provider.health(), "down");
  t.equal(await script("unreached").provider.health(), "down");
});
