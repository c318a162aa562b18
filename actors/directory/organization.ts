/** Organizations and their members, as rows of the directory. */

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
   * The creator of an unpaid organization. Its use counts into the creator's account until an
   * operator grants it a plan or credits.
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
  /** When the membership began; older credentials pinned to it belong to an earlier membership. */
  readonly sinceMs: number;
}

/** Returns the organization as one that pays, whose use counts into no other account any more. */
export function payForItself({ countsInto: _, ...organization }: Organization): Organization {
  return organization;
}

/** Key prefix of all organizations, which are sorted by id. */
export const organizationsKey: Key<Organization> = createKey(0, codes.organization, "");

export function organizationKey(organization: Id): Key<Organization> {
  return createKey(0, codes.organization, idBytes(organization));
}

export function organizationBySlugKey(slug: string): Key<Id> {
  return createKey(0, codes.organizationBySlug, slug);
}

/** Key of an organization's members, oldest first; their number is bounded. */
export function membersKey(organization: Id): Key<readonly Member[]> {
  return createKey(0, codes.members, idBytes(organization));
}

/** Key of a user's organizations (bounded). A deleted organization may be listed, without a row. */
export function membershipsKey(user: Id): Key<readonly Membership[]> {
  return createKey(0, codes.memberships, idBytes(user));
}
