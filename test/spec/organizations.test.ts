import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { CreatedAccount, User } from "../../contract/account.ts";
import type {
  Member,
  MemberList,
  Organization,
  OrganizationList,
} from "../../contract/organization.ts";
import type { CreatedToken } from "../../contract/token.ts";
import { openInProcess } from "./in-process-service.ts";
import { join, organization, readEmail } from "./organizations.ts";

const unknownId = "019d9000-0000-7000-8000-000000000000";

t.test("POST /organizations makes the creator owner, plan free, 0 credits", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const body = { name: "Kite Works Ltd." };
  const { status, json, headers } = await ada.post<Organization>("/v1/organizations", body);
  t.equal(status, 201);
  t.match(json, {
    name: "Kite Works Ltd.",
    slug: "kite-works-ltd",
    plan: "free",
    balance_credits: 0,
    role: "owner",
    created_at: "2026-04-15T12:00:00.000Z",
  });
  t.equal(headers["location"], `https://klieg.example/v1/organizations/${json.id}`);
  t.strictSame((await ada.get(`/v1/organizations/${json.id}`)).json, json);
});

t.test("an organization on the free plan gets no monthly credits, on others it does", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const [free, paid] = [await organization(ada, "Free"), await organization(ada, "Paid")];
  await house.admin.patch(`/v1/admin/organizations/${paid.id}`, { plan: "starter" });
  await house.advance(17 * 86_400_000);
  const read = async ({ id }: Organization) =>
    (await ada.get<Organization>(`/v1/organizations/${id}`)).json;
  t.match(await read(free), { plan: "free", balance_credits: 0 });
  t.match(await read(paid), { plan: "starter", balance_credits: 1000 });
});

t.test("a slug is taken once; one made from the name gives way", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  await ada.post("/v1/organizations", { name: "Kites", slug: "kites" });
  t.equal((await bob.post("/v1/organizations", { name: "Other", slug: "kites" })).status, 409);
  const { status, json } = await bob.post<Organization>("/v1/organizations", { name: "Kites" });
  t.equal(status, 201);
  t.match(json.slug, /^kites-[0-9a-f]{12}$/);
  t.equal((await bob.patch(`/v1/organizations/${json.id}`, { slug: "kites" })).status, 409);
  const renamed = await bob.patch<Organization>(`/v1/organizations/${json.id}`, {
    name: "Gliders",
    slug: "gliders",
  });
  t.match(renamed, { status: 200, json: { name: "Gliders", slug: "gliders", role: "owner" } });
});

t.test("a wrong field of an organization is named", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const [body, pointer] of [
    [{}, "/name"],
    [{ name: "" }, "/name"],
    [{ name: "x", slug: "Not A Slug" }, "/slug"],
    [{ name: "x", plan: "team" }, "/plan"],
  ] as const) {
    const { status, json } = await ada.post("/v1/organizations", body);
    t.equal(status, 400);
    t.equal(json.errors?.[0]?.pointer, pointer);
  }
});

t.test("GET /organizations lists those to which the account belongs", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const one = await organization(ada, "One");
  await house.advance(1_000);
  const two = await organization(bob, "Two");
  await join(bob, two, ada, "viewer");
  const { json } = await ada.get<Static<typeof OrganizationList>>("/v1/organizations");
  t.match(json.items, [
    { id: two.id, role: "viewer" },
    { id: one.id, role: "owner" },
  ]);
});

t.test("an organization answers 404 to who does not belong to it, like an unknown", async (t) => {
  const house = await openInProcess(t);
  const [ada, eve] = [await house.account(), await house.account()];
  const { id } = await organization(ada);
  const bodies = { PATCH: { name: "x" }, PUT: { limit_credits: 1, period: "month" } };
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", bodies.PATCH],
    ["DELETE", "", undefined],
    ["GET", "/members", undefined],
    ["POST", "/members", { email: "x@klieg.example", role: "member" }],
    ["PATCH", `/members/${ada.id}`, { role: "viewer" }],
    ["DELETE", `/members/${ada.id}`, undefined],
    ["PUT", `/members/${ada.id}/budget`, bodies.PUT],
    ["DELETE", `/members/${ada.id}/budget`, undefined],
    ["GET", "/usage", undefined],
  ] as const) {
    const headers = { "x-request-id": "same" };
    const ask = (org: string) =>
      eve.request(method, `/v1/organizations/${org}${path}`, { body, headers });
    const foreign = await ask(id);
    t.equal(foreign.status, 404, `${method} ${path}`);
    t.equal(foreign.text, (await ask(unknownId)).text);
    t.equal((await ask("nonsense")).status, 404);
  }
});

