import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits, User } from "../../contract/account.ts";
import type {
  AdminAccount,
  AdminAccountPage,
  AdminOrganization,
  AuditPage,
} from "../../contract/admin.ts";
import type { CreatedToken } from "../../contract/token.ts";
import { openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, organization } from "./organizations.ts";

const unknownId = "019d9000-0000-7000-8000-000000000000";

t.test("GET /admin/accounts lists all accounts, newest first, by pages", async (t) => {
  const house = await openInProcess(t);
  for (let n = 0; n < 4; n++) {
    await house.advance(1_000);
    await house.account({ credits: n });
  }
  type Page = Static<typeof AdminAccountPage>;
  const first = (await house.admin.get<Page>("/v1/admin/accounts?limit=3")).json;
  t.match(first, { total: 5, items: [{ balance_credits: 3 }, {}, { balance_credits: 1 }] });
  t.match(first.items[0], {
    email: "user-4@klieg.example",
    plan: "pro",
    status: "active",
    limits: { concurrent_max: null, generations_per_day: null, storage_bytes: null },
    created_at: "2026-04-15T12:00:04.000Z",
  });
  const cursor = first.next_cursor;
  const rest = (await house.admin.get<Page>(`/v1/admin/accounts?limit=3&cursor=${cursor}`)).json;
  t.match(rest, { next_cursor: null, items: [{ balance_credits: 0 }, { plan: "enterprise" }] });
  t.equal((await house.admin.get("/v1/admin/accounts?cursor=x")).status, 400);
});

t.test("PATCH /admin/accounts/{id} changes plan, standing and limits", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter" });
  const path = `/v1/admin/accounts/${ada.id}`;
  const limits = { concurrent_max: 3, generations_per_day: 4 };
  const { status, json } = await house.admin.patch<AdminAccount>(path, { plan: "pro", limits });
  t.equal(status, 200);
  t.match(json, { id: ada.id, plan: "pro", status: "active", limits });
  const me = async () => (await ada.get<User>("/v1/me")).json;
  t.match(await me(), { generation_limits: { concurrent_max: 3 }, quota: { limit: 4 } });
  for (let n = 0; n < 3; n++) await ada.job(`${n} sim:slow=1000`);
  t.match((await ada.submit("beyond")).json, { concurrent_max: 3, concurrent_active: 3 });
  await house.advance(2_000);
  t.equal((await ada.submit("the fourth")).status, 202);
  t.match((await ada.submit("the fifth")).json, { quota: 4, used: 4 });
  const some = await house.admin.patch<AdminAccount>(path, { limits: { concurrent_max: null } });
  t.strictSame(some.json.limits, {
    concurrent_max: null,
    generations_per_day: 4,
    storage_bytes: null,
  });
  t.match(await me(), { generation_limits: { concurrent_max: 4 }, quota: { limit: 4 } });
});

t.test("a changed plan renews with its own credits on the 1st", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free" });
  await house.admin.patch(`/v1/admin/accounts/${ada.id}`, { plan: "starter" });
  const credits = async () => (await ada.get<Static<typeof Credits>>("/v1/me/credits")).json;
  await house.settle();
  t.match(await credits(), { balance_credits: 100, plan: "starter", monthly_credits: 1000 });
  await house.advance(16 * 86_400_000);
  t.match(await credits(), { balance_credits: 1000 });
});

t.test("suspended accounts answer 403 on every route until they are active again", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const path = `/v1/admin/accounts/${ada.id}`;
  await house.admin.patch(path, { status: "suspended" });
  for (const route of ["/v1/me", "/v1/models", "/v1/limits", "/v1/tokens", "/v1/organizations"])
    t.equal((await ada.get(route)).status, 403, route);
  t.equal((await ada.submit("x")).status, 403);
  t.equal((await ada.put("/v1/me/active-organization", { organization_id: null })).status, 403);
  await house.admin.patch(path, { status: "active" });
  t.equal((await ada.get("/v1/me")).status, 200);
});

