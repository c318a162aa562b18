import t from "tap";
import { accountActor } from "../../actors/account/account-actor.ts";
import { renewalKey } from "../../actors/account/renewal.ts";
import { runKey } from "../../actors/account/run.ts";
import { type Account, ledgerKey } from "../../actors/protocol/account.ts";
import type { AccountMessage } from "../../actors/protocol/account-messages.ts";
import { jobKey } from "../../actors/protocol/job.ts";
import { packSubmit } from "../../actors/protocol/packed-submit.ts";
import { fingerprintKey, type Submit } from "../../actors/protocol/submit-terms.ts";
import { tombstoneKey } from "../../actors/protocol/tombstone.ts";
import { birth, type Context, put } from "../../engine/actor.ts";
import { idBytes } from "../../engine/id.ts";
import {
  account,
  assetCounts,
  counts,
  create,
  earlier,
  fingerprint,
  job,
  nowMs,
  scope,
  self,
  submitted,
  terms,
  view,
} from "./accounts.ts";

/** Packs a submit first, because the account's actor receives submits packed. */
function decide(
  head: Account | undefined,
  message: AccountMessage | Submit,
  ctx: Context<unknown>,
) {
  const heard =
    "kind" in message ? message : { kind: "submit" as const, submit: packSubmit(message) };
  return accountActor.decide(head, heard, ctx);
}
const dayMs = 86_400_000;
const today = Math.floor(nowMs / dayMs);

t.test("an account opens with its plan's monthly credits, and answers whoever waits", async (t) => {
  const message = {
    kind: "open",
    plan: "pro",
    credits: undefined,
    replies: [{ to: 9, reply: "made" }],
  } as const;
  t.strictSame(decide(undefined, message, view(self)), {
    head: { ...account, granted: 4_000, planLeft: 4_000, models: [] },
    rows: [
      put(ledgerKey(self, 0), {
        atMs: nowMs,
        entries: [{ type: "grant", amount: 4_000, balance: 4_000 }],
      }),
      put(renewalKey(self, account.renewsAtMs), ""),
    ],
    replies: [{ to: 9, reply: "made" }],
    effects: [],
  });
});

t.test(
  "credits at opening replace the plan's; what is above the plan's does not expire",
  async (t) => {
    const open = (credits: number) =>
      decide(undefined, { kind: "open", plan: "starter", credits, replies: [] }, view(self));
    t.match(open(250).head, { granted: 250, planLeft: 250 });
    t.match(open(5_000).head, { granted: 5_000, planLeft: 1_000 });
    t.match(open(0).head, { granted: 0, planLeft: 0 });
    t.strictSame(open(250).replies, []);
  },
);

const made = { to: 9, reply: "made" };

t.test("an account that is open already only repeats its answer", async (t) => {
  const message = { kind: "open", plan: "free", credits: 7, replies: [made] } as const;
  const turn = decide(account, message, view(self));
  t.equal(turn.head, account);
  t.strictSame(turn.rows, []);
  t.strictSame(turn.replies, [made]);
});

t.test(
  "an accepted submit is hold, slot, quota, fingerprint, ledger and job in one turn",
  async (t) => {
    const turn = decide(account, submitted, view(self));
    t.strictSame(turn.head, {
      ...account,
      held: 10,
      active: { media: 1, three_d: 0 },
      counts: counts({ "image queued": 1 }),
      quota: { day: today, used: 1 },
      ledgerLength: 2,
    });
    t.strictSame(turn.rows, [
      put(fingerprintKey(0x21, fingerprint), idBytes(job)),
      put(ledgerKey(self, 1), {
        atMs: nowMs,
        job,
        entries: [{ type: "hold", amount: -10, balance: 90 }],
      }),
    ]);
    t.strictSame(turn.replies, [], "the job answers");
    t.strictSame(turn.effects, [birth(jobKey(job), { ...create, request: 7 })]);
  },
);

t.test("a job without a price holds nothing and leaves no ledger row", async (t) => {
  const turn = decide(account, { ...submitted, job: { ...create, hold: 0 } }, view(self));
  t.match(turn.head, { held: 0, ledgerLength: 1, active: { media: 1 } });
  t.equal(turn.rows.length, 1);
});

/**
 * Every check of the submit that this account and message would fail, in the order of the
 * specification.
 */
