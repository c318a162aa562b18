/**
 * What each member of an organization has committed (holds and charges, less what was given back),
 * in the calendar month (UTC) and in total, and how much of it may be. A row a member beside the
 * account, so the head does not grow with members; personal spaces have none.
 */
import { put, type TurnView } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import type { BudgetPeriod } from "../contract/organization.ts";
import type { Refusal } from "../refusal.ts";
import { memberSpendingKey } from "../tables.ts";
import {
  type Account,
  type AccountTurn,
  answer,
  firstOfNextMonth,
  only,
  type Submit,
} from "./account.ts";

export interface Budget {
  readonly limit: number;
  readonly period: BudgetPeriod;
}

export interface MemberSpending {
  readonly budget?: Budget;
  /** Months since year 0. */
  readonly month: number;
  readonly inMonth: number;
  readonly inTotal: number;
}

export interface SetBudget {
  readonly kind: "set_budget";
  readonly user: Id;
  /** Undefined lifts it. */
  readonly budget: Budget | undefined;
}

/** Whose hold a job is, where a member's commitments are counted. */
export interface HeldBy {
  readonly user: Id;
  readonly atMs: number;
}

/** Undefined in a personal space. */
export function memberOf({ user, scope }: { user: Id; scope: Id }): Id | undefined {
  return user === scope ? undefined : user;
}

/** Step 8 of a submit: 402 before the wallet is looked at. */
export function memberBudget(_: Account, { job }: Submit, turn: TurnView): Refusal | undefined {
  const member = memberOf(job.asked);
  if (member === undefined || job.hold === 0) return undefined;
  const spending = turn.get(memberSpendingKey(turn.self, member));
  const budget = spending?.budget;
  if (spending === undefined || budget === undefined) return undefined;
  const used = usedOf(spending, turn.atMs);
  if (used + job.hold <= budget.limit) return undefined;
  return {
    code: "member_budget",
    budgetCredits: budget.limit,
    usedCredits: used,
    resetsAtMs: resetOf(budget, turn.atMs),
  };
}

/** The row after a hold; only for members. */
export function committed(member: Id, hold: number, turn: TurnView) {
  const key = memberSpendingKey(turn.self, member);
  const { month, inMonth, inTotal, ...rest } = current(turn.get(key), turn.atMs);
  return put(key, { ...rest, month, inMonth: inMonth + hold, inTotal: inTotal + hold });
}

/** The row after a hold came to less than it was. A past month's count is past. */
export function givenBack({ user, atMs }: HeldBy, credits: number, turn: TurnView) {
  const key = memberSpendingKey(turn.self, user);
  const { month, inMonth, inTotal, ...rest } = current(turn.get(key), turn.atMs);
  const ofMonth = monthOf(atMs) === month ? credits : 0;
  return put(key, {
    ...rest,
    month,
    inMonth: Math.max(0, inMonth - ofMonth),
    inTotal: Math.max(0, inTotal - credits),
  });
}

export function setBudget(account: Account, message: SetBudget, turn: TurnView): AccountTurn {
  const key = memberSpendingKey(turn.self, message.user);
  const { budget: _, ...spending } = current(turn.get(key), turn.atMs);
  const { budget } = message;
  const next: MemberSpending = budget === undefined ? spending : { ...spending, budget };
  return only(account, [put(key, next)], answer(turn, { kind: "budgeted", spending: next }));
}

export function usedOf({ budget, ...spending }: MemberSpending, nowMs: number): number {
  if (budget?.period === "total") return spending.inTotal;
  return spending.month === monthOf(nowMs) ? spending.inMonth : 0;
}

/** Null for a budget that is never filled up again. */
export function resetOf({ period }: Budget, nowMs: number): number | null {
  return period === "total" ? null : firstOfNextMonth(nowMs);
}

function current(spending: MemberSpending | undefined, nowMs: number): MemberSpending {
  const month = monthOf(nowMs);
  if (spending === undefined) return { month, inMonth: 0, inTotal: 0 };
  return spending.month === month ? spending : { ...spending, month, inMonth: 0 };
}

function monthOf(atMs: number): number {
  const date = new Date(atMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
