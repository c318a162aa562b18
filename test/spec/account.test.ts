import t from "tap";
import { type PlanName, plans } from "../../config/plans.ts";
import type { Static } from "../../config/schema.ts";
import type { CreatedAccount, Credits, User } from "../../contract/account.ts";
import { openInProcess } from "./in-process-service.ts";

type CreditsView = Static<typeof Credits>;

t.test("GET /me describes the account, its limits, its quota and its token", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ email: "ada@klieg.example", display_name: "Ada" });
  const { status, json } = await ada.get<User>("/v1/me");
  t.equal(status, 200);
  t.match(json, {
    id: ada.id,
    email: "ada@klieg.example",
    display_name: "Ada",
    plan: "pro",
    balance_credits: 4000,
    role: null,
    active_organization: null,
    generation_limits: { concurrent_max: 4, concurrent_active: 0 },
    quota: { limit: 2000, used: 0, resets_at: "2026-04-16T00:00:00.000Z" },
    token: { id: /^[A-Za-z0-9]{8}$/, name: /./, expires_at: null },
    created_at: "2026-04-15T12:00:00.000Z",
  });
});

t.test("GET /me never shows the token itself", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { text } = await ada.get("/v1/me");
  t.notOk(text.includes(ada.token?.split("_")[2] ?? ""));
});

t.test("GET /me takes no parameters and spends nothing", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 5 });
  t.equal((await ada.get("/v1/me?verbose=1")).status, 400);
  for (let n = 0; n < 5; n++) await ada.get("/v1/me");
  t.equal((await ada.get<User>("/v1/me")).json.balance_credits, 5);
});

t.test("live counts of generations stand in GET /me", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await ada.job("one sim:slow=2000");
  await ada.job("two sim:queue=60000");
  const active = async () => {
    return (await ada.get<User>("/v1/me")).json.generation_limits?.concurrent_active;
  };
  t.equal(await active(), 2);
  await house.advance(2_500);
  t.equal(await active(), 1);
});

t.test("the first account is an administrator with every scope", async (t) => {
  const house = await openInProcess(t);
  const { json } = await house.admin.get<User>("/v1/me");
  t.match(json, { email: "admin@localhost", plan: "enterprise", balance_credits: 1_000_000 });
  t.ok(json.token.scopes.includes("admin"));
  t.equal(json.token.scopes.length, 13);
  t.equal(json.token.expires_at, null);
});

t.test("GET /me/credits shows balance, holds and renewal", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await ada.job("sim:slow=60000", { num_images: 4 });
  const { status, json } = await ada.get<CreditsView>("/v1/me/credits");
  t.equal(status, 200);
  t.strictSame(json, {
    balance_credits: 3996,
    held_credits: 4,
    plan: "pro",
    monthly_credits: 4000,
    renews_at: "2026-05-01T00:00:00.000Z",
  });
});

t.test("balance_credits is granted less charged less held, everywhere", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 100 });
  await ada.job("done", { num_images: 3 });
  await house.settle();
  await ada.job("running sim:slow=60000", { num_images: 2 });
  t.equal((await ada.get<CreditsView>("/v1/me/credits")).json.balance_credits, 95);
  t.equal((await ada.get<User>("/v1/me")).json.balance_credits, 95);
});

t.test("a plan's credits are granted at creation unless others are given", async (t) => {
  const house = await openInProcess(t);
  const granted: Readonly<Record<PlanName, number>> = {
    free: 100,
    starter: 1000,
    pro: 4000,
    studio: 12000,
    team: 20000,
    enterprise: 0,
  };
  for (const plan of Object.keys(plans) as PlanName[]) {
    const ada = await house.account({ plan });
    t.match((await ada.get<CreditsView>("/v1/me/credits")).json, {
      balance_credits: granted[plan],
      monthly_credits: granted[plan],
    });
  }
  const poor = await house.account({ plan: "team", credits: 0 });
  t.equal((await poor.get<CreditsView>("/v1/me/credits")).json.balance_credits, 0);
});