const refusals = [
  ["duplicate", { code: "duplicate", job: earlier }],
  ["confirmation", { code: "confirmation_rejected", reason: "invalid" }],
  ["a run that ended", { code: "run_ended" }],
  [
    "a run's price",
    { code: "approval_required", creditsRequired: 10, runTotalCredits: 15, creditCeiling: 14 },
  ],
  ["moderation", { code: "moderated", as: "prompt_nsfw", isRemembered: true }],
  ["rate", { code: "rate_limit", retryAfterSeconds: 3 }],
  ["concurrency", { code: "concurrency", max: 4, active: 4 }],
  ["quota", { code: "quota", quota: 2_000, used: 2_000, resetsAtMs: (today + 1) * dayMs }],
  ["wallet", { code: "out_of_credits", creditsRequired: 10, balanceCredits: 9 }],
] as const;

for (const [at, [first, refusal]] of refusals.entries())
  t.test(`a submit refused for ${first} hears that, whatever would refuse after it`, async (t) => {
    const fails = new Set(refusals.slice(at).map(([name]) => name));
    const head = {
      ...account,
      remembered: fails.has("moderation") ? 1 : 0,
      active: { media: fails.has("concurrency") ? 4 : 0, three_d: 0 },
      quota: { day: today, used: fails.has("quota") ? 2_000 : 0 },
      spent: 91,
    };
    const ofRun = fails.has("a run's price") && { turn: { session: earlier, turn: earlier } };
    const message = {
      ...submitted,
      job: { ...create, ...ofRun },
      confirmation: fails.has("confirmation")
        ? ({ kind: "rejected", reason: "invalid" } as const)
        : undefined,
      rateRetryAfterSeconds: fails.has("rate") ? 3 : undefined,
    };
    const digest = Buffer.from(create.bodyDigest, "hex").toString("latin1");
    const remembered = { kind: "refused", code: "prompt_nsfw", expiresAtMs: nowMs + 1 };
    const rows = {
      ...(fails.has("duplicate") && { [fingerprintKey(0x21, fingerprint)]: idBytes(earlier) }),
      [runKey(earlier)]: { ceiling: 14, committed: 5, isEnded: fails.has("a run that ended") },
      [tombstoneKey(0x21, "refused", digest)]: remembered,
    };
    const turn = decide(head, message, view(self, rows));
    t.match(turn.replies, [{ to: 7, reply: { kind: "refused", refusal } }]);
    t.equal(turn.head, head, "nothing is held for a refused submit");
    t.strictSame(turn.rows, [], "no fingerprint is remembered");
    t.strictSame(turn.effects, [], "and no job is made");
  });

t.test("the ceiling is the plan's, and a submit below it passes", async (t) => {
  const at = (media: number) => ({ ...account, active: { media, three_d: 0 } });
  t.match(decide(at(3), submitted, view(self)).head, { active: { media: 4 } });
  t.match(decide(at(4), submitted, view(self)).replies, [
    { reply: { refusal: { max: 4, active: 4 } } },
  ]);
  const free = { ...submitted, plan: "free" } as const;
  t.match(decide(at(1), free, view(self)).replies, [{ reply: { refusal: { max: 1, active: 1 } } }]);
});

t.test("3D jobs use a separate pool of the same size", async (t) => {
  const solid = {
    ...submitted,
    job: { ...create, modality: "three_d" },
  } as const;
  const full = { ...account, active: { media: 4, three_d: 0 } };
  t.match(decide(full, solid, view(self)).head, { active: { media: 4, three_d: 1 } });
  const other = { ...account, active: { media: 0, three_d: 4 } };
  t.match(decide(other, solid, view(self)).replies, [
    { reply: { refusal: { code: "concurrency" } } },
  ]);
  t.match(decide(other, submitted, view(self)).head, { active: { media: 1, three_d: 4 } });
});

t.test("the quota is per UTC day", async (t) => {
  const free = { ...submitted, plan: "free" } as const;
  const used = { ...account, quota: { day: today, used: 50 } };
  const midnightMs = (today + 1) * dayMs;
  const refusal = { code: "quota", quota: 50, used: 50, resetsAtMs: midnightMs };
  t.match(decide(used, free, view(self, {}, midnightMs - 1)).replies, [{ reply: { refusal } }]);
  t.match(decide(used, free, view(self, {}, midnightMs)).head, {
    quota: { day: today + 1, used: 1 },
  });
  const enterprise = { ...submitted, plan: "enterprise" } as const;
  const many = { ...account, quota: { day: today, used: 1_000_000 } };
  t.match(decide(many, enterprise, view(self)).head, { quota: { used: 1_000_001 } });
});

