/**
 * Each scenario word at an adapter whose answers are called back, through the whole service: the
 * job ends as the specification says, with its code, message and refund. All adapters:
 * `test/long/provider-outcomes`.
 */
import t from "tap";
import { providerCases } from "../crash/provider-cases.ts";
import { ProviderHouse } from "../crash/provider-house.ts";
import { playScenarios } from "./scenario-outcomes.ts";

t.test("a refusal inside the window answers the submit itself", async (t) => {
  const [provider] = providerCases;
  if (provider === undefined) return;
  const { simulator, house: options } = await provider.open();
  t.teardown(() => simulator.close());
  const models = options.models.map((model) => ({ ...model, inline_submit_ms: 60_000 }));
  const house = await ProviderHouse.open(t, { ...options, models });
  for (const [words, problem] of [
    ["sim:nsfw", { status: 422, json: { code: "prompt_nsfw", title: "Request Refused" } }],
    ["sim:ip", { status: 422, json: { code: "ip_detected", title: "Request Refused" } }],
  ] as const)
    t.match(await house.ask("/generate/image", { model: "kite", prompt: words }), problem);
  const { json: jobs } = await house.ask<{ total: number }>("/jobs");
  t.equal(jobs.total, 0, "the job record is discarded");
  const again = await house.ask("/generate/image", { model: "kite", prompt: "sim:nsfw" });
  t.match(again, { status: 400, json: { code: "prompt_nsfw" } }, "remembered");
  const { status } = await house.ask("/generate/image", { model: "kite", prompt: "sim:busy=1" });
  t.equal(status, 202, "capacity answers 202");
});

for (const provider of providerCases.filter(({ name }) => name === "fal"))
  t.test(`each scenario at ${provider.name}`, (t) => playScenarios(t, provider));
