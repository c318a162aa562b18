/**
 * Every route that names an object, asked by whoever could ask. Driven by the route table: a route
 * that is not in the matrix fails. The object is made in the context of an organization by one of
 * its members, the `maker`; the roles are other members of it, the outsider is in none.
 */
import t, { type Test } from "tap";
import { type Role, roles } from "../../contract/organization.ts";
import type { CreatedToken } from "../../contract/token.ts";
import { routeTable } from "../../http/route-table.ts";
import { adminRows } from "./admin-roles.ts";
import type { Caller } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { type Ids, kits, type Stage } from "./objects-to-name.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";
import { configureQuiet } from "./quiet-provider.ts";
import { shareRows } from "./share-roles.ts";

const principals = ["maker", "outsider", ...roles] as const;
type PrincipalName = (typeof principals)[number];

interface Row {
  readonly object: keyof typeof kits;
  readonly expected: string;
  readonly body?: object;
  readonly query?: string;
  /** Role of the maker; that of a member if absent. */
  readonly maker?: Role;
}

/** Statuses for: maker, outsider, owner, admin, member, viewer, billing contact. */
const matrix: Readonly<Record<string, Row>> = {
  "GET /v1/jobs/{id}": { object: "job", expected: "200 404 200 200 200 200 403" },
  "GET /v1/jobs/{id}/wait": { object: "job", expected: "200 404 200 200 200 200 403" },
  "GET /v1/jobs/{id}/events": { object: "job", expected: "200 404 200 200 200 200 403" },
  "DELETE /v1/jobs/{id}": { object: "job", expected: "204 404 204 204 403 403 403" },
  "POST /v1/jobs/{id}/cancel": { object: "slowJob", expected: "200 404 200 200 403 403 403" },
  "POST /v1/jobs/{id}/sse-ticket": { object: "job", expected: "201 404 201 201 201 201 403" },

  "GET /v1/sets/{id}": { object: "set", expected: "200 404 200 200 200 200 403" },
  "POST /v1/sets/{id}/cancel": { object: "set", expected: "200 404 200 200 403 403 403" },

  "GET /v1/assets/{id}": { object: "asset", expected: "200 404 200 200 200 200 403" },
  "GET /v1/assets/{id}/content": { object: "asset", expected: "302 404 302 302 302 302 403" },
  "PATCH /v1/assets/{id}": {
    object: "asset",
    expected: "200 404 200 200 403 403 403",
    body: { favorite: true },
  },
  "DELETE /v1/assets/{id}": { object: "asset", expected: "204 404 204 204 403 403 403" },
  "POST /v1/assets/{id}/restore": {
    object: "trashedAsset",
    expected: "200 404 200 200 403 403 403",
  },

  "GET /v1/assets/uploads/{id}": { object: "upload", expected: "200 404 200 200 403 403 403" },
  "POST /v1/assets/uploads/{id}/parts": {
    object: "upload",
    expected: "200 404 200 200 403 403 403",
    body: { part_numbers: [1] },
  },
  "POST /v1/assets/uploads/{id}/complete": {
    object: "storedUpload",
    expected: "200 404 200 200 403 403 403",
    body: {},
  },
  "DELETE /v1/assets/uploads/{id}": { object: "upload", expected: "204 404 204 204 403 403 403" },

  "GET /v1/compositions/{id}": { object: "composition", expected: "200 404 200 200 200 200 403" },
  "PATCH /v1/compositions/{id}": {
    object: "composition",
    expected: "200 404 200 200 403 403 403",
    body: { name: "Kites" },
  },
  "DELETE /v1/compositions/{id}": {
    object: "composition",
    expected: "204 404 204 204 403 403 403",
  },
  "PUT /v1/compositions/{id}/file": {
    object: "composition",
    expected: "200 404 200 200 403 403 403",
    query: "?path=a.txt",
    body: {},
  },
  "GET /v1/compositions/{id}/file": {
    object: "composition",
    expected: "200 404 200 200 200 200 403",
    query: "?path=a.txt",
  },
  "DELETE /v1/compositions/{id}/file": {
    object: "composition",
    expected: "204 404 204 204 403 403 403",
    query: "?path=a.txt",
  },
  "POST /v1/compositions/{id}/bundle": {
    object: "composition",
    // The body is no archive, which only callers who may send one are told.
    expected: "415 404 415 415 403 403 403",
  },
  "POST /v1/compositions/{id}/files:signed-urls": {
    object: "composition",
    expected: "200 404 200 200 200 200 403",
    body: {},
  },
  "POST /v1/compositions/{id}/preview": {
    object: "composition",
    expected: "201 404 201 201 201 201 403",
  },
  "POST /v1/compositions/{id}/clone": {
    object: "composition",
    expected: "201 404 201 201 201 403 403",
    body: {},
  },
  "GET /v1/compositions/{id}/timeline": {
    object: "composition",
    expected: "200 404 200 200 200 200 403",
  },
  "GET /v1/compositions/{id}/export": {
    object: "composition",
    // The composition has no clip, which only callers who may read it are told.
    expected: "422 404 422 422 422 422 403",
    query: "?format=fcpxml",
  },
  // The request has no frame to import, which only callers who may import are told.
  "POST /v1/compositions/{id}/imports/figma": {
    object: "composition",
    expected: "400 404 400 400 400 403 403",
    body: { access_token: "x", url: "https://www.figma.com/" },
  },
  "POST /v1/compositions/{id}/render": {
    object: "composition",
    expected: "202 404 202 202 202 403 403",
    body: {},
  },
  "GET /v1/compositions/{id}/renders": {
    object: "composition",
    expected: "200 404 200 200 200 200 403",
  },
  "GET /v1/renders/{id}": { object: "render", expected: "200 404 200 200 200 200 403" },
  "POST /v1/renders/{id}/cancel": { object: "render", expected: "200 404 200 200 403 403 403" },
  "POST /v1/renders/{id}/sse-ticket": {
    object: "render",
    expected: "201 404 201 201 201 201 403",
  },

  ...shareRows,

  "GET /v1/models/{id}": { object: "model", expected: "200 200 200 200 200 200 200" },

  "GET /v1/organizations/{id}": {
    object: "organization",
    expected: "200 404 200 200 200 200 200",
  },
  "PATCH /v1/organizations/{id}": {
    object: "organization",
    expected: "403 404 200 200 403 403 403",
    body: { name: "Kites" },
  },
  "DELETE /v1/organizations/{id}": {
    object: "organization",
    expected: "403 404 204 403 403 403 403",
  },
  "GET /v1/organizations/{id}/usage": {
    object: "organization",
    expected: "403 404 200 200 403 403 200",
  },
  "GET /v1/organizations/{id}/members": {
    object: "organization",
    expected: "200 404 200 200 200 200 200",
  },
  "POST /v1/organizations/{id}/members": {
    object: "organization",
    expected: "403 404 201 201 403 403 403",
    body: { email: "new@klieg.example", role: "viewer" },
  },
  "PATCH /v1/organizations/{id}/members/{user_id}": {
    object: "member",
    expected: "403 404 200 200 403 403 403",
    body: { role: "viewer" },
  },
  "DELETE /v1/organizations/{id}/members/{user_id}": {
    object: "member",
    // Every member may leave.
    expected: "204 404 204 204 403 403 403",
  },
  "PUT /v1/organizations/{id}/members/{user_id}/budget": {
    object: "member",
    expected: "403 404 200 200 403 403 200",
    body: { limit_credits: 10, period: "month" },
  },
  "DELETE /v1/organizations/{id}/members/{user_id}/budget": {
    object: "member",
    expected: "403 404 204 204 403 403 204",
  },

  "DELETE /v1/tokens/{id}": { object: "token", expected: "204 404 404 404 404 404 404" },
  "DELETE /v1/oauth/clients/{id}": {
    object: "client",
    expected: "204 404 204 204 403 403 403",
    maker: "admin",
  },

  "GET /v1/agent/sessions/{id}": { object: "session", expected: "200 404 404 404 404 404 404" },
  "DELETE /v1/agent/sessions/{id}": { object: "session", expected: "204 404 404 404 404 404 404" },
  "POST /v1/agent/sessions/{id}/turns": {
    object: "session",
    expected: "201 404 404 404 404 404 404",
    body: { brief: "Draw" },
  },
  "POST /v1/agent/sessions/{id}/interrupt": {
    object: "sessionOfTurn",
    expected: "200 404 404 404 404 404 404",
    body: {},
  },
  "POST /v1/agent/sessions/{id}/events-ticket": {
    object: "session",
    expected: "201 404 404 404 404 404 404",
  },
  "GET /v1/agent/sessions/{id}/turns/{turn_id}": {
    object: "turn",
    expected: "200 404 404 404 404 404 404",
  },
  "POST /v1/agent/sessions/{id}/turns/{turn_id}/finish": {
    object: "turn",
    expected: "200 404 404 404 404 404 404",
    body: { status: "finished" },
  },
  "POST /v1/agent/sessions/{id}/turns/{turn_id}/ceiling": {
    object: "turn",
    expected: "200 404 404 404 404 404 404",
    body: { credit_ceiling: 100 },
  },

  ...adminRows,
};

