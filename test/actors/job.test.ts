/** Tests the states of a job from its creation to its end, except for cancellation. */

import t from "tap";
import { born, buildCreation } from "../../actors/job/creation.ts";
import { jobActor } from "../../actors/job/job-actor.ts";
import { jobIndex, jobsKey } from "../../actors/job/job-index.ts";
import { jobView } from "../../actors/job/job-view.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { assetKey, type ReadyAsset } from "../../actors/protocol/asset.ts";
import { type Job, type JobMessage, jobRequestKey } from "../../actors/protocol/job.ts";
import { type Tombstone, tombstoneKey } from "../../actors/protocol/tombstone.ts";
import { rowCodecs } from "../../actors/row-codecs.ts";
import type { JobStatus } from "../../contract/job.ts";
import { birth, put, tell } from "../../engine/actor.ts";
import { idBytes } from "../../engine/id.ts";
import { decodeRow, EncodedRow } from "../../engine/row-codec.ts";
import {
  create,
  fingerprint,
  job,
  jobRequest,
  jobSelf,
  nowMs,
  onFarm,
  queued,
  running,
  scope,
  terms,
  view,
} from "./accounts.ts";

const { decide, dueAt } = jobActor;
const laterMs = nowMs + 5_000;
const later = view(jobSelf, { [jobRequestKey(job)]: jobRequest }, laterMs);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const task = {
  kind: "sim-instant",
  input: { prompt: "a kite", seed: 0, width: 1024, height: 1024, count: 1, format: "png" },
  outputPrefix: `jobs/${job}`,
};

function onChange(from: JobStatus, to: JobStatus, charge?: number, of = terms) {
  return tell(accountKey(scope), {
    kind: "job_changed",
    terms: of,
    from,
    to,
    hadSlot: true,
    charge,
    assets: to === "succeeded" ? ["image"] : [],
    bytes: to === "succeeded" ? 70 : 0,
  });
}

function next(head: Job, message: JobMessage, atMs = laterMs): Job {
  const turn = decide(head, message, view(jobSelf, { [jobRequestKey(job)]: jobRequest }, atMs));
  if (turn.head === undefined) throw new Error("a job never ends as a row");
  return turn.head;
}

const submission = {
  kind: "provider.submit",
  provider: "sim",
  job,
  modality: "image",
  prompt: "a kite",
  count: 1,
};

t.test("a new job is queued, answers when it began and goes to its provider", async (t) => {
  const turn = decide(undefined, { ...create, request: 7 }, view(jobSelf));
  t.strictSame(turn.head, queued);
  t.strictSame(turn.rows, [put(jobRequestKey(job), new EncodedRow(create.asked))]);
  t.strictSame(decodeRow(rowCodecs, jobRequestKey(job), create.asked), jobRequest);
  t.strictSame(turn.effects, [{ ...submission, mayEndAtOnce: true }]);
  t.strictSame(turn.replies, [{ to: 7, reply: { kind: "accepted", atMs: nowMs } }]);
  t.strictSame(born(create, nowMs), queued, "who knows what was asked knows the job");
  t.match(jobView(jobRequest, queued, []), {
    id: job,
    status: "queued",
    progress: null,
    credits_held: 10,
  });
  const toFarm = buildCreation(jobRequest, { ...create, provider: "farm" });
  const onTheFarm = decide(undefined, toFarm, view(jobSelf));
  t.strictSame(onTheFarm.effects, [{ kind: "farm.run", owner: scope, scope, task }]);
  t.strictSame(onTheFarm.replies, [], "without a request nobody is answered");
});

t.test("a provider's start makes a job running, its progress never falls", async (t) => {
  const turn = decide(queued, { kind: "started" }, later);
  t.strictSame(turn.head, { ...running, updatedAtMs: laterMs, startedAtMs: laterMs });
  t.strictSame(turn.effects, [onChange("queued", "running")]);
  const half = next(running, { kind: "progress", progress: 0.5 });
  t.match(half, { phase: "running", progress: 0.5, revision: 3 });
  t.equal(next(half, { kind: "progress", progress: 0.25 }), half);
  t.equal(next(half, { kind: "progress", progress: 0.5 }), half);
  t.match(next(half, { kind: "progress", progress: 7 }), { progress: 1 });
  t.strictSame(decide(running, { kind: "progress", progress: 0.5 }, later).effects, []);
});

t.test("acceptance by the provider is remembered while queued", async (t) => {
  const accepted = next(queued, { kind: "accepted", ref: "ref" });
  t.match(accepted, { phase: "queued", ref: "ref", revision: 2 });
  t.equal(next(running, { kind: "accepted", ref: "ref" }), running);
});

