import t from "tap";
import type { Asset } from "../../contract/asset.ts";
import type { Caller } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

const dayMs = 86_400_000;

interface Page {
  readonly items: readonly { readonly id: string; readonly job_id?: string }[];
  readonly total: number;
}

async function listIds(caller: Caller, path: string): Promise<string[]> {
  return (await caller.get<Page>(path)).json.items.map(({ id }) => id);
}

/** Lets the sweep pass all 256 partitions where jobs stand, one after the other. */
async function round(house: InProcess): Promise<void> {
  for (let step = 0; step < 260; step++) await house.advance(250);
}

t.test("terminal jobs are kept 400 days", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 100 });
  const job = await ada.job("a kite", { tags: ["sky"] });
  const failed = await ada.job("sim:fail");
  const canceled = await ada.job("sim:slow=5000");
  await house.settle();
  await ada.cancel(canceled.id);
  const { asset } = await ada.read(job.id);
  const jobs = [canceled.id, failed.id, job.id];
  house.clock.leap(400 * dayMs - 10_000_000);
  await round(house);
  t.strictSame(await listIds(ada, "/v1/jobs"), jobs, "not a day less");
  const young = (await ada.job("another kite", { tags: ["sky"] })).id;
  house.clock.leap(10_000_000);
  await round(house);
  for (const id of jobs)
    for (const path of ["", "/events"])
      t.equal((await ada.get(`/v1/jobs/${id}${path}`)).status, 404, id + path);
  for (const filter of ["", "?tag=sky", "?model=sim-instant", "?modality=image"])
    t.strictSame(await listIds(ada, `/v1/jobs${filter}`), [young], filter);
  t.equal((await ada.get<Page>("/v1/jobs")).json.total, 1);
  const shown = await ada.get<Asset>(`/v1/assets/${asset?.id}`);
  t.match(shown.json, { status: "ready", prompt: "a kite", tags: ["sky"] }, "assets stay");
});

t.test("the ledger is never shorter than its jobs, and reports stay what they were", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 100 });
  const { id } = await ada.job("a kite");
  await house.settle();
  const report =
    "/v1/reports/spend?group_by=model&from=2026-04-01T00:00:00Z&to=2026-05-01T00:00:00Z";
  const before = (await ada.get(report)).text;
  house.clock.leap(401 * dayMs);
  await round(house);
  t.equal((await ada.get(`/v1/jobs/${id}`)).status, 404);
  t.equal((await ada.get(report)).text, before);
  const { items } = (await ada.get<Page>("/v1/me/credits/ledger?limit=100")).json;
  t.ok(items.some(({ job_id }) => job_id === id));
});

t.test("a round looks at every shard and leaves nothing behind", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  const callers: Caller[] = [];
  for (let n = 0; n < 4; n++) callers.push(await house.account({ plan: "enterprise", credits: 9 }));
  for (const caller of callers) for (let n = 0; n < 5; n++) await caller.job(`kite ${n}`);
  await house.settle();
  house.clock.leap(401 * dayMs);
  await round(house);
  for (const caller of callers) t.equal((await caller.get<Page>("/v1/jobs")).json.total, 0);
});
