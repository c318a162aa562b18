/**
 * Tests the contract of the provider port for each adapter. A simulator implements the adapter's
 * protocol and takes its scenario from the prompt.
 */
import t, { type Test } from "tap";
import { limits } from "../../config/limits.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { IdMint } from "../../engine/id.ts";
import type { Callback, ProviderRef, ResultFile, Submission } from "../../providers/provider.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { SimulatedProvider } from "../../providers/simulated/simulated-provider.ts";
import {
  type Stage,
  stageCog,
  stageComfyui,
  stageFal,
  stageOpenai,
  stageOpenaiVideos,
  stageReplicate,
} from "../providers/stages.ts";

const adapters: Readonly<Record<string, (t: Test) => Promise<Stage>>> = {
  async simulate() {
    const clock = new ManualClock(1_000_000);
    const callbacks: Callback[] = [];
    const callBack = (_: string, callback: Callback) => callbacks.push(callback);
    return {
      provider: new SimulatedProvider({ clock, callBack }),
      nowMs: () => clock.nowMs(),
      pass: async (byMs) => clock.advance(byMs),
      callbacks,
      callbackUrl: undefined,
    };
  },
  fal: (t) => stageFal(t),
  comfyui: (t) => stageComfyui(t),
  "comfyui that stops no running job": (t) => stageComfyui(t, { targetedInterrupt: false }),
  openai: (t) => stageOpenai(t),
  "openai videos": (t) => stageOpenaiVideos(t),
  replicate: (t) => stageReplicate(t),
  async cog(t) {
    const stage = await stageCog(t);
    return {
      ...stage,
      // Callbacks, without those that only report that a job started.
      get callbacks() {
        return stage.callbacks.filter(
          ({ rawBody }) => !Buffer.from(rawBody).includes("processing"),
        );
      },
    };
  },
};

for (const [name, open] of Object.entries(adapters))
  t.test(`provider ${name}`, async (t) => {
    for (const part of [
      testTraits,
      testLife,
      testFailures,
      testRefusals,
      testUnaccepted,
      testCancels,
      testUnknownRefs,
      testCallbacks,
    ])
      await t.test(part.name, async (t) => part(t, await open(t)));
  });

const ids = new IdMint(new ManualClock(1_000_000), createSeededEntropy(1));

function submission({ callbackUrl, asking }: Stage, prompt: string, count = 1): Submission {
  const job = ids.under(0);
  return {
    job,
    number: 1,
    modality: "image",
    prompt,
    count,
    model: "kites/image",
    input: { prompt, num_images: count },
    callbackUrl: callbackUrl === undefined ? undefined : `${callbackUrl}?job=${job}&t=token`,
    timeLeftMs: 600_000,
    typicalSeconds: 1,
    ...asking?.(prompt, count),
  };
}

async function accept(t: Test, stage: Stage, prompt: string, count = 1): Promise<ProviderRef> {
  const outcome = await stage.provider.submit(submission(stage, prompt, count));
  if (outcome.kind === "accepted") return outcome.ref;
  t.fail(`${prompt}: ${outcome.kind}`);
  return "";
}

/** Returns the bytes of a result, wherever they are stored. */
async function readBytes(file: ResultFile): Promise<Buffer> {
  switch (file.kind) {
    case "stored":
      return simulatedMedia.image.bytes;
    case "url":
      return Buffer.from(await (await fetch(file.url)).arrayBuffer());
    case "stream": {
      const chunks: Uint8Array[] = [];
      for await (const chunk of await file.open(new AbortController().signal)) chunks.push(chunk);
      return Buffer.concat(chunks);
    }
  }
}

async function testTraits(t: Test, { provider }: Stage): Promise<void> {
  t.match(provider.describe().name, /^[a-z][a-z0-9_-]*$/, "a name for the catalogue");
  t.strictSame(provider.describe(), provider.describe(), "the same at every call");
  t.equal(await provider.health(), "up");
}

async function testLife(t: Test, stage: Stage): Promise<void> {
  const { provider, pass, isSynchronous = false } = stage;
  const { modality, count } = stage.made ?? { modality: "image", count: 3 };
  const ref = await accept(t, stage, "sim:queue=1000 sim:slow=1000", 3);
  t.strictSame(await provider.status(ref), { state: isSynchronous ? "running" : "queued" });
  await t.rejects(provider.result(ref), { name: "PortError" }, "no result before the end");
  await pass(1_500);
  const running = await provider.status(ref);
  t.equal(running.state, "running");
  t.equal("progress" in running, provider.describe().progress && !isSynchronous);
  await pass(1_000);
  t.strictSame(await provider.status(ref), { state: "succeeded" });
  t.strictSame(await provider.status(ref), { state: "succeeded" }, "however often it is read");
  const { files } = await provider.result(ref);
  t.equal(files.length, count);
  for (const file of files) t.strictSame(await readBytes(file), simulatedMedia[modality].bytes);
}

