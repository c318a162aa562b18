/**
 * Who may do what where no object is named, and what a role may do with its own and with others'.
 * `role-matrix.test.ts` covers every route that names an object.
 */
import t, { type Test } from "tap";
import { type Role, roles } from "../../contract/organization.ts";
import type { Caller } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";

/** An organization with a user in each role, a job of the `member`, and one of the owner. */
async function stage(t: Test) {
  const house = await openInProcess(t);
  const owner = await house.account();
  const org = await foundPaidOrganization(house, owner);
  const byRole = new Map<Role, Caller>([["owner", owner]]);
  for (const role of roles) {
    if (role === "owner") continue;
    const caller = await house.account();
    await join(owner, org, caller, role);
    byRole.set(role, caller);
  }
  for (const caller of byRole.values()) await enter(caller, org);
  const as = (role: Role) => byRole.get(role) ?? owner;
  const own = await as("member").job("of the member");
  const other = await owner.job("of the owner");
  await house.settle();
  const asset = (await owner.read(other.id)).asset?.id;
  return { house, org, as, own, other, asset };
}

type Expected = Readonly<Record<Role, number>>;

function allBut(status: number, refused: readonly Role[]): Expected {
  const of = (role: Role) => (refused.includes(role) ? 403 : status);
  return Object.fromEntries(roles.map((role) => [role, of(role)])) as Expected;
}

t.test("reads are for all roles but billing contacts, of all jobs", async (t) => {
  const { as, own, other, asset } = await stage(t);
  for (const [path, status] of [
    ["/v1/jobs", 200],
    [`/v1/jobs/${own.id}`, 200],
    [`/v1/jobs/${other.id}`, 200],
    [`/v1/jobs/${own.id}/wait`, 200],
    [`/v1/assets/${asset}`, 200],
  ] as const)
    for (const [role, expected] of Object.entries(allBut(status, ["billing_contact"])))
      t.equal((await as(role as Role).get(path)).status, expected, `${role} ${path}`);
  for (const [role, expected] of Object.entries(allBut(201, ["billing_contact"])))
    t.equal((await as(role as Role).post(`/v1/jobs/${own.id}/sse-ticket`)).status, expected, role);
});

t.test("submits are for owners, admins and members", async (t) => {
  const { as } = await stage(t);
  for (const [role, expected] of Object.entries(allBut(202, ["viewer", "billing_contact"]))) {
    const { status, json } = await as(role as Role).submit<{ required_role?: string }>(role);
    t.equal(status, expected, role);
    if (expected === 403) t.equal(json.required_role, "member");
  }
});

t.test("owners and admins cancel any job, members their own", async (t) => {
  for (const [role, expected] of [
    ["owner", { own: 200, other: 200 }],
    ["admin", { own: 200, other: 200 }],
    ["member", { own: 200, other: 403 }],
    ["viewer", { own: 403, other: 403 }],
    ["billing_contact", { own: 403, other: 403 }],
  ] as const) {
    const { as } = await stage(t);
    const own = await as("member").job("slow one sim:slow=60000");
    const other = await as("owner").job("slow two sim:slow=60000");
    t.equal((await as(role).cancel(other.id)).status, expected.other, `${role}, another's`);
    t.equal((await as(role).cancel(own.id)).status, expected.own, `${role}, the member's`);
  }
});

const readers: readonly Role[] = ["billing_contact"];
const makers: readonly Role[] = ["viewer", "billing_contact"];

t.test("sets follow the same roles as jobs", async (t) => {
  const { as } = await stage(t);
  const set = (name: string) => {
    return { name, base: { model: "sim-instant" }, members: [{ label: "a", prompt: name }] };
  };
  const slow = set("slow sim:slow=60000");
  const { json } = await as("owner").post<{ id: string }>("/v1/generate/set", slow);
  for (const role of roles) {
    const caller = as(role);
    const made = await caller.post("/v1/generate/set", set(role));
    t.equal(made.status, allBut(202, makers)[role], `${role} submits`);
    for (const path of ["/v1/sets", `/v1/sets/${json.id}`])
      t.equal((await caller.get(path)).status, allBut(200, readers)[role], `${role} ${path}`);
  }
  const cancel = async (role: Role) => {
    return (await as(role).post(`/v1/sets/${json.id}/cancel`)).status;
  };
  for (const role of ["member", "viewer", "billing_contact"] as const)
    t.equal(await cancel(role), 403, role);
  t.equal(await cancel("admin"), 200);
});

