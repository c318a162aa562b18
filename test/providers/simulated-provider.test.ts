/** Jobs at the simulated provider, from the effect to the messages that their actors get. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import t from "tap";
import { type JobMessage, jobKey } from "../../actors/protocol/job.ts";
import { ProviderJobs } from "../../effects/provider-jobs.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { IdMint, idAtEnd, partitionOfId } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import type { Callback } from "../../providers/provider.ts";
import { parseScenario } from "../../providers/simulated/scenario.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { SimulatedProvider } from "../../providers/simulated/simulated-provider.ts";
import { jobSelf } from "../actors/accounts.ts";

/** Entropy that yields no jitter. */
const evenEntropy = { bytes: (count: number) => new Uint8Array(count) };

function stage() {
  const clock = new ManualClock(1_000_000);
  const sent: JobMessage[] = [];
  const callbacks: Callback[] = [];
  const provider = new SimulatedProvider({
    clock,
    callBack(job, callback) {
      callbacks.push(callback);
      void jobs.receiveCallback("sim", jobKey(job), "internal", callback);
    },
  });
  const results = { ownOrigins: [], allowedHosts: [], allowPrivate: false, bytesMax: 0 };
  const jobs = new ProviderJobs({
    clock,
    entropy: evenEntropy,
    ids: new IdMint(clock, createSeededEntropy(1)),
    send: (_: Key, message) => sent.push(message),
    onFault: (_, error) => t.fail(`${error}`),
    storeStreams: async () => [],
    prepare: async () => ({ input: {}, model: "", callbackUrl: undefined }),
    find: async () => ({ provider, gate: undefined, results }),
    terms: () => undefined,
  });
  const submit = (prompt: string, count = 1) =>
    jobs.submit(jobSelf, {
      provider: "sim",
      job: idAtEnd(jobSelf),
      prompt,
      modality: "image",
      count,
    });
  /** Lets time pass in steps of a second, with all that it causes on the way. */
  const pass = async (byMs: number) => {
    for (let leftMs = byMs; leftMs > 0; leftMs -= 1_000) {
      clock.advance(Math.min(1_000, leftMs));
      await turnOfTheLoop();
      clock.advance(0);
      await turnOfTheLoop();
    }
  };
  const cancel = () => jobs.cancel(jobSelf);
  /** Lists what the job was told so far, and how it ended. */
  const hear = () => sent.map(speak);
  return { sent, callbacks, submit, cancel, pass, heard: hear };
}

function speak(message: JobMessage): string {
  if (message.kind === "detail") return message.detail ?? "no detail";
  if (message.kind !== "finished") return message.kind;
  const { outcome } = message;
  if (outcome.kind === "succeeded") return `succeeded ${outcome.outputs.length}`;
  return `${outcome.class}${outcome.atOutput ? " at output" : ""}${outcome.billed ? " billed" : ""}`;
}

t.test("words of a prompt stand anywhere, space-separated, and combine", async (t) => {
  const calm = parseScenario("a kite");
  t.equal(calm.ending, "succeed");
  t.match(parseScenario("sim:slow=250 a kite sim:fail\nsim:billed"), {
    slowMs: 250,
    ending: "fail",
    billed: true,
  });
  t.strictSame(parseScenario("sim:ok"), calm);
  t.strictSame(parseScenario("xsim:fail sim:failx sim:FAIL"), calm, "only whole words count");
  t.match(parseScenario("sim:queue=5 sim:busy=2 sim:down=3"), { queueMs: 5, busy: 2, down: 3 });
  t.match(parseScenario("sim:cancel_partway"), { cancel: "partway" });
  t.match(parseScenario("sim:ip sim:cancel_refused"), { refusal: "ip", cancel: "refused" });
});

t.test("a plain prompt succeeds at once with a tiny picture for each image", async (t) => {
  const { submit, sent, pass } = stage();
  t.strictSame(await submit("a kite", 3), { kind: "concluded" });
  const [message] = sent as Extract<JobMessage, { kind: "finished" }>[];
  const outputs = message?.outcome.kind === "succeeded" ? message.outcome.outputs : [];
  t.equal(outputs.length, 3);
  t.ok(outputs.every(({ media }) => media === simulatedMedia.image.media));
  t.equal(new Set(outputs.map(({ asset }) => asset)).size, 3);
  t.ok(
    outputs.every(({ asset }) => partitionOfId(asset) === 0x21),
    "assets live with their job",
  );
  t.equal(simulatedMedia.image.bytes.length, simulatedMedia.image.media.sizeBytes);
  await pass(100_000);
  t.equal(sent.length, 1);
});

for (const [words, ending] of [
  ["sim:fail", "upstream at output"],
  ["sim:fail sim:billed", "upstream at output billed"],
  ["sim:nsfw", "moderation_safety"],
  ["sim:ip", "moderation_ip"],
  ["sim:nsfw_output sim:billed", "moderation_safety at output billed"],
  ["sim:ip_output", "moderation_ip at output"],
] as const)
  t.test(`${words} ends as ${ending}`, async (t) => {
    const { submit, heard } = stage();
    t.strictSame(await submit(`a kite ${words}`), { kind: "concluded" });
    t.strictSame(heard(), [ending]);
  });

