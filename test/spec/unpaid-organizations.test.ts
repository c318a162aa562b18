/** Organizations that one account owns, and what of them counts towards its own limits. */
import t from "tap";
import type { PlanName } from "../../config/plans.ts";
import type { CreatedToken } from "../../contract/token.ts";
import type { Caller, Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";
import { join, organization, readEmail } from "./organizations.ts";

/** Returns the caller in the organization, by a token that acts there alone. */
async function inside(caller: Caller, org: { readonly id: string }): Promise<Caller> {
  const body = { name: "pinned", organization_id: org.id };
  const { json } = await caller.post<CreatedToken>("/v1/tokens", body);
  return caller.asHolder(json.token);
}

t.test("A1: an account owns as many organizations as its plan allows", async (t) => {
  const house = await openInProcess(t);
  const owned: readonly (readonly [PlanName, number])[] = [
    ["free", 1],
    ["starter", 3],
    ["pro", 10],
    ["studio", 25],
  ];
  for (const [plan, most] of owned) {
    const ada = await house.account({ plan });
    for (let n = 0; n < most; n++) await organization(ada);
    const { status, json } = await ada.post<Refused>("/v1/organizations", { name: "One more" });
    t.equal(status, 409, plan);
    t.match(json.detail, `can own at most ${most} organization`);
    t.match((await ada.get("/v1/limits")).json, { organizations_owned: most });
  }
});

t.test("A1: neither joining nor promotion makes an account own more", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account({ plan: "pro" }), await house.account({ plan: "free" })];
  await organization(bob);
  const [one, two] = [await organization(ada), await organization(ada)];
  const email = await readEmail(bob);
  const asOwner = { email, role: "owner" };
  t.equal((await ada.post(`/v1/organizations/${one.id}/members`, asOwner)).status, 409);
  await join(ada, two, bob, "member");
  const promoted = await ada.patch(`/v1/organizations/${two.id}/members/${bob.id}`, {
    role: "owner",
  });
  t.equal(promoted.status, 409, "memberships are counted apart");
});

t.test("A1: a deleted organization makes room for another one", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free" });
  const { id } = await organization(ada);
  await ada.delete(`/v1/organizations/${id}`);
  t.equal((await ada.post("/v1/organizations", { name: "Again" })).status, 201);
});

t.test("A1: files of an unpaid organization count into its creator's storage", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free" });
  const limits = { storage_bytes: 2_000 };
  await house.admin.patch(`/v1/admin/accounts/${ada.id}`, { limits });
  const org = await organization(ada);
  const there = await inside(ada, org);
  const put = async (caller: Caller, bytes: number, text: string) => {
    const { json } = await caller.post<{ id: string }>("/v1/compositions", {});
    return caller.request<Refused>("PUT", `/v1/compositions/${json.id}/file?path=a.css`, {
      body: Buffer.from(text.repeat(bytes)),
      headers: { "content-type": "text/css" },
    });
  };
  t.equal((await put(there, 1_500, "x")).status, 201);
  const full = { used_bytes: 1_500, limit_bytes: 2_000 };
  t.match((await ada.get("/v1/me")).json, { storage: full });
  t.match((await there.get("/v1/me")).json, { storage: full });
  t.match(await put(ada, 600, "y"), { status: 413, json: { limit_bytes: 2_000 } });
  t.match(await put(there, 600, "y"), { status: 413, json: { limit_bytes: 2_000 } });
  await house.admin.post(`/v1/admin/organizations/${org.id}/credits`, { amount: 10 });
  await house.settle();
  t.equal((await put(there, 600, "y")).status, 201, "credits make it pay for itself");
  t.match((await ada.get("/v1/me")).json, { storage: { used_bytes: 0 } });
});

t.test("A1: requests in an unpaid organization count into its creator's rates", async (t) => {
  const house = await openInProcess(t, { rates: true });
  const ada = await house.account({ plan: "free" });
  const org = await organization(ada);
  const there = await inside(ada, org);
  for (let n = 0; n < 300; n++) await there.get("/v1/me");
  const { headers } = await ada.get("/v1/me");
  t.match(headers["ratelimit"], "r=299;");
  await house.admin.patch(`/v1/admin/organizations/${org.id}`, { plan: "starter" });
  await house.settle();
  t.match((await there.get("/v1/me")).headers["ratelimit"], "r=599;", "a plan of its own");
});

t.test("A1: streams in an unpaid organization count into its creator's", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free" });
  const org = await organization(ada);
  const { following } = house.service;
  const { json } = await (await inside(ada, org)).post<{ id: string }>("/v1/agent/sessions", {});
  const path = `/v1/agent/sessions/${json.id}`;
  const there = await inside(ada, org);
  const ticket = await there.post<{ ticket: string }>(`${path}/events-ticket`);
  while (following.enter("stream", ada.id, 100));
  const events = await ada.get(`${path}/events?ticket=${ticket.json.ticket}`);
  t.equal(events.status, 503);
});
