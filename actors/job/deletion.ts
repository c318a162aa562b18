/**
 * Deleting a job that has ended: its prompt, its assets and every row by which it is found go. What
 * stays is what reports and the duplicate rule need, without a word of what the customer wrote.
 */
import { put, type Reply, type TurnView, tell } from "../../engine/actor.ts";
import type { JobDeleted } from "../account/account.ts";
import { type Refusal, refused } from "../refusal.ts";
import { accountKey, askedKey, assetKey, jobEventKey } from "../tables.ts";
import { indexRows } from "./creation.ts";
import type { Asked, Job } from "./job.ts";
import { listingOf } from "./job-index.ts";
import { type JobTurn, unchanged } from "./job-turn.ts";

/** A hold is settled before its job may go. */
export function remove(job: Job, turn: TurnView): JobTurn {
  const { terms, phase } = job;
  const refusal = refusalOf(job);
  if (refusal !== undefined) return { ...unchanged(job), replies: replied(turn, refused(refusal)) };
  const asked = turn.get(askedKey(terms.job));
  const found = [...listingOf(job), ...(asked === undefined ? [] : indexRows(asked))];
  const history = Array.from({ length: job.events ?? 0 }, (_, at) => jobEventKey(terms.job, at));
  const keys = [...found.map(({ key }) => key), ...history];
  const rows = keys.map((key) => ({ key, value: undefined }));
  const assets = job.phase === "succeeded" ? job.assets : [];
  const notice: JobDeleted = { kind: "job_deleted", terms, from: phase };
  return {
    head: undefined,
    rows: asked === undefined ? rows : [...rows, put(askedKey(asked.id), wordless(asked))],
    replies: replied(turn, { kind: "deleted" }),
    effects: [
      tell(accountKey(terms.scope), notice),
      ...assets.map((asset) => tell(assetKey(terms.scope, asset), { kind: "remove" })),
    ],
  };
}

function refusalOf(job: Job): Refusal | undefined {
  if (job.phase === "queued" || job.phase === "running")
    return { code: "conflict", detail: "Only a job that has ended can be deleted." };
  if (job.phase === "canceled" && job.settlement.kind === "pending")
    return { code: "conflict", detail: "The credits of this job are not settled yet." };
  return undefined;
}

function replied({ request }: TurnView, reply: unknown): Reply[] {
  return request === undefined ? [] : [{ to: request, reply }];
}

function wordless({ displayName: _, enhancedPrompt: __, ...asked }: Asked): Asked {
  return { ...asked, prompt: "", tags: [], input: {} };
}