for (const words of ["sim:lost", "sim:lost sim:billed"])
  t.test(`${words} ends when it was lost twice, 10 s apart, and is not billed`, async (t) => {
    const { submit, pass, heard } = stage();
    await submit(`${words} sim:slow=500`);
    await pass(500);
    await pass(9_999);
    t.strictSame(heard(), ["accepted", "started"]);
    await pass(1);
    t.strictSame(heard().slice(2), ["upstream"]);
  });

t.test("sim:unknown_submit: nobody hears whether the provider has it", async (t) => {
  const { submit, cancel, pass, sent } = stage();
  await submit("sim:unknown_submit sim:slow=5");
  t.strictSame(sent, [{ kind: "submitting", number: 1, hasLookUp: true }]);
  t.strictSame(await cancel(), answer("failed"));
  await pass(1_000_000);
  t.equal(sent.length, 1);
});

for (const word of ["drop_callback", "bad_signature"])
  t.test(`sim:${word}: the end is found by the next read`, async (t) => {
    const { submit, pass, heard } = stage();
    await submit(`sim:${word} sim:queue=3000 sim:slow=19000`);
    await pass(3_000);
    await pass(19_999);
    t.strictSame(heard(), ["accepted", "started"]);
    await pass(1);
    t.strictSame(heard().slice(2), ["succeeded 1"]);
  });

t.test("sim:dup_callback: the end is said twice", async (t) => {
  const { submit, pass, callbacks, heard } = stage();
  await submit("sim:dup_callback sim:slow=5");
  await pass(5);
  t.equal(callbacks.length, 2);
  t.strictSame(callbacks[0], callbacks[1]);
  t.strictSame(heard(), ["accepted", "started", "succeeded 1"], "and heard once");
});

t.test("sim:slow is the running time", async (t) => {
  const { submit, pass, heard } = stage();
  t.strictSame(await submit("sim:slow=300"), { kind: "kept" });
  t.strictSame(heard(), ["accepted", "started"]);
  await pass(299);
  t.equal(heard().length, 2);
  await pass(1);
  t.strictSame(heard(), ["accepted", "started", "succeeded 1"]);
});

t.test("sim:queue is the time in the provider's queue", async (t) => {
  const { submit, pass, heard } = stage();
  await submit("sim:queue=200 sim:slow=100");
  t.strictSame(heard(), ["accepted"]);
  await pass(200);
  t.strictSame(heard(), ["accepted", "started"]);
  await pass(100);
  t.equal(heard()[2], "succeeded 1");
});

t.test(
  "sim:busy and sim:down answer the first submits so, with a longer pause each time",
  async (t) => {
    const { submit, pass, heard } = stage();
    await submit("sim:down=1 sim:busy=2");
    t.strictSame(heard(), ["provider_down"]);
    await pass(1_000);
    t.strictSame(heard(), ["provider_down", "upstream_at_capacity"]);
    await pass(2_000);
    await pass(3_999);
    t.equal(heard().length, 3);
    await pass(1);
    t.strictSame(heard().slice(3), ["no detail", "accepted", "started", "succeeded 1"]);
  },
);

t.test("the pause between two submits is at most 60 s", async (t) => {
  const { submit, pass, heard } = stage();
  await submit("sim:busy=9");
  await pass(63_000);
  t.equal(heard().length, 7);
  await pass(60_000);
  t.equal(heard().length, 8);
});

t.test("a refusal at submit comes when the provider is reached", async (t) => {
  const { submit, pass, heard } = stage();
  await submit("sim:busy=1 sim:nsfw");
  await pass(1_000);
  t.strictSame(heard(), ["upstream_at_capacity", "no detail", "moderation_safety"]);
});

t.test("handing over again what is under way changes nothing", async (t) => {
  const { submit, pass, heard } = stage();
  await submit("sim:slow=100");
  t.strictSame(await submit("sim:slow=100"), { kind: "kept" });
  await pass(1_000);
  t.strictSame(heard(), ["accepted", "started", "succeeded 1"]);
});

function answer(kind: string, share: object = {}) {
  return { kind: "concluded", message: { kind: "cancel_answer", answer: { kind, ...share } } };
}

t.test("a cancel is answered cancelled when queued and stopped_partway when running", async (t) => {
  for (const [prompt, kind] of [
    ["sim:queue=100", "cancelled"],
    ["sim:slow=100", "stopped_partway"],
    ["sim:busy=5", "cancelled"],
  ] as const) {
    const { submit, cancel, pass, heard } = stage();
    await submit(prompt);
    await pass(25);
    const share = kind === "stopped_partway" ? { billedFraction: 0.25 } : {};
    t.strictSame(await cancel(), answer(kind, share), "the share of its own time (D3)");
    const before = heard().length;
    await pass(1_000_000);
    t.equal(heard().length, before, "what is stopped says nothing more");
  }
  t.strictSame(await stage().cancel(), answer("cancelled"), "nothing was ever sent");
});

for (const [word, kind, goesOn] of [
  ["requested", "requested", true],
  ["refused", "refused", true],
  ["unsupported", "unsupported", true],
  ["failed", "failed", true],
  ["partway", "stopped_partway", false],
] as const)
  t.test(`sim:cancel_${word} fixes the answer`, async (t) => {
    const { submit, cancel, pass, heard } = stage();
    await submit(`sim:queue=50 sim:slow=50 sim:billed sim:cancel_${word}`);
    t.strictSame(await cancel(), answer(kind));
    await pass(1_000);
    t.equal(heard().includes("succeeded 0"), goesOn);
  });
