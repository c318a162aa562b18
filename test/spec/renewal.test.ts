import t from "tap";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { codes } from "../../actors/table-codes.ts";
import type { Static } from "../../config/schema.ts";
import type { Credits, User } from "../../contract/account.ts";
import type { AdminAccount } from "../../contract/admin.ts";
import type { LedgerPage } from "../../contract/ledger.ts";
import type { Organization } from "../../contract/organization.ts";
import type { Id } from "../../engine/id.ts";
import { createKey, engineTables, getCode, getRange } from "../../engine/key.ts";
import { actorOfDueKey } from "../../engine/shard/flush.ts";
import type { Caller } from "./caller.ts";
import { type InProcess, openInProcess, startMs } from "./in-process-service.ts";
import { enter, foundPaidOrganization } from "./organizations.ts";

type CreditsView = Static<typeof Credits>;

const firstMs = Date.UTC(2026, 4, 1);
const nextMs = Date.UTC(2026, 5, 1);
const shard = 0;

/** Moves the clock to a second past midnight on the 1st, before the sweep comes by. */
async function leapToThe1st(house: InProcess): Promise<void> {
  house.clock.leap(firstMs + 1_000 - startMs);
  await house.settle();
}

/** Lets the sweep pass all 256 partitions where accounts stand, one after the other. */
async function sweep(house: InProcess): Promise<void> {
  await house.advance(3_600_000);
  for (let step = 0; step < 260; step++) await house.advance(250);
}

/** Reads when the account as written renews, whatever readers are shown. */
function readWrittenRenewal({ service }: InProcess, id: Id): number | undefined {
  return service.gateway.read(accountKey(id))?.renewsAtMs;
}

async function balances(caller: Caller): Promise<(number | null | undefined)[]> {
  const credits = await caller.get<CreditsView>("/v1/me/credits");
  const me = await caller.get<User>("/v1/me");
  return [credits.json.balance_credits, me.json.balance_credits];
}

async function ledger(caller: Caller, query = ""): Promise<(readonly [string, string, number])[]> {
  const { json } = await caller.get<Static<typeof LedgerPage>>(`/v1/me/credits/ledger${query}`);
  return json.items.map(({ type, at, balance_after }) => [type, at, balance_after]);
}

/** Lists the accounts that wait for a time. */
function listWaiting({ engine }: InProcess): string[] {
  const partitions = Array.from({ length: 256 }, (_, partition) =>
    getRange(createKey(partition, engineTables.due, "")),
  );
  const actors = partitions.flatMap((range) =>
    engine.accountTables.range(range, 100).map(({ key }) => actorOfDueKey(key)),
  );
  return actors.filter((actor) => getCode(actor) === codes.account);
}

t.test("no account waits for the 1st among the timers", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await ada.job("a kite");
  await house.advance(60_000);
  t.equal(readWrittenRenewal(house, ada.id), firstMs);
  t.strictSame(listWaiting(house), []);
});

t.test("on the 1st the sweep renews accounts that do nothing", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  const callers: Caller[] = [];
  for (const plan of ["starter", "pro", "free"] as const)
    callers.push(await house.account({ plan, credits: 7 }));
  await leapToThe1st(house);
  await sweep(house);
  for (const { id } of callers) t.equal(readWrittenRenewal(house, id), nextMs);
  t.strictSame(await Promise.all(callers.map((caller) => balances(caller))), [
    [1_000, 1_000],
    [4_000, 4_000],
    [100, 100],
  ]);
});

t.test("an account of a plan without monthly credits waits for the next 1st too", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 30 });
  await leapToThe1st(house);
  t.equal(readWrittenRenewal(house, ada.id), firstMs);
  await sweep(house);
  t.equal(readWrittenRenewal(house, ada.id), nextMs);
  t.strictSame(await ledger(ada), [["grant", "2026-04-15T12:00:00.000Z", 30]]);
});

t.test("on the 1st everything shows the new credits before the sweep comes by", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter", credits: 5 });
  await leapToThe1st(house);
  t.equal(readWrittenRenewal(house, ada.id), firstMs, "nothing is written yet");
  t.strictSame(await balances(ada), [1_000, 1_000]);
  const { json: credits } = await ada.get<CreditsView>("/v1/me/credits");
  t.equal(credits.renews_at, "2026-06-01T00:00:00.000Z");
  const { json: page } = await house.admin.get<{ items: AdminAccount[] }>("/v1/admin/accounts");
  t.equal(page.items.find(({ id }) => id === ada.id)?.balance_credits, 1_000);
  const cost = { kind: "image", image: { model: "sim-instant", prompt: "x", num_images: 4 } };
  const { json: quote } = await ada.post<object>("/v1/jobs/cost", cost);
  t.match(quote, { balance_credits: 1_000, sufficient_credits: true });
  const renewed = [
    ["grant", "2026-05-01T00:00:00.000Z", 1_000],
    ["expire", "2026-05-01T00:00:00.000Z", 0],
  ];
  const opened = ["grant", "2026-04-15T12:00:00.000Z", 5];
  t.strictSame(await ledger(ada), [...renewed, opened]);
  t.strictSame(await ledger(ada, "?created_after=2026-04-20T00:00:00Z"), renewed);
  await sweep(house);
  t.equal(readWrittenRenewal(house, ada.id), nextMs);
  t.strictSame(await balances(ada), [1_000, 1_000], "and as before when it is written");
  t.strictSame(await ledger(ada), [...renewed, opened]);
});

t.test("an organization shows its new credits on the 1st, also to its members", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await foundPaidOrganization(house, ada, 50);
  await enter(ada, { id });
  await leapToThe1st(house);
  t.equal(readWrittenRenewal(house, id), firstMs);
  t.strictSame(await balances(ada), [12_050, 12_050]);
  const { json } = await ada.get<Organization>(`/v1/organizations/${id}`);
  t.equal(json.balance_credits, 12_050);
});

t.test("a submit that comes before the sweep spends the new month's credits", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter", credits: 0 });
  t.equal((await ada.submit("a kite")).status, 402);
  await leapToThe1st(house);
  t.equal(readWrittenRenewal(house, ada.id), firstMs);
  await ada.job("a kite", { num_images: 4 });
  t.strictSame(await balances(ada), [996, 996]);
  t.equal(readWrittenRenewal(house, ada.id), nextMs);
  await sweep(house);
  t.strictSame(await balances(ada), [996, 996], "and it is granted once");
});

t.test("an operator's credits come on top of the new month's", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter", credits: 5 });
  await leapToThe1st(house);
  const path = `/v1/admin/accounts/${ada.id}/credits`;
  const { json } = await house.admin.post<object>(path, { amount: 20 });
  t.match(json, { balance_credits: 1_020, held_credits: 0 });
});

t.test("a restart on the 1st changes neither what is shown nor what is renewed", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter", credits: 5 });
  const bob = await house.account({ plan: "starter", credits: 5 });
  await leapToThe1st(house);
  await bob.job("a kite");
  await house.settle();
  const show = async () => [await balances(ada), await balances(bob), await ledger(bob)];
  const before = await show();
  house.engine.lose(shard);
  await house.engine.reopen(shard);
  await house.settle();
  t.equal(readWrittenRenewal(house, ada.id), firstMs);
  t.strictSame(await show(), before);
  await sweep(house);
  t.equal(readWrittenRenewal(house, ada.id), nextMs);
  t.equal(readWrittenRenewal(house, bob.id), nextMs);
  t.strictSame(await show(), before);
  t.strictSame((await house.admin.get<{ items: [] }>("/v1/admin/invariants")).json.items, []);
});
