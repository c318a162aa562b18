/**
 * Lets an account follow its jobs: counts, slots, and the outcome of each hold. A free slot goes to
 * the first waiting member of a set, whether a job ended or the ceiling rose.
 */

import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { JobStatus } from "../../contract/job.ts";
import { type Context, decision, put, type RowWrite, type Tell, tell } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { invariant } from "../../engine/invariant.ts";
import { getPartition } from "../../engine/key.ts";
import {
  type Account,
  type AccountDecision,
  type AccountDraft,
  assetIndex,
  available,
  change,
  countIndex,
  getPool,
  ledgerKey,
  waitingKey,
} from "../protocol/account.ts";
import type {
  JobChanged,
  JobDeleted,
  JobDiscarded,
  SetTerms,
  UnpaidUseChanged,
} from "../protocol/account-messages.ts";
import { jobKey, type Terms } from "../protocol/job.ts";
import { fingerprintKey } from "../protocol/submit-terms.ts";
import { giveBackSpending } from "./budget.ts";
import { countMember } from "./member-counts.ts";
import { commit } from "./run.ts";
import { countUsedToday, getDay, withSlots } from "./submit.ts";
import { addUnpaidUse, findCeiling } from "./unpaid-use.ts";

/** Rows and messages that a change of the account causes. */
interface Step {
  readonly rows: readonly RowWrite[];
  readonly tells: readonly Tell[];
}

const nothing: Step = { rows: [], tells: [] };

export function follow(account: Account, message: JobChanged, ctx: Context): AccountDecision {
  const { terms, from, to, hadSlot, charge } = message;
  const next: AccountDraft = { ...account };
  if (from !== to) recount(next, message);
  const isFreed = !isActive(to) && isActive(from);
  const freed = isFreed ? freeSlot(next, account, terms, hadSlot, ctx) : nothing;
  const settled = charge === undefined ? nothing : settle(next, terms, charge, ctx);
  return decision(next, {
    rows: [...freed.rows, ...settled.rows, ...countForMember(message, ctx)],
    effects: [...freed.tells, ...settled.tells],
  });
}

function countForMember({ terms, from, to }: JobChanged, ctx: Context): RowWrite[] {
  if (from === to) return [];
  const { member, modality } = terms;
  const changes = [
    [countIndex(modality, from), -1],
    [countIndex(modality, to), 1],
  ] as const;
  return countMember(member, changes, ctx);
}

function recount(
  next: AccountDraft,
  { terms, from, to, assets: brought, bytes }: JobChanged,
): void {
  const counts = next.counts.slice();
  change(counts, countIndex(terms.modality, from), -1);
  change(counts, countIndex(terms.modality, to), 1);
  next.counts = counts;
  if (brought.length === 0) return;
  const assets = next.assets.slice();
  for (const modality of brought) change(assets, assetIndex(modality, "ready"), 1);
  next.assets = assets;
  next.stored += bytes;
}

function isActive(status: JobStatus): boolean {
  return status === "queued" || status === "running";
}

function freeSlot(
  next: AccountDraft,
  before: Account,
  { job, modality }: JobChanged["terms"],
  hadSlot: boolean,
  ctx: Context,
): Step {
  if (!hadSlot) return withoutWaiting(next, job, ctx);
  next.active = withSlots(next, modality, -1);
  invariant(next.active[getPool(modality)] >= 0, "a slot is freed once (I7)");
  return startWaiting(next, before, ctx);
}

/** Removes from the queue a job of a set that ended before it had a slot. */
function withoutWaiting(next: AccountDraft, job: Id, ctx: Context): Step {
  const key = waitingKey(ctx.self);
  const left = (ctx.get(key) ?? []).filter((other) => other !== job);
  next.waiting = left.length;
  return { rows: [put(key, left)], tells: [] };
}

/**
 * I7: jobs start only below the ceiling, which a change of plan may have lowered or raised. An
 * account that shares a ceiling and has no active job starts one regardless of what the others have
 * taken, since nothing else would start it later.
 */
