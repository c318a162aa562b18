/** Sequences that once broke a promise, as short as they were found. */
import t from "tap";
import type { Said, SetCommand, SubmitCommand } from "./commands.ts";
import { type JobCommand, JobStage } from "./job-stage.ts";
import { firstBroken } from "./sequences.ts";
import { startMs } from "./world.ts";

const hourMs = 3_600_000;

function submit(by: Partial<SubmitCommand> = {}): SubmitCommand {
  return {
    kind: "submit",
    by: 0,
    body: 0,
    idempotencyKey: 0,
    hold: 10,
    modality: "image",
    isFarm: false,
    isInline: false,
    isTooFast: false,
    confirmation: undefined,
    run: undefined,
    lagMs: 0,
    ...by,
  };
}

function tell(job: number, message: Said): JobCommand {
  return { kind: "tell", job, message };
}

const set: SetCommand = {
  kind: "submit_set",
  by: 0,
  body: 0,
  holds: [0, 0, 0],
  refusedAt: undefined,
  isFarm: false,
  confirmation: undefined,
  run: undefined,
};

const filtered = { failure: "moderation_safety", billed: false, atOutput: false } as const;
const refused: Said = { kind: "ended", token: undefined, as: filtered };

const sequences: Readonly<Record<string, readonly JobCommand[]>> = {
  "an asset is counted by its media, whatever made it": [
    submit({ modality: "video" }),
    tell(0, { kind: "ended", token: undefined, as: { outputs: 1 } }),
    { kind: "trash", asset: 0 },
  ],
  "a provider's first report of progress is a share": [
    submit(),
    tell(0, { kind: "progress", progress: 1.25 }),
  ],
  "members that wait start when the ceiling rises": [
    set,
    { kind: "terms", by: 0, concurrentMax: 3, perDay: 9 },
  ],
  "a job that was refused at once leaves the listing, too": [
    submit({ isInline: true }),
    { kind: "elapse", ms: 10 },
    tell(0, { ...refused, as: { ...filtered, failure: "upstream" } }),
    { kind: "elapse", ms: 10 },
  ],
  "a provider gets its hour to answer a cancel, also after a pause": [
    submit(),
    tell(0, { kind: "accepted", ref: "ref" }),
    tell(0, { kind: "detail", detail: "provider_down" }),
    { kind: "elapse", ms: 5 * hourMs },
    { kind: "cancel", job: 0 },
  ],
  "a refusal is remembered for a day after the last one": [
    submit(),
    submit({ idempotencyKey: 1 }),
    tell(1, { kind: "detail", detail: "provider_down" }),
    tell(0, refused),
    { kind: "elapse", ms: 20 * hourMs },
    tell(1, refused),
    { kind: "elapse", ms: 5 * hourMs },
    submit(),
  ],
  "a refusal is remembered for a day and no longer, whenever its timer rings": [
    submit(),
    tell(0, refused),
    { kind: "linger", ms: 25 * hourMs },
    submit(),
  ],
  "what comes back of a hold leaves the month that it was counted in": [
    { kind: "linger", ms: Date.UTC(2026, 11, 1) + 20 - startMs },
    submit({ by: 2, lagMs: 40 }),
    { kind: "cancel", job: 0 },
  ],
  "a refused job takes only its own day's count with it": [
    { kind: "linger", ms: 12 * hourMs - 100 },
    submit({ isInline: true }),
    { kind: "linger", ms: 200 },
    submit({ body: 1 }),
    tell(0, refused),
  ],
};

for (const [title, commands] of Object.entries(sequences))
  t.test(title, async (t) => {
    t.equal(await firstBroken(commands, new JobStage()), undefined);
  });
