/**
 * Whatever clients, providers and the farm do, in any order: credits are neither made nor lost, and
 * the ceiling holds. The course of each run follows from its seed.
 */
import t, { type Test } from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits, User } from "../../contract/account.ts";
import type { Job, JobPage } from "../../contract/job.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { type Caller, imagePath } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const opening = 200;
const ceiling = 8;
const steps = 150;

const scenarios = [
  "sim:ok",
  "sim:fail",
  "sim:fail sim:billed sim:slow=700",
  "sim:nsfw_output sim:slow=300",
  "sim:ip_output sim:billed",
  "sim:busy=2 sim:slow=500",
  "sim:down=1 sim:queue=400",
  "sim:slow=900",
  "sim:slow=2000 sim:cancel_requested",
  "sim:slow=1500 sim:cancel_refused sim:fail",
  "sim:slow=700000",
];

async function check(t: Test, caller: Caller, at: string): Promise<void> {
  const { json: credits } = await caller.get<Static<typeof Credits>>("/v1/me/credits");
  const { json: page } = await caller.get<Static<typeof JobPage>>("/v1/jobs?limit=100");
  const { json: me } = await caller.get<User>("/v1/me");
  let [charged, held, active] = [0, 0, 0];
  for (const { status, credits_charged, credits_held } of page.items) {
    charged += credits_charged ?? 0;
    held += credits_charged === null ? credits_held : 0;
    active += status === "queued" || status === "running" ? 1 : 0;
  }
  const right =
    credits.held_credits === held &&
    credits.balance_credits === opening - charged - held &&
    credits.balance_credits >= 0 &&
    me.generation_limits?.concurrent_active === active &&
    active <= ceiling &&
    page.total === page.items.length;
  t.ok(right, `${at}: ${JSON.stringify({ credits, charged, held, active })}`);
}

for (const seed of [1, 2, 3])
  t.test(`the ledger balances at every step of a random course, seed ${seed}`, async (t) => {
    const house = await openInProcess(t, { shardCount: 2 });
    const dice = createSeededEntropy(seed);
    const roll = (sides: number) => (dice.bytes(2)[1] ?? 0) % sides;
    const callers: Caller[] = [];
    for (let n = 0; n < 3; n++)
      callers.push(await house.account({ plan: "studio", credits: opening }));
    const node = house.farmNode(2);
    const finished = new Set<string>();
    const jobs: { readonly caller: Caller; readonly id: string }[] = [];
    for (let step = 0; step < steps; step++) {
      const caller = callers[roll(callers.length)] as Caller;
      const action = roll(10);
      if (action < 5) {
        const prompt = `${step} ${scenarios[roll(scenarios.length)]}`;
        const { status, json } = await caller.submit(prompt, { num_images: 1 + roll(4) });
        if (status === 202) jobs.push({ caller, id: json.id });
      } else if (action < 6) {
        const body = { model: "studio", prompt: `${step}`, num_images: 1 + roll(4) };
        const { status, json } = await caller.post<Job>(imagePath, body);
        if (status === 202) jobs.push({ caller, id: json.id });
      } else if (action < 8) {
        const victim = jobs[roll(jobs.length + 1)];
        if (victim !== undefined) await victim.caller.cancel(victim.id);
      } else if (action < 9) {
        const lease = node.leases.find(({ token }) => !finished.has(token));
        if (lease !== undefined) {
          finished.add(lease.token);
          if (roll(3) === 0) node.fail("the browser crashed", roll(2) === 0, lease);
          else await node.finish([Buffer.from("a picture")], lease);
        }
      } else await house.advance(250 * (1 + roll(6)));
      await house.settle();
      if (step % 10 === 0)
        for (const one of callers) await check(t, one, `seed ${seed}, step ${step}`);
    }
    await house.advance(700_000);
    await house.advance(4_000_000);
    for (const one of callers) {
      await check(t, one, `seed ${seed}, at the end`);
      const { json } = await one.get<Static<typeof Credits>>("/v1/me/credits");
      t.equal(json.held_credits, 0, "every hold is resolved in the end");
    }
    for (const { caller, id } of jobs) {
      const { status } = await caller.read(id);
      if (status === "queued" || status === "running") t.fail(`${id} is still ${status}`);
    }
  });
