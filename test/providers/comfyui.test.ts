import t from "tap";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { openComfyui } from "../../providers/comfyui/comfyui.ts";
import { GraphProgress } from "../../providers/comfyui/graph-progress.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { makeGraph } from "./comfyui-graphs.ts";
import { ComfyuiSimulator } from "./comfyui-simulator.ts";
import { createScriptedWeb, type ScriptedAnswer, type Silence } from "./scripted-web.ts";
import { providerConfig, stageComfyui } from "./stages.ts";
import { begin, submission } from "./submissions.ts";

/** Address at which nothing listens: the adapter goes on without progress. */
const server = "http://127.0.0.1:1";
const job = "0198c0de-0000-7000-8000-000000000001";
const ref = `${job}@${server}`;

function script(...answers: readonly (ScriptedAnswer | Silence)[]) {
  return scriptWith({}, ...answers);
}

function scriptWith(
  more: Partial<ProviderConfig>,
  ...answers: readonly (ScriptedAnswer | Silence)[]
) {
  const web = createScriptedWeb(...answers);
  const config = providerConfig("comfyui", { urls: [server], ...more });
  const ports = { web, clock: new ManualClock(1_000_000_000), entropy: createSeededEntropy(1) };
  const provider = openComfyui(config, ports);
  t.teardown(() => provider.close?.());
  return { provider, web };
}

const kite = submission("a kite", { input: makeGraph("a kite") });
const taken = { status: 200, json: { prompt_id: job, number: 1, node_errors: {} } };

t.test("a graph is sent under its job's id, with the headers of the entry", async (t) => {
  const { provider, web } = scriptWith({ headers: { "x-kite": "secret" } }, taken);
  t.strictSame(await provider.submit(kite), { kind: "accepted", ref, status: { state: "queued" } });
  const [request] = web.requests;
  t.match(request, { method: "POST", url: `${server}/prompt`, headers: { "x-kite": "secret" } });
  t.match(JSON.parse(String(request?.body)), {
    prompt: makeGraph("a kite"),
    client_id: /^[0-9a-f]{32}$/,
    prompt_id: job,
    extra_data: { job_id: job, typical_seconds: 10 },
  });
});

const wrongInput = {
  error: { type: "prompt_outputs_failed_validation", message: "Prompt outputs failed validation" },
  node_errors: {
    "5": { errors: [{ message: "Value too big", extra_info: { input_name: "width" } }] },
  },
};
const submits: readonly [string, ScriptedAnswer | Silence, { kind: string; message?: unknown }][] =
  [
    ["the connection is refused", "unreached", { kind: "down" }],
    ["the answer is cut off", "cut", { kind: "unknown" }],
    ["a 500", { status: 500 }, { kind: "down" }],
    ["a gateway's 504", { status: 504 }, { kind: "unknown" }],
    [
      "invalid input",
      { status: 400, json: wrongInput },
      { kind: "refused", message: "Prompt outputs failed validation: Value too big (width)" },
    ],
    [
      "a fault with a path",
      { status: 400, json: { error: { message: "no /opt/models/kite" } } },
      { kind: "refused", message: "The provider rejected this input." },
    ],
    ["HTML", { status: 200, text: "<html>" }, { kind: "unknown" }],
    ["an id that is a path", { status: 200, json: { prompt_id: "../x" } }, { kind: "unknown" }],
  ];

for (const [what, answer, outcome] of submits)
  t.test(`comfyui: a submit that meets ${what} is ${outcome.kind}`, async (t) => {
    t.match(await script(answer).provider.submit(kite), outcome);
  });

