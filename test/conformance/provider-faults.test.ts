/**
 * Tests how each adapter reads odd answers, which are written in the provider's own protocol. The
 * consequences for a job are tested in `test/providers/provider-faults.test.ts`.
 */
import t from "tap";
import type { ProviderAdapter } from "../../config/providers/provider-config.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { adapters } from "../../providers/adapters.ts";
import type {
  Provider,
  ProviderResult,
  ProviderStatus,
  Submission,
} from "../../providers/provider.ts";
import { createScriptedWeb, type ScriptedAnswer, type Silence } from "../providers/scripted-web.ts";
import { providerConfig } from "../providers/stages.ts";
import { submission } from "../providers/submissions.ts";

type Answers = readonly (ScriptedAnswer | Silence)[];
const nowMs = Date.UTC(2026, 0, 1, 12);
const job = "0198c0de-0000-7000-8000-000000000001";
const host = "http://127.0.0.1:1";

function open(adapter: ProviderAdapter, answers: Answers): Provider {
  const config = providerConfig(adapter, { urls: [host] });
  const ports = { clock: new ManualClock(nowMs), entropy: createSeededEntropy(1) };
  const provider = adapters[adapter](config, { web: createScriptedWeb(...answers), ...ports });
  t.teardown(() => provider.close?.());
  return provider;
}

function reply(json: unknown): ScriptedAnswer {
  return { status: 200, json };
}

const picture = (name: string) => ({ url: `https://files.example.com/${name}.png` });
const video = { modality: "video", model: "kite-video" } as const;

// ---- B1

const absent = [
  ...["-5", "1.5", "", "soon", "5, 10", "1e3", "0x10", "Thu, 99 Foo 2026 GMT"],
] as const;
const forms = new Map<string, number | undefined>([
  ["0", 0],
  [" 0 ", 0],
  ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
  ["7", 7_000],
  ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
  ["99999999999999999999999", Number.MAX_SAFE_INTEGER],
]);
for (const form of absent) forms.set(form, undefined);
const submits: readonly [string, ProviderAdapter, Partial<Submission>, number?][] = [
  ["fal", "fal", {}],
  ["openai", "openai", { model: "kite" }, 429],
  ["openai videos", "openai", video],
  ["comfyui", "comfyui", {}],
  ["replicate", "replicate", {}],
  ["cog", "cog", {}],
];
for (const [name, adapter, more, only] of submits)
  t.test(`B1: each form of Retry-After is a time or absent: ${name}`, async (t) => {
    for (const [form, retryAfterMs] of forms)
      for (const [status, kind] of [
        [429, "busy"],
        [503, "down"],
      ] as const) {
        // For adapters that answer a submit with its result, a 503 means that the job has failed.
        if (only !== undefined && status !== only) continue;
        const answer = { status, headers: { "retry-after": form } };
        const outcome = await open(adapter, [answer]).submit(submission("a kite", more));
        const expected = retryAfterMs === undefined ? { kind } : { kind, retryAfterMs };
        t.strictSame(outcome, expected, `${status} ${form}`);
      }
  });

// ---- reads of existing jobs

const falRef = JSON.stringify({ id: "r-1", app: "/kites/image" });
const replicateRef = "p1~10.000";
const comfyRef = `${job}@${host}`;
const videoRef = "video:v-1";
const completed = reply({ status: "COMPLETED", metrics: { inference_time: 1 } });
const prediction = (more: object) => reply({ id: "p1", status: "succeeded", ...more });
const film = (more: object) => reply({ id: "v-1", ...more });
const history = (more: object) => reply({ [job]: { status: { status_str: "success" }, ...more } });
const save = (...names: string[]) =>
  names.map((name) => ({ filename: `${name}.png`, subfolder: "", type: "output" }));

async function getStatus(adapter: ProviderAdapter, ref: string, ...answers: Answers) {
  return open(adapter, answers).status(ref);
}

/** Reads the status of a job that succeeded, and its files. */
async function read(adapter: ProviderAdapter, ref: string, answers: Answers): Promise<void> {
  const provider = open(adapter, answers);
  const { state } = await provider.status(ref);
  if (state !== "succeeded") throw new Error(`the job is ${state}`);
  for (const file of (await provider.result(ref)).files)
    if (file.kind === "stream")
      for await (const _ of await file.open(new AbortController().signal));
}

