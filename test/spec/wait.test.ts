import t from "tap";
import type { Job } from "../../contract/job.ts";
import type { Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

t.test("a wait answers 200 with the job as soon as it has ended", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite sim:slow=5000");
  const waiting = ada.get<Job>(`/v1/jobs/${job.id}/wait?timeout_seconds=900`);
  let answered = false;
  void waiting.then(() => {
    answered = true;
  });
  await house.advance(4_500);
  t.notOk(answered, "not before");
  await house.advance(750);
  t.ok(answered);
  const { status, json } = await waiting;
  t.equal(status, 200);
  t.match(json, { id: job.id, status: "succeeded", asset: { status: "ready" } });
});

t.test("a wait on a job that has ended answers at once", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const [prompt, end] of [
    ["sim:ok", "succeeded"],
    ["sim:fail", "failed"],
  ] as const) {
    const job = await ada.job(prompt);
    await house.settle();
    const { status, json } = await ada.get<Job>(`/v1/jobs/${job.id}/wait`);
    t.equal(status, 200);
    t.equal(json.status, end);
  }
});

t.test("a failed or canceled job ends a wait with 200 too", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const failing = await ada.job("sim:fail sim:slow=1000");
  const canceled = await ada.job("sim:slow=90000");
  const first = ada.get<Job>(`/v1/jobs/${failing.id}/wait`);
  const second = ada.get<Job>(`/v1/jobs/${canceled.id}/wait`);
  await house.advance(1_250);
  await ada.cancel(canceled.id);
  t.match(await first, { status: 200, json: { status: "failed" } });
  t.match(await second, { status: 200, json: { status: "canceled" } });
});

t.test("when the window closes first a wait answers 408 with job and status", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const queued = await ada.job("sim:queue=90000");
  const running = await ada.job("sim:slow=90000");
  const waits = [queued, running].map(({ id }) => {
    return ada.get<Refused>(`/v1/jobs/${id}/wait?timeout_seconds=2`);
  });
  await house.advance(2_250);
  const [first, second] = await Promise.all(waits);
  t.match(first, {
    status: 408,
    json: { title: "Wait Timed Out", code: "timeout", job_id: queued.id, job_status: "queued" },
  });
  t.match(second, { status: 408, json: { job_id: running.id, job_status: "running" } });
  t.equal((await ada.read(running.id)).status, "running", "the job goes on");
});

t.test("a wait without timeout_seconds closes after 60 s", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=300000");
  let status = 0;
  void ada.get(`/v1/jobs/${job.id}/wait`).then((reply) => {
    status = reply.status;
  });
  await house.advance(59_500);
  t.equal(status, 0);
  await house.advance(1_000);
  t.equal(status, 408);
});

t.test("timeout_seconds is a whole number from 1 to 900", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  await house.settle();
  for (const seconds of ["1", "900"])
    t.equal((await ada.get(`/v1/jobs/${job.id}/wait?timeout_seconds=${seconds}`)).status, 200);
  for (const seconds of ["0", "901", "-1", "1.5", "1e2", "", "soon"]) {
    const { status, json } = await ada.get(`/v1/jobs/${job.id}/wait?timeout_seconds=${seconds}`);
    t.equal(status, 400, seconds);
    t.match(json.detail, /1 to 900/, "the message names the range");
    t.match(json.errors, [{ pointer: "?timeout_seconds" }]);
  }
});

t.test("many may wait for one job", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=1000");
  const waits = Array.from({ length: 20 }, () => ada.get<Job>(`/v1/jobs/${job.id}/wait`));
  await house.advance(1_250);
  for (const { status } of await Promise.all(waits)) t.equal(status, 200);
});

t.test("at most 1000 waits of one account are open", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=30000");
  const path = `/v1/jobs/${job.id}/wait`;
  const waits = Array.from({ length: 1000 }, () => ada.get<Job>(path));
  const { status, headers, json } = await ada.get(path);
  t.equal(status, 429);
  t.equal(json.code, "rate_limit");
  t.match(headers["retry-after"], /^\d+$/);
  await house.advance(31_000);
  t.ok((await Promise.all(waits)).every((reply) => reply.status === 200));
});

t.test("a wait that ended makes room for another", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=30000");
  const path = `/v1/jobs/${job.id}/wait?timeout_seconds=1`;
  const waits = Array.from({ length: 1000 }, () => ada.get(path));
  await house.advance(1_250);
  await Promise.all(waits);
  const one = ada.get(path);
  await house.advance(1_250);
  t.equal((await one).status, 408);
});

t.test("a client that disconnects frees its waiter at once", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=30000");
  const path = `/v1/jobs/${job.id}/wait`;
  const gone: (() => void)[] = [];
  const leavers = Array.from({ length: 1000 }, () =>
    ada.get(path, {}, (leave) => gone.push(leave)),
  );
  t.equal((await ada.get(path)).status, 429);
  for (const leave of gone) leave();
  await Promise.all(leavers);
  const stayer = ada.get<Job>(path);
  await house.advance(31_000);
  t.match(await stayer, { status: 200, json: { status: "succeeded" } }, "and cancels nothing");
});

t.test("waits end when the service drains", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=30000");
  const waiting = ada.get<Refused>(`/v1/jobs/${job.id}/wait`);
  await house.settle();
  house.service.following.drain();
  t.match(await waiting, { status: 408, json: { job_id: job.id } });
});