t.test("an administrator cannot suspend their own account", async (t) => {
  const house = await openInProcess(t);
  const { id } = (await house.admin.get<User>("/v1/me")).json;
  const reply = await house.admin.patch(`/v1/admin/accounts/${id}`, { status: "suspended" });
  t.equal(reply.status, 409);
});

t.test("a suspended organization answers 403 but for the way out of it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const org = await foundPaidOrganization(house, ada);
  await enter(ada, org);
  const path = `/v1/admin/organizations/${org.id}`;
  const { json } = await house.admin.patch<AdminOrganization>(path, { status: "suspended" });
  t.match(json, { id: org.id, slug: "kite-works", plan: "studio", status: "suspended" });
  t.equal((await ada.get("/v1/me")).status, 403);
  t.equal((await ada.submit("x")).status, 403);
  await enter(ada, null);
  t.equal((await ada.get("/v1/me")).status, 200);
});

t.test("POST /admin/accounts/{id}/tokens issues a token for that account", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ issue_token: true });
  const path = `/v1/admin/accounts/${ada.id}/tokens`;
  const { status, json } = await house.admin.post<CreatedToken>(path, { name: "spare" });
  t.equal(status, 201);
  t.match(json.token, /^pat_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
  t.equal(json.scopes.length, 12, "all but admin");
  t.match((await ada.asHolder(json.token).get<User>("/v1/me")).json, {
    id: ada.id,
    token: { name: "spare" },
  });
  t.equal((await house.admin.post(`/v1/admin/accounts/${unknownId}/tokens`, {})).status, 404);
});

t.test("POST /admin/accounts/{id}/credits grants, and takes back what is there", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  const ada = await house.account({ credits: 10 });
  const path = `/v1/admin/accounts/${ada.id}/credits`;
  const grant = await house.admin.post(path, { amount: 90, note: "for a campaign" });
  t.match(grant, {
    status: 200,
    json: { id: ada.id, balance_credits: 100, held_credits: 0 },
  });
  await ada.job("held sim:slow=60000", { num_images: 4 });
  t.equal((await house.admin.post(path, { amount: -97 })).status, 409);
  t.match((await house.admin.post(path, { amount: -96 })).json, { balance_credits: 0 });
  for (const [body, pointer] of [
    [{}, "/amount"],
    [{ amount: 0 }, "/amount"],
    [{ amount: 1.5 }, "/amount"],
    [{ amount: 1, note: "" }, "/note"],
  ] as const) {
    const { status, json } = await house.admin.post(path, body);
    t.equal(status, 400);
    t.equal(json.errors?.[0]?.pointer, pointer);
  }
});

t.test("granted credits stay on the 1st", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free" });
  await house.admin.post(`/v1/admin/accounts/${ada.id}/credits`, { amount: 50 });
  await house.advance(16 * 86_400_000);
  const { json } = await ada.get<Static<typeof Credits>>("/v1/me/credits");
  t.equal(json.balance_credits, 150, "50 that were granted and 100 of the plan");
});

t.test("POST /admin/organizations/{id}/credits fills an organization's wallet", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const org = await organization(ada);
  const path = `/v1/admin/organizations/${org.id}/credits`;
  t.match((await house.admin.post(path, { amount: 7 })).json, { id: org.id, balance_credits: 7 });
  const account = `/v1/admin/organizations/${ada.id}/credits`;
  t.equal((await house.admin.post(account, { amount: 7 })).status, 404, "an account is none");
  const asAccount = `/v1/admin/accounts/${org.id}/credits`;
  t.equal((await house.admin.post(asAccount, { amount: 7 })).status, 404);
});

