import t from "tap";
import { imagePath, type Refused } from "./caller.ts";
import type { EventReader } from "./event-reader.ts";
import { openInProcess } from "./in-process-service.ts";

t.test("a stream begins with retry and a status frame of the current state", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:queue=60000");
  await house.settle();
  const { text } = await house.follow(ada, job.id);
  t.ok(text.startsWith("retry: 5000\n\nevent: status\n"));
  t.match(text, new RegExp(`\\nid: ${job.id}:\\d+\\n`));
  t.match(text, /\ndata: {"status":"queued"}\n\n$/, "progress is omitted while null");
});

t.test("a stream has the headers of an event stream", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  const ticket = await house.ticket(ada, job.id);
  const { headers } = await house.answer("GET", `/v1/jobs/${job.id}/sse?ticket=${ticket}`);
  t.match(Object.fromEntries(headers), {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    "Access-Control-Allow-Origin": "*",
    "X-Content-Type-Options": "nosniff",
  });
});

t.test("every change of status has its frame, and the end is one complete", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:queue=1000 sim:slow=1000");
  const reader = await house.follow(ada, job.id);
  await house.advance(3_000);
  t.match(reader.frames, [
    { event: "status", data: { status: "queued" } },
    { event: "status", data: { status: "running", progress: 0 } },
    { event: "complete", data: { status: "succeeded", progress: 1, asset_url: /^https:/ } },
  ]);
  t.equal(reader.state, "ended", "the stream closes");
});

t.test("a job that has ended sends its state and complete at once", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:ok");
  await house.settle();
  const reader = await house.follow(ada, job.id);
  t.strictSame(
    reader.frames.map(({ event, data }) => [event, data["status"]]),
    [
      ["status", "succeeded"],
      ["complete", "succeeded"],
    ],
  );
  t.equal(reader.state, "ended");
});

t.test("ids of frames rise with the job's revision", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:down=2 sim:queue=500 sim:slow=500");
  const reader = await house.follow(ada, job.id);
  await house.advance(6_000);
  const revisions = reader.frames.map(({ id }) => {
    const [named, revision] = (id ?? "").split(":");
    t.equal(named, job.id);
    return Number(revision);
  });
  t.ok(revisions.length >= 4);
  t.strictSame(
    revisions,
    [...new Set(revisions)].sort((a, b) => a - b),
  );
});

t.test("a failure completes with its kind, code, sentence and refund", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const free = await ada.job("sim:slow=1000 sim:nsfw_output");
  const billed = await ada.job("sim:slow=1000 sim:fail sim:billed");
  const readers = [await house.follow(ada, free.id), await house.follow(ada, billed.id)];
  await house.advance(1_250);
  const [first, second] = readers.map(({ frames }) => frames.at(-1));
  const { failure } = await ada.read(free.id);
  t.strictSame(first?.data, {
    status: "failed",
    error: failure?.message,
    failure_kind: "moderated",
    failure_code: "prompt_nsfw",
    credits_refunded: true,
  });
  t.match(second?.data, {
    failure_kind: "error",
    failure_code: "job_failed",
    credits_refunded: false,
  });
});

t.test("a cancellation completes with its message, and with the refund once settled", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const prompts = ["sim:busy=9", "sim:slow=9000 sim:cancel_refused", "sim:slow=9000"];
  const jobs = [];
  for (const prompt of prompts) jobs.push(await ada.job(prompt, { num_images: 4 }));
  const readers = [];
  for (const { id } of jobs) readers.push(await house.follow(ada, id));
  await house.advance(500);
  for (const { id } of jobs) await ada.cancel(id);
  const [returned, pending, partly] = readers.map(({ frames }) => frames.at(-1));
  t.match(returned, { event: "complete" });
  t.strictSame(returned?.data, {
    status: "canceled",
    error: "Canceled. Your 4 credits were returned.",
    credits_refunded: true,
  });
  t.equal(pending?.data["status"], "canceled");
  t.equal(pending?.data["credits_refunded"], undefined, "absent while unsettled");
  t.not(partly?.data["credits_refunded"], true, "true only for the whole hold");
  t.ok(readers.every(({ frames }) => frames.filter((f) => f.event === "complete").length === 1));
  t.ok(readers.every(({ state }) => state === "ended"));
});

t.test("a cancellation that was settled before says false for part of the hold", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=9000", { num_images: 4 });
  await house.advance(500);
  await ada.cancel(job.id);
  await house.settle();
  const reader = await house.follow(ada, job.id);
  t.match(reader.frames.at(-1), {
    event: "complete",
    data: { status: "canceled", error: /^Canceled part way\./, credits_refunded: false },
  });
});

t.test("status_detail and its sentence come with their own frame", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:busy=1 sim:slow=60000");
  await house.settle();
  const reader = await house.follow(ada, job.id);
  await house.advance(1_500);
  t.strictSame(reader.frames[0]?.data, {
    status: "queued",
    status_detail: "upstream_at_capacity",
    status_message:
      "The model provider is at capacity. Your generation is waiting for a free slot.",
  });
  t.strictSame(reader.frames.at(-1)?.data, { status: "running", progress: 0 });
});

