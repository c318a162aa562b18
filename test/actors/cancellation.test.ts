/**
 * The cancellation table: for each state of a job and each answer of its provider, how the job
 * settles and what the client reads.
 */

import t from "tap";
import { jobActor } from "../../actors/job/job-actor.ts";
import { cancellationView, jobView } from "../../actors/job/job-view.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import {
  type CancelAnswer,
  type CanceledJob,
  type Job,
  type JobMessage,
  jobRequestKey,
} from "../../actors/protocol/job.ts";
import type { JobStatus } from "../../contract/job.ts";
import { tell } from "../../engine/actor.ts";
import {
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
const cancel: JobMessage = { kind: "cancel", user: "someone" };
const rows = { [jobRequestKey(job)]: jobRequest };
const laterMs = nowMs + 4_000;

function turn(head: Job, message: JobMessage, atMs = laterMs) {
  return decide(head, message, view(jobSelf, rows, atMs));
}

function requireCanceled(head: Job | undefined): CanceledJob {
  if (head?.phase !== "canceled") throw new Error(`the job is ${head?.phase}`);
  return head;
}

function onChange(from: JobStatus, charge?: number, of = terms) {
  return tell(accountKey(scope), {
    kind: "job_changed",
    terms: of,
    from,
    to: "canceled",
    hadSlot: true,
    charge,
    assets: [],
    bytes: 0,
  });
}

function show(head: CanceledJob) {
  return [
    { to: 7, reply: { kind: "canceled", body: JSON.stringify(jobView(jobRequest, head, [])) } },
  ];
}

t.test("before_submit: nothing is sent, refunded in full at once", async (t) => {
  const waiting = { ...queued, detail: { name: "upstream_at_capacity", sinceMs: nowMs } } as const;
  for (const head of [queued, waiting]) {
    const { head: next, effects, replies } = turn(head, cancel);
    const view = cancellationView(requireCanceled(next));
    t.strictSame(view, {
      stage: "before_submit",
      settlement: "refunded",
      message: "Canceled. Your 10 credits were returned.",
      requested_at: "2026-11-20T12:00:04.000Z",
      canceled_by: "someone",
      credits_refunded: 10,
      credits_charged: 0,
      settled_at: "2026-11-20T12:00:04.000Z",
    });
    t.strictSame(replies, show(requireCanceled(next)));
    t.strictSame(effects, [onChange("queued", 0), { kind: "provider.withdraw" }]);
  }
});

t.test("E8: one credit is said as one", async (t) => {
  const cheap = { ...onFarm(running), terms: { ...onFarm(running).terms, hold: 2 }, token: "t" };
  const { head } = turn({ ...cheap, progress: 0.3 }, cancel);
  const message =
    "Canceled part way. 1 credit was charged for the rendered share and 1 was returned.";
  t.match(cancellationView(requireCanceled(head)), { message });
});

t.test("a farm task that is not leased is before_submit", async (t) => {
  const { head, effects } = turn(onFarm(queued), cancel);
  t.match(cancellationView(requireCanceled(head)), {
    stage: "before_submit",
    settlement: "refunded",
  });
  t.strictSame(effects, [onChange("queued", 0, onFarm(queued).terms), { kind: "farm.cancel" }]);
});

for (const [progress, charge, settlement, message] of [
  [0, 0, "refunded", "Canceled. Your 10 credits were returned."],
  [
    0.31,
    4,
    "partially_refunded",
    "Canceled part way. 4 credits were charged for the rendered share and 6 were returned.",
  ],
  [
    1,
    10,
    "charged",
    "Canceled part way. The rendered share came to the whole price, so 10 credits were charged.",
  ],
] as const)
  t.test(`a farm task at ${progress} is stopped part way and charged ${charge}`, async (t) => {
    const { head, effects } = turn({ ...onFarm(running), progress, token: "t" }, cancel);
    t.match(cancellationView(requireCanceled(head)), {
      stage: "provider_running",
      provider_cancel: "stopped_partway",
      settlement,
      message,
      credits_charged: charge,
      credits_refunded: 10 - charge,
    });
    t.strictSame(effects, [
      onChange("running", charge, onFarm(running).terms),
      { kind: "farm.cancel" },
    ]);
  });

t.test(
  "at a provider the slot is free at once and the answer waits for the provider's",
  async (t) => {
    for (const [head, stage] of [
      [{ ...queued, ref: "ref" }, "provider_queued"],
      [running, "provider_running"],
    ] as const) {
      const { head: next, effects, replies } = turn(head, cancel);
      t.strictSame(replies, []);
      t.strictSame(effects, [onChange(head.phase), { kind: "provider.cancel" }]);
      const view = cancellationView(requireCanceled(next));
      t.match(view, {
        stage,
        settlement: "pending",
        message: "Canceled. The provider was asked to stop; credits settle when it answers.",
      });
      t.notOk("credits_refunded" in view || "credits_charged" in view || "settled_at" in view);
      t.equal(next && dueAt(next), nowMs + 4_000 + 10_000, "10 seconds for the answer");
      const silent = turn(requireCanceled(next), { kind: "due" }, nowMs + 14_000);
      t.strictSame(silent.replies, show(requireCanceled(silent.head)));
      t.match(cancellationView(requireCanceled(silent.head)), {
        provider_cancel: "requested",
        settlement: "pending",
      });
      const limitMs = nowMs + 600_000 + 3_600_000;
      t.equal(silent.head && dueAt(silent.head), limitMs, "deadline plus 3600 s");
    }
  },
);

const pending = requireCanceled(turn(running, cancel, nowMs + 2_000).head);

const asking = "Canceled. The provider was asked to stop; credits settle when it answers.";
const unstopped = "Canceled. The provider could not be stopped; credits settle when it finishes.";
for (const [kind, message] of [
  ["requested", asking],
  ["refused", unstopped],
  ["unsupported", unstopped],
  ["failed", unstopped],
] as const)
  t.test(
    `provider_cancel ${kind}: settlement pending until the provider's last word`,
    async (t) => {
      const answer = { kind: "cancel_answer", answer: { kind } } as const;
      const { head, effects, replies } = turn(pending, answer);
      const answered = requireCanceled(head);
      t.match(cancellationView(answered), {
        provider_cancel: kind,
        settlement: "pending",
        message,
      });
      t.strictSame(effects, []);
      t.strictSame(replies, show(answered), "the caller is answered now");

      for (const [outcome, charge] of [
        [{ kind: "succeeded", outputs: [] }, 10],
        [{ kind: "failed", class: "upstream", message: "", atOutput: true, billed: true }, 10],
        [{ kind: "failed", class: "upstream", message: "", atOutput: true, billed: false }, 0],
      ] as const) {
        const last = turn(answered, { kind: "finished", outcome });
        t.match(cancellationView(requireCanceled(last.head)), {
          provider_cancel: kind,
          settlement: charge === 0 ? "refunded" : "charged",
          message:
            charge === 0
              ? "Canceled. Your 10 credits were returned."
              : "Canceled. The provider finished and billed the work, so 10 credits were charged.",
          credits_charged: charge,
          credits_refunded: 10 - charge,
        });
        t.strictSame(last.effects, [onChange("canceled", charge)], "and no asset is made");
        t.equal(last.head && dueAt(last.head), undefined);
      }
    },
  );

const answers: readonly (readonly [CancelAnswer, number])[] = [
  [{ kind: "cancelled" }, 0],
  [{ kind: "stopped_partway", billedFraction: 0.25 }, 3],
  [{ kind: "stopped_partway", billedFraction: 0 }, 0],
  [{ kind: "stopped_partway", billedFraction: 7 }, 10],
  [{ kind: "stopped_partway", billedFraction: -1 }, 0],
  // The job has run for 4 of the usual 10 seconds.
  [{ kind: "stopped_partway" }, 4],
];

for (const [answer, charge] of answers)
  t.test(`the answer ${JSON.stringify(answer)} settles at ${charge} of 10`, async (t) => {
    const { head, effects, replies } = turn(pending, { kind: "cancel_answer", answer });
    const view = cancellationView(requireCanceled(head));
    t.equal(view.provider_cancel, answer.kind);
    t.strictSame([view.credits_charged, view.credits_refunded], [charge, 10 - charge]);
    t.equal(view.settled_at, "2026-11-20T12:00:04.000Z");
    t.strictSame(effects, [onChange("canceled", charge)]);
    t.strictSame(replies, show(requireCanceled(head)));
  });

t.test("an unanswered settlement is refunded at its limit", async (t) => {
  const silent = requireCanceled(turn(pending, { kind: "due" }, dueAt(pending)).head);
  const limitMs = dueAt(silent) ?? 0;
  const { head, effects } = turn(silent, { kind: "due" }, limitMs);
  t.match(cancellationView(requireCanceled(head)), {
    settlement: "refunded",
    credits_refunded: 10,
  });
  t.strictSame(effects, [onChange("canceled", 0), { kind: "provider.withdraw" }]);
});

t.test("canceling again answers with the same record", async (t) => {
  const settled = requireCanceled(turn(queued, cancel).head);
  const answered = requireCanceled(turn(pending, { kind: "due" }, dueAt(pending)).head);
  for (const head of [answered, settled]) {
    const again = turn(head, { kind: "cancel", user: "someone else" });
    t.equal(again.head, head);
    t.strictSame(again.replies, show(head));
    t.strictSame(again.effects, []);
  }
});

t.test("the answer to a cancel that is settled already changes nothing", async (t) => {
  const settled = requireCanceled(
    turn(pending, { kind: "finished", outcome: { kind: "succeeded", outputs: [] } }).head,
  );
  const answer = { kind: "cancel_answer", answer: { kind: "cancelled" } } as const;
  const late = turn(settled, answer);
  t.equal(late.head, settled);
  t.strictSame(late.replies, []);
});

t.test("succeeded and failed jobs are not cancellable, nothing changes", async (t) => {
  const done = turn(running, {
    kind: "finished",
    outcome: { kind: "succeeded", outputs: [] },
  }).head;
  const failed = turn(running, { kind: "due" }, nowMs + 600_000).head;
  for (const head of [done, failed]) {
    if (head === undefined) return t.fail("no head");
    const refused = turn(head, cancel);
    t.equal(refused.head, head);
    t.strictSame(refused.replies, [
      { to: 7, reply: { kind: "refused", refusal: { code: "job_not_cancellable" } } },
    ]);
    t.strictSame(refused.effects, []);
  }
  return undefined;
});

t.test("a canceled job shows its message and no failure", async (t) => {
  const view = jobView(jobRequest, requireCanceled(turn(queued, cancel).head), []);
  t.match(view, {
    status: "canceled",
    status_message: "Canceled. Your 10 credits were returned.",
    credits_charged: 0,
    progress: null,
  });
  t.notOk("failure" in view || "error" in view || "asset" in view);
  t.equal(jobView(jobRequest, pending, []).credits_charged, null, "null until settled");
});