const unknownId = "019d9000-0000-7000-8000-000000000000";

const named = routeTable.filter(({ path }) => path.includes("{"));
const guarded = named.filter(({ access }) => access !== "open");

t.test("each route that names an object is in the matrix, and no other", async (t) => {
  const routes = guarded.map(({ method, path }) => `${method} ${path}`);
  t.strictSame(Object.keys(matrix).sort(), routes.sort());
});

for (const [name, row] of Object.entries(matrix)) {
  t.test(`who may ${name}, and a foreign object is like an unknown one`, async (t) => {
    const stage = await open(t, row.maker);
    const statuses = row.expected.split(" ").map(Number);
    for (const [at, principal] of principals.entries()) {
      const caller = getCaller(stage, principal);
      const ids = await kits[row.object](stage);
      const expected = statuses[at] ?? 0;
      const ask = (asked: Ids) => caller.request(...request(name, asked, row));
      if (expected === 404 || principal === "outsider")
        await isLikeUnknown(t, ask, ids, `${principal}: ${name}`);
      t.equal((await ask(ids)).status, expected, `${principal}: ${name}`);
    }
    if (!name.includes("/admin/")) return;
    const { status } = await stage.house.admin.request(
      ...request(name, await kits[row.object](stage), row),
    );
    t.ok(status < 300, `an operator: ${name} ${status}`);
  });
}