const media = { objectKey: "o/1", mimeType: "image/png", sizeBytes: 70, sha256: "00" };
const assetId = "01990000-0000-7021-8000-0000000000a1";
const success = { kind: "succeeded", outputs: [{ asset: assetId, media }] } as const;

for (const before of [queued, running])
  t.test(
    `a result makes a ${before.phase} job succeeded, charges it and makes its asset`,
    async (t) => {
      const turn = decide(before, { kind: "finished", outcome: success }, later);
      t.strictSame(turn.head, {
        terms: queued.terms,
        revision: before.revision + 1,
        updatedAtMs: laterMs,
        phase: "succeeded",
        startedAtMs: before.phase === "running" ? nowMs : laterMs,
        completedAtMs: laterMs,
        charged: 10,
        assets: [assetId],
      });
      const asset: ReadyAsset = {
        phase: "ready",
        id: assetId,
        scope,
        createdAtMs: laterMs,
        origin: { job },
        media,
      };
      t.strictSame(turn.effects, [
        onChange(before.phase, "succeeded", 10),
        birth(assetKey(scope, assetId), { kind: "create", asset }),
      ]);
    },
  );

/** Expects a tombstone: for a day the same body is refused without asking a provider. */
function remember(code: "prompt_nsfw" | "ip_detected") {
  const tombstone: Tombstone = { kind: "refused", code, scope, expiresAtMs: laterMs + dayMs };
  return tell(tombstoneKey(0x21, "refused", fingerprint), { kind: "set", tombstone });
}

const failures = [
  ["moderation_safety", false, false, "moderated", "prompt_nsfw", 422, 0],
  ["moderation_safety", true, true, "moderated", "prompt_nsfw", 422, 10],
  ["moderation_ip", false, true, "moderated", "ip_detected", 422, 10],
  ["moderation_ip", true, true, "moderated", "ip_detected", 422, 0],
  ["invalid_input", false, false, "error", "job_failed", 422, 0],
  ["billing", false, false, "error", "job_failed", 422, 0],
  ["upstream", true, false, "error", "job_failed", 502, 0],
  ["upstream", true, true, "error", "job_failed", 502, 10],
] as const;

for (const [name, atOutput, billed, kind, code, status, charge] of failures)
  t.test(
    `${name}${atOutput ? " at output" : ""}${billed ? ", billed," : ""} costs ${charge}`,
    async (t) => {
      const outcome = { kind: "failed", class: name, message: "No.", atOutput, billed } as const;
      const turn = decide(running, { kind: "finished", outcome }, later);
      t.match(turn.head, {
        phase: "failed",
        startedAtMs: nowMs,
        completedAtMs: laterMs,
        charged: charge,
        failure: { kind, code, status, message: "No." },
      });
      const told = onChange("running", "failed", charge);
      t.strictSame(turn.effects, kind === "moderated" ? [told, remember(code)] : [told]);
      const view = turn.head && jobView(jobRequest, turn.head, []);
      t.match(view, {
        failure: { kind, code, credits_refunded: charge === 0 },
        error: { status, code },
      });
    },
  );

t.test("a failure's message has at most 500 characters", async (t) => {
  const outcome = {
    kind: "failed",
    class: "upstream",
    message: "x".repeat(900),
    atOutput: true,
    billed: false,
  } as const;
  const failed = next(running, { kind: "finished", outcome });
  t.equal(failed.phase === "failed" && failed.failure.message.length, 500);
});

t.test("while the provider is down or at capacity a job stays queued and says so", async (t) => {
  const down = next(queued, { kind: "detail", detail: "provider_down" }, laterMs);
  t.match(down, { phase: "queued", detail: { name: "provider_down", sinceMs: laterMs } });
  t.equal(next(down, { kind: "detail", detail: "provider_down" }, laterMs + 1), down);
  const full = next(down, { kind: "detail", detail: "upstream_at_capacity" }, laterMs + 1_000);
  t.match(full, {
    detail: { name: "upstream_at_capacity" },
    deadlineMs: queued.deadlineMs + 1_000,
  });
  const free = next(full, { kind: "detail", detail: null }, laterMs + 3_000);
  t.match(free, { phase: "queued", deadlineMs: queued.deadlineMs + 3_000 });
  t.notOk("detail" in free);
  t.equal(next(running, { kind: "detail", detail: "provider_down" }), running);
  t.match(jobView(jobRequest, down, []), {
    status: "queued",
    status_detail: "provider_down",
    status_message:
      "The model provider is unavailable. Your generation is waiting and will start when it recovers.",
  });
});

