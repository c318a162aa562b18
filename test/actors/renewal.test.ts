import t from "tap";
import { accountActor } from "../../actors/account/account-actor.ts";
import { accountAt, accountOfRenewal, renewalKey } from "../../actors/account/renewal.ts";
import { type Account, available, ledgerKey } from "../../actors/protocol/account.ts";
import type { AccountMessage } from "../../actors/protocol/account-messages.ts";
import { jobKey } from "../../actors/protocol/job.ts";
import { packSubmit } from "../../actors/protocol/packed-submit.ts";
import { fingerprintKey } from "../../actors/protocol/submit-terms.ts";
import { birth, put } from "../../engine/actor.ts";
import { idBytes } from "../../engine/id.ts";
import { account, create, fingerprint, job, self, submitted, view } from "./accounts.ts";

const firstMs = Date.UTC(2026, 11, 1);
const nextMs = Date.UTC(2027, 0, 1);
const renew = { kind: "renew" } as const;

function decide(head: Account | undefined, message: AccountMessage, atMs: number) {
  return accountActor.decide(head, message, view(self, {}, atMs));
}

/** Expected rows: the account's entry among the renewals moves to the first of the next month. */
const moved = [
  { key: renewalKey(self, firstMs), value: undefined },
  put(renewalKey(self, nextMs), ""),
];

t.test("on the 1st (UTC) unused plan credits expire and the new ones are granted", async (t) => {
  const head = { ...account, granted: 500, planLeft: 100 };
  const turn = decide(head, renew, firstMs);
  t.match(turn.head, { granted: 4_400, planLeft: 4_000, renewsAtMs: nextMs, ledgerLength: 2 });
  const entries = [
    { type: "expire", amount: -100, balance: 400 },
    { type: "grant", amount: 4_000, balance: 4_400 },
  ] as const;
  t.strictSame(turn.rows, [...moved, put(ledgerKey(self, 1), { atMs: firstMs, entries })]);
});

t.test("an account waits for the 1st in a table, not in a timer", async (t) => {
  t.equal(accountActor.dueAt(account), undefined);
  t.equal(accountOfRenewal(renewalKey(self, firstMs)), self);
  t.ok(renewalKey(self, firstMs) < renewalKey(self, nextMs), "in the order of the times");
});

t.test("renewal leaves open holds whole", async (t) => {
  const head = { ...account, held: 60, spent: 10, planLeft: 90 };
  const renewed = decide(head, renew, firstMs).head;
  t.match(renewed, { held: 60, spent: 10, granted: 100 - 30 + 4_000, planLeft: 4_060 });
  t.equal(renewed && available(renewed), 4_000);
});

t.test("a plan without monthly credits neither grants nor expires what was granted", async (t) => {
  const head = { ...account, plan: "enterprise", granted: 900, planLeft: 0 } as const;
  const turn = decide(head, renew, firstMs);
  t.strictSame(turn.head, { ...head, renewsAtMs: nextMs });
  t.strictSame(turn.rows, moved, "and waits for the next 1st");
});

t.test("a renewal that is told too early, or twice, changes nothing", async (t) => {
  const early = decide(account, renew, firstMs - 1);
  t.equal(early.head, account);
  t.strictSame(early.rows, []);
  const renewed = decide(account, renew, firstMs).head;
  const again = decide(renewed, renew, firstMs + 1);
  t.equal(again.head, renewed);
  t.strictSame(again.rows, []);
});

t.test("an account that slept through months is granted once", async (t) => {
  const laterMs = Date.UTC(2027, 3, 9);
  const turn = decide(account, renew, laterMs);
  t.match(turn.head, { granted: 4_000, renewsAtMs: Date.UTC(2027, 4, 1) });
  t.match(
    turn.rows[2]?.value,
    { atMs: Date.UTC(2027, 3, 1) },
    "on the 1st of the month that it is",
  );
});

t.test("a submit that comes before the sweep spends the new month's credits", async (t) => {
  const head = { ...account, spent: 95, planLeft: 5 };
  const atMs = firstMs + 1_000;
  const turn = decide(head, { kind: "submit", submit: packSubmit(submitted) }, atMs);
  t.match(turn.head, { granted: 4_095, held: 10, spent: 95, ledgerLength: 3, renewsAtMs: nextMs });
  const expiry = [
    { type: "expire", amount: -5, balance: 0 },
    { type: "grant", amount: 4_000, balance: 4_000 },
  ] as const;
  const hold = [{ type: "hold", amount: -10, balance: 3_990 }] as const;
  t.strictSame(turn.rows, [
    ...moved,
    put(ledgerKey(self, 1), { atMs: firstMs, entries: expiry }),
    put(fingerprintKey(0x21, fingerprint), idBytes(job)),
    put(ledgerKey(self, 2), { atMs, job, entries: hold }),
  ]);
  t.strictSame(turn.effects, [birth(jobKey(job), { ...create, request: 7 })]);
});

t.test("a submit that is refused on the 1st is refused by the renewed account", async (t) => {
  const head = { ...account, spent: 95, planLeft: 5 };
  const dear = { ...submitted, job: { ...create, hold: 4_001 } };
  const turn = decide(head, { kind: "submit", submit: packSubmit(dear) }, firstMs);
  const refusal = { code: "out_of_credits", creditsRequired: 4_001, balanceCredits: 4_000 };
  t.strictSame(turn.replies, [{ to: 7, reply: { kind: "refused", refusal } }]);
  t.match(turn.head, { granted: 4_095, held: 0, ledgerLength: 2, renewsAtMs: nextMs });
  t.equal(turn.rows.length, 3, "and what renewed it is written");
});

t.test("an account that becomes another plan's on the 1st has the old plan's month", async (t) => {
  const terms = {
    kind: "set_terms",
    plan: "team",
    overrides: undefined,
    countsInto: undefined,
  } as const;
  const turn = decide(account, terms, firstMs + 1_000);
  t.match(turn.head, { plan: "team", granted: 4_000, planLeft: 4_000 });
});

t.test("an account is seen as its next turn will leave it", async (t) => {
  t.equal(accountAt(account, firstMs - 1), account);
  const atMs = firstMs + 1_000;
  t.strictSame(accountAt(account, atMs), decide(account, renew, atMs).head);
});