t.test("assets are read by all but billing contacts and changed by who may edit", async (t) => {
  const { as, asset, own } = await stage(t);
  const members = (await as("member").read(own.id)).asset?.id;
  for (const role of roles) {
    const caller = as(role);
    for (const path of ["/v1/assets", `/v1/assets/${asset}`])
      t.equal((await caller.get(path)).status, allBut(200, readers)[role], `${role} ${path}`);
    const name = { display_name: role };
    const edit = async (id: string | undefined) => {
      return (await caller.patch(`/v1/assets/${id}`, name)).status;
    };
    const any = allBut(200, ["member", ...makers])[role];
    t.equal(await edit(asset), any, `${role} edits the owner's`);
    t.equal(await edit(members), allBut(200, makers)[role], `${role} edits the member's`);
  }
  t.equal((await as("viewer").delete(`/v1/assets/${members}`)).status, 403);
  t.equal((await as("member").delete(`/v1/assets/${asset}`)).status, 403);
  t.equal((await as("member").delete(`/v1/assets/${members}`)).status, 204);
});

t.test("uploads and quotes: uploads are for makers, quotes for all who read", async (t) => {
  const { as } = await stage(t);
  const upload = { filename: "a.png", mime_type: "image/png", size_bytes: 100 };
  const image = { model: "sim-instant", prompt: "a kite" };
  for (const role of roles) {
    const { status } = await as(role).post("/v1/assets/uploads", upload);
    t.equal(status, allBut(201, makers)[role], `${role} uploads`);
    const quote = await as(role).post("/v1/jobs/cost", { kind: "image", image });
    t.equal(quote.status, allBut(200, readers)[role], `${role} quotes`);
  }
});

const money: readonly Role[] = ["member", "viewer"];
const managers: readonly Role[] = ["member", "viewer", "billing_contact"];

t.test("films of blocks are for owners, admins and members", async (t) => {
  const { as, asset } = await stage(t);
  const blocks = [{ clip_asset_id: asset, duration_seconds: 1 }];
  for (const role of roles) {
    const size = { width: 64, height: 64 };
    const { status } = await as(role).post("/v1/renders/blocks", { blocks, ...size });
    t.equal(status, allBut(202, makers)[role], role);
  }
});

t.test("members and roles are for owners and admins", async (t) => {
  const { org, as } = await stage(t);
  const base = `/v1/organizations/${org.id}`;
  const viewer = `${base}/members/${as("viewer").id}`;
  for (const role of roles) {
    const caller = as(role);
    const expect = (status: number) => allBut(status, managers)[role];
    t.equal((await caller.get(base)).status, 200, role);
    t.equal((await caller.get(`${base}/members`)).status, 200, role);
    t.equal((await caller.patch(base, { name: "Kites" })).status, expect(200), role);
    const body = { email: `of-${role.replace("_", "-")}@klieg.example`, role: "viewer" };
    t.equal((await caller.post(`${base}/members`, body)).status, expect(201), role);
    t.equal((await caller.patch(viewer, { role: "viewer" })).status, expect(200), role);
  }
  for (const role of ["member", "billing_contact"] as const)
    t.equal((await as(role).delete(viewer)).status, 403, role);
  t.equal((await as("admin").delete(viewer)).status, 204);
});

t.test("budgets, ledger and reports are for owners, admins and billing contacts", async (t) => {
  const { org, as } = await stage(t);
  const base = `/v1/organizations/${org.id}`;
  const budget = `${base}/members/${as("member").id}/budget`;
  for (const role of roles) {
    const caller = as(role);
    const expect = (status: number) => allBut(status, money)[role];
    const wanted = { limit_credits: 100, period: "month" };
    t.equal((await caller.put(budget, wanted)).status, expect(200), `${role} sets`);
    t.equal((await caller.delete(budget)).status, expect(204), `${role} lifts`);
    for (const path of [`${base}/usage`, "/v1/me/credits/ledger", "/v1/reports/spend"])
      t.equal((await caller.get(path)).status, expect(200), `${role} ${path}`);
  }
});

t.test("OAuth clients of an organization are for owners and admins", async (t) => {
  const { as } = await stage(t);
  for (const role of roles) {
    const expect = (status: number) => allBut(status, managers)[role];
    const body = { name: role, scopes: ["jobs:read"] };
    const made = await as(role).post<{ client_id: string }>("/v1/oauth/clients", body);
    t.equal(made.status, expect(201), role);
    t.equal((await as(role).get("/v1/oauth/clients")).status, expect(200), role);
    const id = made.json.client_id ?? "x";
    t.equal((await as(role).delete(`/v1/oauth/clients/${id}`)).status, expect(204), role);
  }
});
