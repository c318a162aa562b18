/**
 * What each member of an organization has committed (holds and charges, less what was given back),
 * in the calendar month (UTC) and in total, and how much of it may be. A row a member beside the
 * account, so the head does not grow with members; personal spaces have none.
 */

import { answer, type Context, decision, put, type RowWrite } from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import { type Account, type AccountDecision, firstOfNextMonth } from "../protocol/account.ts";
import type { SetBudget } from "../protocol/account-messages.ts";
import type { Terms } from "../protocol/job.ts";
import {
  type Budget,
  type MemberSpending,
  memberSpendingKey,
} from "../protocol/member-spending.ts";
import type { Refusal } from "../refusal.ts";

/** Step 8 of a submit: refuses with 402 over the member's budget, before checking the wallet. */
export function memberBudget(
  member: Id | undefined,
  price: number,
  ctx: Context,
): Refusal | undefined {
  if (member === undefined || price === 0) return undefined;
  const spending = ctx.get(memberSpendingKey(ctx.self, member));
  const budget = spending?.budget;
  if (spending === undefined || budget === undefined) return undefined;
  const used = getUsedSpending(spending, ctx.atMs);
  if (used + price <= budget.limit) return undefined;
  return {
    code: "member_budget",
    budgetCredits: budget.limit,
    usedCredits: used,
    resetsAtMs: computeReset(budget, ctx.atMs),
  };
}

/** Returns the member's row after a hold, or after a charge without a hold. */
export function commitSpending(member: Id | undefined, credits: number, ctx: Context): RowWrite[] {
  if (member === undefined) return [];
  const key = memberSpendingKey(ctx.self, member);
  const { month, inMonth, inTotal, ...rest } = current(ctx.get(key), ctx.atMs);
  return [put(key, { ...rest, month, inMonth: inMonth + credits, inTotal: inTotal + credits })];
}

/** Returns the member's row after part of a hold came back. Past months are not corrected. */
export function giveBackSpending(
  { member, createdAtMs }: Pick<Terms, "member" | "createdAtMs">,
  credits: number,
  ctx: Context,
): RowWrite[] {
  if (member === undefined || credits === 0) return [];
  const key = memberSpendingKey(ctx.self, member);
  const { month, inMonth, inTotal, ...rest } = current(ctx.get(key), ctx.atMs);
  const ofMonth = getMonth(createdAtMs) === month ? credits : 0;
  const left = {
    ...rest,
    month,
    inMonth: Math.max(0, inMonth - ofMonth),
    inTotal: Math.max(0, inTotal - credits),
  };
  return [put(key, left)];
}

export function setBudget(
  account: Account,
  message: SetBudget,
  ctx: Context<ReplyTo<SetBudget>>,
): AccountDecision {
  const key = memberSpendingKey(ctx.self, message.user);
  const { budget: _, ...spending } = current(ctx.get(key), ctx.atMs);
  const { budget } = message;
  const next: MemberSpending = budget === undefined ? spending : { ...spending, budget };
  return decision(account, {
    rows: [put(key, next)],
    replies: answer(ctx, { kind: "budgeted", spending: next }),
  });
}

export function getUsedSpending({ budget, ...spending }: MemberSpending, nowMs: number): number {
  if (budget?.period === "total") return spending.inTotal;
  return spending.month === getMonth(nowMs) ? spending.inMonth : 0;
}

/** Returns when the budget is next refilled, or null for a budget that is never refilled. */
export function computeReset({ period }: Budget, nowMs: number): number | null {
  return period === "total" ? null : firstOfNextMonth(nowMs);
}

function current(spending: MemberSpending | undefined, nowMs: number): MemberSpending {
  const month = getMonth(nowMs);
  if (spending === undefined) return { month, inMonth: 0, inTotal: 0 };
  return spending.month === month ? spending : { ...spending, month, inMonth: 0 };
}

function getMonth(atMs: number): number {
  const date = new Date(atMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
