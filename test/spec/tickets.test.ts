import t from "tap";
import { openInProcess } from "./in-process-service.ts";

const nobody = "019d9000-0000-7000-8000-000000000000";

t.test("a ticket is minted with 201, 44 characters and 60 s of life", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  const path = `/v1/jobs/${job.id}/sse-ticket`;
  const { status, json } = await ada.post<{ ticket: string; expires_at: string }>(path);
  t.equal(status, 201);
  t.match(json.ticket, /^[A-Za-z0-9_-]{44}$/);
  t.equal(json.expires_at, "2026-04-15T12:01:00.000Z");
});

t.test("minting needs a bearer and a job of one's own", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bob = await house.account();
  const job = await ada.job("sim:slow=60000");
  const path = `/v1/jobs/${job.id}/sse-ticket`;
  t.equal((await house.stranger.post(path)).status, 401);
  t.equal((await bob.post(path)).status, 404);
  t.equal((await ada.post(`/v1/jobs/${nobody}/sse-ticket`)).status, 404);
});

t.test("tickets of one job differ", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  t.not(await house.ticket(ada, job.id), await house.ticket(ada, job.id));
});

t.test("a ticket opens one stream, without a bearer", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  const path = `/v1/jobs/${job.id}/sse?ticket=${await house.ticket(ada, job.id)}`;
  const { status, headers } = await house.answer("GET", path);
  t.equal(status, 200);
  const type = headers.find(([name]) => name === "Content-Type")?.[1];
  t.equal(type, "text/event-stream; charset=utf-8");
  t.equal((await house.stranger.get(path)).status, 401, "consumed");
});

t.test("of many that redeem a ticket at once one gets the stream", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  const path = `/v1/jobs/${job.id}/sse?ticket=${await house.ticket(ada, job.id)}`;
  const answers = await Promise.all(Array.from({ length: 16 }, () => house.answer("GET", path)));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  t.equal(answers.filter(({ status }) => status === 401).length, 15);
});

t.test("a ticket lives 60 s", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=300000");
  const path = `/v1/jobs/${job.id}/sse?ticket=`;
  const [early, late] = [await house.ticket(ada, job.id), await house.ticket(ada, job.id)];
  await house.advance(59_500);
  t.equal((await house.answer("GET", path + early)).status, 200);
  await house.advance(750);
  t.equal((await house.stranger.get(path + late)).status, 401);
});

t.test(
  "an absent, malformed or invented ticket answers 401 with the problem of every 401",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const job = await ada.job("sim:slow=60000");
    const path = `/v1/jobs/${job.id}/sse`;
    const invented = Buffer.alloc(33, 7).toString("base64url");
    for (const query of ["", "?ticket=", "?ticket=abc", `?ticket=${invented}`]) {
      const { status, json } = await house.stranger.get(path + query);
      t.equal(status, 401, query);
      t.match(json, { title: "Unauthorized", detail: "Valid authentication is required." });
    }
  },
);

t.test("a bearer does not open a stream, and does not close one", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  t.equal((await ada.get(`/v1/jobs/${job.id}/sse`)).status, 401);
  const ticket = await house.ticket(ada, job.id);
  const headers = { authorization: "Bearer nonsense" };
  const path = `/v1/jobs/${job.id}/sse?ticket=${ticket}`;
  t.equal((await house.answer("GET", path, { headers })).status, 200);
});

t.test("a missing ticket answers before the id is looked at", async (t) => {
  const house = await openInProcess(t);
  for (const id of [nobody, "no-uuid"])
    t.equal((await house.stranger.get(`/v1/jobs/${id}/sse`)).status, 401);
});

t.test("a ticket for another job answers 403 and is consumed", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const [one, two] = [await ada.job("1 sim:slow=60000"), await ada.job("2 sim:slow=60000")];
  for (const other of [two.id, nobody, "no-uuid"]) {
    const ticket = await house.ticket(ada, one.id);
    t.equal((await house.stranger.get(`/v1/jobs/${other}/sse?ticket=${ticket}`)).status, 403);
    const { status } = await house.stranger.get(`/v1/jobs/${one.id}/sse?ticket=${ticket}`);
    t.equal(status, 401, "the mismatched request consumed it");
  }
});

t.test("an account has at most 100 unredeemed tickets", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=600000");
  const path = `/v1/jobs/${job.id}/sse-ticket`;
  let last = "";
  for (let n = 0; n < 100; n++) last = await house.ticket(ada, job.id);
  const { status, json } = await ada.post(path);
  t.equal(status, 429);
  t.equal(json.code, "rate_limit");
  await house.answer("GET", `/v1/jobs/${job.id}/sse?ticket=${last}`);
  t.equal((await ada.post(path)).status, 201, "a redeemed one makes room");
  t.equal((await ada.post(path)).status, 429);
});

t.test("expired tickets make room for new ones", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=600000");
  for (let n = 0; n < 100; n++) await house.ticket(ada, job.id);
  await house.advance(61_000);
  t.equal((await ada.post(`/v1/jobs/${job.id}/sse-ticket`)).status, 201);
});

t.test("HEAD is not answered on the event stream and consumes no ticket", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  const path = `/v1/jobs/${job.id}/sse?ticket=${await house.ticket(ada, job.id)}`;
  const { status, headers } = await house.answer("HEAD", path);
  t.equal(status, 405);
  t.equal(headers.find(([name]) => name === "Allow")?.[1], "GET");
  t.equal((await house.answer("GET", path)).status, 200);
});
