/**
 * The account's part of a submit, in the order of the specification; the first check that refuses
 * answers, and nothing is held for a refused submit. Steps 1 and 2 (credential, shape, model,
 * assets) are done when a submit arrives here.
 */
import { allowanceOf } from "../../config/plans.ts";
import { birth, put, type RowWrite, type TurnView } from "../../engine/actor.ts";
import { idBytes, idOfBytes } from "../../engine/id.ts";
import { vpartOf } from "../../engine/key.ts";
import type { Refusal } from "../refusal.ts";
import { fingerprintKey, jobKey, ledgerKey } from "../tables.ts";
import {
  type Account,
  type AccountTurn,
  available,
  change,
  countIndex,
  only,
  poolOf,
  refuse,
  type Submit,
} from "./account.ts";
import { committed, memberBudget, memberOf } from "./budget.ts";

type Step = (account: Account, submit: Submit, turn: TurnView) => Refusal | undefined;

/**
 * Steps 3 to 8. Agent runs and remembered refusals have no subject yet and pass.
 */
const steps: readonly Step[] = [
  duplicate,
  confirmation,
  () => undefined, // 5: agent run
  () => undefined, // 6: remembered moderation refusal
  requestRate,
  concurrency,
  quota,
  memberBudget,
  wallet,
];

export function submit(account: Account, message: Submit, turn: TurnView): AccountTurn {
  for (const step of steps) {
    const refusal = step(account, message, turn);
    if (refusal !== undefined) return refuse(account, refusal, turn);
  }
  return accept(account, message, turn);
}

function duplicate(_: Account, { fingerprint }: Submit, turn: TurnView): Refusal | undefined {
  const earlier = turn.get(fingerprintKey(vpartOf(turn.self), fingerprint));
  return earlier === undefined ? undefined : { code: "duplicate", job: idOfBytes(earlier) };
}

/** No quotes are given out yet, so no token can be one of ours. */
function confirmation(_: Account, { hasConfirmationToken }: Submit): Refusal | undefined {
  return hasConfirmationToken ? { code: "confirmation_rejected", reason: "invalid" } : undefined;
}

function requestRate(_: Account, { rateRetryAfterSeconds }: Submit): Refusal | undefined {
  if (rateRetryAfterSeconds === undefined) return undefined;
  return { code: "rate_limit", retryAfterSeconds: rateRetryAfterSeconds };
}

function concurrency(account: Account, { plan, overrides, job }: Submit): Refusal | undefined {
  const max = allowanceOf(plan, overrides).concurrentMax;
  const active = account.active[poolOf(job.asked.modality)];
  return active < max ? undefined : { code: "concurrency", max, active };
}

const dayMs = 86_400_000;

function quota(
  account: Account,
  { plan, overrides }: Submit,
  { atMs }: TurnView,
): Refusal | undefined {
  const perDay = allowanceOf(plan, overrides).generationsPerDay;
  const used = usedToday(account, atMs);
  if (perDay === undefined || used < perDay) return undefined;
  const resetsAtMs = (Math.floor(atMs / dayMs) + 1) * dayMs;
  return { code: "quota", quota: perDay, used, resetsAtMs };
}

function wallet(account: Account, { job }: Submit): Refusal | undefined {
  const balanceCredits = available(account);
  if (job.hold <= balanceCredits) return undefined;
  return { code: "out_of_credits", creditsRequired: job.hold, balanceCredits };
}

/** Hold, slot, fingerprint, ledger and job in one durable record; the job answers. */
function accept(account: Account, message: Submit, turn: TurnView): AccountTurn {
  const { asked, hold } = message.job;
  const pool = poolOf(asked.modality);
  const counts = account.counts.slice();
  change(counts, countIndex(asked.modality, "queued"), 1);
  const next: Account = {
    ...account,
    held: account.held + hold,
    active: { ...account.active, [pool]: account.active[pool] + 1 },
    counts,
    quota: { day: Math.floor(turn.atMs / dayMs), used: usedToday(account, turn.atMs) + 1 },
    ledgerLength: account.ledgerLength + (hold === 0 ? 0 : 1),
  };
  const rows: RowWrite[] = [
    put(fingerprintKey(vpartOf(turn.self), message.fingerprint), idBytes(asked.id)),
  ];
  const entries = [{ type: "hold", amount: -hold, balance: available(next) }] as const;
  const ledger = { atMs: turn.atMs, job: asked.id, entries };
  const wallet = hold === 0 ? [] : [put(ledgerKey(turn.self, account.ledgerLength), ledger)];
  const member = hold === 0 ? undefined : memberOf(asked);
  if (member !== undefined) rows.push(committed(member, hold, turn));
  const create = birth(jobKey(asked.id), { ...message.job, request: turn.request });
  return only(next, [...rows, ...wallet], [], [create]);
}

export function usedToday({ quota }: Account, atMs: number): number {
  return quota.day === Math.floor(atMs / dayMs) ? quota.used : 0;
}
