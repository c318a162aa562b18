/**
 * Random reports about jobs, late, lost, twice and under any lease, through restarts: each ends
 * once (I5), its hold comes to what its end is worth, and listings find it where it is.
 */
import fc from "fast-check";
import t from "tap";
import type { Job } from "../../actors/protocol/job.ts";
import { codes } from "../../actors/table-codes.ts";
import { withBug } from "./broken-domain.ts";
import { cancels, engine, submits, time, told } from "./commands.ts";
import { type JobCommand, JobStage } from "./job-stage.ts";
import { checkSequences, find, sequences } from "./sequences.ts";

const command: fc.Arbitrary<JobCommand> = fc.oneof(
  {
    weight: 5,
    arbitrary: submits({ isTooFast: fc.constant(false), confirmation: fc.constant(undefined) }),
  },
  { weight: 10, arbitrary: told },
  { weight: 3, arbitrary: cancels },
  { weight: 2, arbitrary: time },
  { weight: 2, arbitrary: engine },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("trash", "restore", "remove"), fc.nat(3))
      .map(([kind, asset]) => ({ kind, asset }) as const),
  },
);

t.test("jobs end once and cost what they are worth in random sequences of commands", async (t) => {
  const { commands } = await checkSequences(command, () => new JobStage());
  t.ok(commands > 8 * sequences, `${commands} commands ran`);
});

const controls = {
  "a job that ends twice": withBug(codes.job, (turn, { kind }, head) =>
    kind === "claim" && (head as Job | undefined)?.phase === "succeeded"
      ? { ...turn, head: { ...(head as Job), phase: "running", progress: 0 } }
      : turn,
  ),
  "a job that tells its account nothing": withBug(codes.job, (turn, { kind }) =>
    kind === "finished"
      ? { ...turn, effects: turn.effects.filter((effect) => effect.kind !== "tell") }
      : turn,
  ),
  "a job that charges for what failed": withBug(codes.job, (turn, { kind }) => {
    const effects = turn.effects.map((effect) =>
      kind === "due" && "message" in effect
        ? { ...effect, message: { ...(effect.message as object), charge: 1 } }
        : effect,
    );
    return { ...turn, effects };
  }),
  "a submit that is answered twice": withBug(codes.job, (turn, { kind }) =>
    kind === "create" ? { ...turn, replies: [...turn.replies, ...turn.replies] } : turn,
  ),
} as const;

for (const [bug, domain] of Object.entries(controls))
  t.test(`${bug} is found`, async (t) => {
    t.ok(await find(command, () => new JobStage(domain)));
  });
