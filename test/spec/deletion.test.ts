import t from "tap";
import type { Asset } from "../../contract/asset.ts";
import type { CreatedToken } from "../../contract/token.ts";
import type { Caller, Refused } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";

const slow = "sim:slow=9999999";

interface Page {
  readonly items: readonly { readonly id: string; readonly job_id?: string }[];
  readonly total: number;
}

async function readPage(caller: Caller, path: string): Promise<Page> {
  return (await caller.get<Page>(path)).json;
}

async function finish(house: InProcess, caller: Caller, prompt: string, more: object = {}) {
  const { id } = await caller.job(prompt, more);
  await house.settle();
  return caller.read(id);
}

t.test("DELETE /jobs/{id} answers 204 and removes prompt and assets", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await finish(house, ada, "a secret kite", { tags: ["sky"], num_images: 2 });
  const kept = await finish(house, ada, "another kite", { tags: ["sky"] });
  const path = `/v1/jobs/${job.id}`;
  t.equal((await ada.delete(path)).status, 204);
  for (const gone of [path, `${path}/wait`, `/v1/assets/${job.asset?.id}`])
    t.equal((await ada.get(gone)).status, 404, gone);
  t.equal((await ada.delete(path)).status, 404);
  for (const filter of ["", "?tag=sky", "?model=sim-instant", "?status=succeeded"]) {
    const { items } = await readPage(ada, `/v1/jobs${filter}`);
    t.strictSame(
      items.map(({ id }) => id),
      [kept.id],
      `listing ${filter}`,
    );
  }
  t.equal((await readPage(ada, "/v1/jobs")).total, 1, "counted no more");
  t.equal((await readPage(ada, "/v1/jobs?status=succeeded&modality=image")).total, 1);
  t.equal((await readPage(ada, "/v1/assets")).total, 1);
  t.equal((await ada.get<Asset>(`/v1/assets/${kept.asset?.id}`)).status, 200);
});

t.test("the ledger line of a deleted job stays, and so does what was reported", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await finish(house, ada, "a kite");
  const read = async (path: string) => (await ada.get(path)).text;
  const paths = ["/v1/me/credits/ledger", "/v1/me/credits", "/v1/reports/spend?group_by=model"];
  const before = await Promise.all(paths.map(read));
  await ada.delete(`/v1/jobs/${job.id}`);
  t.strictSame(await Promise.all(paths.map(read)), before);
  const { items } = await readPage(ada, "/v1/me/credits/ledger");
  t.ok(items.some(({ job_id }) => job_id === job.id));
});

t.test("only terminal jobs are deleted, once their credits are settled", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const running = await ada.job(`a kite ${slow}`);
  const path = `/v1/jobs/${running.id}`;
  const refused = await ada.delete<Refused>(path);
  t.equal(refused.status, 409);
  t.match(refused.json, { title: "Conflict", detail: /has ended/ });
  const pending = await ada.job(`another ${slow} sim:cancel_requested`);
  await house.settle();
  for (const { id } of [running, pending]) await ada.cancel(id);
  t.equal((await ada.delete(path)).status, 204, "canceled and settled");
  const unsettled = await ada.delete<Refused>(`/v1/jobs/${pending.id}`);
  t.equal(unsettled.status, 409);
  t.match(unsettled.json.detail, /not been settled/);
  const failed = await finish(house, ada, "a third sim:fail");
  t.equal((await ada.delete(`/v1/jobs/${failed.id}`)).status, 204, "failed");
  t.equal((await readPage(ada, "/v1/jobs")).total, 1);
});

t.test("a deleted job still answers its duplicate for five minutes", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await finish(house, ada, "a kite");
  await ada.delete(`/v1/jobs/${job.id}`);
  const { status, json } = await ada.submit<Refused>("a kite");
  t.equal(status, 409);
  t.equal(json.job_id, job.id);
  await house.advance(300_000);
  t.equal((await ada.submit("a kite")).status, 202);
});

t.test("in an organization a deleted job leaves its member's count too", async (t) => {
  const house = await openInProcess(t);
  const [owner, member] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, owner);
  await join(owner, org, member, "member");
  for (const caller of [owner, member]) await enter(caller, org);
  const job = await finish(house, member, "a kite");
  t.equal((await readPage(member, "/v1/jobs")).total, 1);
  t.equal((await owner.delete(`/v1/jobs/${job.id}`)).status, 204);
  for (const path of ["/v1/jobs", "/v1/jobs?scope=organization"])
    t.strictSame(await readPage(member, path), { items: [], next_cursor: null, total: 0 });
});

t.test("deleting needs the scopes jobs:cancel and assets:write", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await finish(house, ada, "a kite");
  for (const scopes of [["jobs:cancel"], ["assets:write"]]) {
    const { json } = await ada.post<CreatedToken>("/v1/tokens", { name: "x", scopes });
    const answer = await ada.asHolder(json.token).delete(`/v1/jobs/${job.id}`);
    t.equal(answer.status, 403);
    t.not(answer.json.required_scope, scopes[0]);
  }
});
