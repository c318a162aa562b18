import t from "tap";
import type { CanceledJobs } from "../../contract/job.ts";
import type { Caller, Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";

const slow = "sim:slow=9999999";

function cancelMany<T = CanceledJobs>(caller: Caller, body: object) {
  return caller.post<T>("/v1/jobs:cancel", body);
}

t.test("POST /jobs:cancel answers 200 with a result for each id in input order", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const done = await ada.job("a kite");
  await house.settle();
  const [first, second] = [await ada.job(`one ${slow}`), await ada.job(`two ${slow}`)];
  const foreign = await (await house.account()).job(`theirs ${slow}`);
  const ids = [first.id, "nonsense", done.id, second.id, foreign.id, first.id];
  const { status, json } = await cancelMany(ada, { ids });
  t.equal(status, 200);
  t.strictSame(json.results, [
    { job_id: first.id, status: 200 },
    { job_id: "nonsense", status: 404 },
    { job_id: done.id, status: 409, code: "job_not_cancellable" },
    { job_id: second.id, status: 200 },
    { job_id: foreign.id, status: 404 },
    { job_id: first.id, status: 200 },
  ]);
  for (const { id } of [first, second]) t.equal((await ada.read(id)).status, "canceled");
  t.equal((await ada.read(done.id)).status, "succeeded");
});

t.test("a filter of POST /jobs:cancel cancels the caller's own jobs that match", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const video = { model: "sim-video", prompt: `a film ${slow}` };
  const { json: film } = await ada.post<{ id: string }>("/v1/generate/video", video);
  const early = await ada.job(`early ${slow}`);
  await house.advance(1_000);
  const late = await ada.job(`late ${slow}`);
  const find = async (filter: object) => {
    const { json } = await cancelMany(ada, { filter });
    return json.results.map(({ job_id: id, status }) => `${id} ${status}`);
  };
  t.strictSame(await find({ set_id: early.id }), []);
  t.strictSame(await find({ created_before: late.created_at, modality: "image" }), [
    `${early.id} 200`,
  ]);
  t.strictSame(await find({ modality: ["video", "audio"] }), [`${film.id} 200`]);
  t.strictSame(await find({ status: "canceled", modality: "video" }), [`${film.id} 200`]);
  t.strictSame(await find({ status: ["queued", "running"] }), [`${late.id} 200`]);
  t.strictSame(await find({ modality: "image" }), [], "what is over is left alone");
});

t.test("POST /jobs:cancel takes ids 1..100, or at least one member of filter", async (t) => {
  const ada = await (await openInProcess(t)).account();
  const id = "019d9000-0000-7000-8000-000000000000";
  for (const [body, pointer] of [
    [{}, ""],
    [{ ids: [id], filter: { status: "queued" } }, ""],
    [{ ids: [] }, "/ids"],
    [{ ids: new Array(101).fill(id) }, "/ids"],
    [{ filter: {} }, "/filter"],
    [{ filter: { model: "sim-instant" } }, "/filter/model"],
    [{ filter: { created_before: "yesterday" } }, "/filter/created_before"],
  ] as const) {
    const { status, json } = await cancelMany<Refused>(ada, body);
    t.equal(status, 400, JSON.stringify(body).slice(0, 60));
    t.equal(json.errors?.[0]?.pointer, pointer);
  }
  t.equal((await cancelMany(ada, { ids: new Array(100).fill(id) })).status, 200);
});

t.test("POST /jobs:cancel follows the roles of a cancel", async (t) => {
  const house = await openInProcess(t);
  const [owner, member, viewer] = [
    await house.account(),
    await house.account(),
    await house.account(),
  ];
  const org = await foundPaidOrganization(house, owner);
  await join(owner, org, member, "member");
  await join(owner, org, viewer, "viewer");
  for (const caller of [owner, member, viewer]) await enter(caller, org);
  const own = await member.job(`own ${slow}`);
  const other = await owner.job(`other ${slow}`);
  const ids = [own.id, other.id];
  t.equal((await cancelMany(viewer, { ids })).status, 403);
  t.strictSame((await cancelMany(member, { ids })).json.results, [
    { job_id: own.id, status: 200 },
    { job_id: other.id, status: 403 },
  ]);
  t.strictSame((await cancelMany(owner, { ids })).json.results, [
    { job_id: own.id, status: 200 },
    { job_id: other.id, status: 200 },
  ]);
});
