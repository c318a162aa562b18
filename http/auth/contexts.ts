/** The context in which a credential acts: an organization, or its user's personal space. */

import type { Credential, User } from "../../actors/directory/directory.ts";
import {
  membershipsKey,
  type Organization,
  organizationKey,
} from "../../actors/directory/organization.ts";
import type { Role } from "../../contract/organization.ts";
import type { Gateway } from "../../engine/gateway.ts";
import type { Id } from "../../engine/id.ts";

export interface Place {
  readonly organization: Organization;
  readonly role: Role;
  readonly sinceMs: number;
}

/** Undefined where there is no such organization, or the user does not belong to it. */
export function placeIn(gateway: Gateway, user: Id, organization: Id): Place | undefined {
  const memberships = gateway.read(membershipsKey(user)) ?? [];
  const membership = memberships.find((one) => one.organization === organization);
  if (membership === undefined) return undefined;
  const found = gateway.read(organizationKey(organization));
  if (found === undefined) return undefined;
  return { organization: found, role: membership.role, sinceMs: membership.sinceMs };
}

/**
 * Returns the name under which the requests, streams and waits of a user in a context are counted.
 * Those of all members of an unpaid organization count as its creator's own.
 */
export function nameCounter({ id: user }: User, organization: Organization | undefined): string {
  if (organization === undefined) return user;
  return organization.countsInto ?? `${user} ${organization.id}`;
}

/**
 * `personal` when no organization was chosen, or the chosen one is gone; `lost` when the credential
 * is pinned to an organization to which its user does not belong, or has returned after leaving.
 */
export function findPlace(
  gateway: Gateway,
  user: User,
  credential: Credential,
): Place | "personal" | "lost" {
  if (credential.organization !== null) {
    const place = placeIn(gateway, user.id, credential.organization);
    return place === undefined || place.sinceMs > credential.createdAtMs ? "lost" : place;
  }
  if (user.activeOrganization === undefined) return "personal";
  return placeIn(gateway, user.id, user.activeOrganization) ?? "personal";
}