t.test("on the 1st unused plan credits expire and new ones are granted", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter" });
  await ada.job("a kite", { num_images: 4 });
  await house.advance(16 * 86_400_000);
  const { json } = await ada.get<CreditsView>("/v1/me/credits");
  t.match(json, { balance_credits: 1000, renews_at: "2026-06-01T00:00:00.000Z" });
});

t.test("on the 1st granted credits stay", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter", credits: 1500 });
  await ada.job("a kite", { num_images: 4 });
  await house.advance(16 * 86_400_000);
  const { json } = await ada.get<CreditsView>("/v1/me/credits");
  t.equal(json.balance_credits, 1500, "500 that were granted and 1000 of the plan");
});

t.test("an administrator creates accounts with 201", async (t) => {
  const house = await openInProcess(t);
  const body = { email: "bob@klieg.example", plan: "team", credits: 7, issue_token: true };
  const { status, json } = await house.admin.post<CreatedAccount>("/v1/admin/accounts", body);
  t.equal(status, 201);
  t.match(json, { email: "bob@klieg.example", plan: "team", balance_credits: 7 });
  t.match(json.id, /^[0-9a-f-]{36}$/);
  t.match(json.token, /^pat_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
});

t.test("a new account's token may do all but administer", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { scopes } = (await ada.get<User>("/v1/me")).json.token;
  t.equal(scopes.length, 12);
  t.notOk(scopes.includes("admin"));
});

t.test("a token is issued only when asked for, the plan is free by default", async (t) => {
  const house = await openInProcess(t);
  const body = { email: "cy@klieg.example" };
  const { json } = await house.admin.post<CreatedAccount>("/v1/admin/accounts", body);
  t.match(json, { plan: "free", balance_credits: 100 });
  t.notOk("token" in json);
});

t.test("an email address is taken once, whatever its case", async (t) => {
  const house = await openInProcess(t);
  await house.account({ email: "dora@klieg.example" });
  for (const email of ["dora@klieg.example", "Dora@Klieg.Example"]) {
    const { status, json } = await house.admin.post("/v1/admin/accounts", { email });
    t.equal(status, 409, email);
    t.match(json, { title: "Conflict" });
    t.equal(json.code, undefined);
  }
});

t.test("of many that ask for one address at once one gets it", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  const body = { email: "eve@klieg.example" };
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => house.admin.post("/v1/admin/accounts", body)),
  );
  t.strictSame(
    replies.map(({ status }) => status).sort(),
    [201, 409, 409, 409, 409, 409, 409, 409],
  );
});

t.test("creating accounts needs the scope admin", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, json } = await ada.post("/v1/admin/accounts", { email: "x@klieg.example" });
  t.equal(status, 403);
  t.match(json, { title: "Forbidden", required_scope: "admin" });
  t.equal(json.code, undefined);
  t.equal((await house.stranger.post("/v1/admin/accounts", {})).status, 401);
});

t.test("a wrong field of a new account is named", async (t) => {
  const house = await openInProcess(t);
  const email = "fred@klieg.example";
  for (const [body, pointer] of [
    [{}, "/email"],
    [{ email: "nobody" }, "/email"],
    [{ email: 7 }, "/email"],
    [{ email, plan: "gold" }, "/plan"],
    [{ email, credits: -1 }, "/credits"],
    [{ email, credits: 1.5 }, "/credits"],
    [{ email, credits: "9" }, "/credits"],
    [{ email, issue_token: "yes" }, "/issue_token"],
    [{ email, display_name: "" }, "/display_name"],
    [{ email, role: "owner" }, "/role"],
  ] as const) {
    const { status, json } = await house.admin.post("/v1/admin/accounts", body);
    t.equal(status, 400, JSON.stringify(body));
    t.ok(
      json.errors?.some((fault) => fault.pointer === pointer),
      pointer,
    );
  }
});

t.test("an account without a credential can be created and lets nobody in", async (t) => {
  const house = await openInProcess(t);
  const body = { email: "gil@klieg.example", issue_token: false };
  t.equal((await house.admin.post("/v1/admin/accounts", body)).status, 201);
  t.equal((await house.stranger.get("/v1/me")).status, 401);
});
