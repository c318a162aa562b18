/**
 * Kills the service with SIGKILL at each step of a job at a provider: the job must end as it
 * should, no request is sent twice, and each hold is settled once.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Test } from "tap";
import type { Simulator } from "../providers/simulator.ts";
import type { ProviderCase, Step } from "./provider-cases.ts";
import { ProviderHouse } from "./provider-house.ts";

interface Death {
  readonly step: Step;
  readonly moment: "before" | "after";
}

const deaths: readonly Death[] = [
  { step: "submit", moment: "before" },
  { step: "submit", moment: "after" },
  { step: "status", moment: "before" },
  { step: "result", moment: "after" },
  { step: "file", moment: "before" },
  { step: "cancel", moment: "before" },
];

const succeeded = { status: "succeeded", credits_charged: 3, asset: { status: "ready" } };
const canceled = { status: "canceled", cancellation: { settlement: /refunded|charged/ } };
const givenUp = {
  status: "failed",
  credits_charged: 0,
  failure: {
    code: "job_failed",
    message: "The provider did not answer the submit. It may have done the work.",
    credits_refunded: true,
  },
};

export async function dieAtEachStep(t: Test, provider: ProviderCase): Promise<void> {
  const submitted = provider.unanswered === "found" ? succeeded : givenUp;
  let death: Death | undefined;
  let house: ProviderHouse | undefined;
  const { simulator, house: options } = await provider.open(async (call, moment) => {
    if (death?.moment !== moment || provider.findStep(call) !== death.step) return;
    death = undefined;
    await house?.kill();
  });
  t.teardown(() => simulator.close());
  house = await ProviderHouse.open(t, options);
  const possible = deaths.filter(({ step }) => provider.steps.includes(step));
  for (const [n, next] of possible.entries()) {
    const name = `${next.moment} its ${next.step}`;
    const isCanceled = next.step === "cancel";
    const prompt = `kite ${n} sim:slow=${isCanceled ? 60_000 : 1_500}`;
    death = next;
    const asked = { model: "kite", prompt, ...provider.more };
    const job = await house.submit(provider.path, asked);
    if (isCanceled) {
      await until(() => countMade(simulator, provider) === n + 1);
      await house.ask(`/jobs/${job?.id}/cancel`, {}).catch(() => undefined);
    }
    await house.restart();
    const ended = await house.onEnd(job?.id ?? (await house.postDuplicate(provider.path, asked)));

    t.equal(death, undefined, `it was killed ${name}`);
    t.match(ended, isCanceled ? canceled : next.step === "submit" ? submitted : succeeded, name);
    // A synchronous provider records the job when it answers, even if the service has been killed.
    await until(() => countMade(simulator, provider) > n);
    t.equal(countMade(simulator, provider), n + 1, `${name}: it was sent once`);
  }
  const { json } = await house.ask<{ items: unknown[] }>("/admin/invariants");
  t.strictSame(json.items, [], "each hold was settled once");
}

/** How many jobs the provider was given. */
function countMade({ journal }: Simulator, { findStep: stepOf }: ProviderCase): number {
  return journal.filter((call) => stepOf(call) === "submit" && call.job !== undefined).length;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(20);
}
