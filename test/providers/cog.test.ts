import t, { type Test } from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { openCog } from "../../providers/cog/cog.ts";
import type { ProviderRef, SubmitOutcome } from "../../providers/provider.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { createScriptedWeb, type ScriptedAnswer, type Silence } from "./scripted-web.ts";
import { providerConfig, stageCog } from "./stages.ts";
import { begin, submission } from "./submissions.ts";

const job = "0198c0de-0000-7000-8000-000000000001";
const otherJob = "0198c0de-0000-7000-8000-000000000002";
const ref: ProviderRef = "01j30ds000e008000000000001";

function script(...answers: readonly (ScriptedAnswer | Silence)[]) {
  const web = createScriptedWeb(...answers);
  const clock = new ManualClock(1_000_000_000);
  const config = providerConfig("cog", { urls: ["http://models.example:5000"] });
  const ports = { web, clock, entropy: createSeededEntropy(1) };
  return { provider: openCog(config, ports), web, clock };
}

function callback(body: object, about = job) {
  return {
    of: { job: about, model: "", typicalSeconds: 1 },
    headers: {},
    rawBody: Buffer.from(JSON.stringify(body)),
  };
}

const url = (id: string) => `http://klieg.example/v1/callbacks/cog?job=${id}&t=token`;

t.test("a prediction is put under 26 characters that follow from the job", async (t) => {
  const { provider, web } = script({ status: 202, json: { id: ref, status: "starting" } });
  const outcome = await provider.submit(submission("a kite", { job, callbackUrl: url(job) }));
  t.strictSame(outcome, { kind: "accepted", ref, status: { state: "queued" } });
  t.equal(ref.length, 26);
  const [request] = web.requests;
  t.match(request, {
    method: "PUT",
    url: `http://models.example:5000/predictions/${ref}`,
    headers: { prefer: "respond-async" },
  });
  t.notOk(request?.headers?.["authorization"]);
  t.strictSame(JSON.parse(String(request?.body)), {
    input: { prompt: "a kite" },
    webhook: url(job),
    webhook_events_filter: ["start", "completed"],
  });
});

type Expected = Pick<SubmitOutcome, "kind"> & Record<string, unknown>;
const submits: readonly [string, ScriptedAnswer | Silence, Expected][] = [
  ["the connection is refused", "unreached", { kind: "down" }],
  ["the answer is cut off", "cut", { kind: "unknown" }],
  ["a model that is not ready", { status: 503, json: {} }, { kind: "down" }],
  ["slots that are all busy", { status: 409, json: {} }, { kind: "busy" }],
  [
    "B1: slots that are busy for some time",
    { status: 409, headers: { "retry-after": "7" }, json: {} },
    { kind: "busy", retryAfterMs: 7_000 },
  ],
  [
    "invalid input",
    { status: 422, json: { detail: [{ loc: ["body", "input"], msg: "required" }] } },
    { kind: "refused", class: "invalid_input", message: "The model rejected this input." },
  ],
  [
    "a filter",
    { status: 422, json: { detail: "NSFW content" } },
    { kind: "refused", class: "moderation_safety" },
  ],
  ["HTML", { status: 200, text: "<html>" }, { kind: "unknown" }],
  ["another id", { status: 202, json: { id: "x", status: "starting" } }, { kind: "unknown" }],
];

for (const [what, answer, outcome] of submits)
  t.test(`a submit that meets ${what} is ${outcome.kind}`, async (t) => {
    t.match(await script(answer).provider.submit(submission("a kite")), outcome);
  });

t.test("the completed callback is the answer to the status read that follows", async (t) => {
  for (const isUploading of [false, true]) {
    const stage = await stageCog(t, { isUploading, modality: "video" });
    const video = await beginCalled(stage, "sim:slow=10");
    await stage.pass(10);
    t.strictSame(await stage.provider.status(video), { state: "succeeded" });
    t.equal(stage.simulator.calls("GET", "/health-check").length, 0, "the server is not asked");
    const { files } = await stage.provider.result(video);
    const [file] = files;
    if (isUploading) t.match(file, { kind: "url" });
    else if (file?.kind !== "stream") t.fail("the output is no stream");
    else
      for await (const bytes of await file.open(new AbortController().signal))
        t.strictSame(bytes, simulatedMedia.video.bytes);
    stage.provider.forget?.(video);
    await t.rejects(stage.provider.result(video), { name: "PortError" }, "it is forgotten");
  }
});

type CogStage = Awaited<ReturnType<typeof stageCog>>;

/** Submits with a callback URL that names the job and has its token. */
function beginCalled(stage: CogStage, prompt: string, id = job): Promise<ProviderRef> {
  return begin(stage, prompt, { job: id, callbackUrl: `${stage.callbackUrl}?job=${id}&t=token` });
}

t.test("a job that starts is running from then on", async (t) => {
  const stage = await stageCog(t);
  const kite = await beginCalled(stage, "sim:queue=100 sim:slow=100");
  t.strictSame(await stage.provider.status(kite), { state: "queued" });
  await stage.pass(100);
  t.strictSame(await stage.provider.status(kite), { state: "running" });
});

t.test("a server that is READY for 30 s without a callback has lost the job", async (t) => {
  const stage = await stageCog(t, { slots: 1 });
  const kite = await beginCalled(stage, "sim:slow=100000 sim:drop_callback");
  const state = async (afterMs: number) => {
    await stage.pass(afterMs);
    return (await stage.provider.status(kite)).state;
  };
  t.equal(await state(20_000), "running", "it is BUSY");
  t.equal(await state(60_000), "running");
  t.equal(await state(20_000), "running", "READY, at first");
  t.equal(await state(29_000), "running");
  t.equal(await state(1_000), "lost");
  stage.simulator.state = "BUSY";
  t.equal(await state(0), "running", "READY is counted without a break");
  for (const broken of ["SETUP_FAILED", "DEFUNCT"]) {
    stage.simulator.state = broken;
    t.equal(await state(0), "lost", broken);
  }
});

