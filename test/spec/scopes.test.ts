/** Which scope opens which route: a literal table, held against the route table and tried. */
import t from "tap";
import { tokenScopes } from "../../contract/account.ts";
import type { CreatedToken } from "../../contract/token.ts";
import { routeTable } from "../../http/route-table.ts";
import { openInProcess } from "./in-process-service.ts";

/** Scope by route: the first pattern that fits decides; `bearer` is any valid token. */
const scopes: readonly (readonly [RegExp, string])[] = [
  [/^POST \/v1\/(generate|remove-background|restore)\//, "generate"],
  [/^POST \/v1\/jobs\/cost$/, "generate"],
  [/^POST \/v1\/(jobs|sets)\/\{id\}\/cancel$/, "jobs:cancel"],
  [/^POST \/v1\/jobs:cancel$/, "jobs:cancel"],
  [/^DELETE \/v1\/jobs\/\{id\}$/, "jobs:cancel"],
  [/^(GET|POST) \/v1\/(jobs|sets)\b/, "jobs:read"],
  [/^\w+ \/v1\/(renders|assets)\/\{id\}\/share\b/, "shares"],
  [/^GET \/v1\/assets\/uploads\//, "assets:write"],
  [/^GET \/v1\/assets\b/, "assets:read"],
  [/^\w+ \/v1\/assets\b/, "assets:write"],
  [/^(GET|POST) \/v1\/(renders\/|compositions\/\{id\}\/renders?$)/, "renders"],
  [/^\w+ \/v1\/compositions\b/, "compositions"],
  [/^GET \/v1\/me\/credits/, "billing:read"],
  [/^GET \/v1\/reports\//, "billing:read"],
  [/^GET \/v1\/organizations\/\{id\}\/usage$/, "billing:read"],
  [/^\w+ \/v1\/(organizations\b|me\/active-organization)/, "organizations"],
  [/^GET \/v1\/(me|models|models\/\{id\}|limits)$/, "bearer"],
  // The route takes the turn's credential, which has no scope `agents`, or the owner's.
  [/^POST \/v1\/agent\/sessions\/\{id\}\/turns\/\{turn_id\}\/finish$/, "bearer"],
  [/^\w+ \/v1\/agent\//, "agents"],
  [/^\w+ \/v1\/(tokens|oauth\/clients|oauth\/device\/approve)/, "tokens"],
  [/^\w+ \/v1\/admin\//, "admin"],
];

const guarded = routeTable.filter(({ access }) => access !== "open");

t.test("scope by route", async (t) => {
  for (const { method, path, access } of guarded) {
    const name = `${method} ${path}`;
    t.equal(access, scopes.find(([pattern]) => pattern.test(name))?.[1], name);
  }
});

t.test("a token opens the routes of its scopes and no others", async (t) => {
  const house = await openInProcess(t);
  const { admin } = house;
  for (const scope of tokenScopes) {
    const only = { name: scope, scopes: [scope] };
    const others = { name: `all but ${scope}`, scopes: tokenScopes.filter((s) => s !== scope) };
    const [one, rest] = [
      await admin.post<CreatedToken>("/v1/tokens", only),
      await admin.post<CreatedToken>("/v1/tokens", others),
    ];
    for (const { method, path, access } of guarded) {
      const place = path.replaceAll(/\{\w+\}/g, "019d9000-0000-7000-8000-000000000000");
      const ask = async (token: string) => {
        const { status, json } = await admin
          .asHolder(token)
          .request<{ required_scope?: string } | undefined>(method, place, { body: {} });
        return status === 403 ? json?.required_scope : undefined;
      };
      const isOpened = access === scope || access === "bearer";
      // A job's assets are deleted with it, so deleting one asks for a second scope.
      const second = method === "DELETE" && path === "/v1/jobs/{id}" ? "assets:write" : undefined;
      const missing = isOpened ? second : access;
      t.equal(await ask(one.json.token), missing, `${scope}: ${method} ${place}`);
      if (access === scope) t.equal(await ask(rest.json.token), scope, `without ${scope}`);
    }
  }
});

t.test("the scopes are those of the specification", async (t) => {
  t.strictSame([...tokenScopes].sort(), [
    ...["admin", "agents", "assets:read", "assets:write", "billing:read", "compositions"],
    ...["generate", "jobs:cancel", "jobs:read", "organizations", "renders", "shares", "tokens"],
  ]);
});
