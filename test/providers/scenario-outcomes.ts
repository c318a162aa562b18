/** What each scenario word of a provider's simulator leads to, and the test that plays them all. */
import type { Test } from "tap";
import type { Job } from "../../contract/job.ts";
import { createOwners, type Owner } from "../crash/accounts.ts";
import type { ProviderCase } from "../crash/provider-cases.ts";
import { ProviderHouse } from "../crash/provider-house.ts";

const hold = 3;
const succeeded = { status: "succeeded", credits_charged: hold, asset: { status: "ready" } };

function onFailure(code: string, status: number, charged = 0) {
  return {
    status: "failed",
    credits_charged: charged,
    failure: { code, credits_refunded: charged === 0, message: /^[A-Z][^\n]{3,}\.$/ },
    error: { status },
  };
}

const unanswered = {
  ...onFailure("job_failed", 502),
  failure: { message: /did not answer the submit. It may have done the work\.$/ },
};

/** Returns the outcome that the words of a prompt lead to. */
function expect({
  unanswered: left,
  billsFailures,
  needsCallback,
  isSynchronous = false,
}: ProviderCase): [string, object][] {
  const unlucky = isSynchronous ? onFailure("job_failed", 502) : unanswered;
  const uncalled = needsCallback ? onFailure("job_failed", 502) : succeeded;
  const billed = billsFailures ? hold : 0;
  return [
    ["sim:ok", succeeded],
    ["sim:slow=700", succeeded],
    ["sim:queue=300 sim:slow=300", succeeded],
    ["sim:busy=1", succeeded],
    ["sim:down=1", isSynchronous ? unlucky : succeeded],
    ["sim:nsfw", onFailure("prompt_nsfw", 422)],
    ["sim:ip", onFailure("ip_detected", 422)],
    ["sim:nsfw_output sim:slow=100", onFailure("prompt_nsfw", 422)],
    ["sim:nsfw_output sim:billed sim:slow=100", onFailure("prompt_nsfw", 422, billed)],
    ["sim:ip_output sim:billed sim:slow=100", onFailure("ip_detected", 422)],
    ["sim:fail sim:slow=100", onFailure("job_failed", 502)],
    ["sim:fail sim:billed sim:slow=100", onFailure("job_failed", 502, billed)],
    ["sim:lost sim:slow=100", onFailure("job_failed", 502)],
    ["sim:unknown_submit sim:slow=100", left === "found" ? succeeded : unlucky],
    ["sim:drop_callback sim:slow=100", uncalled],
    ["sim:dup_callback sim:slow=100", succeeded],
    ["sim:bad_signature sim:slow=100", uncalled],
    ...["html", "types", "endless", "huge", "redirects", "loopback", "media"].map(
      (word): [string, object] => [`hostile:${word}`, onFailure("job_failed", 502)],
    ),
  ];
}

/** Matches a host, address, path or trace of the provider, which a message must not have. */
const foreign = /127\.0\.0\.1|10\.0\.0\.7|localhost|https?:|\/files\/|Error:|<|\{/;

function checkMessage(t: Test, { failure, error }: Job, words: string): void {
  const { message = "" } = failure ?? {};
  t.notMatch(message, foreign, `${words}: ${message}`);
  t.equal(error?.detail, failure?.message);
}

/** Each scenario word at one adapter, through a whole service. */
export async function playScenarios(t: Test, provider: ProviderCase): Promise<void> {
  const { simulator, house: options } = await provider.open();
  t.teardown(() => simulator.close());
  // However late the simulator refuses on a busy machine, it refuses the submit itself.
  const limits = { providers: { synchronousMs: 60_000 } };
  const house = await ProviderHouse.open(t, { ...options, limits });
  const ends = expect(provider).filter(([words]) => provider.tells(words));
  // Each job has its own account, so the ceilings of one account do not matter here.
  const owners = await createOwners(house.port, ends.length);
  await Promise.all(
    ends.map(async ([words, end], n) => {
      const { token } = owners[n] as Owner;
      const asked = { model: "kite", prompt: `kite ${words}`, ...provider.more };
      const job = await house.submit(provider.path, asked, token);
      const ended = await house.onEnd(job?.id ?? "", token);
      t.match(ended, end, words);
      checkMessage(t, ended, words);
    }),
  );
  t.strictSame(simulator.trapped, [], "no request leaves the allowed hosts");
  const { json } = await house.ask<{ items: unknown[] }>("/admin/invariants");
  t.strictSame(json.items, [], "the books are right");
}