const nothing = { status: 200, json: {} };
const idle = { status: 200, json: { queue_running: [], queue_pending: [] } };
const makeQueue = (state: string, id = job, extra = {}) => ({
  status: 200,
  json: { ...idle.json, [`queue_${state}`]: [[1, id, makeGraph("a kite"), extra, ["9"]]] },
});
const readHistory = (status: unknown, more: object = {}) => ({
  status: 200,
  json: { [job]: { outputs: {}, status, ...more } },
});
const messages = (...ends: readonly unknown[]) => ({ status_str: "error", messages: ends });
const started = ["execution_start", { timestamp: 1_000 }];
const interrupted = ["execution_interrupted", { timestamp: 3_500 }];
const timed = { prompt: [1, job, {}, { typical_seconds: 10 }, []] };

const statuses: readonly [string, readonly ScriptedAnswer[], object][] = [
  ["in the history with success", [readHistory({ status_str: "success" })], { state: "succeeded" }],
  ["pending", [nothing, makeQueue("pending")], { state: "queued" }],
  ["running", [nothing, makeQueue("running")], { state: "running", progress: 0 }],
  ["in neither", [nothing, idle, nothing], { state: "lost" }],
  [
    "done between two reads",
    [nothing, idle, readHistory({ status_str: "success" })],
    { state: "succeeded" },
  ],
  ["of an older server", [readHistory(null, { outputs: { 9: {} } })], { state: "succeeded" }],
  [
    "interrupted",
    [readHistory(messages(started, interrupted), timed)],
    { state: "canceled", billed: false },
  ],
  [
    "broken",
    [readHistory(messages(["execution_error", { exception_message: "Out of memory\nat 7" }]))],
    { state: "failed", class: "upstream", message: "Out of memory", atOutput: true },
  ],
];

for (const [what, answers, status] of statuses)
  t.test(`comfyui: a prompt that is ${what} is read`, async (t) => {
    t.strictSame(await script(...answers).provider.status(ref), status);
  });

t.test("interrupted work is billed by its share where the entry says so", async (t) => {
  const ended = readHistory(messages(started, interrupted), timed);
  const { provider } = scriptWith({ billedPartway: true }, ended);
  const billed = { state: "canceled", billed: true, billedFraction: 0.25 };
  t.strictSame(await provider.status(ref), billed);
  const hostile = readHistory(messages(["execution_interrupted", "soon"]), { prompt: 7 });
  const other = scriptWith({ billedPartway: true }, hostile).provider;
  t.strictSame(await other.status(ref), { state: "canceled" });
});

const found = { kind: "found", ref };
const lookUps: readonly [string, readonly (ScriptedAnswer | Silence)[], object | string][] = [
  ["pending", [makeQueue("pending")], { ...found, status: { state: "queued" } }],
  [
    "named otherwise by an older server",
    [makeQueue("running", "p-7", { job_id: job })],
    { kind: "found", ref: `p-7@${server}`, status: { state: "running", progress: 0 } },
  ],
  [
    "in the history",
    [idle, readHistory({ status_str: "success" })],
    { ...found, status: { state: "succeeded" } },
  ],
  ["in neither", [idle, nothing], { kind: "absent" }],
  ["on a server without an answer", ["unreached"], "PortError"],
];

for (const [what, answers, expected] of lookUps)
  t.test(`comfyui: a look-up of a job that is ${what}`, async (t) => {
    const { provider } = script(...answers);
    const look = async () => provider.lookUp?.(job);
    if (typeof expected === "string") await t.rejects(look, { name: expected });
    else t.strictSame(await look(), expected);
  });

t.test("a job is absent only when each server of the entry says so", async (t) => {
  const other = await new ComfyuiSimulator({ clock: new ManualClock(0) }).listen();
  t.teardown(() => other.close());
  const stage = await stageComfyui(t, { urls: [other.url] });
  await begin(stage, "sim:unknown_submit sim:slow=1000", { job }).catch(() => "");
  t.match(await stage.provider.lookUp?.(job), { kind: "found", status: { state: "queued" } });
  const never = "0198c0de-0000-7000-8000-000000000002";
  t.strictSame(await stage.provider.lookUp?.(never), { kind: "absent" });
  other.close();
  t.match(await stage.provider.lookUp?.(job), { kind: "found" });
  await t.rejects(async () => stage.provider.lookUp?.(never), { name: "PortError" });
  t.equal(await stage.provider.health(), "degraded");
});