const removed = prediction({ data_removed: true, output: null });
const done = film({ status: "completed" });
const drawn = history({ outputs: { 9: { images: save("a") } } });
for (const status of [404, 410])
  for (const [adapter, ref, answers] of [
    ["fal", falRef, [completed, { status, json: { detail: "Not Found" } }]],
    ["replicate", replicateRef, [removed]],
    ["replicate", replicateRef, [prediction({ output: picture("a") }), { status }]],
    ["openai", videoRef, [done, done, { status }]],
    ["comfyui", comfyRef, [drawn, drawn, { status }]],
  ] as const)
    t.test(`B2: a result that is gone (${status}) is told as such: ${adapter}`, async (t) => {
      await t.rejects(read(adapter, ref, answers), { name: "PortError", retryable: false });
    });

t.test("B2: a file that cannot be had now is no file that is gone", async (t) => {
  for (const answer of [{ status: 500 }, { status: 429 }, { status: 401 }, "cut"] as const)
    for (const [adapter, ref, answers] of [
      ["openai", videoRef, [done, done, answer]],
      ["comfyui", comfyRef, [drawn, drawn, answer]],
    ] as const)
      await t.rejects(read(adapter, ref, answers), { name: "PortError", retryable: true });
});

t.test("B2: an output without a file is a sentence for the customer", async (t) => {
  for (const [adapter, ref, answers] of [
    ["fal", falRef, [completed, reply({ images: [] })]],
    ["replicate", replicateRef, [prediction({ output: [] })]],
    ["replicate", replicateRef, [prediction({ output: null })]],
    ["comfyui", comfyRef, [history({ outputs: {} })]],
  ] as const)
    await t.rejects(read(adapter, ref, answers), { message: "The model delivered no file." });
});

// ---- B3

const refused = { state: "failed", class: "moderation_safety", atOutput: true };

function names({ files }: ProviderResult): string[] {
  return files.map((file) =>
    file.kind === "url" ? new URL(file.url).pathname.slice(1) : file.kind,
  );
}

const makeFlagged = (flags: unknown) => ({
  images: [picture("a"), picture("b"), picture("c")],
  has_nsfw_concepts: flags,
});
for (const [name, adapter, ref, answersOf] of [
  ["fal", "fal", falRef, (output: unknown) => [completed, reply(output)]],
  ["replicate", "replicate", replicateRef, (output: unknown) => [prediction({ output })]],
] as const)
  t.test(`B3: pictures that a filter flagged are left out: ${name}`, async (t) => {
    for (const flags of [[true, true, true], true])
      t.match(await getStatus(adapter, ref, ...answersOf(makeFlagged(flags))), refused);
    const unseen = { images: [], has_nsfw_concepts: [true] };
    t.match(await getStatus(adapter, ref, ...answersOf(unseen)), refused, "not even given");
    for (const [flags, left] of [
      [
        [false, true, false],
        ["a.png", "c.png"],
      ],
      [[true], ["b.png", "c.png"]],
      [
        [false, false, false, true],
        ["a.png", "b.png", "c.png"],
      ],
      [
        ["true", 1, null],
        ["a.png", "b.png", "c.png"],
      ],
      [{ a: true }, ["a.png", "b.png", "c.png"]],
    ] as const) {
      const provider = open(adapter, answersOf(makeFlagged(flags)));
      t.strictSame(await provider.status(ref), { state: "succeeded" });
      t.strictSame(names(await provider.result(ref)), left);
    }
  });

t.test("B3: a flagged picture of fal is charged when it was billed", async (t) => {
  const billed = { ...reply(makeFlagged(true)), headers: { "x-fal-billable-units": "1" } };
  t.match(await getStatus("fal", falRef, completed, billed), { ...refused, billed: true });
});

t.test("B3: pictures that a filter flagged are left out: comfyui", async (t) => {
  const outputs = (flags: unknown) => ({
    outputs: { 9: { images: save("a", "b"), nsfw: flags } },
  });
  t.match(await getStatus("comfyui", comfyRef, history(outputs([true, true]))), refused);
  const provider = open("comfyui", [history(outputs([false, true]))]);
  t.strictSame(await provider.status(comfyRef), { state: "succeeded" });
  t.equal((await provider.result(comfyRef)).files.length, 1);
});

t.test("B3: pictures that a filter flagged are left out: openai", async (t) => {
  const asked = submission("a kite", { model: "kite" });
  const seen = { content_filter_results: { sexual: { filtered: true, severity: "high" } } };
  for (const flag of [seen, { moderation: { flagged: true } }, { has_nsfw_concepts: [true] }]) {
    const all = open("openai", [reply({ data: [{ ...picture("a"), ...flag }] })]);
    t.match(await all.submit(asked), { kind: "refused", class: "moderation_safety" });
    const data = [picture("a"), { ...picture("b"), ...flag }, { ...flag, url: null }];
    const some = open("openai", [reply({ data })]);
    t.match(await some.submit(asked), { kind: "accepted" });
    t.strictSame(names(await some.result(`${job}:1`)), ["a.png"]);
  }
});

