/** Commands of all subjects as plain values, and the way fast-check draws them. */

import fc from "fast-check";
import type { JobMessage, Outcome } from "../../actors/protocol/job.ts";
import { omitUndefined } from "../../config/defined.ts";
import type { Modality } from "../../config/modalities.ts";
import type { BudgetPeriod } from "../../contract/organization.ts";

/** An outcome whose media get their ids when they arrive. */
type DrawnOutcome =
  | { readonly outputs: number }
  | {
      readonly failure: Extract<Outcome, { kind: "failed" }>["class"];
      readonly billed: boolean;
      readonly atOutput: boolean;
    };

/** Messages of the farm and of providers, in any order, late, twice and under any lease. */
export type Said =
  | Exclude<JobMessage, { kind: "create" | "finished" }>
  | { readonly kind: "ended"; readonly token: string | undefined; readonly as: DrawnOutcome };

/** `by` is an index into `callers`, `job` into the jobs so far, `run` into the turns so far. */
export interface SubmitCommand {
  readonly kind: "submit";
  readonly by: number;
  readonly body: number;
  readonly idempotencyKey: number;
  readonly hold: number;
  readonly modality: Modality;
  readonly isFarm: boolean;
  readonly isInline: boolean;
  readonly isTooFast: boolean;
  readonly confirmation: number | undefined;
  readonly run: number | undefined;
  /** How far the clock of the request's receiver is behind the shard's. */
  readonly lagMs: number;
}

export interface SetCommand {
  readonly kind: "submit_set";
  readonly by: number;
  readonly body: number;
  readonly holds: readonly number[];
  /** Index of a member that is refused before the account sees it. */
  readonly refusedAt: number | undefined;
  readonly isFarm: boolean;
  readonly confirmation: number | undefined;
  readonly run: number | undefined;
}

export type Command =
  | SubmitCommand
  | SetCommand
  | {
      readonly kind: "pay";
      readonly by: number;
      readonly credits: number;
      readonly isTooFast: boolean;
      readonly run: number | undefined;
    }
  | { readonly kind: "tell"; readonly job: number; readonly message: Said }
  | { readonly kind: "cancel"; readonly job: number }
  | {
      readonly kind: "terms";
      readonly by: number;
      readonly concurrentMax: number;
      readonly perDay: number;
    }
  | { readonly kind: "grant"; readonly by: number; readonly amount: number }
  | {
      readonly kind: "budget";
      readonly by: number;
      readonly limit: number | undefined;
      readonly period: BudgetPeriod;
    }
  | { readonly kind: "elapse"; readonly ms: number }
  | { readonly kind: "linger"; readonly ms: number }
  | { readonly kind: "early"; readonly job: number }
  | { readonly kind: "commit" }
  | { readonly kind: "restart"; readonly isCrash: boolean }
  | { readonly kind: "drop"; readonly steps: number };

const token = fc.constantFrom("t1", "t1", "t1", "t2");
const maybeToken = fc.option(token, { nil: undefined, freq: 2 });
const failures = [
  "upstream",
  "invalid_input",
  "billing",
  "moderation_safety",
  "moderation_ip",
] as const;

const outcome: fc.Arbitrary<DrawnOutcome> = fc.oneof(
  fc.nat(2).map((outputs) => ({ outputs }) as const),
  fc
    .tuple(fc.constantFrom(...failures), fc.boolean(), fc.boolean())
    .map(([failure, billed, atOutput]) => ({ failure, billed, atOutput }) as const),
);

export const said: fc.Arbitrary<Said> = fc.oneof(
  token.map((token) => ({ kind: "claim", token }) as const),
  token.map((token) => ({ kind: "lapsed", token }) as const),
  fc.constantFrom(
    { kind: "submitting", number: 1, hasLookUp: true } as const,
    { kind: "submitting", number: 1, hasLookUp: false } as const,
    { kind: "accepted", ref: "ref" } as const,
    { kind: "started" } as const,
    { kind: "detail", detail: "provider_down" } as const,
    { kind: "detail", detail: "upstream_at_capacity" } as const,
    { kind: "detail", detail: null } as const,
  ),
  fc.tuple(maybeToken, fc.integer({ min: -1, max: 5 })).map(([token, quarters]) => {
    const progress = quarters / 4;
    return { kind: "progress", ...omitUndefined({ token }), progress } as const;
  }),
  {
    weight: 3,
    arbitrary: fc
      .tuple(maybeToken, outcome)
      .map(([token, as]) => ({ kind: "ended", token, as }) as const),
  },
  fc
    .constantFrom(
      { kind: "cancelled" } as const,
      { kind: "requested" } as const,
      { kind: "refused" } as const,
      { kind: "stopped_partway" } as const,
      { kind: "stopped_partway", billedFraction: 0.5 } as const,
      { kind: "stopped_partway", billedFraction: 1.5 } as const,
    )
    .map((answer) => ({ kind: "cancel_answer", answer, request: undefined }) as const),
);

