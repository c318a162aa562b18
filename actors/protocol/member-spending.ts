/** What a member of an organization has committed, a row beside the account. See `budget.ts`. */

import type { BudgetPeriod } from "../../contract/organization.ts";
import { type Id, idBytes } from "../../engine/id.ts";
import { createKey, getPartition, type Key } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";

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

/** What a member of the organization at an address has committed. */
export function memberSpendingKey(account: Key, user: Id): Key<MemberSpending> {
  return createKey(getPartition(account), codes.memberSpending, account.slice(2) + idBytes(user));
}
