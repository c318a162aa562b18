/** What operators learn of a shard when they ask. */

import { OpenJobs } from "../../actors/job/open-jobs.ts";
import type { Job } from "../../actors/protocol/job.ts";
import { codes } from "../../actors/table-codes.ts";
import { limits } from "../../config/limits.ts";
import { getCode } from "../../engine/key.ts";
import { gauge, type Sample, type Tally } from "../../engine/metrics/tally.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Shard } from "../../engine/shard/shard.ts";

export interface CountedLife {
  /** While it is open. */
  readonly shard: Shard | undefined;
  /** Of a life with a log: its records that are not durable here, unless it cannot be reached. */
  lag?(): Promise<number | undefined>;
}

/**
 * What was counted since the last time, and what is open now: nothing of that while another node
 * owns the shard.
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
 * In slices between which the shard decides: heads that change meanwhile are seen as they were or
 * as they are. Every job that is open or not settled waits for an instant.
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
