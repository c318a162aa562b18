/**
 * Unpaid organizations. Until an operator grants one a plan or credits, what it uses counts into
 * the account of its creator as well, so that founding organizations gives no more room. Both
 * accounts lie in one partition: a step that changes the use of the organization's account tells
 * the creator's account the difference, in the same step.
 */

import { getAllowance, type PlanName, type PlanOverrides } from "../../config/plans.ts";
import { tell } from "../../engine/actor.ts";
import type { Account, AccountDecision, Pool } from "../protocol/account.ts";
import { accountKey, type UnpaidUseChanged } from "../protocol/account-messages.ts";
import type { Rows } from "../protocol/owner.ts";

/** A limit on concurrent jobs and the number of slots that are taken below it. */
export interface Ceiling {
  readonly max: number;
  readonly active: number;
}

interface Agreed {
  readonly plan: PlanName;
  readonly overrides?: PlanOverrides | undefined;
}

/** Returns the creator's account that this one counts into; undefined if it pays for itself. */
export function findCreator({ countsInto }: Account, rows: Rows): Account | undefined {
  return countsInto === undefined ? undefined : rows.get(accountKey(countsInto));
}

/** Counts slots of a pool taken by the account and by the organizations that count into it. */
function countTakenSlots({ active, unpaidUse }: Account, pool: Pool): number {
  return active[pool] + (unpaidUse?.[pool] ?? 0);
}

/** Returns the bytes stored by the account and by the organizations that count into it. */
export function getStoredBytes({ stored, unpaidUse }: Account): number {
  return stored + (unpaidUse?.stored ?? 0);
}

/**
 * Returns the ceiling that leaves the account the least room: its own, by the terms `agreed` with
 * it, or its creator's. `counted` is the account at the beginning of the step, when the creator's
 * account was last told of its use.
 */
export function findCeiling(
  account: Account,
  counted: Account,
  agreed: Agreed,
  pool: Pool,
  rows: Rows,
): Ceiling {
  const own = { max: concurrentMax(agreed), active: countTakenSlots(account, pool) };
  const creator = findCreator(account, rows);
  if (creator === undefined) return own;
  const taken = countTakenSlots(creator, pool) + account.active[pool] - counted.active[pool];
  const shared = { max: concurrentMax(creator), active: taken };
  return shared.max - shared.active < own.max - own.active ? shared : own;
}

function concurrentMax({ plan, overrides }: Agreed): number {
  return getAllowance(plan, overrides).concurrentMax;
}

/** Reports a step's change in an unpaid organization's use to its creator's account. */
export function reportUse(before: Account | undefined, decided: AccountDecision): AccountDecision {
  const after = decided.head;
  const creator = before?.countsInto ?? after?.countsInto;
  if (creator === undefined || before === after) return decided;
  const [from, to] = [getCountedUse(before), getCountedUse(after)];
  const change: UnpaidUseChanged = {
    kind: "unpaid_use_changed",
    media: to.media - from.media,
    three_d: to.three_d - from.three_d,
    stored: to.stored - from.stored,
  };
  if (change.media === 0 && change.three_d === 0 && change.stored === 0) return decided;
  return { ...decided, effects: [...decided.effects, tell(accountKey(creator), change)] };
}

/** Use that counts into the creator's account: none if the organization pays for itself. */
function getCountedUse(account: Account | undefined): NonNullable<Account["unpaidUse"]> {
  if (account?.countsInto === undefined) return noUse;
  return { ...account.active, stored: account.stored };
}

const noUse = { media: 0, three_d: 0, stored: 0 };

/** Returns the creator's account with the change added to its `unpaidUse`. */
export function addUnpaidUse(account: Account, change: UnpaidUseChanged): Account {
  const { media, three_d, stored } = account.unpaidUse ?? noUse;
  const unpaidUse = {
    media: media + change.media,
    three_d: three_d + change.three_d,
    stored: stored + change.stored,
  };
  return { ...account, unpaidUse };
}
