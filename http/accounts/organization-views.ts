/** Organizations and their members as clients see them. */

import { computeReset, getUsedSpending } from "../../actors/account/budget.ts";
import { type User, userKey } from "../../actors/directory/directory.ts";
import type { Member, Organization } from "../../actors/directory/organization.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { type MemberSpending, memberSpendingKey } from "../../actors/protocol/member-spending.ts";
import type {
  MemberBudget,
  Member as MemberView,
  Organization as OrganizationView,
  UserOrganization,
} from "../../contract/organization.ts";
import type { Gateway } from "../../engine/gateway.ts";
import type { Id } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { Place } from "../auth/contexts.ts";
import { findWallet, visibleBalance, type Wallet } from "./wallet.ts";

/** The organization as `user` sees it, whose role decides how much of the wallet is shown. */
export async function organizationView(
  gateway: Gateway,
  { organization, role }: Pick<Place, "organization" | "role">,
  user: User,
  nowMs: number,
): Promise<OrganizationView> {
  const { id, name, slug, plan, createdAtMs } = organization;
  const created_at = timestamp(createdAtMs);
  const wallet = await findWallet(gateway, id, user.id, nowMs);
  const balance_credits = visibleBalance(wallet, role, nowMs);
  return { id, name, slug, plan, balance_credits, role, created_at };
}

export function userOrganization(
  { organization, role }: Pick<Place, "organization" | "role">,
  wallet: Wallet,
  nowMs: number,
): UserOrganization {
  const { id, name, slug, plan } = organization;
  return {
    id,
    name,
    slug,
    role,
    plan,
    balance_credits: visibleBalance(wallet, role, nowMs),
    member_budget: wallet.spending === undefined ? null : budgetView(wallet.spending, nowMs),
  };
}

export function memberView(
  gateway: Gateway,
  { id }: Organization,
  { user, role, sinceMs }: Member,
  nowMs: number,
): MemberView {
  const known = gateway.read(userKey(user));
  return {
    user_id: user,
    email: known?.email ?? "",
    display_name: known?.displayName ?? "",
    role,
    budget: findBudget(gateway, id, user, nowMs),
    created_at: timestamp(sinceMs),
  };
}

function findBudget(
  gateway: Gateway,
  organization: Id,
  user: Id,
  nowMs: number,
): MemberBudget | null {
  const spending = gateway.read(memberSpendingKey(accountKey(organization), user));
  return spending === undefined ? null : budgetView(spending, nowMs);
}

export function budgetView(spending: MemberSpending, nowMs: number): MemberBudget | null {
  const { budget } = spending;
  if (budget === undefined) return null;
  const resetsAtMs = computeReset(budget, nowMs);
  return {
    limit_credits: budget.limit,
    used_credits: getUsedSpending(spending, nowMs),
    period: budget.period,
    resets_at: resetsAtMs === null ? null : timestamp(resetsAtMs),
  };
}
