/** Credits that a member of an organization has committed, beside the account. See `budget.ts`. */

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
  /** The month of `inMonth`, in months since year 0. */
  readonly month: number;
  readonly inMonth: number;
  readonly inTotal: number;
}

/** Key of what a member of the organization at `account` has committed. */
export function memberSpendingKey(account: Key, user: Id): Key<MemberSpending> {
  return createKey(getPartition(account), codes.memberSpending, account.slice(2) + idBytes(user));
}
