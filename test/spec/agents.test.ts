import t from "tap";
import type { AgentSession, AgentTurn } from "../../contract/agent.ts";
import type { Job } from "../../contract/job.ts";
import { Caller, type Refused } from "./caller.ts";
import { EventReader } from "./event-reader.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

const sessions = "/v1/agent/sessions";

async function open(ada: Caller): Promise<AgentSession> {
  return (await ada.post<AgentSession>(sessions, { title: "A film" })).json;
}

/** Starts a turn; returns it and its agent. */
async function start(house: InProcess, ada: Caller, more: object = {}) {
  const session = await open(ada);
  const path = `${sessions}/${session.id}`;
  const { json: turn } = await ada.post<AgentTurn>(`${path}/turns`, { brief: "Draw", ...more });
  const agent = new Caller(house.api, turn.credential ?? "", ada.id);
  return { path, turn, agent, turnPath: `${path}/turns/${turn.id}` };
}

t.test("POST /v1/agent/sessions answers 201 with an idle session", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const body = { title: "A film", meta: { client: "studio" } };
  const { status, json } = await ada.post<AgentSession>(sessions, body);
  t.equal(status, 201);
  t.match(json, {
    title: "A film",
    meta: { client: "studio" },
    status: "idle",
    current_turn: null,
    turns: [],
    credits_spent: 0,
    user_id: ada.id,
  });
  t.match((await ada.get(sessions)).json, {
    items: [{ id: json.id }],
    total: 1,
    next_cursor: null,
  });
  t.equal((await ada.post(sessions, { meta: { big: "x".repeat(17_000) } })).status, 400);
});

t.test(
  "POST /agent/sessions/{id}/turns answers 201 with a credential; 409 when a turn is running",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const { path, turn, turnPath } = await start(house, ada, { credit_ceiling: 5 });
    t.match(turn, {
      status: "running",
      brief: "Draw",
      credit_ceiling: 5,
      credits_committed: 0,
      job_ids: [],
      credential: /^agt_/,
      expires_at: "2026-04-15T13:00:00.000Z",
    });
    t.equal((await ada.post(`${path}/turns`, { brief: "Another" })).status, 409);
    const { json } = await ada.get<AgentTurn>(turnPath);
    t.equal(json.credential, undefined, "credential on creation only");
    t.match((await ada.get(path)).json, { status: "running", current_turn: { id: turn.id } });
  },
);

t.test("a brief has 1 to 20000 characters, ttl_seconds is 60 to 86400", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const path = `${sessions}/${(await open(ada)).id}`;
  for (const [body, pointer] of [
    [{ brief: "" }, "/brief"],
    [{ brief: "x".repeat(20_001) }, "/brief"],
    [{ brief: "x", ttl_seconds: 59 }, "/ttl_seconds"],
    [{ brief: "x", ttl_seconds: 86_401 }, "/ttl_seconds"],
    [{ brief: "x", credit_ceiling: -1 }, "/credit_ceiling"],
  ] as const) {
    const { status, json } = await ada.post<Refused>(`${path}/turns`, body);
    t.equal(status, 400, pointer);
    t.match(json.errors, [{ pointer }]);
  }
  const longest = { brief: "x".repeat(20_000), ttl_seconds: 86_400 };
  const { json } = await ada.post<AgentTurn>(`${path}/turns`, longest);
  t.equal(json.expires_at, "2026-04-16T12:00:00.000Z");
});

t.test("GET /agent/sessions/{id} shows the last 20 turns", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const path = `${sessions}/${(await open(ada)).id}`;
  const ids: string[] = [];
  for (let n = 0; n < 21; n++) {
    ids.push((await ada.post<AgentTurn>(`${path}/turns`, { brief: `turn ${n}` })).json.id);
    await ada.post(`${path}/interrupt`, {});
  }
  const { turns } = (await ada.get<AgentSession>(path)).json;
  t.strictSame(turns?.map(({ id }) => id).sort(), ids.slice(1).sort());
});

