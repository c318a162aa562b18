import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits, User } from "../../contract/account.ts";
import type { JobCostQuote } from "../../contract/cost.ts";
import type {
  Member,
  MemberBudget,
  MemberList,
  Organization,
} from "../../contract/organization.ts";
import type { Caller, Refused } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";

async function team(house: InProcess, credits = 1_000) {
  const [owner, member] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, owner, credits);
  await join(owner, org, member, "member");
  await enter(member, org);
  const path = `/v1/organizations/${org.id}/members/${member.id}/budget`;
  const set = (limit_credits: number, period = "month") =>
    owner.put<MemberBudget>(path, { limit_credits, period });
  return { owner, member, org, path, set };
}

async function listUsed(caller: Caller): Promise<number | undefined> {
  const { json } = await caller.get<User>("/v1/me");
  return json.active_organization?.member_budget?.used_credits;
}

t.test("PUT budget bounds what a member may commit", async (t) => {
  const house = await openInProcess(t);
  const { member, set } = await team(house);
  const { status, json } = await set(3);
  t.equal(status, 200);
  t.strictSame(json, {
    limit_credits: 3,
    used_credits: 0,
    period: "month",
    resets_at: "2026-05-01T00:00:00.000Z",
  });
  t.equal((await member.submit("two", { num_images: 2 })).status, 202);
  const refused = await member.submit("two more", { num_images: 2 });
  t.equal(refused.status, 402);
  t.match(refused.json, {
    type: "https://klieg.example/v1/problems/member-budget",
    title: "Member Budget Reached",
    code: "out_of_credits",
    budget_credits: 3,
    budget_used_credits: 2,
    budget_resets_at: "2026-05-01T00:00:00.000Z",
  });
  t.equal((await member.submit("one more")).status, 202, "up to the budget itself");
});

t.test("the budget is refused before the wallet is looked at", async (t) => {
  const house = await openInProcess(t);
  const { member, set } = await team(house, 2);
  await set(1);
  t.equal(
    (await member.submit<Refused>("x", { num_images: 3 })).json.title,
    "Member Budget Reached",
  );
  await set(100);
  t.equal((await member.submit<Refused>("x", { num_images: 3 })).json.title, "Out Of Credits");
});

t.test("a budget counts holds and charges, less what is given back", async (t) => {
  const house = await openInProcess(t);
  const { member, set } = await team(house);
  await member.job("before there was a budget", { num_images: 2 });
  await set(10);
  await house.settle();
  t.equal(await listUsed(member), 2, "what was committed before counts");
  await member.job("fails sim:fail sim:slow=500", { num_images: 4 });
  t.equal(await listUsed(member), 6, "a hold counts at once");
  await house.advance(2_000);
  t.equal(await listUsed(member), 2, "a failure gives it back");
  const slow = await member.job("canceled sim:queue=60000", { num_images: 4 });
  t.equal(await listUsed(member), 6);
  await member.cancel(slow.id);
  await house.settle();
  t.equal(await listUsed(member), 2, "a cancel too");
  await member.job("charged", { num_images: 3 });
  await house.settle();
  t.equal(await listUsed(member), 5);
});

t.test("a monthly budget begins anew with the calendar month, a total one does not", async (t) => {
  const house = await openInProcess(t);
  const { member, set } = await team(house);
  await set(4);
  await member.job("in April", { num_images: 4 });
  t.equal((await member.submit("one more in April")).status, 402);
  await house.advance(16 * 86_400_000);
  t.equal(await listUsed(member), 0);
  await member.job("in May", { num_images: 3 });
  t.equal(await listUsed(member), 3);
  const { json } = await set(8, "total");
  t.match(json, { used_credits: 7, period: "total", resets_at: null });
  const refused = await member.submit("too much", { num_images: 2 });
  t.match(refused, { status: 402, json: { budget_resets_at: null } });
  t.equal((await member.submit("just enough")).status, 202);
});

t.test(
  "what is given back in another month does not make this month's budget larger",
  async (t) => {
    const house = await openInProcess(t);
    const { member, set } = await team(house);
    await set(10);
    await house.advance(15.5 * 86_400_000 - 300_000);
    const job = await member.job("over midnight sim:slow=580000 sim:fail", { num_images: 4 });
    await house.advance(400_000);
    await member.job("in May", { num_images: 3 });
    t.equal(await listUsed(member), 3);
    await house.advance(300_000);
    t.equal((await member.read(job.id)).status, "failed");
    t.equal(await listUsed(member), 3);
    t.equal((await set(10, "total")).json.used_credits, 3, "in total it is given back");
  },
);

t.test("a budget is one member's and shows among the members", async (t) => {
  const house = await openInProcess(t);
  const { owner, member, org, set } = await team(house);
  await enter(owner, org);
  await set(1);
  await member.job("one");
  t.equal((await member.submit("two")).status, 402);
  t.equal((await owner.submit("three", { num_images: 4 })).status, 202);
  const path = `/v1/organizations/${org.id}/members`;
  const { items } = (await owner.get<Static<typeof MemberList>>(path)).json;
  const of = (id: string) => items.find(({ user_id }) => user_id === id) as Member;
  t.match(of(member.id).budget, { limit_credits: 1, used_credits: 1 });
  t.equal(of(owner.id).budget, null);
});

