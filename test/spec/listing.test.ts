import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { JobPage } from "../../contract/job.ts";
import type { Caller } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";

type Page = Static<typeof JobPage>;

async function list(caller: Caller, query = ""): Promise<Page> {
  return (await caller.get<Page>(`/v1/jobs${query}`)).json;
}

/** Makes an account of the enterprise plan, so that the day's quota does not matter. */
async function accountWith(house: InProcess, prompts: readonly string[], more: object = {}) {
  const ada = await house.account({ plan: "enterprise", credits: 1000 });
  const ids: string[] = [];
  for (const prompt of prompts) {
    ids.push((await ada.job(prompt, more)).id);
    await house.settle();
  }
  return { ada, ids };
}

const listNumbered = (count: number) => Array.from({ length: count }, (_, n) => `kite ${n}`);

t.test("jobs are listed by created_at descending, then id descending", async (t) => {
  const house = await openInProcess(t);
  const { ada, ids } = await accountWith(house, listNumbered(5));
  await house.advance(1_000);
  ids.push((await ada.job("later")).id);
  const { items, total, next_cursor } = await list(ada);
  t.strictSame(
    items.map(({ id }) => id),
    [...ids].reverse(),
  );
  t.equal(total, 6);
  t.equal(next_cursor ?? null, null, "no cursor on the last page");
});

t.test("an account without jobs has an empty page", async (t) => {
  const house = await openInProcess(t);
  t.match(await list(await house.account()), { items: [], total: 0 });
});

t.test("a listing shows the caller's jobs only", async (t) => {
  const house = await openInProcess(t);
  await accountWith(house, listNumbered(3));
  const { ada, ids } = await accountWith(house, ["mine"]);
  const { items, total } = await list(ada);
  t.strictSame(
    items.map(({ id }) => id),
    ids,
  );
  t.equal(total, 1);
});

t.test("a listed job is the job that a read shows", async (t) => {
  const house = await openInProcess(t);
  const { ada, ids } = await accountWith(house, ["kite", "sim:fail", "sim:slow=90000"]);
  const { items } = await list(ada);
  for (const [index, id] of [...ids].reverse().entries()) {
    // Only single reads of a job have its request.
    const { request: _, ...read } = await ada.read(id);
    t.strictSame(items[index], read);
  }
});

t.test("limit is 1 to 100, by default 20", async (t) => {
  const house = await openInProcess(t);
  const { ada } = await accountWith(house, listNumbered(103));
  t.equal((await list(ada)).items.length, 20);
  t.equal((await list(ada, "?limit=1")).items.length, 1);
  t.equal((await list(ada, "?limit=100")).items.length, 100);
  for (const limit of ["0", "101", "-1", "2.5", "x", ""]) {
    const { status, json } = await ada.get(`/v1/jobs?limit=${limit}`);
    t.equal(status, 400, limit);
    t.match(json.errors, [{ pointer: "?limit" }]);
  }
});

t.test("pages follow each other without gap and without repetition", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  const { ada, ids } = await accountWith(house, listNumbered(23));
  const seen: string[] = [];
  let query = "?limit=5";
  for (let page = 0; page < 5; page++) {
    const { items, next_cursor, total } = await list(ada, query);
    seen.push(...items.map(({ id }) => id));
    t.equal(total, 23, "pagination does not change the total");
    query = `?limit=5&cursor=${next_cursor}`;
    t.equal(next_cursor === null, page === 4);
  }
  t.strictSame(seen, [...ids].reverse());
});

t.test("jobs created after the first page never appear on later pages", async (t) => {
  const house = await openInProcess(t);
  const { ada, ids } = await accountWith(house, listNumbered(4));
  const first = await list(ada, "?limit=2");
  await ada.job("a newer one");
  const second = await list(ada, `?limit=2&cursor=${first.next_cursor}`);
  t.strictSame(
    second.items.map(({ id }) => id),
    [ids[1], ids[0]],
  );
});