t.test("a graph goes to the server with the shortest queue", async (t) => {
  const other = await new ComfyuiSimulator({ clock: new ManualClock(0) }).listen();
  t.teardown(() => other.close());
  const stage = await stageComfyui(t, { urls: [other.url] });
  const refs = [];
  for (const number of [1, 2, 3, 4]) {
    const id = `0198c0de-0000-7000-8000-00000000000${number}`;
    refs.push(await begin(stage, "sim:slow=1000", { job: id }));
  }
  const places = refs.map((one) => one.endsWith(other.url));
  t.strictSame(places, [false, true, false, true]);
});

t.test("a file is on each server, and a graph with it goes where it is", async (t) => {
  const other = await new ComfyuiSimulator({ clock: new ManualClock(0) }).listen();
  const stage = await stageComfyui(t, { urls: [other.url] });
  const upload = async (name: string, text: string) =>
    stage.provider.upload?.({ name, mimeType: "image/png", bytes: Buffer.from(text) });
  t.equal(await upload("klieg-1.png", "one"), "klieg-1.png");
  for (const { uploads } of [stage.simulator, other])
    t.equal(uploads.get("klieg-1.png")?.toString(), "one");
  other.close();
  const second = await upload("klieg-2.png", "two");
  const image = { "1": { class_type: "LoadImage", inputs: { image: second } } };
  for (const number of [1, 2]) {
    const id = `0198c0de-0000-7000-8000-00000000000${number}`;
    const input = { ...makeGraph("sim:slow=1000"), ...image };
    const named = await begin(stage, "", { job: id, input });
    t.ok(named.endsWith(stage.simulator.url));
  }
  stage.simulator.close();
  await t.rejects(async () => upload("klieg-3.png", "three"), { name: "PortError" });
});

const cancels = [
  ["sim:queue=1000", {}, { kind: "cancelled" }],
  ["sim:queue=1000 sim:cancel_refused", {}, { kind: "refused" }],
  ["sim:queue=1000 sim:cancel_unsupported", {}, { kind: "unsupported" }],
  ["sim:slow=10000", {}, { kind: "stopped_partway", billedFraction: 0 }],
  ["sim:slow=10000", { billedPartway: true }, { kind: "stopped_partway", billedFraction: 0.01 }],
  ["sim:slow=10000", { targetedInterrupt: false }, { kind: "unsupported" }],
  ["sim:slow=10000 sim:cancel_requested", {}, { kind: "requested" }],
  ["sim:slow=10000 sim:cancel_refused", {}, { kind: "refused" }],
  ["sim:slow=10", {}, { kind: "refused" }],
] as const;

for (const [prompt, more, answer] of cancels)
  t.test(`comfyui: a cancel of ${prompt} with ${JSON.stringify(more)}`, async (t) => {
    const stage = await stageComfyui(t, more);
    const begun = await begin(stage, prompt);
    await stage.pass(0);
    await stage.pass(100);
    t.strictSame(await stage.provider.cancel(begun), answer);
  });

t.test("an older server that ignores whom an interrupt means is not asked for one", async (t) => {
  const stage = await stageComfyui(t, { isOlder: true, targetedInterrupt: false });
  await begin(stage, "sim:slow=1000", { job });
  const mine = await begin(stage, "sim:slow=1000 mine", { job: job.replace(/1$/, "2") });
  await stage.pass(10);
  t.strictSame(await stage.provider.cancel(mine), { kind: "unsupported" });
  t.equal(stage.simulator.calls("POST", "/interrupt").length, 0);
});