t.test(
  "a turn credential acts with its owner's permissions, less the withheld scopes",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const { agent, path, turn } = await start(house, ada);
    const job = await agent.job("a kite");
    t.equal(job.user_id, ada.id);
    t.match(job, { agent_session_id: turn.session_id });
    t.equal((await agent.get(sessions)).status, 403, "no scope agents");
    t.equal((await agent.post(`${path}/interrupt`)).status, 403);
    t.equal((await agent.get("/v1/tokens")).status, 403);
    t.equal((await agent.post("/v1/organizations", { name: "Mine" })).status, 403);
    t.equal((await ada.post(`/v1/jobs/${job.id}/cancel`)).status, 409, "it has ended by now");
    const { agent: operator } = await start(house, house.admin);
    t.equal((await operator.get("/v1/admin/accounts")).status, 403, "no scope admin");
  },
);

t.test("a submit that would pass the ceiling answers 402 approval_required", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 100 });
  const { agent, turnPath } = await start(house, ada, { credit_ceiling: 3 });
  await agent.job("one", { num_images: 2 });
  const { status, json } = await agent.submit<Refused & Record<string, unknown>>("two", {
    num_images: 2,
  });
  t.equal(status, 402);
  t.match(json, {
    title: "Approval Needed",
    code: "approval_required",
    credits_required: 2,
    run_total_credits: 4,
    credit_ceiling: 3,
  });
  t.match((await ada.get("/v1/me/credits")).json, { balance_credits: 98 }, "nothing was held");
  const raised = await ada.post<AgentTurn>(`${turnPath}/ceiling`, { credit_ceiling: 4 });
  t.match(raised.json, { credit_ceiling: 4, credits_committed: 2 });
  t.equal((await agent.submit("two", { num_images: 2 })).status, 202);
  t.match((await ada.get<AgentTurn>(turnPath)).json, { credits_committed: 4 });
});

t.test(
  "POST /agent/sessions/{id}/turns/{turn_id}/ceiling takes the owner's credential only",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const { agent, turnPath } = await start(house, ada, { credit_ceiling: 3 });
    t.equal((await agent.post(`${turnPath}/ceiling`, { credit_ceiling: 9 })).status, 403);
  },
);

t.test("credits_committed is holds plus charges, less refunds", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const { agent, turnPath, path } = await start(house, ada);
  const readCommitted = async () => (await ada.get<AgentTurn>(turnPath)).json.credits_committed;
  const slow = await agent.job("a sim:slow=5000");
  t.equal(await readCommitted(), 1, "held");
  await agent.job("b sim:fail");
  await house.settle();
  t.equal(await readCommitted(), 1, "refunded");
  await house.advance(5_000);
  t.equal(await readCommitted(), 1, "charged");
  const { json } = await ada.get<AgentTurn>(turnPath);
  t.equal(json.job_ids[0], slow.id);
  t.equal(json.job_ids.length, 2);
  t.match((await ada.get(path)).json, { credits_spent: 1 });
});

t.test(
  "after POST /agent/sessions/{id}/turns/{turn_id}/finish every route answers 409 run_ended",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const { agent, turnPath } = await start(house, ada);
    const finished = await agent.post<AgentTurn>(`${turnPath}/finish`, {
      status: "finished",
      summary: "Done.",
    });
    t.equal(finished.status, 200, "finish of its own turn needs no scope");
    t.match(finished.json, { status: "finished", summary: "Done.", ended_at: /^2026/ });
    for (const [method, path] of [
      ["GET", "/v1/me"],
      ["GET", "/v1/jobs"],
      ["POST", "/v1/generate/image"],
      ["POST", `${turnPath}/finish`],
    ] as const) {
      const { status, json } = await agent.request<Refused>(method, path, { body: {} });
      t.equal(status, 409, `${method} ${path}`);
      t.match(json, { title: "Run Ended", code: "run_ended" });
    }
  },
);

t.test("after expiry GET /agent/sessions/{id}/turns/{turn_id} says swept", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { agent, turnPath, path } = await start(house, ada, { ttl_seconds: 60 });
  await house.advance(61_000);
  t.equal((await agent.get("/v1/me")).status, 409);
  t.match((await ada.get(turnPath)).json, { status: "swept" });
  t.match((await ada.get(path)).json, { status: "idle", current_turn: null });
});

