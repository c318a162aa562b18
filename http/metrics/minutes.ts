/**
 * What this node has done in each minute of the last hour: the difference of its totals from one
 * full minute to the next. Accepted jobs are computed as those open plus those ended, so that
 * counting costs no submit anything.
 */
import { metrics } from "../../engine/metrics/metrics.ts";
import type { Sample } from "../../engine/metrics/tally.ts";
import type { Clock } from "../../engine/ports/clock.ts";

const minuteMs = 60_000;
const minutesMax = 60;

export const answerBounds = metrics.http_request_duration_seconds.bounds;

/** Counts of one period; answers are counted by duration, one number for each bucket. */
export interface Figures {
  /** Jobs accepted; below 0 on a node that lost a shard with open jobs to another node. */
  readonly accepted: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
  readonly requests: number;
  readonly serverErrors: number;
  readonly answers: readonly number[];
}

/** The figures of one minute; `atMs` is its beginning. */
export interface Minute extends Figures {
  readonly atMs: number;
}

export interface NodeFigures {
  /** Complete minutes, the oldest first. */
  readonly minutes: readonly Minute[];
  readonly current: Minute;
  /** Gauges with their present values. */
  readonly gauges: readonly Sample[];
}

export class Minutes {
  private readonly gather: () => Promise<readonly Sample[]>;
  private readonly clock: Clock;
  private readonly whole: Minute[] = [];
  /** When the running minute began. */
  private atMs: number;
  private before: Figures;

  private constructor(gather: Minutes["gather"], clock: Clock, before: Figures) {
    this.gather = gather;
    this.clock = clock;
    this.atMs = getBeginning(clock);
    this.before = before;
    this.wait();
  }

  /** Begins to count now. */
  static async begin(gather: Minutes["gather"], clock: Clock): Promise<Minutes> {
    return new Minutes(gather, clock, totals(await gather()));
  }

  async figures(): Promise<NodeFigures> {
    const samples = await this.gather();
    const current = { atMs: this.atMs, ...difference(totals(samples), this.before) };
    const gauges = samples.filter(({ name }) => metrics[name].kind === "gauge");
    return { minutes: this.whole, current, gauges };
  }

  private wait(): void {
    const leftMs = minuteMs - (this.clock.nowMs() % minuteMs);
    this.clock.after(leftMs, () => void this.close());
  }

  private async close(): Promise<void> {
    const after = totals(await this.gather());
    this.whole.push({ atMs: this.atMs, ...difference(after, this.before) });
    if (this.whole.length > minutesMax) this.whole.shift();
    this.before = after;
    this.atMs = getBeginning(this.clock);
    this.wait();
  }
}

function getBeginning(clock: Clock): number {
  const nowMs = clock.nowMs();
  return nowMs - (nowMs % minuteMs);
}

const noFigures: Figures = {
  accepted: 0,
  succeeded: 0,
  failed: 0,
  canceled: 0,
  requests: 0,
  serverErrors: 0,
  answers: [...answerBounds, Number.POSITIVE_INFINITY].map(() => 0),
};

export function sum(all: readonly Figures[]): Figures {
  return all.reduce((a, b) => combine(a, b, (one, other) => one + other), noFigures);
}

/** Totals never fall; counts that arrive while they are read may fall into either minute. */
function difference(after: Figures, before: Figures): Figures {
  const rise = combine(after, before, (one, other) => Math.max(0, one - other));
  return { ...rise, accepted: after.accepted - before.accepted };
}

function combine(a: Figures, b: Figures, by: (one: number, other: number) => number): Figures {
  return {
    accepted: by(a.accepted, b.accepted),
    succeeded: by(a.succeeded, b.succeeded),
    failed: by(a.failed, b.failed),
    canceled: by(a.canceled, b.canceled),
    requests: by(a.requests, b.requests),
    serverErrors: by(a.serverErrors, b.serverErrors),
    answers: a.answers.map((one, bucket) => by(one, b.answers[bucket] ?? 0)),
  };
}

function totals(samples: readonly Sample[]): Figures {
  const add = (name: Sample["name"], is: (labels: Sample["labels"]) => boolean = () => true) =>
    samples.reduce((total, s) => (s.name === name && is(s.labels) ? total + s.value : total), 0);
  const onEnd = (status: string) => add("jobs_total", (labels) => labels["status"] === status);
  return {
    accepted: add("jobs_active") + add("jobs_total"),
    succeeded: onEnd("succeeded"),
    failed: onEnd("failed"),
    canceled: onEnd("canceled"),
    requests: add("http_requests_total"),
    serverErrors: add("http_requests_total", ({ status }) => status?.startsWith("5") === true),
    answers: countAnswers(samples),
  };
}

/** Counts answers by duration, without those of `/wait`, which are delayed on purpose. */
function countAnswers(samples: readonly Sample[]): readonly number[] {
  const counts = [...noFigures.answers];
  for (const { name, labels, buckets } of samples) {
    if (name !== "http_request_duration_seconds" || labels["route"]?.endsWith("/wait")) continue;
    for (const [at, count] of buckets?.entries() ?? []) counts[at] = (counts[at] ?? 0) + count;
  }
  return counts;
}

/**
 * The duration in milliseconds below which this share of the answers lies, assuming that those of a
 * bucket are spread evenly over it; null when there are no answers.
 */
export function answerMs(share: number, answers: readonly number[]): number | null {
  let left = share * answers.reduce((total, count) => total + count, 0);
  if (left === 0) return null;
  let from = 0;
  for (const [bucket, to] of answerBounds.entries()) {
    const count = answers[bucket] ?? 0;
    if (left <= count) return Math.round((from + ((to - from) * left) / count) * 10_000) / 10;
    left -= count;
    from = to;
  }
  return from * 1_000;
}

declare module "../service.ts" {
  interface Service {
    /** Set once the shards can be queried. */
    minutes: Minutes | undefined;
  }
}
