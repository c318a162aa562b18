/** Tests a provider's outcome that arrives while the submit still waits for it. */
import t from "tap";
import { jobActor } from "../../actors/job/job-actor.ts";
import { type Job, jobRequestKey, type Outcome } from "../../actors/protocol/job.ts";
import { job, jobRequest, jobSelf, nowMs, queued, view } from "./accounts.ts";

const head: Job = { ...queued, inline: { request: 3, untilMs: nowMs + 250 } };

function tell(outcome: Outcome) {
  const message = { kind: "finished", outcome } as const;
  return jobActor.decide(
    head,
    message,
    view(jobSelf, { [jobRequestKey(job)]: jobRequest }, nowMs + 100),
  );
}

for (const [kind, status] of [
  ["invalid_input", 422],
  ["billing", 422],
  ["upstream", 502],
] as const)
  t.test(
    `an immediate upstream refusal of class ${kind} answers ${status} job_failed`,
    async (t) => {
      const outcome = { message: "It said no.", atOutput: false, billed: false } as const;
      const { head: left, replies, effects } = tell({ kind: "failed", class: kind, ...outcome });
      t.equal(left, undefined, "the job record is discarded");
      t.match(replies, [
        { to: 3, reply: { refusal: { code: "generation_failed", status, detail: "It said no." } } },
      ]);
      t.match(
        effects,
        [{ kind: "tell", message: { kind: "job_discarded" } }],
        "the hold is released",
      );
    },
  );