t.test("after a restart a job runs until its callback comes", async (t) => {
  const stage = await stageCog(t);
  const kite = await beginCalled(stage, "sim:slow=10");
  const restarted = stage.reopen();
  t.strictSame(await restarted.status(kite), { state: "running" });
  t.strictSame(await restarted.cancel(kite), { kind: "requested" });
  await stage.pass(10);
  const [last] = stage.callbacks.slice(-1);
  if (last === undefined) return void t.fail("no callback");
  t.strictSame(await restarted.verifyCallback(last, 0), { ok: true, ref: kite });
  t.match(await restarted.status(kite), { state: "canceled" });
});

t.test("a callback counts for the job alone whose token it had, and the first one", async (t) => {
  const { provider } = script({ status: 200, json: { status: "BUSY" } });
  const failed = { id: ref, status: "failed", error: "out of memory" };
  const { of: _, ...unnamed } = callback(failed);
  t.strictSame(await provider.verifyCallback(unnamed, 0), { ok: false });
  t.strictSame(await provider.verifyCallback(callback(failed, otherJob), 0), { ok: false });
  t.strictSame(await provider.status(ref), { state: "running" });
  t.strictSame(await provider.verifyCallback(callback(failed), 0), { ok: true, ref });
  const later = { id: ref, status: "succeeded", output: "https://files.example/a.png" };
  t.strictSame(await provider.verifyCallback(callback(later), 0), { ok: true, ref });
  t.match(await provider.status(ref), { state: "failed", message: "out of memory" });
});

t.test("outputs that wait to be stored are bounded", async (t) => {
  const { provider } = script({ status: 200, json: { status: "READY" } });
  const padding = Buffer.alloc(90 * 1024 * 1024, " ");
  const ids = ["a", "b", "c", "d", "e", "f"].map((last) => `${job.slice(0, -1)}${last}`);
  let refused = 0;
  for (const id of ids) {
    const put = script({ status: 500 });
    await put.provider.submit(submission("", { job: id }));
    const prediction = put.web.requests[0]?.url.split("/").at(-1);
    const short = callback({ id: prediction, status: "succeeded", output: "x" }, id);
    const rawBody = Buffer.concat([short.rawBody, padding]);
    await provider.verifyCallback({ ...short, rawBody }, 0).catch(() => refused++);
  }
  t.equal(refused, 1);
});

const cancels = [
  ["sim:queue=1000", { kind: "cancelled" }],
  ["sim:slow=10000", { kind: "stopped_partway", billedFraction: 0.01 }],
  ["sim:slow=10000 sim:cancel_unsupported", { kind: "unsupported" }],
  ["sim:slow=10000 sim:cancel_failed", { kind: "failed" }],
  ["sim:slow=10", { kind: "refused" }],
] as const;

for (const [prompt, answer] of cancels)
  t.test(`a cancel of ${prompt} is ${answer.kind}`, async (t) => {
    const stage = await stageCog(t);
    const kite = await beginCalled(stage, prompt);
    await stage.pass(0);
    await stage.pass(100);
    t.strictSame(await stage.provider.cancel(kite), answer);
  });

t.test("hostile callbacks and answers end no job as succeeded", async (t) => {
  for (const word of ["html", "types", "huge"]) await testHostileCallback(t, word);
  const stage = await stageCog(t);
  const kite = await beginCalled(stage, "sim:slow=1000 hostile:endless");
  await t.rejects(stage.provider.status(kite), { name: "ReplyError" });
  for (const output of [null, "a poem", ["file:///etc/passwd"]]) {
    const { provider } = script({ status: 200, json: { status: "READY" } });
    await provider.verifyCallback(callback({ id: ref, status: "succeeded", output }), 0);
    await t.rejects(provider.result(ref), { name: "ReplyError" });
  }
});

async function testHostileCallback(t: Test, word: string): Promise<void> {
  const stage = await stageCog(t);
  const kite = await beginCalled(stage, `sim:slow=10 hostile:${word}`);
  await stage.pass(10);
  await stage.provider.status(kite);
  await stage.pass(30_000);
  t.strictSame(await stage.provider.status(kite), { state: "lost" }, word);
}

const healths = [
  ["READY", "up"],
  ["BUSY", "up"],
  ["STARTING", "degraded"],
  ["UNHEALTHY", "degraded"],
  ["SETUP_FAILED", "down"],
  ["DEFUNCT", "down"],
  ["SLEEPY", "degraded"],
] as const;

for (const [status, health] of healths)
  t.test(`a server that is ${status} is ${health}`, async (t) => {
    t.equal(await script({ status: 200, json: { status } }).provider.health(), health);
    t.equal(await script("unreached").provider.health(), "down");
  });

t.test("an outcome that nothing asks for is dropped after two minutes", async (t) => {
  const { provider, clock } = script({ status: 200, json: { status: "BUSY" } });
  const failed = callback({ id: ref, status: "failed", error: "out of memory" });
  await provider.verifyCallback(failed, 0);
  clock.advance(119_000);
  t.match(await provider.status(ref), { state: "failed" }, "a restarted service reads it");
  provider.forget?.(ref);
  await provider.verifyCallback(failed, 0);
  clock.advance(120_000);
  await provider.verifyCallback(callback({}, otherJob), 0);
  await provider.verifyCallback(callback({ id: ref, status: "starting" }), 0);
  t.strictSame(await provider.status(ref), { state: "running" });
});
