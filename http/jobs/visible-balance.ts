/** What a caller may still spend, and how much of that it may know. */

import { available } from "../../actors/account/account.ts";
import { accountKey } from "../../actors/account/account-messages.ts";
import { usedSpending } from "../../actors/account/budget.ts";
import { memberSpendingKey } from "../../actors/account/member-spending.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { currentAccount } from "../accounts/current-account.ts";
import { isPermitted } from "../auth/permissions.ts";
import type { Principal } from "../auth/principal.ts";

type Spender = Pick<Principal, "scope" | "user" | "role">;

/** The wallet, or what is left of the caller's own budget when that is less. */
export function spendable(gateway: Gateway, spender: Spender, nowMs: number): number {
  const { scope, user } = spender;
  const wallet = walletOf(gateway, spender, nowMs);
  const spending = gateway.read(memberSpendingKey(accountKey(scope), user.id));
  if (spending?.budget === undefined) return wallet;
  return Math.min(wallet, Math.max(0, spending.budget.limit - usedSpending(spending, nowMs)));
}

/** Null for those who may neither see the wallet nor spend. */
export function visibleBalance(gateway: Gateway, spender: Spender, nowMs: number): number | null {
  const { role } = spender;
  if (isPermitted(role, "budgets")) return walletOf(gateway, spender, nowMs);
  return isPermitted(role, "submit") ? spendable(gateway, spender, nowMs) : null;
}

function walletOf(gateway: Gateway, { scope }: Spender, nowMs: number): number {
  const account = currentAccount(gateway, scope, nowMs);
  return account === undefined ? 0 : available(account);
}