/** Tries an unknown id in each place in turn, and one that is no id at all. */
async function isLikeUnknown(
  t: Test,
  ask: (ids: Ids) => ReturnType<Caller["request"]>,
  ids: Ids,
  title: string,
): Promise<void> {
  const foreign = await ask(ids);
  if (foreign.status === 200) return;
  for (const wrong of [unknownId, unknownId.replace(/.$/, "1")])
    for (let at = 0; at < ids.length; at++) {
      const unknown = await ask(ids.map((id, place) => (place === at ? wrong : id)));
      t.equal(unknown.status, foreign.status, `${title}, status`);
      t.strictSame(comparable(unknown.headers), comparable(foreign.headers), `${title}, headers`);
      t.equal(unknown.text, foreign.text, `${title}, body`);
    }
  const nonsense = await ask(["nonsense", ...ids.slice(1)]);
  t.equal(nonsense.text, foreign.text, `${title}, an id that is no UUID`);
}

function comparable(headers: Readonly<Record<string, string | undefined>>) {
  const { date: _, ratelimit: __, ...others } = headers;
  return others;
}

t.test("without, with an expired and with a revoked credential each answers 401", async (t) => {
  const stage = await open(t, undefined);
  const { maker, house } = stage;
  const make = async () => {
    const body = { name: "x", expires_in_days: 1 };
    return (await maker.post<CreatedToken>("/v1/tokens", body)).json;
  };
  const [short, ended] = [await make(), await make()];
  await maker.delete(`/v1/tokens/${ended.id}`);
  const objects = new Map<string, Ids>();
  for (const [name, { object, maker: role }] of Object.entries(matrix))
    if (role === undefined) objects.set(name, await kits[object](stage));
  await house.advance(86_401_000);
  const callers = [house.stranger, maker.asHolder(short.token), maker.asHolder(ended.token)];
  for (const [name, row] of Object.entries(matrix)) {
    const ids = objects.get(name) ?? [unknownId];
    for (const caller of callers)
      t.equal((await caller.request(...request(name, ids, row))).status, 401, name);
  }
});

