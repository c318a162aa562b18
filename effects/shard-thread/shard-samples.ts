/** Collects a shard's metrics for operators. */

import { OpenJobs } from "../../actors/job/open-jobs.ts";
import type { Job } from "../../actors/protocol/job.ts";
import { codes } from "../../actors/table-codes.ts";
import { limits } from "../../config/limits.ts";
import { getCode } from "../../engine/key.ts";
import { gauge, type Sample, type Tally } from "../../engine/metrics/tally.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Shard } from "../../engine/shard/shard.ts";

export interface CountedLife {
  /** The shard, while it is open. */
  readonly shard: Shard | undefined;
  /** Records in the log that are not durable here; undefined when the log cannot be reached. */
  lag?(): Promise<number | undefined>;
}

/**
 * Returns the counts since the last call, and gauges of what is open now; the latter not while
 * another node owns the shard.
 */
export async function readSamples(
  tally: Tally,
  life: CountedLife | undefined,
  clock: Clock,
): Promise<readonly Sample[]> {
  const jobs = new OpenJobs();
  if (life?.shard !== undefined) await eachOpenJob(life.shard, clock, (job) => jobs.add(job));
  const lag = life?.lag === undefined ? 0 : await life.lag();
  const lags = lag === undefined ? [] : [gauge("replication_lag_messages", {}, lag)];
  return [...tally.take(), ...jobs.samples(), ...lags];
}

/**
 * Visits jobs in slices between which the shard decides: heads that change meanwhile are seen
 * before or after the change. Every open or unsettled job has a due time, so all are found.
 */
async function eachOpenJob(
  { rows }: Shard,
  clock: Clock,
  visit: (job: Job) => void,
): Promise<void> {
  const { sliceMs } = limits.engine;
  let untilMs = clock.monotonicMs() + sliceMs;
  for (const actor of rows.due.actors()) {
    const head = getCode(actor) === codes.job ? rows.head(actor, undefined) : undefined;
    if (head !== undefined) visit(head as Job);
    if (clock.monotonicMs() < untilMs) continue;
    await new Promise(setImmediate);
    untilMs = clock.monotonicMs() + sliceMs;
  }
}
