/** Tests a cancel in stage `submitting`, when it is unknown whether the provider has the job. */
import t from "tap";
import { jobActor } from "../../actors/job/job-actor.ts";
import { cancellationView, jobView } from "../../actors/job/job-view.ts";
import {
  type CanceledJob,
  type Job,
  type JobMessage,
  jobRequestKey,
} from "../../actors/protocol/job.ts";
import { job, jobRequest, jobSelf, nowMs, queued, view } from "./accounts.ts";

const { decide, dueAt } = jobActor;
const rows = { [jobRequestKey(job)]: jobRequest };

function turn(head: Job | undefined, message: JobMessage, atMs = nowMs + 4_000) {
  return decide(head, message, view(jobSelf, rows, atMs));
}

function requireCanceled(head: Job | undefined): CanceledJob {
  if (head?.phase !== "canceled") throw new Error(`the job is ${head?.phase}`);
  return head;
}

function show(head: CanceledJob, to = 7) {
  return [{ to, reply: { kind: "canceled", body: JSON.stringify(jobView(jobRequest, head, [])) } }];
}

const submitting = turn(queued, { kind: "submitting", number: 1, hasLookUp: true }, nowMs).head;
const cancel: JobMessage = { kind: "cancel", user: "someone" };
const waiting = requireCanceled(turn(submitting, cancel, nowMs + 2_000).head);

t.test("a submitting cancel waits up to 10 s for the submit outcome", async (t) => {
  const { effects, replies } = turn(submitting, cancel, nowMs + 2_000);
  t.strictSame(replies, []);
  t.match(effects, [{ kind: "tell", message: { from: "queued", to: "canceled" } }]);
  t.equal(effects.length, 1, "nothing is sent to the provider, and the slot is free");
  t.equal(dueAt(waiting), nowMs + 12_000);
  const again = turn(waiting, cancel);
  t.strictSame(again.replies, [], "who cancels again waits for the same answer (D2)");
  const both = turn(requireCanceled(again.head), { kind: "accepted", ref: "ref" });
  const answered = turn(requireCanceled(both.head), {
    kind: "cancel_answer",
    answer: { kind: "cancelled" },
  });
  t.equal(answered.replies.length, 2);
  t.strictSame(answered.replies[0]?.reply, answered.replies[1]?.reply, "one record for all");
});

const notAccepted: readonly JobMessage[] = [
  { kind: "detail", detail: "provider_down" },
  { kind: "detail", detail: "upstream_at_capacity" },
  {
    kind: "finished",
    outcome: { kind: "failed", class: "upstream", message: "", atOutput: false, billed: false },
  },
];

for (const message of notAccepted)
  t.test(`${JSON.stringify(message)}: not accepted is refunded at once`, async (t) => {
    const { head, replies, effects } = turn(waiting, message);
    const next = requireCanceled(head);
    const found = cancellationView(next);
    t.match(found, { stage: "submitting", settlement: "refunded", credits_refunded: 10 });
    t.equal(found.provider_cancel, undefined, "as before the submit");
    t.strictSame(replies, show(next));
    t.match(effects[0], { message: { charge: 0 } });
    t.equal(dueAt(next), undefined);
  });

t.test("if the provider accepted it is asked to cancel", async (t) => {
  const { head, replies, effects } = turn(waiting, { kind: "accepted", ref: "ref" });
  t.strictSame(replies, []);
  t.strictSame(effects, [{ kind: "provider.follow" }, { kind: "provider.cancel" }]);
  const answer: JobMessage = { kind: "cancel_answer", answer: { kind: "cancelled" } };
  const last = turn(head, answer);
  t.match(cancellationView(requireCanceled(last.head)), {
    stage: "submitting",
    provider_cancel: "cancelled",
    settlement: "refunded",
  });
  t.strictSame(last.replies, show(requireCanceled(last.head)));
});

t.test("what the provider has done already decides the hold and nothing else", async (t) => {
  const { head, replies, effects } = turn(waiting, {
    kind: "finished",
    outcome: { kind: "succeeded", outputs: [] },
  });
  t.match(cancellationView(requireCanceled(head)), { settlement: "charged", credits_charged: 10 });
  t.strictSame(replies, show(requireCanceled(head)));
  t.match(effects, [{ message: { charge: 10, assets: [] } }]);
});

t.test("an outcome that stays unknown: failed and pending, refunded after 24 h", async (t) => {
  const { head, replies, effects } = turn(waiting, { kind: "due" }, nowMs + 12_000);
  const unknown = requireCanceled(head);
  t.match(cancellationView(unknown), {
    stage: "submitting",
    provider_cancel: "failed",
    settlement: "pending",
    message: "Canceled. The provider could not be stopped; credits settle when it finishes.",
  });
  t.strictSame(replies, show(unknown));
  t.strictSame(effects, []);
  const dayMs = 86_400_000;
  t.equal(dueAt(unknown), nowMs + 2_000 + dayMs);
  const last = turn(unknown, { kind: "due" }, nowMs + 2_000 + dayMs);
  t.match(cancellationView(requireCanceled(last.head)), {
    provider_cancel: "failed",
    settlement: "refunded",
    credits_refunded: 10,
  });
});

t.test("a provider that cannot be asked settles 3600 s after the deadline", async (t) => {
  const head = turn(queued, { kind: "submitting", number: 1, hasLookUp: false }, nowMs).head;
  const left = turn(turn(head, cancel, nowMs).head, { kind: "due" }, nowMs + 10_000).head;
  t.equal(left && dueAt(left), nowMs + 600_000 + 3_600_000);
});

t.test("word that comes after the 10 s still decides", async (t) => {
  const unknown = turn(waiting, { kind: "due" }, nowMs + 12_000).head;
  t.strictSame(turn(unknown, { kind: "accepted", ref: "ref" }).effects, [
    { kind: "provider.follow" },
    { kind: "provider.cancel" },
  ]);
  const refused = turn(unknown, { kind: "detail", detail: "upstream_at_capacity" });
  t.match(cancellationView(requireCanceled(refused.head)), { settlement: "refunded" });
});

t.test("a job whose submit has an outcome is submitting no more", async (t) => {
  for (const message of [
    { kind: "accepted", ref: "ref" },
    { kind: "started" },
    { kind: "detail", detail: "provider_down" },
  ] as const)
    t.notOk("submitting" in (turn(submitting, message).head ?? {}), message.kind);
  const accepted = turn(submitting, { kind: "accepted", ref: "ref" }).head;
  t.equal(turn(accepted, { kind: "submitting", number: 2, hasLookUp: true }).head, accepted);
});
