import { put, type TurnView } from "../../engine/actor.ts";
import {
  type Account,
  type AccountTurn,
  available,
  firstOfNextMonth,
  type LedgerRow,
  ledgerKey,
  monthlyCreditsOf,
  only,
} from "./account.ts";

/**
 * On the 1st (UTC): unused plan credits expire, the plan's new ones are granted. Open holds stay
 * whole.
 */
export function renew(account: Account, turn: TurnView): AccountTurn {
  const renewsAtMs = firstOfNextMonth(turn.atMs);
  if (turn.atMs < account.renewsAtMs) return only(account);
  const expired = Math.min(account.planLeft, available(account));
  const granted = monthlyCreditsOf(account);
  const next: Account = {
    ...account,
    granted: account.granted - expired + granted,
    planLeft: account.planLeft - expired + granted,
    renewsAtMs,
    ledgerLength: account.ledgerLength + (expired + granted === 0 ? 0 : 1),
  };
  if (expired + granted === 0) return only(next);
  const balance = available(next);
  const entries: LedgerRow["entries"][number][] = [];
  if (expired > 0) entries.push({ type: "expire", amount: -expired, balance: balance - granted });
  if (granted > 0) entries.push({ type: "grant", amount: granted, balance });
  const row = put(ledgerKey(turn.self, account.ledgerLength), { atMs: turn.atMs, entries });
  return only(next, [row]);
}
