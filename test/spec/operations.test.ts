import t from "tap";
import type { AdminFailureList, AdminOverview, AdminTaskList } from "../../contract/admin.ts";
import { answerBounds, answerMs } from "../../http/metrics/minutes.ts";
import { openInProcess } from "./in-process-service.ts";

const minuteMs = 60_000;

t.test("GET /admin/overview has what was done in each minute of the last hour", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  const [ada, bob] = [await house.account(), await house.account()];
  const look = async () => (await house.admin.get<AdminOverview>("/v1/admin/overview")).json;
  for (const caller of [ada, bob]) await caller.job("a kite");
  await ada.job("sim:fail");
  const slow = await ada.job("a slow one sim:slow=90000");
  await house.advance(10_000);
  const first = await look();
  t.strictSame(first.minutes, []);
  t.match(first.current, {
    at: "2026-04-15T12:00:00.000Z",
    accepted: 4,
    succeeded: 2,
    failed: 1,
    canceled: 0,
    server_errors: 0,
  });
  t.match(first.jobs[0], { modality: "image", queued: 0, running: 1 });
  t.ok(first.credits_held > 0);

  await house.advance(minuteMs - 10_000);
  await ada.post(`/v1/jobs/${slow.id}/cancel`, {});
  await house.advance(5_000);
  const next = await look();
  t.match(next.minutes, [{ at: "2026-04-15T12:00:00.000Z", accepted: 4, succeeded: 2, failed: 1 }]);
  t.match(next.current, { at: "2026-04-15T12:01:00.000Z", accepted: 0, canceled: 1 });
  t.match(next.jobs[0], { queued: 0, running: 0 });
  t.match(next, { credits_held: 0, silent_nodes: [], streams: 0, waits: 0 });

  await house.advance(61 * minuteMs);
  const { minutes } = await look();
  t.equal(minutes.length, 60);
  t.equal(minutes[0]?.at, "2026-04-15T12:02:00.000Z", "an hour is kept");
  t.match(minutes.at(-1), { accepted: 0, succeeded: 0, requests: 0, answer_p50_ms: null });
});

t.test("answers are counted by their time", async (t) => {
  const answers = (counts: Readonly<Record<number, number>>) =>
    [...answerBounds, Number.POSITIVE_INFINITY].map((_, bucket) => counts[bucket] ?? 0);
  t.equal(answerMs(0.5, answers({})), null);
  t.equal(answerMs(0.5, answers({ 0: 10 })), 0.5, "evenly within the first millisecond");
  t.equal(answerMs(0.99, answers({ 0: 90, 3: 10 })), 9.5, "nine tenths between 5 and 10 ms");
  t.equal(answerMs(0.99, answers({ [answerBounds.length]: 3 })), 60_000, "at least the last bound");
});

t.test("GET /admin/tasks lists what farm nodes have, with thumbnails", async (t) => {
  const house = await openInProcess(t);
  const path = "/v1/admin/tasks";
  t.strictSame((await house.admin.get(path)).json, { items: [], waiting: [] });
  const farm = house.farmNode();
  const ada = await house.account();
  const submit = async (prompt: string) => {
    const request = { model: "studio-image", prompt };
    return (await ada.post<{ id: string }>("/v1/generate/image", request)).json.id;
  };
  const [job] = [await submit("a kite"), await submit("a dune"), await submit("a wave")];
  await house.settle();
  farm.progress(0.25);
  await house.settle();
  const list = async () => (await house.admin.get<AdminTaskList>(path)).json;
  const task = {
    id: job,
    kind: "studio-image",
    account_id: ada.id,
    node: "double",
    started_at: "2026-04-15T12:00:00.000Z",
    progress: 0.25,
    has_thumbnail: false,
  };
  t.strictSame(await list(), { items: [task], waiting: [{ kind: "studio-image", tasks: 2 }] });
  t.match(await house.admin.get(`/v1/admin/tasks/${job}/thumbnail`), { status: 404 });

  farm.show(Buffer.from([0xff, 0xd8, 0xff, 0xd9]), 0.5);
  farm.progress(0.75);
  await house.settle();
  t.match((await list()).items, [{ progress: 0.75, has_thumbnail: true }]);
  const { status, headers, bytes } = await house.admin.get(`${path}/${job}/thumbnail`);
  t.equal(status, 200);
  t.equal(headers["content-type"], "image/jpeg");
  t.strictSame(bytes, Buffer.from([0xff, 0xd8, 0xff, 0xd9]));
  t.match(await house.admin.get(`${path}/no-id/thumbnail`), { status: 404 });
  t.match(await ada.get(path), { status: 403 });
});

t.test("GET /admin/failures groups the jobs that failed by reason and model", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  const [ada, bob] = [await house.account(), await house.account()];
  const path = "/v1/admin/failures";
  await ada.job("an old one sim:fail");
  await house.advance(2 * 60 * minuteMs);
  await ada.job("a kite");
  for (const caller of [ada, bob]) await caller.job("sim:fail");
  await ada.job("another kite sim:fail");
  await house.advance(10);
  const last = await bob.job("sim:nsfw");
  await house.advance(1_000);
  const { json } = await house.admin.get<AdminFailureList>(`${path}?hours=1`);
  t.match(json, {
    since: "2026-04-15T13:00:01.010Z",
    is_complete: true,
    items: [
      { code: "job_failed", kind: "error", model: "sim-instant", jobs: 3 },
      { code: "prompt_nsfw", kind: "moderated", jobs: 1, last_job_id: last.id },
    ],
  });
  t.equal(json.items.length, 2);
  const { json: day } = await house.admin.get<AdminFailureList>(path);
  t.equal(day.items[0]?.jobs, 4);
  await bob.delete(`/v1/jobs/${last.id}`);
  await house.advance(1_000);
  const { json: rest } = await house.admin.get<AdminFailureList>(path);
  t.strictSame(
    rest.items.map(({ code }) => code),
    ["job_failed"],
    "a job that was deleted is gone from here too",
  );
  t.match(await house.admin.get(`${path}?hours=0`), { status: 400 });
  t.match(await ada.get(path), { status: 403 });
});