t.test("a cursor may be used with another limit", async (t) => {
  const house = await openInProcess(t);
  const { ada } = await accountWith(house, listNumbered(6));
  const { next_cursor } = await list(ada, "?limit=2");
  t.equal((await list(ada, `?limit=50&cursor=${next_cursor}`)).items.length, 4);
});

t.test("a cursor is bound to its filters and its account", async (t) => {
  const house = await openInProcess(t);
  const { ada } = await accountWith(house, listNumbered(4));
  const { ada: bob } = await accountWith(house, listNumbered(4));
  const cursor = (await list(ada, "?limit=2&status=succeeded")).next_cursor;
  t.equal((await ada.get(`/v1/jobs?status=succeeded&cursor=${cursor}`)).status, 200);
  const wrong = [`?cursor=${cursor}`, `?status=failed&cursor=${cursor}`];
  for (const query of wrong) {
    const { status, json } = await ada.get(`/v1/jobs${query}`);
    t.equal(status, 400);
    t.match(json, { code: "validation", errors: [{ pointer: "?cursor" }] });
  }
  t.equal((await bob.get(`/v1/jobs?status=succeeded&cursor=${cursor}`)).status, 400);
});

t.test("a malformed or altered cursor answers 400", async (t) => {
  const house = await openInProcess(t);
  const { ada } = await accountWith(house, listNumbered(4));
  const cursor = `${(await list(ada, "?limit=2")).next_cursor}`;
  const altered = (cursor.startsWith("A") ? "B" : "A") + cursor.slice(1);
  for (const wrong of ["", "x", "%00", altered, cursor.slice(0, 10), "A".repeat(600)])
    t.equal((await ada.get(`/v1/jobs?limit=2&cursor=${wrong}`)).status, 400, wrong.slice(0, 20));
});

t.test("a cursor is valid 24 hours", async (t) => {
  const house = await openInProcess(t);
  const { ada } = await accountWith(house, listNumbered(4));
  const { next_cursor } = await list(ada, "?limit=2");
  await house.advance(86_000_000);
  t.equal((await ada.get(`/v1/jobs?cursor=${next_cursor}`)).status, 200);
  await house.advance(500_000);
  t.equal((await ada.get(`/v1/jobs?cursor=${next_cursor}`)).status, 400);
});

t.test("status takes one value or several", async (t) => {
  const house = await openInProcess(t);
  const prompts = ["one", "sim:fail", "sim:slow=90000", "sim:queue=90000"];
  const { ada } = await accountWith(house, prompts);
  const statuses = async (query: string) =>
    (await list(ada, query)).items.map(({ status }) => status);
  t.strictSame(await statuses("?status=running"), ["running"]);
  t.strictSame(await statuses("?status=failed,succeeded"), ["failed", "succeeded"]);
  t.strictSame(await statuses("?status=canceled"), []);
  t.equal((await ada.get("/v1/jobs?status=dreaming")).status, 400);
  t.equal((await ada.get("/v1/jobs?status=")).status, 400);
});

t.test("modality takes one value or several", async (t) => {
  const house = await openInProcess(t);
  const { ada } = await accountWith(house, ["one"]);
  t.equal((await list(ada, "?modality=image")).total, 1);
  t.equal((await list(ada, "?modality=video,three_d")).total, 0);
  t.equal((await list(ada, "?modality=video,image")).items.length, 1);
  t.equal((await ada.get("/v1/jobs?modality=smell")).status, 400);
});

t.test(
  "total counts what matches status and modality, other filters do not change it",
  async (t) => {
    const house = await openInProcess(t);
    const { ada } = await accountWith(house, ["one", "two", "sim:fail"], { tags: ["sky"] });
    t.equal((await list(ada)).total, 3);
    t.equal((await list(ada, "?status=failed")).total, 1);
    t.equal((await list(ada, "?status=succeeded,failed&modality=image")).total, 3);
    t.match(await list(ada, "?tag=sea"), { items: [], total: 3 });
    t.equal((await list(ada, "?model=studio-image")).total, 3);
  },
);

