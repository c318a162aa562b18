import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits, User } from "../../contract/account.ts";
import type { Job, JobPage } from "../../contract/job.ts";
import type { CreatedToken } from "../../contract/token.ts";
import type { Caller } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join, organization } from "./organizations.ts";

async function me(caller: Caller): Promise<User> {
  return (await caller.get<User>("/v1/me")).json;
}

async function pin(caller: Caller, org: { readonly id: string }): Promise<Caller> {
  const body = { name: "pinned", organization_id: org.id };
  const { json } = await caller.post<CreatedToken>("/v1/tokens", body);
  return caller.asHolder(json.token);
}

t.test("PUT /me/active-organization moves tokens that are not pinned", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const org = await foundPaidOrganization(house, ada, 500);
  const path = "/v1/me/active-organization";
  const { status, json } = await ada.put<User>(path, { organization_id: org.id });
  t.equal(status, 200);
  t.match(json, {
    id: ada.id,
    plan: "studio",
    balance_credits: 500,
    role: "owner",
    generation_limits: { concurrent_max: 8, concurrent_active: 0 },
    active_organization: {
      id: org.id,
      name: "Kite Works",
      slug: "kite-works",
      role: "owner",
      plan: "studio",
      balance_credits: 500,
      member_budget: null,
    },
  });
  const back = await ada.put<User>(path, { organization_id: null });
  t.match(back.json, { plan: "pro", role: null, active_organization: null });
});

t.test("an active organization is named by its id or by null, and must be one's own", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await organization(bob);
  const path = "/v1/me/active-organization";
  t.equal((await ada.put(path, { organization_id: org.id })).status, 404);
  t.equal((await ada.put(path, {})).json.errors?.[0]?.pointer, "/organization_id");
  t.equal((await ada.put(path, { organization_id: "mine" })).status, 400);
});

t.test("the organization's wallet pays, and its plan sets the limit", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free" });
  const org = await foundPaidOrganization(house, ada, 100);
  const before = (await ada.get<Static<typeof Credits>>("/v1/me/credits")).json.balance_credits;
  await enter(ada, org);
  for (let n = 0; n < 3; n++) await ada.job(`${n} sim:slow=60000`);
  const { json } = await ada.get<Static<typeof Credits>>("/v1/me/credits");
  t.match(json, { balance_credits: 97, held_credits: 3, plan: "studio" });
  t.match((await me(ada)).generation_limits, { concurrent_max: 8, concurrent_active: 3 });
  await enter(ada, null);
  t.equal((await me(ada)).balance_credits, before);
});

t.test("a member's own plan does not raise the organization's limit", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise" });
  const org = await organization(ada);
  await house.admin.post(`/v1/admin/organizations/${org.id}/credits`, { amount: 10 });
  await enter(ada, org);
  await ada.job("one sim:slow=60000");
  const { status, json } = await ada.submit("two");
  t.equal(status, 429);
  t.match(json, { concurrent_max: 1, concurrent_active: 1 });
});

t.test("jobs belong to the context in which they were created", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const org = await foundPaidOrganization(house, ada);
  const own = await ada.job("in the personal space");
  await enter(ada, org);
  const theirs = await ada.job("in the organization");
  await house.settle();
  const note = async (id: string) => {
    const statuses = [(await ada.get(`/v1/jobs/${id}`)).status];
    statuses.push((await ada.get(`/v1/jobs/${id}/wait?timeout_seconds=1`)).status);
    statuses.push((await ada.post(`/v1/jobs/${id}/sse-ticket`)).status);
    return statuses;
  };
  t.strictSame(await note(own.id), [404, 404, 404]);
  t.strictSame(await note(theirs.id), [200, 200, 201]);
  t.equal((await ada.cancel(own.id)).status, 404);
  const list = async () => (await ada.get<Static<typeof JobPage>>("/v1/jobs")).json.items;
  t.strictSame(
    (await list()).map(({ id }) => id),
    [theirs.id],
  );
  const asset = (await ada.read(theirs.id)).asset?.id;
  t.equal((await ada.get(`/v1/assets/${asset}`)).status, 200);
  await enter(ada, null);
  t.equal((await ada.get(`/v1/assets/${asset}`)).status, 404);
  t.strictSame(await note(theirs.id), [404, 404, 404]);
  t.equal((await ada.get<Job>(`/v1/jobs/${own.id}`)).status, 200);
});

