import OpenAI, { toFile } from "openai";
import t from "tap";
import { openaiDialects, type ProviderConfig } from "../../config/providers/provider-config.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { openOpenai } from "../../providers/openai/openai.ts";
import { SynchronousCalls } from "../../providers/openai/synchronous-calls.ts";
import type { ResultFile, Submission } from "../../providers/provider.ts";
import { ProviderHttp } from "../../providers/provider-http.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import type { OpenaiSimulator } from "./openai-simulator.ts";
import { createScriptedWeb, type ScriptedAnswer, type Silence } from "./scripted-web.ts";
import { providerConfig, stageOpenai, stageOpenaiVideos } from "./stages.ts";
import { begin, submission } from "./submissions.ts";

const api = "https://api.example.com";
const job = "0198c0de-0000-7000-8000-000000000001";

function script(...answers: readonly (ScriptedAnswer | Silence)[]) {
  return scriptWith({}, ...answers);
}

function scriptWith(
  more: Partial<ProviderConfig>,
  ...answers: readonly (ScriptedAnswer | Silence)[]
) {
  const web = createScriptedWeb(...answers);
  const config = providerConfig("openai", { urls: [api], key: "sk-kite", ...more });
  const clock = new ManualClock(1_000_000_000);
  return {
    provider: openOpenai(config, { web, clock, entropy: createSeededEntropy(1) }),
    web,
    clock,
  };
}

const dot = simulatedMedia.image.bytes;
const dataUrl = `data:image/png;base64,${dot.toString("base64")}`;
const image = { model: "kite-image" };
const video = { modality: "video", model: "kite-video" } as const;
const speech: Partial<Submission> = {
  modality: "audio",
  model: "kite-speech",
  input: { input: "a kite", voice: "alloy" },
};