t.test("time spent with status_detail set does not count against the deadline", async (t) => {
  t.equal(dueAt(queued), nowMs + 600_000);
  const down = next(queued, { kind: "detail", detail: "provider_down" }, nowMs + 100_000);
  t.equal(dueAt(down), nowMs + dayMs, "only the 24 h run on");
  const started = next(down, { kind: "started" }, nowMs + 4 * hourMs);
  t.equal(dueAt(started), nowMs + 4 * hourMs + 500_000);
});

t.test("the deadline ends a job failed with kind timeout, refunded", async (t) => {
  const atMs = nowMs + 600_000;
  for (const [before, withdrawal] of [
    [queued, { kind: "provider.withdraw" }],
    [onFarm(running), { kind: "farm.cancel" }],
  ] as const) {
    const turn = decide(before, { kind: "due" }, view(jobSelf, {}, atMs));
    t.match(turn.head, {
      phase: "failed",
      charged: 0,
      failure: { kind: "timeout", code: "timeout", status: 504 },
    });
    t.strictSame(turn.effects, [onChange(before.phase, "failed", 0, before.terms), withdrawal]);
  }
});

t.test("the 24 h deadline always counts; at capacity it gives rate_limit", async (t) => {
  const full = next(queued, { kind: "detail", detail: "upstream_at_capacity" });
  const down = next(queued, { kind: "detail", detail: "provider_down" });
  t.equal(dueAt(full), nowMs + dayMs);
  t.match(next(full, { kind: "due" }, nowMs + dayMs), {
    failure: { kind: "error", code: "rate_limit", status: 429 },
    charged: 0,
  });
  t.match(next(down, { kind: "due" }, nowMs + dayMs), {
    failure: { kind: "timeout", code: "timeout" },
  });
  const slow = { ...running, deadlineMs: nowMs + 3 * dayMs };
  t.equal(dueAt(slow), nowMs + dayMs);
});

t.test("a due message that comes too early changes nothing", async (t) => {
  const down = next(queued, { kind: "detail", detail: "provider_down" }, nowMs + 599_999);
  t.equal(next(down, { kind: "due" }, nowMs + 600_250), down, "the head has moved its time since");
  t.equal(next(running, { kind: "due" }, nowMs + 599_999), running);
  const canceled = next(running, { kind: "cancel", user: "u" }, nowMs + 599_999);
  t.match(canceled, { phase: "canceled", settlement: { kind: "pending" } });
  t.equal(next(canceled, { kind: "due" }, nowMs + 600_250), canceled);
});

t.test("a claim makes a farm job running under its token, and the node hears of it", async (t) => {
  const turn = decide(onFarm(queued), { kind: "claim", token: "t1" }, later);
  const claimed = { ...onFarm(running), updatedAtMs: laterMs, startedAtMs: laterMs };
  t.match(turn.head, { ...claimed, token: "t1" });
  t.strictSame(turn.effects, [
    onChange("queued", "running", undefined, onFarm(queued).terms),
    { kind: "farm.lease", token: "t1" },
  ]);
});

t.test("only the current token reports", async (t) => {
  const claimed = next(onFarm(queued), { kind: "claim", token: "t1" });
  const second = next(claimed, { kind: "claim", token: "t2" });
  t.match(second, { phase: "running", token: "t2", startedAtMs: laterMs });
  for (const message of [
    { kind: "progress", token: "t1", progress: 0.9 },
    { kind: "finished", token: "t1", outcome: success },
    { kind: "finished", outcome: success },
    { kind: "lapsed", token: "t1" },
  ] as const)
    t.equal(next(second, message), second, `${message.kind} of another attempt`);
  t.match(next(second, { kind: "progress", token: "t2", progress: 0.9 }), { progress: 0.9 });
  t.match(next(second, { kind: "finished", token: "t2", outcome: success }), {
    phase: "succeeded",
  });
});

t.test("a lapsed lease costs an attempt; the third fails the job, refunded", async (t) => {
  let head: Job = onFarm(queued);
  for (const attempts of [1, 2]) {
    head = next(head, { kind: "claim", token: `t${attempts}` });
    head = next(head, { kind: "progress", token: `t${attempts}`, progress: attempts / 10 });
    head = next(head, { kind: "lapsed", token: `t${attempts}` });
    t.match(head, { phase: "running", attempts, progress: attempts / 10 });
    t.notOk("token" in head);
  }
  head = next(head, { kind: "claim", token: "t3" });
  const turn = decide(head, { kind: "lapsed", token: "t3" }, later);
  t.match(turn.head, {
    phase: "failed",
    charged: 0,
    failure: { kind: "error", code: "job_failed", status: 502 },
  });
  t.strictSame(turn.effects, [
    onChange("running", "failed", 0, onFarm(running).terms),
    { kind: "farm.cancel" },
  ]);
});

