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

/** A ceiling and how many slots below it are taken. */
export interface Ceiling {
  readonly max: number;
  readonly active: number;
}

interface Agreed {
  readonly plan: PlanName;
  readonly overrides?: PlanOverrides | undefined;
}

/** The creator's account, into which this one counts; undefined for one that pays for itself. */
export function findCreator({ countsInto }: Account, rows: Rows): Account | undefined {
  return countsInto === undefined ? undefined : rows.get(accountKey(countsInto));
}

/** Slots of a pool that the account and the organizations that count into it have taken. */
function countTakenSlots({ active, unpaidUse }: Account, pool: Pool): number {
  return active[pool] + (unpaidUse?.[pool] ?? 0);
}

/** Bytes that the account and the organizations that count into it have stored. */
export function getStoredBytes({ stored, unpaidUse }: Account): number {
  return stored + (unpaidUse?.stored ?? 0);
}

/**
 * The ceiling that leaves the account the least room: its own, by what is `agreed` with it, or its
 * creator's. `counted` is the account as it was when the creator's account last heard of its use,
 * at the beginning of the step.
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

/** What a step changed of the use of an unpaid organization reaches its creator's account. */
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

/** What counts into the creator's account: nothing of an organization that pays for itself. */
function getCountedUse(account: Account | undefined): NonNullable<Account["unpaidUse"]> {
  if (account?.countsInto === undefined) return noUse;
  return { ...account.active, stored: account.stored };
}

const noUse = { media: 0, three_d: 0, stored: 0 };

/** The creator's account with that change. */
export function addUnpaidUse(account: Account, change: UnpaidUseChanged): Account {
  const { media, three_d, stored } = account.unpaidUse ?? noUse;
  const unpaidUse = {
    media: media + change.media,
    three_d: three_d + change.three_d,
    stored: stored + change.stored,
  };
  return { ...account, unpaidUse };
}
