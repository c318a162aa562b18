import t from "tap";
import type { JobEvents } from "../../contract/job.ts";
import type { OutputSet } from "../../contract/set.ts";
import type { Caller } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

async function history(caller: Caller, job: string) {
  const { status, json } = await caller.get<JobEvents>(`/v1/jobs/${job}/events`);
  if (status !== 200) throw new Error(`${status}`);
  return json.items;
}

async function readTypes(caller: Caller, job: string): Promise<string[]> {
  return (await history(caller, job)).map(({ type }) => type);
}

const begin = ["accepted", "hold_placed"];
const course = [...begin, "submitted", "provider_status"];

t.test("GET /jobs/{id}/events is the job's own history, oldest first", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("a kite sim:queue=1000 sim:slow=4000", { num_images: 2 });
  await house.settle();
  t.strictSame(await readTypes(ada, id), [...begin, "submitted"], "the provider has it");
  await house.advance(3_000);
  t.strictSame(await readTypes(ada, id), course);
  await house.advance(3_000);
  const items = await history(ada, id);
  t.strictSame(
    items.map(({ type }) => type),
    [...course, "terminal", "settled"],
  );
  t.match(items[0], { at: "2026-04-15T12:00:00.000Z", data: { model: "sim-instant" } });
  t.match(items[1], { data: { credits: 2 } });
  t.match(items.at(-2), { data: { status: "succeeded" } });
  t.match(items.at(-1), { data: { credits_charged: 2, credits_refunded: 0 } });
  const times = items.map(({ at }) => at);
  t.strictSame(times, [...times].sort());
});

t.test("while a job runs its history has the latest progress", async (t) => {
  const house = await openInProcess(t);
  const node = house.farmNode();
  const ada = await house.account();
  const { id } = await ada.job("a kite", { model: "studio-image" });
  await house.settle();
  await house.advance(3_000);
  node.progress(0.5);
  await house.settle();
  const items = await history(ada, id);
  t.strictSame(
    items.map(({ type }) => type),
    [...course, "progress"],
  );
  t.match(items.at(-1), { data: { progress: 0.5 } });
});

t.test("the history keeps each status_detail, also when it is over", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("a kite sim:busy=2");
  await house.advance(10_000);
  const details = (await history(ada, id)).filter(({ type }) => type === "status_detail");
  t.strictSame(
    details.map(({ data }) => data["status_detail"]),
    ["upstream_at_capacity", null],
  );
  t.equal((await readTypes(ada, id)).at(-1), "settled");
});

t.test("the history of a cancel: cancel_requested, terminal, settled when it is", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("a kite sim:slow=9000 sim:cancel_requested sim:billed");
  await house.settle();
  await ada.cancel(id);
  const canceled = [...course, "cancel_requested", "terminal"];
  t.strictSame(await readTypes(ada, id), canceled, "pending");
  await house.advance(10_000);
  t.strictSame(await readTypes(ada, id), [...canceled, "settled"]);
  const early = await ada.job("another sim:busy=99");
  await ada.cancel(early.id);
  t.notOk((await readTypes(ada, early.id)).includes("submitted"), "nothing was sent");
});

t.test("a member of a set is submitted when it gets its slot", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free" });
  const members = [
    { label: "first", prompt: "one sim:slow=5000" },
    { label: "second", prompt: "two" },
  ];
  const body = { base: { model: "sim-instant" }, members };
  const { json } = await ada.post<OutputSet>("/v1/generate/set", body);
  const second = json.members[1]?.job_id ?? "";
  t.strictSame(await readTypes(ada, second), begin);
  await house.advance(6_000);
  const submitted = (await history(ada, second)).filter(({ type }) => type === "submitted");
  t.equal(submitted.length, 1);
  t.ok((submitted[0]?.at ?? "") > "2026-04-15T12:00:04Z", "later than it was accepted");
});

t.test("a job flapping between details keeps at most 200 lines", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("a kite sim:down=1");
  for (let time = 0; time < 250; time++)
    house.engine.detail(id, time % 2 === 0 ? "upstream_at_capacity" : "provider_down");
  await house.settle();
  const lines = await readTypes(ada, id);
  t.ok(lines.length > 150 && lines.length <= 200, `${lines.length}`);
  t.equal(lines[0], "accepted");
});

t.test("a deleted job's history is gone with it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("a kite sim:busy=1");
  await house.advance(5_000);
  await ada.delete(`/v1/jobs/${id}`);
  t.equal((await ada.get(`/v1/jobs/${id}/events`)).status, 404);
});