t.test("the same body in two contexts is no duplicate", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, ada);
  await join(ada, org, bob, "member");
  await ada.job("a kite");
  await enter(ada, org);
  await enter(bob, org);
  await ada.job("a kite");
  t.equal((await ada.submit("a kite")).status, 409);
  t.equal((await bob.submit("a kite")).status, 202, "nor of two members");
});

t.test("a pinned token acts in its organization whatever is active", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const [one, two] = [await organization(ada, "One"), await organization(ada, "Two")];
  const token = await pin(ada, one);
  await enter(ada, two);
  t.equal((await me(token)).active_organization?.id, one.id);
  t.equal((await me(ada)).active_organization?.id, two.id);
  await enter(ada, null);
  t.equal((await me(token)).active_organization?.id, one.id);
});

t.test("tokens pinned to an organization answer 403 to a change of context", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const [one, two] = [await organization(ada, "One"), await organization(ada, "Two")];
  const token = await pin(ada, one);
  for (const organization_id of [null, one.id, two.id])
    t.equal((await token.put("/v1/me/active-organization", { organization_id })).status, 403);
  t.equal((await token.get(`/v1/organizations/${two.id}`)).status, 404, "others are out of sight");
  t.equal((await token.post("/v1/organizations", { name: "Three" })).status, 403);
});

t.test("a removed member's tokens lose the organization at once", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, ada);
  await join(ada, org, bob, "member");
  const token = await pin(bob, org);
  await enter(bob, org);
  t.equal((await token.submit("one")).status, 202);
  await ada.delete(`/v1/organizations/${org.id}/members/${bob.id}`);
  t.equal((await token.get("/v1/me")).status, 401, "what was pinned is worth nothing");
  t.match(await me(bob), { active_organization: null, plan: "pro" });
  await house.advance(1_000);
  await join(ada, org, bob, "viewer");
  t.equal((await token.get("/v1/me")).status, 401, "nor does it come back with its user");
  t.equal((await me(bob)).active_organization, null);
});

t.test("a narrowed role takes effect at once", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, ada);
  await join(ada, org, bob, "member");
  await enter(bob, org);
  t.equal((await bob.submit("one")).status, 202);
  await ada.patch(`/v1/organizations/${org.id}/members/${bob.id}`, { role: "viewer" });
  t.match(await bob.submit("two"), { status: 403, json: { required_role: "member" } });
  t.equal((await me(bob)).role, "viewer");
});

t.test("request rates are per user within the paying context", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account();
  const org = await foundPaidOrganization(house, ada);
  const onLeave = async () => (await ada.get("/v1/limits")).headers["ratelimit"];
  await onLeave();
  t.match(await onLeave(), /^"read";r=598;/);
  await enter(ada, org);
  t.match(await onLeave(), /^"read";r=599;/);
  await enter(ada, null);
  t.match(await onLeave(), /^"read";r=597;/);
});

t.test("GET /limits shows what holds for the caller in its context", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account();
  const mine = await ada.get("/v1/limits");
  t.equal(mine.status, 200);
  t.match(mine.json, {
    plan: "pro",
    concurrent_generations: 4,
    generations_per_day: 2000,
    monthly_credits: 4000,
    requests_per_minute: { read: 600, submit: 120, write: 240, upload: 60 },
    list_limit: { min: 1, max: 100, default: 20 },
    wait_timeout_seconds: { min: 1, max: 900, default: 60 },
    active_tokens: 50,
    organization_members: 500,
  });
  await enter(ada, await organization(ada));
  t.match((await ada.get("/v1/limits")).json, { plan: "free", monthly_credits: 0 });
  t.match((await house.admin.get("/v1/limits")).json, { generations_per_day: null });
});
