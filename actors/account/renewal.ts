/**
 * The renewal of an account on the 1st (UTC): unused plan credits expire, the plan's new ones are
 * granted, and open holds stay whole.
 *
 * No account waits for the 1st in memory. It renews in its first step of the new month, which comes
 * with any message, and at the latest with the sweep through the table of renewals. Until then
 * those who read the account see it as that step will leave it.
 */
import { put, type RowWrite } from "../../engine/actor.ts";
import { createKey, encodeOrderedNumber, getPartition, type Key } from "../../engine/key.ts";
import {
  type Account,
  available,
  firstOfMonth,
  firstOfNextMonth,
  getMonthlyCredits,
  type LedgerRow,
  ledgerKey,
} from "../protocol/account.ts";
import { codes } from "../table-codes.ts";

/** Key of an account's renewal row. A partition's rows are in the order of renewal. */
export function renewalKey(account: Key, atMs: number): Key<string> {
  return createKey(
    getPartition(account),
    codes.renewal,
    encodeOrderedNumber(atMs) + account.slice(2),
  );
}

/** Key of the first renewal row of a partition at `atMs` or later. */
export function renewalsKey(partition: number, atMs: number): Key<string> {
  return createKey(partition, codes.renewal, encodeOrderedNumber(atMs));
}

export function accountOfRenewal(renewal: Key): Key<Account> {
  return createKey(getPartition(renewal), codes.account, renewal.slice(8));
}

/** An account after its renewal, with the ledger row of the renewal. */
export interface Renewal {
  readonly account: Account;
  /** The renewal's ledger row, or undefined when nothing expires and nothing is granted. */
  readonly ledgerRow: LedgerRow | undefined;
}

/** Returns the renewal that is due at `atMs` but not written yet, if there is one. */
export function pendingRenewal(account: Account, atMs: number): Renewal | undefined {
  if (atMs < account.renewsAtMs) return undefined;
  const expired = Math.min(account.planLeft, available(account));
  const granted = getMonthlyCredits(account);
  const hasEntries = expired + granted > 0;
  const next: Account = {
    ...account,
    granted: account.granted - expired + granted,
    planLeft: account.planLeft - expired + granted,
    renewsAtMs: firstOfNextMonth(atMs),
    ledgerLength: account.ledgerLength + (hasEntries ? 1 : 0),
  };
  if (!hasEntries) return { account: next, ledgerRow: undefined };
  const balance = available(next);
  const entries: LedgerRow["entries"][number][] = [];
  if (expired > 0) entries.push({ type: "expire", amount: -expired, balance: balance - granted });
  if (granted > 0) entries.push({ type: "grant", amount: granted, balance });
  return { account: next, ledgerRow: { atMs: firstOfMonth(atMs), entries } };
}

/** Returns the account as it is at `atMs`, whether or not its renewal has been written. */
export function accountAt(account: Account, atMs: number): Account {
  return pendingRenewal(account, atMs)?.account ?? account;
}

/** Returns the row by which the sweep finds an account on the 1st. */
export function awaitRenewal(self: Key, { renewsAtMs }: Account): RowWrite {
  return put(renewalKey(self, renewsAtMs), "");
}

/** Returns the rows that the renewal of the account `before` writes besides the account itself. */
export function renewalRows(
  self: Key,
  before: Account,
  { account, ledgerRow }: Renewal,
): RowWrite[] {
  const rows = [
    { key: renewalKey(self, before.renewsAtMs), value: undefined },
    awaitRenewal(self, account),
  ];
  if (ledgerRow !== undefined) rows.push(put(ledgerKey(self, before.ledgerLength), ledgerRow));
  return rows;
}