t.test("routes without a bearer do not say whether there is such an object", async (t) => {
  const stage = await open(t, undefined);
  const [job, session, upload] = [
    await kits.job(stage),
    await kits.session(stage),
    await kits.upload(stage),
  ];
  const headers = { "x-request-id": "same" };
  for (const [path, expected] of [
    [`/v1/jobs/${job[0]}/sse?ticket=x`, 401],
    [`/v1/agent/sessions/${session[0]}/events?ticket=x`, 401],
    [`/objects/assets/${stage.org.id}/${upload[0]}/media`, 403],
    [`/v1/share/${(await kits.sharedAsset(stage))[1]}`, 404],
  ] as const) {
    const known = await stage.house.stranger.request("GET", path, { headers });
    const other = path.replaceAll(/[0-9a-f-]{36}/g, unknownId);
    const unknown = await stage.house.stranger.request("GET", other, { headers });
    t.equal(known.status, expected, path);
    t.equal(unknown.status, expected, other);
    t.equal(unknown.text, known.text);
  }
});

t.test("a viewer's cancel is refused before the object is looked up", async (t) => {
  const stage = await open(t, undefined);
  const foreign = await (await stage.house.account()).job("elsewhere");
  for (const id of [foreign.id, unknownId, "nonsense"])
    for (const [principal, expected] of [
      ["viewer", 403],
      ["billing_contact", 403],
      ["member", 404],
      ["owner", 404],
    ] as const) {
      const { status } = await getCaller(stage, principal).cancel(id);
      t.equal(status, expected, `${principal} ${id}`);
    }
});

/** Builds the parts of a request for the named route. */
function request(name: string, ids: Ids, { body, query = "" }: Row) {
  const [method = "", template = ""] = name.split(" ", 2);
  let at = 0;
  const path = template.replace(/\{\w+\}/g, () => ids[at++] ?? "");
  return [method, path + query, { body, headers: { "x-request-id": "same" } }] as const;
}

function getCaller(stage: Stage, principal: PrincipalName): Caller {
  if (principal === "maker") return stage.maker;
  return principal === "outsider" ? stage.outsider : stage.as(principal);
}

/** An organization with a user in each role, and a maker of its objects. */
async function open(t: Test, role: Role = "member"): Promise<Stage> {
  const house: InProcess = await openInProcess(t, configureQuiet(t).options);
  const owner = await house.account({ plan: "enterprise" });
  const org = await foundPaidOrganization(house, owner, 100_000);
  const limits = { concurrent_max: 1_000 };
  await house.admin.patch(`/v1/admin/organizations/${org.id}`, { limits });
  const byRole = new Map<Role, Caller>([["owner", owner]]);
  for (const role of roles) if (role !== "owner") byRole.set(role, await house.account());
  const [maker, outsider] = [await house.account({ plan: "enterprise" }), await house.account()];
  for (const [role, caller] of byRole) if (role !== "owner") await join(owner, org, caller, role);
  await join(owner, org, maker, role);
  for (const caller of [...byRole.values(), maker]) await enter(caller, org);
  return { house, org, maker, outsider, makerRole: role, as: (role) => byRole.get(role) ?? owner };
}