t.test("DELETE budget answers 204 and lifts it", async (t) => {
  const house = await openInProcess(t);
  const { owner, member, path, set } = await team(house);
  await set(0);
  t.equal((await member.submit("one")).status, 402);
  t.equal((await owner.delete(path)).status, 204);
  t.equal((await member.submit("one")).status, 202);
  t.equal(await listUsed(member), undefined);
});

t.test("a budget does not reach into the personal space", async (t) => {
  const house = await openInProcess(t);
  const { member, set } = await team(house);
  await set(0);
  await enter(member, null);
  t.equal((await member.submit("my own")).status, 202);
});

t.test("each member of a set counts, and what does not fit is refused in the set", async (t) => {
  const house = await openInProcess(t);
  const { member, set } = await team(house);
  await set(3);
  const labels = ["a", "b", "c", "d"];
  const { status, json } = await member.post<{ problems: readonly { label: string }[] }>(
    "/v1/generate/set",
    {
      base: { model: "sim-instant", prompt: "a kite" },
      members: labels.map((label) => ({ label, prompt_suffix: label })),
    },
  );
  t.equal(status, 202);
  t.match(json.problems, [{ label: "d" }]);
  t.equal(await listUsed(member), 3);
});

t.test("a rewritten prompt counts too", async (t) => {
  const house = await openInProcess(t);
  const { member, set } = await team(house);
  await set(1);
  const body = { model: "sim-video", prompt: "a kite" };
  const rewrite = () => member.post("/v1/generate/video/enhance-prompt", body);
  t.equal((await rewrite()).status, 200);
  t.equal(await listUsed(member), 1);
  t.match(await rewrite(), { status: 402, json: { title: "Member Budget Reached" } });
});

t.test("a wrong budget is named, and only members have one", async (t) => {
  const house = await openInProcess(t);
  const { owner, org, path } = await team(house);
  for (const [body, pointer] of [
    [{ period: "month" }, "/limit_credits"],
    [{ limit_credits: -1, period: "month" }, "/limit_credits"],
    [{ limit_credits: 1.5, period: "month" }, "/limit_credits"],
    [{ limit_credits: 1 }, "/period"],
    [{ limit_credits: 1, period: "week" }, "/period"],
  ] as const) {
    const { status, json } = await owner.put(path, body);
    t.equal(status, 400);
    t.equal(json.errors?.[0]?.pointer, pointer);
  }
  const stranger = await house.account();
  const foreign = `/v1/organizations/${org.id}/members/${stranger.id}/budget`;
  t.equal((await owner.put(foreign, { limit_credits: 1, period: "month" })).status, 404);
});

t.test(
  "balance_credits: a member sees the lower of wallet and own budget, a viewer null",
  async (t) => {
    const house = await openInProcess(t);
    const [ada, bob, eve] = [await house.account(), await house.account(), await house.account()];
    const org = await foundPaidOrganization(house, ada, 100);
    await join(ada, org, bob, "member");
    await join(ada, org, eve, "viewer");
    for (const caller of [ada, bob, eve]) await enter(caller, org);
    await ada.put(`/v1/organizations/${org.id}/members/${bob.id}/budget`, {
      limit_credits: 2,
      period: "total",
    });
    const image = { model: "sim-instant", prompt: "a kite", num_images: 3 };
    const quote = async (caller: Caller) =>
      (await caller.post<JobCostQuote>("/v1/jobs/cost", { kind: "image", image })).json;
    t.match(await quote(ada), { balance_credits: 100, sufficient_credits: true });
    t.match(await quote(bob), { balance_credits: 2, sufficient_credits: false });
    t.match(await quote(eve), { balance_credits: null, sufficient_credits: true });
    t.match((await bob.get("/v1/me")).json, { balance_credits: 2 });
    t.match((await eve.get("/v1/me")).json, { balance_credits: null });
  },
);

t.test("members see the lower of wallet and own budget, viewers null", async (t) => {
  const house = await openInProcess(t);
  const { owner, member, org, set } = await team(house, 100);
  const [viewer, biller] = [await house.account(), await house.account()];
  await join(owner, org, viewer, "viewer");
  await join(owner, org, biller, "billing_contact");
  for (const caller of [owner, viewer, biller]) await enter(caller, org);
  const show = async (caller: Caller) => {
    const { json: credits } = await caller.get<Static<typeof Credits>>("/v1/me/credits");
    const { json: list } = await caller.get<{ items: readonly Organization[] }>(
      "/v1/organizations",
    );
    const { json: one } = await caller.get<Organization>(`/v1/organizations/${org.id}`);
    const { json: me } = await caller.get<User>("/v1/me");
    const all = [credits, list.items[0], one, me].map((view) => view?.balance_credits);
    t.equal(new Set(all).size, 1, `${all}`);
    return all[0];
  };
  t.equal(await show(member), 100, "without a budget the wallet is the bound");
  await set(30);
  t.equal(await show(member), 30);
  await member.job("kite", { num_images: 4 });
  t.equal(await show(member), 26);
  await set(5_000);
  t.equal(await show(member), 96);
  t.equal(await show(owner), 96);
  t.equal(await show(biller), 96);
  t.equal(await show(viewer), null);
});

t.test("out_of_credits shows what the caller could still spend", async (t) => {
  const house = await openInProcess(t);
  const { member, set } = await team(house, 3);
  await set(50);
  const { status, json } = await member.submit<Refused>("x", { num_images: 4 });
  t.equal(status, 402);
  t.match(json, { code: "out_of_credits", credits_required: 4, balance_credits: 3 });
  t.equal((await member.get<User>("/v1/me")).json.balance_credits, 3);
});
