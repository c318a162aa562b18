import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { LedgerEntry, LedgerPage, SpendReport } from "../../contract/ledger.ts";
import type { Caller } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";

type Page = Static<typeof LedgerPage>;

async function ledger(caller: Caller, query = ""): Promise<Page> {
  return (await caller.get<Page>(`/v1/me/credits/ledger${query}`)).json;
}

function brief({ type, amount, balance_after: after }: LedgerEntry): string {
  return `${type} ${amount} ${after}`;
}

t.test("GET /me/credits/ledger: hold -n, at settlement release +n then charge -c", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 100 });
  const done = await ada.job("done", { num_images: 4 });
  await house.settle();
  const failed = await ada.job("failed sim:fail", { num_images: 2 });
  await house.settle();
  const { items, next_cursor: next } = await ledger(ada);
  t.strictSame(items.map(brief), [
    "release 2 96",
    "hold -2 94",
    "charge -4 96",
    "release 4 100",
    "hold -4 96",
    "grant 100 100",
  ]);
  t.strictSame(
    items.map(({ job_id }) => job_id),
    [failed.id, failed.id, done.id, done.id, done.id, undefined],
  );
  t.equal(items[0]?.at, "2026-04-15T12:00:00.000Z");
  t.equal(next, null);
  t.equal(new Set(items.map(({ id }) => id)).size, 6);
});

t.test("the amounts of a ledger sum up to the balance", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio", credits: 100 });
  for (let n = 0; n < 8; n++) await ada.job(`${n} ${n % 3 === 0 ? "sim:fail" : ""}`);
  await house.settle();
  const { items } = await ledger(ada, "?limit=100");
  const sum = items.reduce((total, { amount }) => total + amount, 0);
  t.equal(sum, items[0]?.balance_after);
  t.equal((await ada.get<{ balance_credits: number }>("/v1/me/credits")).json.balance_credits, sum);
});

t.test("a ledger is paged by cursor, also between two entries of one settlement", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (let n = 0; n < 5; n++) await ada.job(`${n}`);
  await house.settle();
  const all = (await ledger(ada, "?limit=100")).items;
  t.equal(all.length, 16);
  for (const limit of [1, 3, 7, 16]) {
    const found: LedgerEntry[] = [];
    let cursor: string | null | undefined;
    do {
      const from = cursor === undefined ? "" : `&cursor=${cursor}`;
      const page = await ledger(ada, `?limit=${limit}${from}`);
      found.push(...page.items);
      cursor = page.next_cursor;
      await ada.job(`meanwhile ${limit} ${found.length}`);
      await house.settle();
    } while (cursor);
    t.strictSame(found.slice(-16), all, `limit ${limit}`);
  }
});

t.test("a ledger's limit, cursor and times are checked", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  await ada.job("x");
  const { next_cursor: cursor } = await ledger(ada, "?limit=1");
  for (const [query, pointer] of [
    ["?limit=0", "?limit"],
    ["?limit=101", "?limit"],
    ["?cursor=nonsense", "?cursor"],
    [`?cursor=${cursor}&created_after=2026-01-01T00:00:00Z`, "?cursor"],
    ["?created_after=yesterday", "?created_after"],
    ["?order=up", "?order"],
  ] as const) {
    const { status, json } = await ada.get(`/v1/me/credits/ledger${query}`);
    t.equal(status, 400, query);
    t.equal(json.errors?.[0]?.pointer, pointer);
  }
  t.equal((await bob.get(`/v1/me/credits/ledger?cursor=${cursor}`)).status, 400, "another's");
});

t.test("created_after and created_before bound the ledger", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (let n = 0; n < 4; n++) {
    await house.advance(60_000);
    await ada.job(`${n} sim:slow=600000`);
  }
  const at = (query: string) => ledger(ada, query).then(({ items }) => items.map((one) => one.at));
  const [after, before] = ["2026-04-15T12:01:00Z", "2026-04-15T12:04:00Z"];
  t.strictSame(await at(`?created_after=${after}&created_before=${before}`), [
    "2026-04-15T12:03:00.000Z",
    "2026-04-15T12:02:00.000Z",
  ]);
  t.equal((await at(`?created_before=${after}`)).length, 1, "the opening grant");
  t.equal((await at(`?created_after=${before}`)).length, 0);
});

t.test("an operator's credits stand in the ledger with their note", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const path = `/v1/admin/accounts/${ada.id}/credits`;
  await house.admin.post(path, { amount: 5, note: "for the fair" });
  await house.admin.post(path, { amount: -3 });
  const { items } = await ledger(ada);
  t.strictSame(items.map(brief), ["adjust -3 12", "grant 5 15", "grant 10 10"]);
  t.equal(items[1]?.note, "for the fair");
});