t.test(
  "POST /agent/sessions/{id}/interrupt stops the turn only; its jobs continue; idempotent",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const empty = await open(ada);
    const none = await ada.post(`${sessions}/${empty.id}/interrupt`, {});
    t.equal(none.status, 409, "409 when no turn ever started");
    const { agent, path } = await start(house, ada);
    const job = await agent.job("a sim:slow=5000");
    const { status, json } = await ada.post<AgentTurn>(`${path}/interrupt`, { reason: "enough" });
    t.equal(status, 200);
    t.equal(json.status, "stopped");
    t.strictSame((await ada.post<AgentTurn>(`${path}/interrupt`, {})).json, json);
    await house.advance(5_000);
    t.equal((await ada.read(job.id)).status, "succeeded");
    t.equal((await ada.post(`${path}/turns`, { brief: "Again" })).status, 201);
  },
);

t.test("DELETE /agent/sessions/{id} ends a running turn first", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { agent, path } = await start(house, ada);
  t.equal((await ada.request("DELETE", path)).status, 204);
  t.equal((await agent.get("/v1/me")).status, 409);
  t.equal((await ada.get(path)).status, 404);
  t.match((await ada.get(sessions)).json, { items: [], total: 0 });
});

t.test("GET /v1/jobs finds the jobs of an agent session", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { agent, turn } = await start(house, ada);
  const { id } = await agent.job("in the session");
  await ada.job("outside");
  const path = `/v1/jobs?agent_session_id=${turn.session_id}`;
  const { json } = await ada.get<{ items: Job[] }>(path);
  t.strictSame(
    json.items.map((job) => job.id),
    [id],
  );
});

t.test(
  "GET /agent/sessions/{id}/events with a ticket of POST /agent/sessions/{id}/events-ticket",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const { agent, path, turn } = await start(house, ada, { credit_ceiling: 9 });
    const { json: minted } = await ada.post<{ ticket: string }>(`${path}/events-ticket`);
    const url = `${path}/events?ticket=${minted.ticket}`;
    const { status, body } = await house.answer("GET", url);
    t.equal(status, 200);
    if (typeof body === "string") throw new Error(body);
    const reader = new EventReader(body);
    const job = await agent.job("a sim:slow=1000");
    await house.advance(1_000);
    await ada.post(`${path}/interrupt`, {});
    await house.settle();
    const frames = reader.frames.map(({ event, data }) => [event, data]);
    t.strictSame(frames[0], ["turn", { turn_id: turn.id, status: "running" }]);
    t.strictSame(frames[1], ["spend", { credits_committed: 0, credit_ceiling: 9 }]);
    const tell = (name: string) =>
      frames.filter(([event]) => event === name).map(([, data]) => data);
    t.strictSame(tell("spend").at(-1), { credits_committed: 1, credit_ceiling: 9 });
    t.match(tell("job").at(-1), { job_id: job.id, status: "succeeded" });
    t.strictSame(tell("complete"), [{ turn_id: turn.id, status: "stopped" }]);
    t.equal((await house.answer("GET", url)).status, 401, "a ticket opens one stream");
  },
);

t.test("GET /agent/sessions/{id} is its user's own", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bob = await house.account();
  const { path, turnPath } = await start(house, ada);
  for (const [method, url] of [
    ["GET", path],
    ["DELETE", path],
    ["POST", `${path}/turns`],
    ["GET", turnPath],
    ["POST", `${turnPath}/finish`],
    ["POST", `${turnPath}/ceiling`],
    ["POST", `${path}/interrupt`],
    ["POST", `${path}/events-ticket`],
  ] as const) {
    const body = url.endsWith("turns")
      ? { brief: "x" }
      : url.endsWith("finish")
        ? { status: "failed" }
        : {};
    const parts = method === "POST" ? { body } : {};
    t.equal((await bob.request(method, url, parts)).status, 404, `${method} ${url}`);
  }
});
