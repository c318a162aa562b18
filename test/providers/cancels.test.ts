/** Every answer of a provider to a cancel, through the whole service, and what it settles. */
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import type { Job } from "../../contract/job.ts";
import { createOwners, type Owner } from "../crash/accounts.ts";
import { providerCases } from "../crash/provider-cases.ts";
import { ProviderHouse } from "../crash/provider-house.ts";
import type { Simulator } from "./simulator.ts";

interface Cancel {
  readonly words: string;
  /** Whether the job is canceled once it runs. */
  readonly isRunning: boolean;
  readonly answer: string;
  readonly settlement: string;
}

const cancels: Readonly<Record<string, readonly Cancel[]>> = {
  "fal without callbacks": [
    { words: "sim:queue=60000", isRunning: false, answer: "cancelled", settlement: "refunded" },
    { words: "sim:slow=60000", isRunning: true, answer: "requested", settlement: "refunded" },
    ...(["refused", "failed", "unsupported"] as const).map((answer) => ({
      words: `sim:slow=12000 sim:cancel_${answer}`,
      isRunning: true,
      answer,
      settlement: "charged",
    })),
    {
      words: "sim:slow=12000 sim:fail sim:cancel_refused",
      isRunning: true,
      answer: "refused",
      settlement: "refunded",
    },
  ],
  replicate: [
    { words: "sim:queue=60000", isRunning: false, answer: "cancelled", settlement: "refunded" },
    {
      words: "sim:slow=60000",
      isRunning: true,
      answer: "stopped_partway",
      settlement: "partially_refunded",
    },
  ],
};

t.jobs = 2;
for (const provider of providerCases) {
  const { [provider.name]: offered } = cancels;
  if (offered === undefined) continue;
  t.test(`each cancel outcome at ${provider.name}`, { buffered: true }, async (t) => {
    const { simulator, house: options } = await provider.open();
    t.teardown(() => simulator.close());
    const house = await ProviderHouse.open(t, options);
    const owners = await createOwners(house.port, offered.length);
    await Promise.all(
      offered.map(async ({ words, isRunning, answer, settlement }, n) => {
        const { token } = owners[n] as Owner;
        const job = await house.submit(
          provider.path,
          { model: "kite", prompt: `kite ${words}` },
          token,
        );
        if (job === undefined) throw new Error(`${words}: not accepted`);
        const path = `/jobs/${job.id}`;
        // A job that was not sent yet is canceled without a request to the provider.
        while (jobsKey(simulator).size < offered.length) await pause(100);
        while (isRunning && (await house.ask<Job>(path, undefined, token)).json.status === "queued")
          await pause(100);
        const { json: canceled } = await house.ask<Job>(`${path}/cancel`, {}, token);
        t.equal(canceled.cancellation?.provider_cancel, answer, words);
        const { cancellation, credits_charged: charged } = await house.onEnd(job.id, token);
        t.equal(cancellation?.settlement, settlement, words);
        const back = cancellation?.credits_refunded;
        t.equal((charged ?? 0) + (back ?? 0), job.credits_held, "both are what was held");
        const { json: again } = await house.ask<Job>(`${path}/cancel`, {}, token);
        t.match(again.cancellation, cancellation, "the same record");
        t.equal(again.asset, undefined, "nothing is added to the library");
      }),
    );
    const { json } = await house.ask<{ items: unknown[] }>("/admin/invariants");
    t.strictSame(json.items, [], "the books are right");
  });
}

/** Ids of the jobs that have reached the provider. */
function jobsKey(simulator: Simulator): ReadonlySet<string> {
  return new Set(simulator.calls("POST").flatMap(({ job }) => job ?? []));
}