// ---- B4

const odd: readonly unknown[] = [
  ...["1.2", -0.0001, 1e308, null, true, [], ["a", 7], {}, { a: { b: [] } }, "x".repeat(9_999)],
];
const there: readonly [string, ProviderAdapter, string, (odd: unknown) => Answers][] = [
  [
    "fal",
    "fal",
    falRef,
    (odd) => [
      reply({ status: "COMPLETED", logs: odd, metrics: { inference_time: odd }, error_type: odd }),
      reply({ images: [{ ...picture("a"), width: odd }], timings: odd, has_nsfw_concepts: [] }),
    ],
  ],
  [
    "replicate",
    "replicate",
    replicateRef,
    (odd) => [
      prediction({
        output: picture("a"),
        logs: odd,
        error: odd,
        started_at: odd,
        data_removed: null,
        metrics: { predict_time: odd },
        urls: odd,
        created_at: odd,
      }),
    ],
  ],
  [
    "replicate, metrics",
    "replicate",
    replicateRef,
    (odd) => [prediction({ output: picture("a"), metrics: odd })],
  ],
  [
    "openai videos",
    "openai",
    videoRef,
    (odd) => [film({ status: "completed", progress: odd, error: odd, seconds: odd, size: odd })],
  ],
  [
    "comfyui",
    "comfyui",
    comfyRef,
    (odd) => [
      history({
        status: { status_str: "success", completed: odd, messages: odd },
        prompt: odd,
        meta: odd,
        outputs: { 9: { images: [{ ...save("a")[0], subfolder: odd }], text: odd } },
      }),
    ],
  ],
];
for (const [name, adapter, ref, answersOf] of there)
  t.test(`B4: a field that no result needs ends nothing: ${name}`, async (t) => {
    for (const one of odd) {
      const provider = open(adapter, answersOf(one));
      t.strictSame(await provider.status(ref), { state: "succeeded" }, JSON.stringify(one));
      t.equal((await provider.result(ref)).files.length, 1);
    }
  });

t.test("B4: odd members of an image's answer end nothing: openai", async (t) => {
  for (const one of odd) {
    const entry = { ...picture("a"), b64_json: null, revised_prompt: one };
    const provider = open("openai", [reply({ data: [entry, one], usage: one, created: one })]);
    t.match(await provider.submit(submission("", { model: "kite" })), { kind: "accepted" });
    t.equal((await provider.result(`${job}:1`)).files.length, 1);
  }
});

t.test("B4: a cog callback with odd fields brings its outcome", async (t) => {
  for (const one of odd) {
    const provider = open("cog", []);
    const id = BigInt(`0x${job.replaceAll("-", "")}`)
      .toString(32)
      .padStart(26, "0");
    const told = { id, status: "succeeded", output: picture("a").url, logs: one, metrics: one };
    const tell = (more: object) =>
      provider.verifyCallback(
        {
          of: { job, model: "", typicalSeconds: 1 },
          headers: {},
          rawBody: Buffer.from(JSON.stringify({ ...told, ...more })),
        },
        nowMs,
      );
    t.match(await tell({ status: "dreaming" }), { ok: true }, "no outcome");
    t.match(await tell({}), { ok: true });
    t.strictSame(await provider.status(id), { state: "succeeded" });
    t.equal((await provider.result(id)).files.length, 1);
  }
});

t.test("B4: odd progress is none, and the job runs", async (t) => {
  for (const progress of ["55", -1, null, [], {}])
    t.strictSame(await getStatus("openai", videoRef, film({ status: "in_progress", progress })), {
      state: "running",
    });
});

t.test("B4: a state that is not known is read as running, at all of them", async (t) => {
  for (const word of ["dreaming", "", "IN_PROGRESSION", "constructor", "x".repeat(5_000)])
    for (const [adapter, ref, answer] of [
      ["fal", falRef, reply({ status: word })],
      ["replicate", replicateRef, prediction({ status: word })],
      ["openai", videoRef, film({ status: word })],
      ["comfyui", comfyRef, history({ status: { status_str: word } })],
      ["cog", "0".repeat(26), reply({ status: word })],
    ] as const)
      t.match(await getStatus(adapter, ref, answer), { state: "running" }, `${adapter} ${word}`);
});

// ---- B5

t.test("B5: a video that was canceled or expired has ended", async (t) => {
  for (const [status, state] of [
    ["cancelled", "canceled"],
    ["canceled", "canceled"],
    ["expired", "failed"],
    ["failed", "failed"],
  ] as const) {
    const read: ProviderStatus = await getStatus("openai", videoRef, film({ status }));
    t.match(read, { state });
    t.notOk("billed" in read && read.billed);
  }
});