t.test("admin routes answer 404 for what is unknown and name wrong fields", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const id of [unknownId, "nonsense"]) {
    t.equal((await house.admin.patch(`/v1/admin/accounts/${id}`, {})).status, 404);
    t.equal((await house.admin.patch(`/v1/admin/organizations/${id}`, {})).status, 404);
    const path = `/v1/admin/accounts/${id}/credits`;
    t.equal((await house.admin.post(path, { amount: 1 })).status, 404);
  }
  for (const [body, pointer] of [
    [{ plan: "gold" }, "/plan"],
    [{ status: "away" }, "/status"],
    [{ limits: { concurrent_max: -1 } }, "/limits/concurrent_max"],
    [{ limits: { speed: 1 } }, "/limits/speed"],
    [{ email: "x@klieg.example" }, "/email"],
  ] as const) {
    const { status, json } = await house.admin.patch(`/v1/admin/accounts/${ada.id}`, body);
    t.equal(status, 400);
    t.ok(
      json.errors?.some((fault) => fault.pointer === pointer),
      `${pointer} in ${JSON.stringify(json.errors)}`,
    );
  }
});

t.test("GET /admin/audit tells who changed what, when and from where", async (t) => {
  const house = await openInProcess(t);
  const { id: adminId } = (await house.admin.get<User>("/v1/me")).json;
  const ada = await house.account();
  const org = await organization(ada);
  await house.admin.request("POST", `/v1/admin/accounts/${ada.id}/credits`, {
    body: { amount: 5 },
    headers: { "x-request-id": "the-fifth" },
    address: "192.0.2.77",
  });
  type Page = Static<typeof AuditPage>;
  const { items } = (await house.admin.get<Page>("/v1/admin/audit")).json;
  t.match(items, [
    {
      actor: adminId,
      action: "account.credits 5",
      target: ada.id,
      at: "2026-04-15T12:00:00.000Z",
      request_id: "the-fifth",
      address: "192.0.2.77",
    },
    { actor: ada.id, action: "organization.create", target: org.id },
    { actor: adminId, action: "account.create", target: ada.id },
  ]);
  const seen: string[] = [];
  let cursor: string | null | undefined = null;
  do {
    const from: string = cursor === null ? "" : `&cursor=${cursor}`;
    const page: Page = (await house.admin.get<Page>(`/v1/admin/audit?limit=2${from}`)).json;
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor);
  t.strictSame(
    seen,
    items.map(({ id }) => id),
  );
});

t.test("every admin and organization change is in the audit", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const org = await organization(ada);
  const base = `/v1/organizations/${org.id}`;
  const { json } = await ada.post<{ user_id: string }>(`${base}/members`, {
    email: "b@klieg.example",
    role: "viewer",
  });
  const member = `${base}/members/${json.user_id}`;
  await ada.patch(member, { role: "member" });
  await ada.put(`${member}/budget`, { limit_credits: 1, period: "total" });
  await ada.delete(`${member}/budget`);
  await ada.delete(member);
  await ada.patch(base, { name: "Gliders" });
  await house.admin.patch(`/v1/admin/organizations/${org.id}`, { plan: "team" });
  await house.admin.post(`/v1/admin/organizations/${org.id}/credits`, { amount: 2 });
  await house.admin.patch(`/v1/admin/accounts/${ada.id}`, { plan: "team" });
  await house.admin.post(`/v1/admin/accounts/${ada.id}/tokens`, {});
  await ada.delete(base);
  type Page = Static<typeof AuditPage>;
  const { items } = (await house.admin.get<Page>("/v1/admin/audit?limit=100")).json;
  t.match(items.map(({ action }) => action.replace(/^(token.issue).*/, "$1")).reverse(), [
    "account.create",
    "organization.create",
    "member.add viewer",
    "member.change member",
    "budget.set 1 total",
    "budget.lift",
    "member.remove",
    "organization.rename",
    'organization.change {"plan":"team"}',
    "organization.credits 2",
    'account.change {"plan":"team"}',
    "token.issue",
    "organization.delete",
  ]);
});
