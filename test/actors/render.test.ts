import t from "tap";
import {
  type FailedRender,
  type QueuedRender,
  type RenderOrder,
  type RunningRender,
  renderKey,
  renderOrderKey,
} from "../../actors/protocol/render.ts";
import { renderActor } from "../../actors/render/render-actor.ts";
import { limits } from "../../config/limits.ts";
import type { Context } from "../../engine/actor.ts";

const id = "019d9000-0000-7007-8000-000000000001";
const scope = "019d9000-0000-7007-8000-000000000002";
const composition = "019d9000-0000-7007-8000-000000000003";
const self = renderKey(id);

const common = {
  id,
  scope,
  composition,
  user: scope,
  version: 1,
  createdAtMs: 1_000,
  updatedAtMs: 1_000,
  attempts: 0,
};
const waiting: QueuedRender = { ...common, phase: "queued", isSent: false };
const sent: QueuedRender = { ...waiting, isSent: true };
const running: RunningRender = {
  ...common,
  phase: "running",
  startedAtMs: 2_000,
  progress: 0.5,
  token: "t1",
};
const { attempts: _, ...rest } = common;
const failed: FailedRender = { ...rest, phase: "failed", finishedAtMs: 3_000 };
const order: RenderOrder = {
  id,
  scope,
  composition,
  user: scope,
  revision: 2,
  createdAtMs: 1_000,
  target: "video",
  quality: "fast",
  manifestKey: "compositions/c/m",
  assets: {},
};

function at(atMs: number): Context<unknown> {
  const get = (key: string) => (key === renderOrderKey(id) ? order : undefined);
  return { self, atMs, request: undefined, get: get as Context["get"] };
}

t.test(
  "after a restart the farm hears again of what it was given, and of nothing else",
  async (t) => {
    const task = {
      kind: "render",
      input: { manifestKey: "compositions/c/m", target: "video", assets: {}, quality: "fast" },
      outputPrefix: `renders/${id}`,
    };
    const resumed = [sent, running, waiting, failed].map((head) =>
      renderActor.resume?.(head, at(0)),
    );
    const run = { kind: "farm.run", owner: scope, scope, task };
    t.strictSame(resumed, [[run], [run], [], []]);
    t.ok(
      [sent, running].every((head) => renderActor.dueAt(head) !== undefined),
      "so it is found",
    );
  },
);

t.test("a render has a day to be taken and an hour to be made", async (t) => {
  t.equal(renderActor.dueAt(waiting), 1_000 + 86_400_000);
  t.equal(renderActor.dueAt(running), 2_000 + 3_600_000);
  const early = renderActor.decide(running, { kind: "due" }, at(3_000));
  t.equal(early.head, running);
  const { head, rows } = renderActor.decide(running, { kind: "due" }, at(3_602_000));
  t.match(head, { phase: "failed", startedAtMs: 2_000, finishedAtMs: 3_602_000 });
  t.match(rows[0]?.value, { error: "render_timeout: the render took more than 3600 s" });
});

t.test("a render is forgotten 400 days after it ended, with all its rows", async (t) => {
  const { retentionMs } = limits.renders;
  t.equal(retentionMs, 400 * 86_400_000);
  t.equal(renderActor.dueAt(failed), undefined, "nothing waits in memory for that");
  const early = renderActor.decide(failed, { kind: "retire" }, at(2_999 + retentionMs));
  t.equal(early.head, failed);
  t.equal(renderActor.decide(running, { kind: "retire" }, at(3_000 + retentionMs)).head, running);
  const { head, rows } = renderActor.decide(failed, { kind: "retire" }, at(3_000 + retentionMs));
  t.equal(head, undefined);
  t.equal(rows.length, 3);
  t.ok(rows.every(({ value }) => value === undefined));
});

t.test("what comes under an old lease or after the end counts for nothing", async (t) => {
  const outcome = { kind: "succeeded", outputs: [] } as const;
  for (const message of [
    { kind: "finished", token: "t0", outcome },
    { kind: "progress", token: "t0", progress: 0.9 },
    { kind: "progress", token: "t1", progress: 0.4 },
    { kind: "lapsed", token: "t0" },
    { kind: "go" },
  ] as const) {
    t.equal(renderActor.decide(running, message, at(5_000)).head, running, message.kind);
    t.equal(renderActor.decide(failed, message, at(5_000)).head, failed, message.kind);
  }
  const claim = renderActor.decide(failed, { kind: "claim", token: "t2" }, at(5_000));
  t.strictSame([claim.head, claim.effects], [failed, [{ kind: "farm.cancel" }]]);
});
