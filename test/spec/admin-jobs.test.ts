import t from "tap";
import type { Job } from "../../contract/job.ts";
import { openInProcess } from "./in-process-service.ts";

interface Page {
  readonly items: readonly Job[];
  readonly next_cursor: string | null;
}

for (const shardCount of [1, 2])
  t.test(`GET /admin/jobs lists the jobs of all accounts, ${shardCount} shards`, async (t) => {
    const house = await openInProcess(t, { shardCount });
    const [ada, bob] = [await house.account(), await house.account()];
    const made: Job[] = [];
    for (const caller of [ada, bob, ada, bob]) {
      made.unshift(await caller.job(`kite ${made.length}`));
      await house.advance(10);
    }
    await bob.job("a slow one sim:slow=99999");
    await house.settle();
    const list = async (query: string) => {
      const { json } = await house.admin.get<Page>(`/v1/admin/jobs${query}`);
      return { ids: json.items.map(({ id }) => id), cursor: json.next_cursor };
    };
    const all = (await list("")).ids;
    t.strictSame(
      all.slice(1),
      made.map(({ id }) => id),
      "newest first",
    );
    const first = await list("?limit=2&status=succeeded");
    t.strictSame(first.ids, all.slice(1, 3));
    const next = await list(`?limit=2&status=succeeded&cursor=${first.cursor}`);
    t.strictSame(next, { ids: all.slice(3), cursor: null });
    t.strictSame((await list("?status=running")).ids, all.slice(0, 1));
    t.strictSame((await list(`?user_id=${ada.id}`)).ids, [all[2], all[4]]);
    t.strictSame((await list("?modality=video")).ids, []);
    t.strictSame((await list("?model=sim-instant&limit=100")).ids, all);
  });

t.test("GET /admin/jobs needs the scope admin and known parameters", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  t.equal((await ada.get("/v1/admin/jobs")).status, 403);
  for (const query of ["limit=0", "limit=101", "status=lost", "cursor=x", "prompt=x"])
    t.equal((await house.admin.get(`/v1/admin/jobs?${query}`)).status, 400, query);
});
