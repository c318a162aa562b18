import type { Account } from "../actors/account/account.ts";
import { accountKey } from "../actors/account/account-messages.ts";
import { accountAt } from "../actors/account/renewal.ts";
import type { Gateway } from "../engine/gateway.ts";
import type { Id } from "../engine/id.ts";

/**
 * The account of a scope with the credits of this month, also before they are written; undefined
 * while the account is not there yet.
 */
export function currentAccount(gateway: Gateway, scope: Id, nowMs: number): Account | undefined {
  const account = gateway.read(accountKey(scope));
  return account && accountAt(account, nowMs);
}
