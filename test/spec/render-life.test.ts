import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { SseTicket } from "../../contract/job.ts";
import type { Render } from "../../contract/render.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Refused } from "./caller.ts";
import { make, page } from "./composition-steps.ts";
import { EventReader } from "./event-reader.ts";
import { film, open, read, submit } from "./render-steps.ts";

t.test("20 renders of an account may be queued and 4 run: beyond is 429", async (t) => {
  const { house, caller, id } = await open(t);
  const node = house.farmNode(8);
  await house.settle();
  const renders: Render[] = [];
  for (let at = 0; at < 24; at++) {
    const { status, json } = await submit(caller, id);
    t.equal(status, 202, `render ${at}`);
    renders.push(json);
    await house.settle();
  }
  t.equal(node.leases.length, 4, "of one account");
  const { status, json, headers } = await submit<Refused>(caller, id);
  t.equal(status, 429);
  t.match(json, { code: "rate_limit", title: "Too Many Requests" });
  t.ok(Number(headers["retry-after"]) > 0);
  const other = await house.account();
  t.equal((await submit(other, await make(other, { "index.html": page() }))).status, 202);
  await house.settle();
  t.equal(node.leases.length, 5, "another account has its own");
  for (const task of node.leases.slice(0, 2)) await node.render(film, task);
  await house.settle();
  t.equal(node.leases.length, 7, "the next in turn");
  t.match(await read(caller, renders[4]?.id ?? ""), { status: "running" });
  t.equal((await submit(caller, id)).status, 202);
});

t.test(
  "a render that fails says why, with a known prefix and at most 2,000 characters",
  async (t) => {
    const { house, caller, id } = await open(t);
    const node = house.farmNode();
    for (const [message, error] of [
      ["invalid_composition: no timeline", /^invalid_composition: no timeline$/],
      ["media_unavailable: a.mp4", /^media_unavailable: a.mp4$/],
      ["something broke", /^internal: something broke$/],
      [`out_of_memory: ${"a".repeat(3_000)}`, /^out_of_memory: a{1985}$/],
    ] as const) {
      const { json } = await submit(caller, id);
      await house.settle();
      node.fail(message, false);
      await house.settle();
      const ended = await read(caller, json.id);
      t.match(ended, { status: "failed", asset_id: null });
      t.match(ended.error, error);
      t.type(ended.finished_at, "string");
    }
  },
);

t.test(
  "a failed attempt is repeated; a late result of an old one counts for nothing",
  async (t) => {
    const { house, caller, id } = await open(t);
    const dying = house.farmNode();
    const { json } = await submit(caller, id);
    await house.settle();
    const old = dying.lease;
    dying.die();
    const node = house.farmNode();
    await house.settle();
    t.not(node.lease.token, old.token);
    await node.render(film, old);
    await house.settle();
    t.match(await read(caller, json.id), { status: "running" });
    for (let attempt = 1; attempt < 3; attempt++) {
      node.fail("out_of_memory: the browser died", true);
      await house.settle();
    }
    t.match(await read(caller, json.id), {
      status: "failed",
      error: "out_of_memory: the browser died",
    });
    t.equal(node.leases.length, 2, "three attempts in all");
  },
);

t.test("a render that takes longer than an hour fails with render_timeout:", async (t) => {
  const { house, caller, id } = await open(t);
  const node = house.farmNode();
  const { json } = await submit(caller, id);
  await house.settle();
  for (let minute = 0; minute <= 245; minute++) {
    node.progress(0.5);
    house.clock.advance(14_700);
    await house.settle();
  }
  const ended = await read(caller, json.id);
  t.match(ended, { status: "failed", error: /^render_timeout: .*3600 s$/ });
  t.ok(node.canceled.length > 0, "the node need not go on");
});

