/** Starts jobs that run for a while on a simulated model, all at the same time. */

import type { Subject } from "../service/server-process.ts";
import type { Account } from "./accounts.ts";
import { createAccounts, inParallel } from "./accounts.ts";

/** Number of jobs that an account on the bench's plan may run at a time. */
const jobsPerAccount = 8;

/** The jobs' ends are spread over this time, since a burst would measure the client instead. */
const spreadMs = 10_000;

export interface SlowJob {
  readonly id: string;
  readonly owner: Account;
}

export async function submitSlowJobs(
  { origin, token }: Subject,
  count: number,
  runMs: number,
): Promise<SlowJob[]> {
  const apartMs = spreadMs / count;
  const accounts = await createAccounts(origin, token, Math.ceil(count / jobsPerAccount));
  const numbers = Array.from({ length: count }, (_, at) => at);
  return inParallel(numbers, async (at) => {
    const owner = accounts[at % accounts.length];
    if (owner === undefined) throw new Error("There is no account to submit from.");
    const prompt = `kite ${at} sim:slow=${Math.round(runMs + at * apartMs)}`;
    const { id } = await owner.client.generate.image({ model: "sim-instant", prompt });
    return { id, owner };
  });
}

/** Returns when each job ended, in ms since 1970; jobs that have not ended are missing. */
export async function readEndTimes(jobs: readonly SlowJob[]): Promise<Map<string, number>> {
  const times = await inParallel(jobs, async ({ id, owner }) => {
    const { completed_at: completedAt } = await owner.client.jobs.get(id);
    return [id, completedAt ? Date.parse(completedAt) : Number.NaN] as const;
  });
  return new Map(times.filter(([, ms]) => !Number.isNaN(ms)));
}