const by = fc.nat(3);
const flag = (oneIn: number) => fc.nat(oneIn - 1).map((drawn) => drawn === oneIn - 1);
const confirmations = fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1, 1, 2);

/** `mix` narrows what is drawn to what a subject is about. */
export function submits(
  mix: Partial<{ [Name in keyof SubmitCommand]: fc.Arbitrary<SubmitCommand[Name]> }> = {},
): fc.Arbitrary<SubmitCommand> {
  return fc.record({
    kind: fc.constant("submit" as const),
    by,
    body: fc.nat(3),
    idempotencyKey: fc.nat(2),
    hold: fc.nat(40),
    modality: fc.constantFrom("image", "image", "three_d", "video"),
    isFarm: fc.boolean(),
    isInline: flag(3),
    isTooFast: flag(12),
    confirmation: confirmations,
    run: fc.constant(undefined),
    lagMs: fc.constantFrom(0, 0, 40),
    ...mix,
  });
}

export function sets(
  mix: Partial<{ [Name in keyof SetCommand]: fc.Arbitrary<SetCommand[Name]> }> = {},
): fc.Arbitrary<SetCommand> {
  return fc.record({
    kind: fc.constant("submit_set" as const),
    by,
    body: fc.nat(5),
    holds: fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
    refusedAt: fc.constantFrom(undefined, undefined, undefined, 0, 1, 2, 3),
    isFarm: fc.boolean(),
    confirmation: confirmations,
    run: fc.constant(undefined),
    ...mix,
  });
}

export const told: fc.Arbitrary<Command> = fc
  .tuple(fc.nat(9), said)
  .map(([job, message]) => ({ kind: "tell", job, message }) as const);

export const cancels: fc.Arbitrary<Command> = fc
  .nat(9)
  .map((job) => ({ kind: "cancel", job }) as const);

export const money: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(by, fc.nat(20), flag(8)).map(([by, credits, isTooFast]) => {
    return { kind: "pay", by, credits, isTooFast, run: undefined } as const;
  }),
  fc
    .tuple(by, fc.integer({ min: -120, max: 120 }))
    .map(([by, amount]) => ({ kind: "grant", by, amount }) as const),
  fc
    .tuple(by, fc.option(fc.nat(60), { nil: undefined }), fc.constantFrom("month", "total"))
    .map(([by, limit, period]) => ({ kind: "budget", by, limit, period }) as const),
);

export const terms: fc.Arbitrary<Command> = fc
  .tuple(by, fc.nat(4), fc.nat(12))
  .map(([by, concurrentMax, perDay]) => ({ kind: "terms", by, concurrentMax, perDay }) as const);

const minuteMs = 60_000;
const spans = [10, 300, minuteMs, 5 * minuteMs, 61 * minuteMs, 25 * 60 * minuteMs] as const;

export const time: fc.Arbitrary<Command> = fc.oneof(
  fc.constantFrom(...spans, 31 * 1440 * minuteMs).map((ms) => ({ kind: "elapse", ms }) as const),
  fc.constantFrom(...spans, 12 * 1440 * minuteMs).map((ms) => ({ kind: "linger", ms }) as const),
  fc.nat(9).map((job) => ({ kind: "early", job }) as const),
);

export const engine: fc.Arbitrary<Command> = fc.oneof(
  fc.constant({ kind: "commit" } as const),
  fc.boolean().map((isCrash) => ({ kind: "restart", isCrash }) as const),
  fc.nat(4).map((steps) => ({ kind: "drop", steps }) as const),
);