async function testFailures(t: Test, stage: Stage): Promise<void> {
  const { reportsBilling } = stage.provider.describe();
  for (const [word, failure] of [
    ["sim:fail", "upstream"],
    ["sim:nsfw_output", "moderation_safety"],
    ["sim:ip_output", "moderation_ip"],
  ] as const)
    for (const billed of [false, true]) {
      const ref = await accept(t, stage, `${word} sim:slow=10 ${billed ? "sim:billed" : ""}`);
      await stage.pass(10);
      const status = await stage.provider.status(ref);
      t.match(status, { state: "failed", class: failure, message: /\.$/, atOutput: true }, word);
      if (status.state === "failed" && reportsBilling) t.equal(status.billed, billed, word);
    }
}

async function testRefusals(t: Test, stage: Stage): Promise<void> {
  for (const [word, failure] of [
    ["sim:nsfw", "moderation_safety"],
    ["sim:ip", "moderation_ip"],
  ] as const)
    t.match(await stage.provider.submit(submission(stage, word)), {
      kind: "refused",
      class: failure,
      message: /\.$/,
    });
}

async function testUnaccepted(t: Test, stage: Stage): Promise<void> {
  const { provider, isSynchronous = false } = stage;
  const again = submission(stage, "sim:down=1 sim:busy=2");
  const kinds = [];
  for (const number of [1, 2, 3, 4]) kinds.push((await provider.submit({ ...again, number })).kind);
  // A synchronous provider may already have done the work, so a failed call ends the job.
  t.strictSame(kinds, [isSynchronous ? "refused" : "down", "busy", "busy", "accepted"]);
  const { kind } = await provider.submit(submission(stage, "sim:unknown_submit"));
  t.equal(kind, isSynchronous ? "refused" : "unknown");
}

async function testCancels(t: Test, stage: Stage): Promise<void> {
  const { provider, pass } = stage;
  const { cancel } = provider.describe();
  const queued = await accept(t, stage, "sim:queue=1000");
  if (cancel !== "none") {
    const kind = stage.isSynchronous === true ? "requested" : "cancelled";
    t.strictSame(await provider.cancel(queued), { kind });
    await pass(1_000);
    t.match((await provider.status(queued)).state, /^(canceled|lost)$/, "it never begins");
  }
  const running = await accept(t, stage, "sim:slow=1000");
  await pass(250);
  if (cancel === "any") {
    t.match((await provider.cancel(running)).kind, /^(stopped_partway|requested)$/);
    await pass(750);
    t.match((await provider.status(running)).state, /^(canceled|lost)$/, "it never succeeds");
  }
  const over = await accept(t, stage, "sim:slow=10");
  await pass(10);
  t.match((await provider.cancel(over)).kind, /^(refused|failed|unsupported)$/);
  t.equal((await provider.status(over)).state, "succeeded");
}

async function testUnknownRefs(t: Test, stage: Stage): Promise<void> {
  const { provider, pass } = stage;
  const lost = await accept(t, stage, "sim:lost sim:slow=10");
  await pass(10);
  // A call that is still without an answer is not lost, so a synchronous provider is skipped.
  for (const ref of stage.isSynchronous === true ? ["nowhere"] : [lost, "nowhere"]) {
    await provider.status(ref);
    await pass(limits.providers.idleLostMs);
    t.strictSame(await provider.status(ref), { state: "lost" });
    t.strictSame(await provider.status(ref), { state: "lost" });
    t.strictSame(await provider.cancel(ref), { kind: "failed" });
    await t.rejects(provider.result(ref), { name: "PortError" });
  }
}

async function testCallbacks(t: Test, stage: Stage): Promise<void> {
  const { provider, pass } = stage;
  const how = provider.describe().callback;
  const verify = (callback: Callback) => provider.verifyCallback(callback, stage.nowMs());
  const refs = [];
  for (const word of ["sim:ok", "sim:bad_signature", "sim:drop_callback"]) {
    refs.push(await accept(t, stage, `${word} sim:slow=10`));
    await pass(10);
  }
  const { callbacks } = stage;
  t.equal(callbacks.length, how === "none" ? 0 : 2);
  const [right, forged] = callbacks;
  if (right === undefined || forged === undefined) return;
  t.match(await verify(right), { ok: true });
  if (how !== "signed") return;
  t.strictSame(await verify(right), { ok: true, ref: refs[0] });
  t.strictSame(await verify(forged), { ok: false }, "another signature");
  const { rawBody, headers } = right;
  const longer = Buffer.concat([rawBody, Buffer.from(" ")]);
  t.strictSame(await verify({ rawBody: longer, headers }), { ok: false }, "another body");
  t.strictSame(await verify({ rawBody, headers: {} }), { ok: false }, "no signature");
}