t.test("members are added by address: an existing account or a new one", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await organization(ada);
  const path = `/v1/organizations/${org.id}/members`;
  const email = await readEmail(bob);
  const old = await ada.post<Member>(path, { email: email.toUpperCase(), role: "member" });
  t.match(old, { status: 201, json: { user_id: bob.id, email, role: "member", budget: null } });
  t.equal((await ada.post(path, { email, role: "viewer" })).status, 409, "a member already");

  const fresh = await ada.post<Member>(path, { email: "new@klieg.example", role: "viewer" });
  t.match(fresh, { status: 201, json: { email: "new@klieg.example", role: "viewer" } });
  const body = { email: "new@klieg.example", issue_token: true };
  t.equal((await house.admin.post<CreatedAccount>("/v1/admin/accounts", body)).status, 409);
  const tokens = `/v1/admin/accounts/${fresh.json.user_id}/tokens`;
  const { json } = await house.admin.post<CreatedToken>(tokens, {});
  const cy = ada.asHolder(json.token);
  t.match((await cy.get<User>("/v1/me")).json, { email: "new@klieg.example", plan: "free" });

  const { items } = (await cy.get<Static<typeof MemberList>>(path)).json;
  t.strictSame(
    items.map(({ role }) => role),
    ["viewer", "member", "owner"],
  );
});

t.test("the last owner can neither leave nor be another", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await organization(ada);
  await join(ada, org, bob, "admin");
  const member = (id: string) => `/v1/organizations/${org.id}/members/${id}`;
  t.equal((await ada.delete(member(ada.id))).status, 409);
  t.equal((await ada.patch(member(ada.id), { role: "admin" })).status, 409);
  t.equal((await ada.patch(member(bob.id), { role: "owner" })).status, 200);
  t.equal((await ada.delete(member(ada.id))).status, 204);
  t.equal((await ada.get(`/v1/organizations/${org.id}`)).status, 404);
  t.equal((await bob.delete(member(bob.id))).status, 409, "now it is the last");
});

t.test("an admin cannot change an owner, nor make one", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob, cy] = [await house.account(), await house.account(), await house.account()];
  const org = await organization(ada);
  await join(ada, org, bob, "admin");
  await join(bob, org, cy, "member");
  const member = (id: string) => `/v1/organizations/${org.id}/members/${id}`;
  for (const reply of [
    await bob.patch(member(ada.id), { role: "member" }),
    await bob.delete(member(ada.id)),
    await bob.patch(member(bob.id), { role: "owner" }),
    await bob.patch(member(cy.id), { role: "owner" }),
    await bob.post(`/v1/organizations/${org.id}/members`, {
      email: "o@klieg.example",
      role: "owner",
    }),
  ]) {
    t.equal(reply.status, 403);
    t.equal(reply.json.required_role, "owner");
  }
  t.equal((await bob.patch(member(cy.id), { role: "viewer" })).status, 200);
});

t.test("everybody may leave", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await organization(ada);
  await join(ada, org, bob, "viewer");
  t.equal((await bob.delete(`/v1/organizations/${org.id}/members/${bob.id}`)).status, 204);
  t.equal((await bob.get(`/v1/organizations/${org.id}`)).status, 404);
});

t.test("DELETE /organizations/{id} is the owner's and ends it for everybody", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await organization(ada, "Kites");
  await join(ada, org, bob, "admin");
  await bob.put("/v1/me/active-organization", { organization_id: org.id });
  const refused = await bob.delete(`/v1/organizations/${org.id}`);
  t.match(refused, { status: 403, json: { required_role: "owner" } });
  t.equal((await ada.delete(`/v1/organizations/${org.id}`)).status, 204);
  t.equal((await ada.get(`/v1/organizations/${org.id}`)).status, 404);
  t.match((await bob.get<User>("/v1/me")).json, { active_organization: null, role: null });
  t.equal((await bob.post("/v1/organizations", { name: "x", slug: "kites" })).status, 201);
});

t.test("an organization has at most 500 members", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const path = `/v1/organizations/${(await organization(ada)).id}/members`;
  for (let n = 1; n < 500; n++) {
    const { status } = await ada.post(path, { email: `m${n}@klieg.example`, role: "viewer" });
    if (status !== 201) t.fail(`member ${n} was refused`);
  }
  t.equal((await ada.post(path, { email: "m500@klieg.example", role: "viewer" })).status, 409);
});