t.test("progress alone is coalesced to four frames a second, the last is sent", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json: job } = await ada.post<{ id: string }>(imagePath, { model: "studio", prompt: "x" });
  const node = house.farmNode();
  await house.settle();
  const reader = await house.follow(ada, job.id);
  for (let step = 1; step <= 10; step++) {
    await house.advance(2_000);
    node.progress(step / 20);
    await house.settle();
  }
  await house.advance(500);
  const progress = reader.frames.map(({ data }) => data["progress"]);
  t.equal(progress.at(-1), 0.5, "the last one is always sent");
  t.strictSame(progress, [...progress].sort(), "it never falls");
});

t.test("progress that comes quickly makes at most one frame in 250 ms", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json: job } = await ada.post<{ id: string }>(imagePath, { model: "studio", prompt: "x" });
  const node = house.farmNode();
  await house.settle();
  const reader = await house.follow(ada, job.id);
  const before = reader.frames.length;
  for (const percent of [10, 20, 30]) {
    house.engine.progress(job.id, node.lease.token, percent / 100);
    await house.settle();
  }
  t.equal(reader.frames.length, before, "they wait for the interval");
  await house.advance(250);
  t.strictSame(
    reader.frames.slice(before).map(({ data }) => data["progress"]),
    [0.3],
  );
});

t.test("a comment is sent every 15 s", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=300000");
  const reader = await house.follow(ada, job.id);
  await house.advance(14_750);
  t.notMatch(reader.text, /keep-alive/);
  await house.advance(500);
  t.match(reader.text, /\n\n: keep-alive\n\n$/);
  await house.advance(45_000);
  t.equal(reader.text.split(": keep-alive\n\n").length - 1, 4);
});

t.test("a reader with more than 64 KiB unread is cut off", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=9000000");
  const reader = await house.follow(ada, job.id);
  reader.sink.unread = 64 * 1024 - 20;
  reader.sink.isReading = false;
  await house.advance(15_250);
  t.equal(reader.state, "open", "at 64 KiB it is not");
  await house.advance(30_000);
  t.equal(reader.state, "aborted");
});

t.test("a slow reader does not hold up another", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=2000");
  const slow = await house.follow(ada, job.id);
  slow.sink.isReading = false;
  const quick = await house.follow(ada, job.id);
  await house.advance(2_250);
  t.equal(quick.frames.at(-1)?.event, "complete");
});

t.test("a stream ends after 3600 s without a terminal frame", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:busy=90");
  const reader = await house.follow(ada, job.id);
  await house.advance(3_580_000);
  t.equal(reader.state, "open");
  await house.advance(40_000);
  t.equal(reader.state, "ended");
  t.notOk(reader.frames.some(({ event }) => event === "complete"));
});

t.test("during a drain streams end with reconnect", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  const readers = [await house.follow(ada, job.id), await house.follow(ada, job.id)];
  house.service.following.drain();
  for (const { text, state } of readers) {
    t.ok(text.endsWith("event: reconnect\ndata: {}\n\n"));
    t.equal(state, "ended");
  }
});

t.test("after complete nothing more is sent", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=3000 sim:cancel_requested");
  await house.settle();
  const reader = await house.follow(ada, job.id);
  await ada.cancel(job.id);
  const { text } = reader;
  await house.advance(60_000);
  house.service.following.drain();
  t.equal(reader.text, text);
});

t.test("an account has at most 100 open streams", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  const readers: EventReader[] = [];
  for (let n = 0; n < 100; n++) readers.push(await house.follow(ada, job.id));
  const path = `/v1/jobs/${job.id}/sse?ticket=`;
  const over = await house.stranger.request<Refused>(
    "GET",
    path + (await house.ticket(ada, job.id)),
  );
  t.equal(over.status, 503);
  t.match(over.headers["retry-after"], /^\d+$/);
  readers[0]?.leave();
  const { status } = await house.answer("GET", path + (await house.ticket(ada, job.id)));
  t.equal(status, 200, "one that leaves makes room");
});

t.test("a client that goes away before its first byte holds no place", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  const path = `/v1/jobs/${job.id}/sse?ticket=`;
  const onAsked = (leave: () => void) => leave();
  for (let n = 0; n < 100; n++)
    await house.answer("GET", path + (await house.ticket(ada, job.id)), { onAsked });
  const { status } = await house.answer("GET", path + (await house.ticket(ada, job.id)));
  t.equal(status, 200, "answers whose body was never begun do not count");
});

t.test("a reader that left hears nothing more", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=1000");
  const reader = await house.follow(ada, job.id);
  const { text } = reader;
  reader.leave();
  await house.advance(2_000);
  t.equal(reader.text, text);
});