t.test("jobs are found by model and by tag", async (t) => {
  const house = await openInProcess(t);
  const { ada, ids } = await accountWith(house, ["one"], { tags: ["sky", "red"] });
  await ada.job("two");
  await house.settle();
  t.strictSame(
    (await list(ada, "?tag=red")).items.map(({ id }) => id),
    ids,
  );
  t.equal((await list(ada, "?tag=re")).items.length, 0);
  t.equal((await list(ada, "?model=sim-instant")).items.length, 2);
  t.equal((await list(ada, "?model=studio-image")).items.length, 0);
});

t.test("jobs are found by when they were created", async (t) => {
  const house = await openInProcess(t);
  const { ada, ids } = await accountWith(house, ["noon"]);
  await house.advance(60_000);
  ids.push((await ada.job("a minute later")).id);
  const find = async (query: string) => (await list(ada, query)).items.map(({ id }) => id);
  t.strictSame(await find("?created_after=2026-04-15T12:00:30Z"), [ids[1]]);
  t.strictSame(await find("?created_before=2026-04-15T12:00:30Z"), [ids[0]]);
  t.strictSame(await find("?created_after=2026-04-15T13:59:00%2B02:00"), [ids[1], ids[0]]);
  const between = "?created_after=2026-04-15T12:00:10Z&created_before=2026-04-15T12:00:20Z";
  t.strictSame(await find(between), []);
  for (const wrong of ["yesterday", "2026-04-15", "2026-13-01T00:00:00Z", ""])
    t.equal((await ada.get(`/v1/jobs?created_after=${wrong}`)).status, 400, wrong);
});

t.test("an unknown or repeated query parameter answers 400 and is named", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const [query, pointer] of [
    ["?colour=red", "?colour"],
    ["?limit=2&limit=3", "?limit"],
    ["?Limit=2", "?Limit"],
    ["?toString=1", "?toString"],
  ] as const) {
    const { status, json } = await ada.get(`/v1/jobs${query}`);
    t.equal(status, 400, query);
    t.match(json.errors, [{ pointer }]);
  }
});

t.test("in an organization a caller lists own jobs, or all with scope=organization", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, ada);
  await join(ada, org, bob, "member");
  const adas = (await ada.job("in her own space")).id;
  await enter(ada, org);
  await enter(bob, org);
  const one = (await ada.job("of the owner")).id;
  const two = (await bob.job("of the member")).id;
  await house.settle();
  const find = async (caller: Caller, query = "") => {
    const { items, total } = await list(caller, query);
    return [items.map(({ id }) => id), total];
  };
  t.strictSame(await find(ada), [[one], 1]);
  t.strictSame(await find(bob), [[two], 1]);
  t.strictSame(await find(bob, "?scope=organization"), [[two, one], 2]);
  t.strictSame(await find(bob, "?status=succeeded"), [[two], 1]);
  await enter(ada, null);
  t.strictSame(await find(ada), [[adas], 1], "jobs belong to the context they were made in");
  t.equal((await ada.get("/v1/jobs?scope=organization")).status, 400, "nobody else is here");
});

t.test("filters of model, tag and set find what they name", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio", credits: 100 });
  const plain = (await ada.job("plain")).id;
  const tagged = (await ada.job("tagged", { tags: ["sky", "wind"] })).id;
  const inline = (await ada.job("inline", { model: "sim-inline" })).id;
  await house.settle();
  const find = async (query: string) => (await list(ada, query)).items.map(({ id }) => id);
  t.strictSame(await find("?model=sim-inline"), [inline]);
  t.strictSame(await find("?model=sim-instant"), [tagged, plain]);
  t.strictSame(await find("?model=unheard-of"), []);
  t.strictSame(await find("?tag=wind"), [tagged]);
  t.strictSame(await find("?tag=wind&status=failed"), []);
  t.strictSame(await find("?tag=rain"), []);
  t.strictSame(await find("?set_id=019d9000-0000-7000-8000-000000000000"), []);
  t.strictSame(await find("?modality=video"), []);
});