async function spend(house: Awaited<ReturnType<typeof openInProcess>>) {
  const [owner, member] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, owner);
  await join(owner, org, member, "member");
  await enter(owner, org);
  await enter(member, org);
  await owner.submit("one", { num_images: 4 }, { "x-service-surface": "studio" });
  await member.job("two", { num_images: 2 });
  await house.advance(86_400_000);
  await member.job("three");
  await member.job("four sim:fail");
  await house.settle();
  return { owner, member, org };
}

t.test("GET /reports/spend groups what jobs were charged", async (t) => {
  const house = await openInProcess(t);
  const { owner, member } = await spend(house);
  const report = async (query: string) => {
    return (await owner.get<SpendReport>(`/v1/reports/spend${query}`)).json;
  };
  const line = (key: string | null, jobs: number, credits_charged: number) => {
    return { key, jobs, credits_charged };
  };
  t.strictSame(await report(""), {
    from: "2026-04-01T00:00:00.000Z",
    to: "2026-04-16T12:00:00.001Z",
    group_by: "day",
    items: [line("2026-04-15", 2, 6), line("2026-04-16", 2, 1)],
    total: { jobs: 4, credits_charged: 7 },
  });
  const items = async (group: string) => (await report(`?group_by=${group}`)).items;
  t.strictSame(await items("model"), [line("sim-instant", 4, 7)]);
  t.strictSame(await items("modality"), [line("image", 4, 7)]);
  t.strictSame(await items("surface"), [line(null, 3, 3), line("studio", 1, 4)]);
  t.strictSame(await items("session"), [line(null, 4, 7)]);
  const byUser = [line(owner.id, 1, 4), line(member.id, 3, 3)];
  t.strictSame(
    await items("user"),
    byUser.sort((a, b) => ((a.key ?? "") < (b.key ?? "") ? -1 : 1)),
  );
  const april16 = await report("?from=2026-04-16T00:00:00Z&to=2026-04-17T00:00:00Z");
  t.match(april16, { items: [line("2026-04-16", 2, 1)], total: { credits_charged: 1 } });
});

t.test("what is charged without a job is in the report as well", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await ada.job("a kite");
  await house.settle();
  const body = { model: "sim-video", prompt: "a kite" };
  await ada.post("/v1/generate/video/enhance-prompt", body);
  const { json } = await ada.get<SpendReport>("/v1/reports/spend?group_by=model");
  t.strictSame(json.items, [
    { key: null, jobs: 0, credits_charged: 1 },
    { key: "sim-instant", jobs: 1, credits_charged: 1 },
  ]);
});

t.test("a spend report is CSV with Accept: text/csv", async (t) => {
  const house = await openInProcess(t);
  const { owner } = await spend(house);
  const path = "/v1/reports/spend?group_by=day";
  const { headers, text } = await owner.get(path, { accept: "text/csv" });
  t.equal(headers["content-type"], "text/csv; charset=utf-8");
  t.equal(text, "day,jobs,credits_charged\r\n2026-04-15,2,6\r\n2026-04-16,2,1\r\ntotal,4,7\r\n");
  const json = await owner.get(path, { accept: "application/json, text/csv" });
  t.match(json.headers["content-type"], /json/);
});

t.test("GET /organizations/{id}/usage is that organization's report, in any context", async (t) => {
  const house = await openInProcess(t);
  const { owner, org } = await spend(house);
  await enter(owner, null);
  const { json } = await owner.get<SpendReport>(`/v1/organizations/${org.id}/usage?group_by=model`);
  t.match(json, { group_by: "model", total: { jobs: 4, credits_charged: 7 } });
  t.match((await owner.get<SpendReport>("/v1/reports/spend")).json, { total: { jobs: 0 } });
});

t.test("a report's span and grouping are checked", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const [query, pointer] of [
    ["?group_by=mood", "?group_by"],
    ["?from=2026-04-15T00:00:00Z&to=2026-04-01T00:00:00Z", "?from"],
    ["?from=2020-01-01T00:00:00Z", "?from"],
    ["?to=soon", "?to"],
  ] as const) {
    const { status, json } = await ada.get(`/v1/reports/spend${query}`);
    t.equal(status, 400, query);
    t.equal(json.errors?.[0]?.pointer, pointer);
  }
});

t.test("a form that a report does not have is 406, and the wanted one is given", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const report = (accept: string) => ada.get("/v1/reports/spend?group_by=day", { accept });
  const refused = await report("image/png");
  t.equal(refused.status, 406);
  t.match(refused.json, { title: "Not Acceptable", status: 406 });
  t.equal((await report("text/csv;q=0, application/json;q=0")).status, 406);
  t.match((await report("text/csv, */*;q=0.1")).headers["content-type"], /^text\/csv/);
  t.match((await report("text/*")).headers["content-type"], /^text\/csv/);
  t.match((await report("*/*")).headers["content-type"], /^application\/json/);
});