async function readBytes(file: ResultFile | undefined): Promise<Buffer> {
  if (file?.kind !== "stream") throw new Error(`a file of kind ${file?.kind}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of await file.open(new AbortController().signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

t.test("the vendor's client completes its calls against the simulator", async (t) => {
  const stage = await stageOpenaiVideos(t);
  const { simulator, pass } = stage;
  const client = createClient(simulator);
  simulator.whenHeld(() => stage.clock.advance(10));
  const drawn = await client.images.generate({ model: "kite", prompt: "a kite sim:slow=10" });
  t.strictSame(Buffer.from(drawn.data?.[0]?.b64_json ?? "", "base64"), dot);
  simulator.whenHeld(() => stage.clock.advance(10));
  const edited = await client.images.edit({
    model: "kite",
    prompt: "redder sim:slow=10",
    image: [await toFile(dot, "kite.png", { type: "image/png" })],
  });
  t.equal(edited.data?.length, 1);
  t.match(simulator.form["image[]"], { name: "kite.png", type: "image/png" });
  simulator.whenHeld(() => stage.clock.advance(0));
  const voice = { model: "kite", voice: "alloy", input: "a kite" } as const;
  const spoken = await client.audio.speech.create(voice);
  t.strictSame(Buffer.from(await spoken.arrayBuffer()), simulatedMedia.audio.bytes);

  const kite = { model: "sora-2", prompt: "a kite sim:queue=10 sim:slow=10" } as const;
  const created = await client.videos.create(kite);
  t.match(created, { object: "video", status: "queued", progress: 0 });
  await pass(10);
  t.match(await client.videos.retrieve(created.id), { status: "in_progress" });
  await pass(10);
  t.match(await client.videos.retrieve(created.id), { status: "completed", progress: 100 });
  const content = await client.videos.downloadContent(created.id);
  t.strictSame(Buffer.from(await content.arrayBuffer()), simulatedMedia.video.bytes);
  t.match(await client.videos.delete(created.id), { deleted: true, object: "video.deleted" });
  await t.rejects(client.videos.retrieve(created.id), { message: /^404/ });
  const refused = { model: "kite", prompt: "sim:nsfw" };
  await t.rejects(client.images.generate(refused), { message: /^400/, code: "moderation_blocked" });
  await t.rejects(createClient(simulator, "wrong").videos.retrieve(created.id), {
    message: /^401/,
  });

  const [callback] = stage.callbacks;
  const body = Buffer.from(callback?.rawBody ?? []).toString();
  const headers = Object.fromEntries(Object.entries({ ...callback?.headers }));
  const unwrap = (text: string) => client.webhooks.unwrap(text, headers, simulator.secret, 1e12);
  t.match(await unwrap(body), { type: "video.completed", data: { id: created.id } });
  await t.rejects(unwrap(`${body} `));
});

function createClient({ url, key }: OpenaiSimulator, apiKey = key) {
  return new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
}

const requests: readonly [string, Partial<Submission>, string, object | undefined][] = [
  [
    "an image",
    { ...image, input: { prompt: "a kite", n: 2 } },
    "/v1/images/generations",
    { model: "kite-image", prompt: "a kite", n: 2 },
  ],
  ["speech", speech, "/v1/audio/speech", { model: "kite-speech", input: "a kite", voice: "alloy" }],
  [
    "an edit",
    { ...image, input: { prompt: "redder", image: [dataUrl] } },
    "/v1/images/edits",
    undefined,
  ],
  ["a video", { ...video, input: { prompt: "a kite" } }, "/v1/videos", undefined],
];

for (const [what, more, path, body] of requests)
  t.test(`${what} is asked for at ${path}, with the key`, async (t) => {
    const { provider, web } = script({ status: 200, json: { data: [] } });
    await provider.submit(submission("a kite", more));
    const [request] = web.requests;
    t.match(request, { method: "POST", url: `${api}${path}` });
    t.equal(request?.headers?.["authorization"], "Bearer sk-kite");
    if (body !== undefined) t.strictSame(JSON.parse(String(request?.body)), body);
    else t.match(request?.headers?.["content-type"], /^multipart\/form-data; boundary=/);
  });

t.test("files of a form are sent as such, all else as text", async (t) => {
  const { provider, simulator } = await stageOpenaiVideos(t);
  const text = dot.toString();
  const edit = { prompt: "redder sim:nsfw", image: [dataUrl], mask: dataUrl, n: 2 };
  await provider.submit(submission("", { ...image, input: edit }));
  t.match(simulator.form, { model: "kite-image", n: "2", mask: { text, name: "asset.png" } });
  t.match(simulator.form["image[]"], { type: "image/png", text });
  const input = { prompt: "a kite", seconds: 4, size: undefined, input_reference: dataUrl };
  await provider.submit(submission("", { ...video, input }));
  t.match(simulator.form, { seconds: "4", input_reference: { type: "image/png", text } });
  t.notOk("size" in simulator.form);
});

const dialects: Readonly<Record<string, readonly [string, RegExp, string]>> = {
  openai: ["/v1/videos", /^multipart/, "/v1/models"],
  vllm_omni: ["/v1/videos", /^multipart/, "/v1/models"],
  sglang: ["/v1/videos", /^application\/json/, "/models"],
  localai: ["/video", /^application\/json/, "/v1/models"],
};

for (const dialect of openaiDialects)
  t.test(`a server of the dialect ${dialect} is asked in its manner`, async (t) => {
    const [path, type, health] = dialects[dialect] ?? ["", /$^/, ""];
    const { provider, web } = scriptWith({ dialect }, { status: 200, json: { id: "v-1" } });
    await provider.submit(submission("", { ...video, input: { prompt: "a kite", num_frames: 9 } }));
    t.equal(web.requests[0]?.url, `${api}${path}`);
    t.match(web.requests[0]?.headers?.["content-type"], type);
    t.equal(await provider.health(), "up");
    t.equal(web.requests[1]?.url, `${api}${health}`);
    const input = { input_reference: dataUrl };
    await provider.submit(submission("", { ...video, input }));
    const hasForm = /^multipart/.test(web.requests[2]?.headers?.["content-type"] ?? "");
    t.equal(hasForm, dialect !== "localai");
  });

t.test("a localai video is the answer to its call", async (t) => {
  const film = simulatedMedia.video.bytes.toString("base64");
  const answer = { status: 200, json: { data: [{ b64_json: film }] } };
  const { provider } = scriptWith({ dialect: "localai" }, answer);
  const ref = `${job}:1`;
  t.strictSame(await provider.submit(submission("a kite", video)), {
    kind: "accepted",
    ref,
    status: { state: "succeeded" },
  });
  const { files } = await provider.result(ref);
  t.strictSame(await readBytes(files[0]), simulatedMedia.video.bytes);
});

const error = (code: string | null, message = "No.") => ({ error: { message, code, type: "x" } });
const upstream = { kind: "refused", class: "upstream" };
const billing = { kind: "refused", class: "billing" };
const busy = { kind: "busy", retryAfterMs: 3_000 };
const inputFault = { kind: "refused", class: "invalid_input", message: "Bad size." };
const safety = { kind: "refused", class: "moderation_safety" };
/** Outcome of each answer to a call, and that of a video's submit where it differs. */
const submits: readonly [string, ScriptedAnswer | Silence, object, object?][] = [
  ["the connection is refused", "unreached", { kind: "down" }],
  ["the answer is cut off", "cut", upstream, { kind: "unknown" }],
  ["a 500", { status: 500, json: error("server_error") }, upstream, { kind: "down" }],
  ["a 429", { status: 429, headers: { "retry-after": "3" }, json: error("rate_limit") }, busy],
  ["no quota", { status: 429, json: error("insufficient_quota") }, billing],
  ["a hard limit", { status: 400, json: error("billing_hard_limit_reached") }, billing],
  ["a 401", { status: 401, json: error("invalid_api_key") }, billing],
  ["invalid input", { status: 400, json: error(null, "Bad size.") }, inputFault],
  ["a server's own words", { status: 422, json: { detail: "Bad size." } }, inputFault],
  ["a filter", { status: 400, json: error("moderation_blocked") }, safety],
  ["a policy", { status: 400, json: error("content_policy_violation") }, safety],
  [
    "a likeness",
    { status: 400, json: error("moderation_blocked", "A likeness of a public figure.") },
    { kind: "refused", class: "moderation_ip" },
  ],
  ["HTML", { status: 200, text: "<html>" }, upstream, { kind: "unknown" }],
  ["other types", { status: 200, json: { id: 7, data: 4 } }, upstream, { kind: "unknown" }],
  ["a redirect", { status: 302, headers: { location: "/" } }, upstream, { kind: "unknown" }],
];

for (const [what, answer, outcome, ofVideo = outcome] of submits)
  t.test(`openai: a submit that meets ${what}`, async (t) => {
    t.match(await script(answer).provider.submit(submission("a kite", image)), outcome);
    t.match(await script(answer).provider.submit(submission("a kite", video)), ofVideo);
  });

const files: readonly [string, object, string][] = [
  ["a URL of another host", { url: "https://files.example.com/1.png" }, "url"],
  ["a URL of the provider's own", { url: `${api}/generated/1.png` }, "stream"],
  ["inline bytes", { b64_json: dot.toString("base64") }, "stream"],
];

for (const [what, file, kind] of files)
  t.test(`an image that is ${what} is given as a ${kind}`, async (t) => {
    const json = { data: [{ ...file, revised_prompt: "A red kite." }] };
    const { provider, web } = script({ status: 200, json }, { status: 200, text: "bytes" });
    await provider.submit(submission("a kite", image));
    const { files: given, enhancedPrompt } = await provider.result(`${job}:1`);
    t.equal(given[0]?.kind, kind);
    t.equal(enhancedPrompt, "A red kite.");
    if (!what.includes("own")) return;
    t.equal((await readBytes(given[0])).toString(), "bytes");
    t.equal(web.requests[1]?.headers?.["authorization"], "Bearer sk-kite");
  });

t.test("a result is refused that is larger than the entry says", async (t) => {
  const json = { data: [{ b64_json: dot.toString("base64") }] };
  const tight = scriptWith({ resultBytesMax: 69 }, { status: 200, json });
  t.match(await tight.provider.submit(submission("a kite", image)), upstream);
  const sound = { status: 200, headers: { "content-type": "audio/mpeg" }, text: "x".repeat(70) };
  const quiet = scriptWith({ resultBytesMax: 69 }, sound).provider;
  t.match(await quiet.submit(submission("", speech)), upstream);
});

t.test("results are held until their job is forgotten, all of them up to a bound", async (t) => {
  const clock = new ManualClock(0);
  const web = createScriptedWeb({ status: 200, text: "x".repeat(60) });
  const http = new ProviderHttp(providerConfig("openai", {}), { web, clock }, undefined);
  const findModeration = () => undefined;
  const bounds = { bytesMax: 60, heldBytesMax: 119 };
  const calls = new SynchronousCalls({ http, clock, findModeration, ...bounds });
  const asked = { answer: "sound", path: "/v1/audio/speech", call: {} } as const;
  t.match(await calls.submit("1", asked, 1_000), { kind: "accepted" });
  t.match(await calls.submit("2", asked, 1_000), upstream);
  calls.forget("1");
  t.match(await calls.submit("3", asked, 1_000), { kind: "accepted" });
});

t.test("speech that is no sound is not understood", async (t) => {
  const page = { status: 200, headers: { "content-type": "text/html" }, text: "<html>" };
  t.match(await script(page).provider.submit(submission("", speech)), upstream);
});

t.test(
  "a call that is still worked on after 2 seconds is accepted, and lost by a restart",
  async (t) => {
    const stage = await stageOpenai(t);
    const ref = await begin(stage, "sim:slow=10000", image);
    t.equal(ref, `${job}:1`);
    t.strictSame(await stage.provider.status(ref), { state: "running" });
    t.strictSame(await stage.reopen().status(ref), { state: "lost" });
    await stage.pass(10_000);
    t.strictSame(await stage.provider.status(ref), { state: "succeeded" });
    stage.provider.forget?.(ref);
    t.strictSame(await stage.provider.status(ref), { state: "lost" });
  },
);

t.test("a call ends with the job's deadline, or when it is canceled", async (t) => {
  const stage = await stageOpenai(t);
  const late = await begin(stage, "sim:slow=10000", { ...image, timeLeftMs: 5_000 });
  await stage.pass(5_000);
  t.match(await stage.provider.status(late), { state: "failed", class: "upstream" });
  const other = await begin(stage, "sim:slow=10000", { ...image, number: 2 });
  t.strictSame(await stage.provider.cancel(other), { kind: "requested" });
  t.strictSame(await stage.provider.status(other), { state: "canceled" });
  t.strictSame(await stage.provider.cancel(other), { kind: "refused" });
  await stage.pass(10_000);
  t.strictSame(await stage.provider.status(other), { state: "canceled" });
});

const videoStatuses: readonly [object, object][] = [
  [{ status: "queued", progress: 0 }, { state: "queued" }],
  [
    { status: "in_progress", progress: 40 },
    { state: "running", progress: 0.4 },
  ],
  [
    { status: "rendering", progress: 400 },
    { state: "running", progress: 1 },
  ],
  [{ status: "completed", progress: 100 }, { state: "succeeded" }],
  [
    { status: "failed", error: { code: "moderation_blocked", message: "x" } },
    { state: "failed", class: "moderation_safety", atOutput: true },
  ],
  [
    { status: "failed", error: { code: "server_error", message: "Out of memory." } },
    { state: "failed", class: "upstream", message: "Out of memory." },
  ],
  [
    { status: "failed", error: "broken" },
    { state: "failed", class: "upstream" },
  ],
];

for (const [given, status] of videoStatuses)
  t.test(`a video ${JSON.stringify(given)} is read`, async (t) => {
    const { provider } = script({ status: 200, json: { id: "v-1", ...given } });
    t.match(await provider.status("video:v-1"), status);
  });

const cancels = [
  ["sim:queue=1000", {}, { kind: "cancelled" }],
  ["sim:slow=10000", {}, { kind: "stopped_partway" }],
  ["sim:slow=10000", { deleteCancels: false }, { kind: "unsupported" }],
  ["sim:slow=10000 sim:cancel_refused", {}, { kind: "refused" }],
  ["sim:slow=10000 sim:cancel_unsupported", {}, { kind: "unsupported" }],
  ["sim:slow=10000 sim:cancel_failed", {}, { kind: "failed" }],
  ["sim:slow=10", {}, { kind: "refused" }],
] as const;

for (const [prompt, more, answer] of cancels)
  t.test(`a cancel of a video ${prompt} with ${JSON.stringify(more)}`, async (t) => {
    const stage = await stageOpenaiVideos(t, more);
    const ref = await begin(stage, prompt);
    await stage.pass(0);
    await stage.pass(100);
    t.strictSame(await stage.provider.cancel(ref), answer);
  });

for (const word of ["html", "types", "huge", "endless"])
  t.test(`openai: an answer that is hostile:${word} is not understood`, async (t) => {
    const videos = await stageOpenaiVideos(t);
    const ref = await begin(videos, `hostile:${word} sim:slow=10`);
    await t.rejects(videos.provider.status(ref), { name: "ReplyError" });
    const stage = await stageOpenai(t, { resultBytesMax: 1_000_000 });
    const drawn = await begin(stage, `hostile:${word} sim:slow=10`, image);
    await stage.pass(10);
    t.match(await stage.provider.status(drawn), { state: "failed", class: "upstream" });
  });

t.test("a callback of the account is taken when it is signed, and names its video", async (t) => {
  const stage = await stageOpenaiVideos(t);
  const ref = await begin(stage, "sim:slow=10");
  await stage.pass(10);
  const [callback] = stage.callbacks;
  if (callback === undefined) return void t.fail("no callback");
  const verify = (nowMs: number) => stage.provider.verifyCallback(callback, nowMs);
  t.strictSame(await verify(stage.nowMs()), { ok: true, ref });
  t.strictSame(await verify(stage.nowMs() + 301_000), { ok: false });
  t.equal(stage.reopen().describe().callback, "signed");
  const without = script({ status: 200 }).provider;
  t.equal(without.describe().callback, "none");
  t.strictSame(await without.verifyCallback(callback, stage.nowMs()), { ok: false });
});

t.test("3D models are refused", async (t) => {
  const asked = submission("a kite", { modality: "three_d" });
  t.match(await script().provider.submit(asked), upstream);
});
