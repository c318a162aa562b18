/** What a caller may know of the wallet, and what the caller can spend of it. */
import { available } from "../actors/account/account.ts";
import { usedOf } from "../actors/account/budget.ts";
import type { Role } from "../actors/contract/organization.ts";
import { accountKey, memberSpendingKey } from "../actors/tables.ts";
import type { Gateway } from "../engine/gateway.ts";
import type { Id } from "../engine/id.ts";

interface Spender {
  readonly scope: Id;
  readonly user: { readonly id: Id };
  /** Undefined in a personal space. */
  readonly role: Role | undefined;
}

/** The lower of the wallet and of what is left of the caller's own budget. */
export function spendable(gateway: Gateway, { scope, user }: Spender, nowMs: number): number {
  const account = gateway.read(accountKey(scope));
  const wallet = account === undefined ? 0 : available(account);
  if (scope === user.id) return wallet;
  const spending = gateway.read(memberSpendingKey(accountKey(scope), user.id));
  const limit = spending?.budget?.limit;
  if (spending === undefined || limit === undefined) return wallet;
  return Math.max(0, Math.min(wallet, limit - usedOf(spending, nowMs)));
}

/** Null for roles that may not see it; a member sees what is spendable. */
export function visibleBalance(gateway: Gateway, spender: Spender, nowMs: number): number | null {
  switch (spender.role) {
    case "viewer":
      return null;
    case "member":
      return spendable(gateway, spender, nowMs);
    case "owner":
    case "admin":
    case "billing_contact":
    case undefined: {
      const account = gateway.read(accountKey(spender.scope));
      return account === undefined ? null : available(account);
    }
  }
}
