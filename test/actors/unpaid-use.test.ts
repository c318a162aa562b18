import t from "tap";
import { accountActor } from "../../actors/account/account-actor.ts";
import { storageRefusal } from "../../actors/account/storage.ts";
import { runFarmTask } from "../../actors/job/run-farm-task.ts";
import type { Account } from "../../actors/protocol/account.ts";
import { type AccountMessage, accountKey } from "../../actors/protocol/account-messages.ts";
import type { Terms } from "../../actors/protocol/job.ts";
import { packSubmit } from "../../actors/protocol/packed-submit.ts";
import { tell } from "../../engine/actor.ts";
import { account, create, scope as creator, submitted, terms, view } from "./accounts.ts";

const organization = "01990000-0000-7021-8000-0000000000f0";
const self = accountKey(organization);
const gibibyte = 1024 ** 3;
/** Account of the organisation's creator, on the plan `starter`: two slots, 50 GiB. */
const creatorsAccount: Account = { ...account, plan: "starter" };
/** An organisation without a plan that has credits left from earlier, so that it can submit. */
const unpaid: Account = { ...account, plan: "free", isOrganization: true, countsInto: creator };

function decide(head: Account, message: AccountMessage, ofCreator = creatorsAccount) {
  return accountActor.decide(head, message, view(self, { [accountKey(creator)]: ofCreator }));
}

const submit: AccountMessage = {
  kind: "submit",
  submit: packSubmit({ ...submitted, plan: "free", job: { ...create, scope: organization } }),
};

t.test("A1: an unpaid organization's slots count into its creator's account", async (t) => {
  const { head, effects } = decide(unpaid, submit);
  t.match(head, { active: { media: 1 } });
  const change = { kind: "unpaid_use_changed", media: 1, three_d: 0, stored: 0 } as const;
  t.strictSame(effects.at(-1), tell(accountKey(creator), change));
  const counted = accountActor.decide(creatorsAccount, change, view(accountKey(creator)));
  t.match(counted.head, { unpaidUse: { media: 1, three_d: 0, stored: 0 } });
});

t.test("A1: it is refused where its creator's ceiling is reached", async (t) => {
  const busy = { ...creatorsAccount, active: { media: 1, three_d: 0 } };
  const full = { ...busy, unpaidUse: { media: 1, three_d: 0, stored: 0 } };
  t.match(decide(unpaid, submit, full).replies, [
    { reply: { refusal: { code: "concurrency", max: 2, active: 2 } } },
  ]);
  t.match(decide(unpaid, submit, busy).head, { active: { media: 1 } }, "one slot is left");
});

t.test("A1: its creator is refused where both together reach the ceiling", async (t) => {
  const self = accountKey(creator);
  const full = { ...creatorsAccount, unpaidUse: { media: 2, three_d: 0, stored: 0 } };
  const own = { kind: "submit", submit: packSubmit({ ...submitted, plan: "starter" }) } as const;
  t.match(accountActor.decide(full, own, view(self)).replies, [
    { reply: { refusal: { code: "concurrency", max: 2, active: 2 } } },
  ]);
});

t.test("A1: what it stores counts into its creator's storage", async (t) => {
  const stored = {
    kind: "asset_changed",
    modality: "image",
    from: undefined,
    to: "ready",
  } as const;
  const { effects } = decide(unpaid, { ...stored, bytes: 1_000 });
  const change = { kind: "unpaid_use_changed", media: 0, three_d: 0, stored: 1_000 } as const;
  t.strictSame(effects, [tell(accountKey(creator), change)]);
  const agreed = { plan: "free" } as const;
  const nearlyFull = { ...creatorsAccount, stored: 49 * gibibyte };
  t.equal(storageRefusal(unpaid, agreed, gibibyte, nearlyFull), undefined);
  const used = { ...nearlyFull, unpaidUse: { media: 0, three_d: 0, stored: gibibyte } };
  t.match(storageRefusal(unpaid, agreed, 1, used), { limitBytes: 50 * gibibyte });
  t.match(storageRefusal(used, { plan: "starter" }, 1, undefined), { limitBytes: 50 * gibibyte });
});

t.test("A1: with a plan it counts into its creator's account no more", async (t) => {
  const busy = { ...unpaid, active: { media: 1, three_d: 0 }, stored: 7 };
  const granted = { plan: "studio", overrides: undefined, countsInto: undefined } as const;
  const { head, effects } = decide(busy, { kind: "set_terms", ...granted });
  t.notOk(head !== undefined && "countsInto" in head);
  const change = { kind: "unpaid_use_changed", media: -1, three_d: 0, stored: -7 } as const;
  t.strictSame(effects, [tell(accountKey(creator), change)]);
  const later = accountActor.decide({ ...busy, plan: "studio" }, submit, view(self));
  t.ok(later.head, "it asks nothing of its creator");
});

t.test("A1: a set of its own goes on, whatever has become of its creator's ceiling", async (t) => {
  const [first, second] = ["01990000-0000-7021-8000-0000000000b1", "other"];
  const busy: Account = { ...unpaid, held: 10, waiting: 1, active: { media: 1, three_d: 0 } };
  const shrunk = { ...creatorsAccount, active: { media: 2, three_d: 0 } };
  const over = { ...shrunk, unpaidUse: { media: 1, three_d: 0, stored: 0 } };
  const ended: Terms = { ...terms, job: first, scope: organization, hold: 0 };
  const change = { hadSlot: true, charge: 0, assets: [], bytes: 0 } as const;
  const message: AccountMessage = {
    kind: "job_changed",
    terms: ended,
    from: "running",
    to: "failed",
    ...change,
  };
  const rows = { [accountKey(creator)]: over };
  const context = view(self, rows);
  const { head } = accountActor.decide(busy, message, {
    ...context,
    get: (key) => (key in rows ? context.get(key) : ([second] as never)),
  });
  t.match(head, { active: { media: 1 }, waiting: 0 }, "or no end would ever start it");
});

t.test("A1: work of an unpaid organization is its creator's at the farm", async (t) => {
  const task = { kind: "render", input: {}, outputPrefix: "renders/1" };
  const rows = view(self, { [self]: unpaid });
  t.match(runFarmTask(organization, task, rows), { owner: creator, scope: organization });
  const paid = view(self, { [self]: account });
  t.match(runFarmTask(organization, task, paid), { owner: organization });
});
