import t from "tap";
import type { OutputSet } from "../../contract/set.ts";
import type { Caller, Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const path = "/v1/generate/set";
const base = { model: "sim-instant", prompt: "a cup" };

function makeLabeled(...prompts: readonly string[]) {
  return prompts.map((prompt, at) => ({ label: `m${at + 1}`, prompt }));
}

function submit(ada: Caller, members: readonly object[], more: object = {}) {
  return ada.post<OutputSet>(path, { base, members, ...more });
}

async function read(ada: Caller, id: string): Promise<OutputSet> {
  return (await ada.get<OutputSet>(`/v1/sets/${id}`)).json;
}

function statuses({ members }: OutputSet): string[] {
  return members.map(({ status }) => status);
}

t.test("POST /v1/generate/set answers 202 with an OutputSet and its Location", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, headers, json } = await submit(ada, [
    { label: "red", prompt_suffix: "in red" },
    { label: "wide", overrides: { aspect_ratio: "16:9" } },
  ]);
  t.equal(status, 202);
  t.match(headers["location"], new RegExp(`/v1/sets/${json.id}$`));
  t.match(json, {
    name: "Set 2026-04-15T12:00:00.000Z",
    status: "generating",
    model: "sim-instant",
    problems: [],
    counts: { total: 2, accepted: 2, refused: 0 },
    credits_held: 2,
    credits_charged: 0,
    completed_at: null,
    user_id: ada.id,
  });
  await house.settle();
  const ended = await read(ada, json.id);
  t.match(ended, { status: "ready", credits_charged: 2, completed_at: /^2026/ });
  t.equal(ended.members[0]?.asset?.prompt, "a cup in red");
});

t.test("each member is its own image job with its own credit hold", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await submit(ada, makeLabeled("one sim:slow=5000", "two sim:slow=5000"));
  for (const { job_id } of json.members)
    t.match(await ada.read(job_id ?? ""), { modality: "image", set_id: json.id, credits_held: 1 });
  const { json: page } = await ada.get<{ items: { id: string }[] }>(`/v1/jobs?set_id=${json.id}`);
  t.strictSame(
    page.items.map(({ id }) => id),
    json.members.map(({ job_id }) => job_id).reverse(),
  );
});

t.test(
  "if a later member is refused, accepted members keep running and the rest is not submitted",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const odd = { label: "odd", overrides: { quality: "unheard of" } };
    const { json } = await submit(ada, [...makeLabeled("one"), odd, { label: "last" }]);
    t.strictSame(statuses(json), ["queued", "refused", "not_submitted"]);
    t.match(json.problems, [{ label: "odd", code: "validation", status: 400 }]);
    await house.settle();
    t.match(await read(ada, json.id), { status: "partial", counts: { succeeded: 1, refused: 1 } });
  },
);

t.test("a member that cannot be paid is refused in the middle", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 2 });
  const { json } = await submit(ada, makeLabeled("a", "b", "c", "d"));
  t.strictSame(statuses(json).slice(2), ["refused", "not_submitted"]);
  t.match(json.problems, [{ label: "m3", code: "out_of_credits", status: 402 }]);
});

t.test("a refusal of the first member answers the request and creates nothing", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 0 });
  const { status, json } = await ada.post<Refused>(path, { base, members: makeLabeled("a", "b") });
  t.equal(status, 402);
  t.equal(json.code, "out_of_credits");
  t.match((await ada.get("/v1/sets")).json, { items: [], total: 0 });
});

t.test("labels are unique in the request", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, json } = await ada.post<Refused>(path, {
    base,
    members: [{ label: "a" }, { label: "a" }],
  });
  t.equal(status, 400);
  t.match(json.errors, [{ pointer: "/members/1/label" }]);
});

t.test("later members are accepted queued and take slots as earlier ones end", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter", credits: 100 });
  const { json } = await submit(
    ada,
    makeLabeled(...Array(5).fill("sim:slow=1000")).map(({ label }, at) => ({
      label,
      prompt: `${at} sim:slow=1000`,
    })),
  );
  await house.settle();
  t.strictSame(statuses(await read(ada, json.id)), [
    "running",
    "running",
    "queued",
    "queued",
    "queued",
  ]);
  await house.advance(1_000);
  t.match(await read(ada, json.id), { counts: { succeeded: 2, running: 2, queued: 1 } });
  await house.advance(2_000);
  t.match(await read(ada, json.id), { status: "ready", counts: { succeeded: 5 } });
});