t.test("a hold may take the last credit and no more", async (t) => {
  const exact = { ...account, granted: 30, held: 12, spent: 8 };
  t.match(decide(exact, submitted, view(self)).head, { held: 22 });
  const short = { ...exact, spent: 9 };
  const refusal = { code: "out_of_credits", creditsRequired: 10, balanceCredits: 9 };
  t.match(decide(short, submitted, view(self)).replies, [{ reply: { refusal } }]);
});

const held = {
  ...account,
  held: 30,
  active: { media: 2, three_d: 0 },
  counts: counts({ "image queued": 1, "image running": 2 }),
  ledgerLength: 3,
};
const changed = {
  kind: "job_changed",
  terms,
  from: "running",
  to: "succeeded",
  hadSlot: true,
  charge: undefined,
  assets: [],
  bytes: 0,
} as const;

t.test("a settlement releases the whole hold, then charges", async (t) => {
  const message = { ...changed, charge: 4, assets: ["image"] } as const;
  const turn = decide(held, message, view(self));
  t.strictSame(turn.head, {
    ...held,
    held: 20,
    spent: 4,
    planLeft: 96,
    active: { media: 1, three_d: 0 },
    counts: counts({ "image queued": 1, "image running": 1, "image succeeded": 1 }),
    ledgerLength: 4,
    assets: assetCounts({ "image ready": 1 }),
  });
  t.strictSame(turn.rows, [
    put(ledgerKey(self, 3), {
      atMs: nowMs,
      job,
      entries: [
        { type: "release", amount: 10, balance: 80 },
        { type: "charge", amount: -4, balance: 76 },
      ],
    }),
  ]);
});

t.test("a refund is a release alone", async (t) => {
  const turn = decide(held, { ...changed, to: "failed", charge: 0 }, view(self));
  t.match(turn.head, { held: 20, spent: 0, planLeft: 100 });
  t.strictSame(turn.rows[0]?.value, {
    atMs: nowMs,
    job,
    entries: [{ type: "release", amount: 10, balance: 80 }],
  });
});

t.test("a job that only moves on keeps hold and slot", async (t) => {
  const message = { ...changed, from: "queued", to: "running" } as const;
  const turn = decide(held, message, view(self));
  t.strictSame(turn.head, { ...held, counts: counts({ "image queued": 0, "image running": 3 }) });
  t.strictSame(turn.rows, []);
});

t.test("a late settlement of a canceled job moves credits and frees no second slot", async (t) => {
  const message = { ...changed, from: "canceled", to: "canceled", charge: 10 } as const;
  t.match(decide(held, message, view(self)).head, {
    held: 20,
    spent: 10,
    active: { media: 2, three_d: 0 },
    counts: held.counts,
  });
});

t.test("I6: a charge above its hold, or a hold that is not there, breaks the turn", async (t) => {
  const settle = (hold: number, charge: number) => () =>
    decide(held, { ...changed, terms: { ...terms, hold }, charge }, view(self));
  t.throws(settle(10, 11), { name: "BrokenInvariant" });
  t.throws(settle(10, -1), { name: "BrokenInvariant" });
  t.throws(settle(31, 0), { name: "BrokenInvariant" });
});

t.test("I7: a slot that nobody has cannot be freed", async (t) => {
  const free = () => decide(account, changed, view(self));
  t.throws(free, { name: "BrokenInvariant" });
});

t.test("an account must be open before it gets anything else", async (t) => {
  t.throws(() => decide(undefined, submitted, view(self)), { name: "BrokenInvariant" });
  t.throws(() => decide(undefined, { kind: "renew" }, view(self)), { name: "BrokenInvariant" });
});

t.test("at most 100 unredeemed tickets per account", async (t) => {
  const ticket = { scope, subject: job, expiresAtMs: nowMs + 60_000 };
  const issue = { kind: "issue_ticket", digest: "d".repeat(32), ticket } as const;
  const turn = decide({ ...account, tickets: 99 }, issue, view(self));
  t.match(turn.head, { tickets: 100 });
  t.match(turn.replies, [{ to: 7, reply: { kind: "issued" } }]);
  t.match(turn.effects, [{ kind: "tell", message: { kind: "issue", ticket } }]);
  const full = { ...account, tickets: 100 };
  const refused = decide(full, issue, view(self));
  t.equal(refused.head, full);
  t.match(refused.replies, [{ reply: { refusal: { code: "rate_limit" } } }]);
  t.strictSame(refused.effects, []);
  t.match(decide(full, { kind: "ticket_spent" }, view(self)).head, { tickets: 99 });
  t.match(decide(account, { kind: "ticket_spent" }, view(self)).head, { tickets: 0 });
});