t.test("POST /v1/renders/{id}/cancel ends a render; a repeat is the same record", async (t) => {
  const { house, caller, id } = await open(t);
  const waiting = (await submit(caller, id)).json;
  const first = await caller.post<Render>(`/v1/renders/${waiting.id}/cancel`);
  t.equal(first.status, 200);
  t.match(first.json, { status: "failed", error: `canceled: by ${caller.id}` });
  await house.advance(1_000);
  const again = await caller.post<Render>(`/v1/renders/${waiting.id}/cancel`);
  t.strictSame([again.status, again.json], [200, first.json]);
  const node = house.farmNode();
  const running = (await submit(caller, id)).json;
  await house.settle();
  t.equal((await caller.post(`/v1/renders/${running.id}/cancel`)).status, 200);
  await house.settle();
  t.strictSame(node.canceled, [node.lease.token]);
  await node.render(film);
  await house.settle();
  t.match(await read(caller, running.id), { status: "failed", asset_id: null });
  const done = (await submit(caller, id)).json;
  await house.settle();
  await node.render(film);
  await house.settle();
  t.equal((await caller.post(`/v1/renders/${done.id}/cancel`)).status, 409);
});

t.test("DELETE /v1/compositions/{id} is 409 while it is rendered, unless forced", async (t) => {
  const { house, caller, id } = await open(t);
  const node = house.farmNode();
  const path = `/v1/compositions/${id}`;
  const done = (await submit(caller, id)).json;
  await house.settle();
  await node.render(film);
  await house.settle();
  const renders = [(await submit(caller, id)).json, (await submit(caller, id)).json];
  t.equal((await caller.delete(path)).status, 409);
  t.equal((await caller.get(path)).status, 200);
  t.equal((await caller.delete(`${path}?force=true`)).status, 204);
  await house.settle();
  for (const { id: render } of renders)
    t.match(await read(caller, render), { status: "failed", error: /^canceled: by/ });
  const { asset_id: asset } = await read(caller, done.id);
  t.equal((await caller.get(`/v1/assets/${asset}`)).status, 200, "finished assets stay");
});

t.test("GET /v1/renders/{id}/sse sends status frames and one complete, by a ticket", async (t) => {
  const { house, caller, id } = await open(t);
  const render = (await submit(caller, id)).json;
  const place = `/v1/renders/${render.id}`;
  const minted = await caller.post<Static<typeof SseTicket>>(`${place}/sse-ticket`);
  t.equal(minted.status, 201);
  const url = `${place}/sse?ticket=${minted.json.ticket}`;
  const { status, body } = await house.answer("GET", url);
  invariant(status === 200 && typeof body !== "string", "the stream opens");
  const stream = new EventReader(body);
  const node = house.farmNode();
  await house.settle();
  node.progress(0.5);
  await house.advance(3_000);
  node.progress(0.75);
  await house.advance(3_000);
  await node.render({ ...film, warnings: ["w"] });
  await house.settle();
  const { frames } = stream;
  t.match(stream.text, /^retry: 5000/);
  t.strictSame(frames[0], {
    event: "status",
    id: `${render.id}:1`,
    data: { status: "queued" },
  });
  t.match(frames[1], { event: "status", data: { status: "running", progress: 0 } });
  t.match(frames.at(-1), {
    event: "complete",
    data: { status: "succeeded", asset_url: /^https/, warnings: ["w"] },
  });
  t.equal(frames.filter(({ event }) => event === "complete").length, 1);
  t.equal(stream.state, "ended");
  t.equal((await house.answer("GET", url)).status, 401, "a ticket opens one stream");
  t.equal((await house.answer("GET", `${place}/sse`)).status, 401);
});

t.test("the stream of a failed render completes with its error", async (t) => {
  const { house, caller, id } = await open(t);
  const { json } = await submit(caller, id);
  await caller.post(`/v1/renders/${json.id}/cancel`);
  const place = `/v1/renders/${json.id}`;
  const { ticket } = (await caller.post<Static<typeof SseTicket>>(`${place}/sse-ticket`)).json;
  const { body } = await house.answer("GET", `${place}/sse?ticket=${ticket}`);
  invariant(typeof body !== "string", "the stream opens");
  const { frames } = new EventReader(body);
  t.match(frames.at(-1), {
    event: "complete",
    data: { status: "failed", error: `canceled: by ${caller.id}`, warnings: [] },
  });
});