const ended = [
  next(running, { kind: "finished", outcome: success }),
  next(running, { kind: "due" }, nowMs + 600_000),
  next(queued, { kind: "cancel", user: "u" }),
];
const late: readonly JobMessage[] = [
  { kind: "lapsed", token: "t9" },
  { kind: "accepted", ref: "ref" },
  { kind: "started" },
  { kind: "detail", detail: "provider_down" },
  { kind: "detail", detail: null },
  { kind: "progress", progress: 1 },
  { kind: "finished", outcome: success },
  { kind: "finished", token: "t9", outcome: success },
  { kind: "due" },
  { kind: "cancel_answer", answer: { kind: "stopped_partway", billedFraction: 1 } },
];

for (const head of ended)
  t.test(`I5: a ${head.phase} job ignores whatever comes late`, async (t) => {
    for (const message of late) {
      const turn = decide(head, message, view(jobSelf, {}, nowMs + 40 * dayMs));
      t.equal(turn.head, head, message.kind);
      t.strictSame([turn.rows, turn.replies, turn.effects], [[], [], []]);
    }
    t.equal(dueAt(head), undefined, "and waits for nothing");
  });

t.test("a claim of a farm job that has ended takes the task away", async (t) => {
  const ended = next(onFarm(queued), { kind: "cancel", user: "u" });
  const turn = decide(ended, { kind: "claim", token: "t9" }, later);
  t.equal(turn.head, ended);
  t.strictSame(turn.effects, [{ kind: "farm.cancel" }]);
});

t.test("a job that does not exist answers a cancel and nothing else", async (t) => {
  const turn = decide(undefined, { kind: "cancel", user: "u" }, later);
  t.strictSame(turn.replies, [
    { to: 7, reply: { kind: "refused", refusal: { code: "not_found" } } },
  ]);
  for (const message of late) t.strictSame(decide(undefined, message, later).replies, []);
  t.equal(turn.head, undefined);
});

t.test("a job is listed under its scope by modality, end and model", async (t) => {
  const owner = idBytes(scope);
  const open = jobsKey(scope, owner, "image", "open", 7) + idBytes(job);
  const listing = (head: Job, hasEarlier: boolean) =>
    jobIndex.entries(jobIndex.pick(head), hasEarlier);
  t.strictSame(listing(running, false), [put(open, "")]);
  const ended = next(running, { kind: "cancel", user: "u" });
  const canceled = jobsKey(scope, owner, "image", "canceled", 7) + idBytes(job);
  t.strictSame(listing(ended, false), [put(canceled, "")]);
  t.strictSame(listing(ended, true), [put(canceled, ""), { key: open, value: undefined }]);
});

t.test("a job that is under way is handed over again when its shard starts", async (t) => {
  const resume = (head: Job) => jobActor.resume?.(head, later);
  t.strictSame(resume(queued), [submission]);
  t.strictSame(resume(onFarm(running)), [{ kind: "farm.run", owner: scope, scope, task }]);
  const pending = next(running, { kind: "cancel", user: "u" });
  t.strictSame(resume(pending), [submission, { kind: "provider.cancel" }]);
});

t.test("the view shows a succeeded job whole", async (t) => {
  const view = jobView(jobRequest, next(running, { kind: "finished", outcome: success }), []);
  t.match(view, {
    status: "succeeded",
    progress: 1,
    credits_held: 10,
    credits_charged: 10,
    started_at: "2026-11-20T12:00:00.000Z",
    completed_at: "2026-11-20T12:00:05.000Z",
    updated_at: "2026-11-20T12:00:05.000Z",
  });
  t.equal(jobView(jobRequest, running, []).progress, 0, "progress is at least 0 once running");
  t.equal(jobView(jobRequest, running, []).credits_charged, null);
});

t.test("a job that waited waits no more when its provider accepts it", async (t) => {
  const waiting = next(queued, { kind: "detail", detail: "provider_down" }, nowMs + 1_000);
  const accepted = next(waiting, { kind: "accepted", ref: "ref" }, nowMs + 61_000);
  t.equal("detail" in accepted, false);
  t.match(accepted, { ref: "ref", deadlineMs: queued.deadlineMs + 60_000 });
});