t.test("concurrency refuses a set only when no slot is free at its start", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter", credits: 100 });
  await ada.job("one sim:slow=60000");
  t.equal((await submit(ada, makeLabeled("x sim:slow=60000", "y"))).status, 202);
  const { status, json } = await ada.post<Refused>(path, { base, members: makeLabeled("z") });
  t.equal(status, 429);
  t.match(json, { code: "rate_limit", concurrent_max: 2, concurrent_active: 2 });
});

t.test(
  "the same set within five minutes answers 409 with set_id and the first job_id",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const { json } = await submit(ada, makeLabeled("a", "b"));
    const again = await ada.post<Refused & { set_id: string }>(path, {
      base,
      members: makeLabeled("a", "b"),
    });
    t.equal(again.status, 409);
    t.equal(again.json.set_id, json.id);
    t.equal(again.json.job_id, json.members[0]?.job_id);
  },
);

t.test("members are not deduplicated singly", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await submit(ada, makeLabeled("same", "same"));
  t.match(json.counts, { accepted: 2 });
  t.equal((await ada.submit("same")).status, 202, "nor against a plain submit");
});

t.test("POST /v1/sets/{id}/cancel cancels all non-terminal members", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "starter", credits: 10 });
  const { json } = await submit(ada, makeLabeled("a sim:slow=9000", "b sim:slow=9000", "c", "d"));
  await house.settle();
  const canceled = await ada.post<OutputSet>(`/v1/sets/${json.id}/cancel`);
  t.equal(canceled.status, 200);
  t.match(canceled.json, { status: "failed", counts: { canceled: 4 } });
  await house.settle();
  const { credits_held, credits_charged, credits_refunded } = await read(ada, json.id);
  t.strictSame([credits_held, credits_charged + credits_refunded], [4, 4]);
  t.match((await ada.get("/v1/me")).json, { generation_limits: { concurrent_active: 0 } });
  const settled = await submit(ada, makeLabeled("e"));
  await house.settle();
  const late = await ada.post<Refused>(`/v1/sets/${settled.json.id}/cancel`);
  t.equal(late.status, 409, "409 when none is cancellable");
});

t.test("canceling a set that was canceled answers 409 (D7)", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const { json } = await submit(ada, makeLabeled("sim:slow=60000", "sim:slow=50000"));
  t.equal((await ada.post(`/v1/sets/${json.id}/cancel`)).status, 200);
  t.equal((await ada.post(`/v1/sets/${json.id}/cancel`)).status, 409);
});

t.test("GET /v1/sets lists the newest first, by cursor, with a total", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) {
    ids.push((await submit(ada, makeLabeled(name), { name })).json.id);
    await house.settle();
  }
  type Page = { items: OutputSet[]; next_cursor: string | null; total: number };
  const first = (await ada.get<Page>("/v1/sets?limit=2")).json;
  t.strictSame(
    first.items.map(({ name }) => name),
    ["three", "two"],
  );
  t.equal(first.total, 3);
  const rest = (await ada.get<Page>(`/v1/sets?limit=2&cursor=${first.next_cursor}`)).json;
  t.strictSame(
    rest.items.map(({ id }) => id),
    [ids[0]],
  );
  t.equal(rest.next_cursor, null);
});

t.test("another account's set answers like an unknown one", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bob = await house.account();
  const { json } = await submit(ada, makeLabeled("a"));
  for (const method of ["GET /v1/sets/{id}", "POST /v1/sets/{id}/cancel"]) {
    const [verb = "", template = ""] = method.split(" ");
    const { status } = await bob.request(verb, template.replace("{id}", json.id));
    t.equal(status, 404, method);
  }
});

t.test(
  "a member that succeeded counts for ready after it is deleted, others against it",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ plan: "studio", credits: 100 });
    for (const [prompt, status] of [
      ["a second cup", "ready"],
      ["sim:fail", "partial"],
    ] as const) {
      const { json: set } = await submit(ada, makeLabeled(`a cup beside it, ${status}`, prompt));
      await house.settle();
      const before = await read(ada, set.id);
      t.equal(before.status, status);
      for (const { job_id } of set.members)
        t.equal((await ada.delete(`/v1/jobs/${job_id}`)).status, 204);
      const after = await read(ada, set.id);
      t.equal(after.status, status);
      t.strictSame(statuses(after), statuses(before));
      t.strictSame(after.counts, before.counts);
    }
  },
);
