/** What a scope has to spend, what is left of it to a member, and how much each may know. */

import { getUsedSpending } from "../../actors/account/budget.ts";
import { accountAt } from "../../actors/account/renewal.ts";
import { type Account, available } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { type MemberSpending, memberSpendingKey } from "../../actors/protocol/member-spending.ts";
import type { Gateway } from "../../engine/gateway.ts";
import type { Id } from "../../engine/id.ts";
import { isPermitted } from "../auth/permissions.ts";
import type { Principal } from "../auth/principal.ts";

export interface Wallet {
  /** With the credits of this month, also before they are written; undefined before it is there. */
  readonly account: Account | undefined;
  /** What the user has spent of a budget there; undefined without one. */
  readonly spending: MemberSpending | undefined;
}

/** Of the node that owns the scope. Throws `ShardDown`. */
export async function findWallet(
  gateway: Gateway,
  scope: Id,
  user: Id,
  nowMs: number,
): Promise<Wallet> {
  const owner = accountKey(scope);
  const [account, spending] = await Promise.all([
    gateway.find(owner),
    gateway.find(memberSpendingKey(owner, user)),
  ]);
  return { account: account && accountAt(account, nowMs), spending };
}

/** Null while the account is not there yet. */
export function getBalance({ account }: Pick<Wallet, "account">): number | null {
  return account === undefined ? null : available(account);
}

/** The balance, or what is left of the user's own budget when that is less. */
export function spendable(wallet: Wallet, nowMs: number): number {
  const balance = getBalance(wallet) ?? 0;
  const { spending } = wallet;
  if (spending?.budget === undefined) return balance;
  return Math.min(balance, Math.max(0, spending.budget.limit - getUsedSpending(spending, nowMs)));
}

/** Null for those who may neither see the balance nor spend. */
export function visibleBalance(
  wallet: Wallet,
  role: Principal["role"],
  nowMs: number,
): number | null {
  if (isPermitted(role, "budgets")) return getBalance(wallet) ?? 0;
  return isPermitted(role, "submit") ? spendable(wallet, nowMs) : null;
}
