/** What a scope can spend, what a member can spend of it, and how much of this each may see. */

import { getUsedSpending } from "../../actors/account/budget.ts";
import { accountAt } from "../../actors/account/renewal.ts";
import { type Account, available } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { type MemberSpending, memberSpendingKey } from "../../actors/protocol/member-spending.ts";
import type { Rows } from "../../actors/protocol/owner.ts";
import type { Gateway } from "../../engine/gateway.ts";
import type { Id } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import { isPermitted } from "../auth/permissions.ts";
import type { Principal } from "../auth/principal.ts";

export interface Wallet {
  /** Includes this month's credits even before they are written; undefined before it exists. */
  readonly account: Account | undefined;
  /** What the user has spent of a budget in this scope; undefined without a budget. */
  readonly spending: MemberSpending | undefined;
}

/** Reads the wallet at the node that owns the scope. Throws `ShardDown`. */
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

/** Reads the account into which an unpaid organization counts, at the node that owns it. */
export async function findCreatorRows(gateway: Gateway, { countsInto }: Account): Promise<Rows> {
  const key = countsInto && accountKey(countsInto);
  const creator = key && (await gateway.find(key));
  return { get: <Row>(wanted: Key<Row>) => (wanted === key ? (creator as Row) : undefined) };
}

/** The available balance, or null while the account does not exist yet. */
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

/** The balance, or null for a member who may neither see it nor spend. */
export function visibleBalance(
  wallet: Wallet,
  role: Principal["role"],
  nowMs: number,
): number | null {
  if (isPermitted(role, "budgets")) return getBalance(wallet) ?? 0;
  return isPermitted(role, "submit") ? spendable(wallet, nowMs) : null;
}