function startWaiting(next: AccountDraft, before: Account, ctx: Context): Step {
  if (next.waiting === 0) return nothing;
  const { max, active } = findCeiling(next, before, next, "media", ctx);
  const { media, three_d } = next.active;
  const isShared = next.countsInto !== undefined || next.unpaidUse !== undefined;
  const room = Math.max(max - active, isShared && media === 0 ? 1 : 0);
  const free = Math.min(room, limits.sets.startsPerStepMax);
  if (free <= 0) return nothing;
  const key = waitingKey(ctx.self);
  const waiting = ctx.get(key) ?? [];
  const [first, left] = [waiting.slice(0, free), waiting.slice(free)];
  next.active = { media: media + first.length, three_d };
  next.waiting = left.length;
  return {
    rows: [put(key, left)],
    tells: first.map((job) => tell(jobKey(job), { kind: "slot" })),
  };
}

/** Applies new terms. Slots that a larger ceiling frees are taken at once. */
export function setTerms(
  account: Account,
  { plan, overrides = {}, countsInto }: SetTerms,
  ctx: Context,
): AccountDecision {
  const { countsInto: _, ...rest } = account;
  const next: AccountDraft = { ...rest, plan, overrides, ...omitUndefined({ countsInto }) };
  const { rows, tells } = startWaiting(next, account, ctx);
  return decision(next, { rows, effects: tells });
}

/** Updates an organization's use that counts into this account; freed slots are taken at once. */
export function countUnpaidUse(
  account: Account,
  message: UnpaidUseChanged,
  ctx: Context,
): AccountDecision {
  const next: AccountDraft = addUnpaidUse(account, message);
  const { rows, tells } = startWaiting(next, account, ctx);
  return decision(next, { rows, effects: tells });
}

/**
 * Settles a hold: the whole hold is released, then the charge is deducted. Together they are the
 * hold's one resolution.
 */
function settle(next: AccountDraft, terms: Terms, charge: number, ctx: Context): Step {
  const { hold, job } = terms;
  if (hold === 0) return nothing;
  invariant(charge >= 0 && charge <= hold, "a charge is a share of its hold (I6)");
  next.held -= hold;
  next.spent += charge;
  next.planLeft = Math.max(0, next.planLeft - charge);
  invariant(next.held >= 0, "held credits are the sum of open holds (I6)");
  const balance = available(next);
  const release = { type: "release", amount: hold, balance: balance + charge } as const;
  const entries =
    charge === 0 ? [release] : [release, { type: "charge", amount: -charge, balance } as const];
  const row = put(ledgerKey(ctx.self, next.ledgerLength++), { atMs: ctx.atMs, job, entries });
  const back = giveBackSpending(terms, hold - charge, ctx);
  if (terms.turn === undefined) return { rows: [row, ...back], tells: [] };
  const { rows, tells } = commit(terms.turn, charge - hold, undefined, ctx);
  return { rows: [row, ...back, ...rows], tells };
}

/** Undoes a job; only the ledger keeps a record of it. */
export function discard(
  account: Account,
  { terms, fingerprint }: JobDiscarded,
  ctx: Context,
): AccountDecision {
  const index = countIndex(terms.modality, "queued");
  const counts = account.counts.slice();
  change(counts, index, -1);
  const used = countUsedToday(account, ctx.atMs);
  // A job accepted before midnight UTC counted towards the quota of another day.
  const ofToday = getDay(terms.createdAtMs) === getDay(ctx.atMs) ? 1 : 0;
  const next: AccountDraft = {
    ...account,
    counts,
    quota: { ...account.quota, used: used - ofToday },
  };
  const freed = freeSlot(next, account, terms, true, ctx);
  const settled = settle(next, terms, 0, ctx);
  const forgotten = { key: fingerprintKey(getPartition(ctx.self), fingerprint), value: undefined };
  const counted = countMember(terms.member, [[index, -1]], ctx);
  return decision(next, {
    rows: [forgotten, ...freed.rows, ...settled.rows, ...counted],
    effects: [...freed.tells, ...settled.tells],
  });
}

/** Removes a deleted job from the counts; its ledger rows stay. */
export function forget(
  account: Account,
  { terms, from }: JobDeleted,
  ctx: Context,
): AccountDecision {
  const index = countIndex(terms.modality, from);
  const counts = account.counts.slice();
  change(counts, index, -1);
  return decision({ ...account, counts }, { rows: countMember(terms.member, [[index, -1]], ctx) });
}
