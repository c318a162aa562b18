/** What an organization is, and who belongs to it: rows of the directory. */

import type { PlanName, PlanOverrides } from "../../config/plans.ts";
import type { Role } from "../../contract/organization.ts";
import { type Id, idBytes } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";
import type { AccountStatus } from "./directory.ts";

export interface Organization {
  readonly id: Id;
  readonly name: string;
  readonly slug: string;
  readonly plan: PlanName;
  readonly status: AccountStatus;
  readonly createdAtMs: number;
  readonly overrides?: PlanOverrides;
  /**
   * Its creator, into whose account its use counts until an operator grants it a plan or credits.
   */
  readonly countsInto?: Id;
}

export interface Member {
  readonly user: Id;
  readonly role: Role;
  readonly sinceMs: number;
}

export interface Membership {
  readonly organization: Id;
  readonly role: Role;
  /** Credentials pinned here that are older belong to an earlier membership. */
  readonly sinceMs: number;
}

/** The organization as a paying one, whose use counts into no other account any more. */
export function payForItself({ countsInto: _, ...organization }: Organization): Organization {
  return organization;
}

/** All organizations, by their ids. */
export const organizationsKey: Key<Organization> = createKey(0, codes.organization, "");

export function organizationKey(organization: Id): Key<Organization> {
  return createKey(0, codes.organization, idBytes(organization));
}

export function organizationBySlugKey(slug: string): Key<Id> {
  return createKey(0, codes.organizationBySlug, slug);
}

/** The members of an organization, oldest first; bounded. */
export function membersKey(organization: Id): Key<readonly Member[]> {
  return createKey(0, codes.members, idBytes(organization));
}

/** The organizations of a user; bounded. Those that were deleted have no row of their own. */
export function membershipsKey(user: Id): Key<readonly Membership[]> {
  return createKey(0, codes.memberships, idBytes(user));
}