for (const [modality, files] of [
  ["image", 2],
  ["video", 1],
  ["audio", 1],
  ["three_d", 1],
] as const)
  t.test(`comfyui: saved files of ${modality} are streamed, previews are not`, async (t) => {
    const stage = await stageComfyui(t);
    const begun = await begin(stage, "", { input: makeGraph("sim:slow=10", files, modality) });
    await stage.pass(10);
    const result = await stage.provider.result(begun);
    t.equal(result.files.length, files);
    for (const file of result.files) {
      if (file.kind !== "stream") return void t.fail("no stream");
      const chunks: Uint8Array[] = [];
      for await (const chunk of await file.open(new AbortController().signal)) chunks.push(chunk);
      t.strictSame(Buffer.concat(chunks), simulatedMedia[modality].bytes);
    }
  });

t.test("progress comes over one connection, open while jobs run", async (t) => {
  const stage = await stageComfyui(t);
  const begun = await begin(stage, "sim:queue=10 sim:slow=1000");
  const socket = await stage.simulator.awaitConnection();
  await stage.pass(10);
  t.strictSame(await stage.provider.status(begun), { state: "running", progress: 0.5 });
  await stage.pass(1_000);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  t.strictSame(await stage.provider.status(begun), { state: "succeeded" });
  await closed;
});

t.test("hostile frames change nothing, and their connection is opened again", async (t) => {
  const stage = await stageComfyui(t);
  const begun = await begin(stage, "sim:slow=1000");
  const socket = await stage.simulator.awaitConnection();
  await stage.pass(0);
  for (const frame of [
    ...["", "null", "[7]", '{"type":7}', `{"data":${"[".repeat(100_000)}`, " ".repeat(2_000_000)],
    JSON.stringify({ type: "progress", data: { prompt_id: job, value: "9", max: -1 } }),
    JSON.stringify({ type: "executing", data: { prompt_id: job, node: { id: 7 } } }),
    JSON.stringify({ type: "progress_state", data: { prompt_id: job, nodes: [7] } }),
    JSON.stringify({ type: "executed", data: { prompt_id: "__proto__", node: "7" } }),
    Buffer.alloc(1_000_000),
  ])
    socket.send(frame);
  await stage.pass(10);
  t.strictSame(await stage.provider.status(begun), { state: "running", progress: 0.5 });
  const again = stage.simulator.awaitReconnection();
  socket.send(Buffer.alloc(17 * 1024 * 1024));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await closed;
  await again(() => stage.clock.advance(50));
  t.match(await stage.provider.status(begun), { state: "running" });
});

t.test("progress never falls and never passes 1", (t) => {
  const progress = new GraphProgress(4);
  const shares = [];
  for (const [type, told] of [
    ["execution_cached", { nodes: ["1"] }],
    ["executing", { node: "2" }],
    ["progress", { value: 1, max: 2 }],
    ["progress", { value: 0, max: 2 }],
    ["executing", { node: "3" }],
    ["progress_state", { nodes: { 3: { value: 9, max: 0, state: "running" } } }],
    ["executed", { node: "4" }],
    ["execution_cached", { nodes: ["a", "b", "c", "d", "e"] }],
  ] as const) {
    progress.take(type, told);
    shares.push(progress.share);
  }
  t.strictSame(shares, [0.25, 0.25, 0.375, 0.375, 0.5, 0.5, 0.75, 1]);
  t.end();
});

for (const word of ["html", "types", "huge", "endless"])
  t.test(`comfyui: an answer that is hostile:${word} is not understood`, async (t) => {
    const stage = await stageComfyui(t);
    const begun = await begin(stage, `hostile:${word} sim:slow=10`);
    await stage.pass(10);
    await t.rejects(stage.provider.status(begun), { name: "ReplyError" });
  });

t.test("references of other servers and of nothing are lost", async (t) => {
  const { provider, web } = script(nothing);
  for (const wrong of [`${job}@http://127.0.0.1:2`, "nowhere", `../x@${server}`])
    t.strictSame(await provider.status(wrong), { state: "lost" });
  t.equal(web.requests.length, 0);
});
