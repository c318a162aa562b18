/**
 * Organizations: a name, a plan and members with roles; each has a wallet of its own under its id.
 *
 * 1. A member stands in two rows, the organization's and the user's, written in one turn.
 * 2. An organization has an owner at every moment.
 * 3. A slug is taken once.
 * 4. A deleted organization has no row; what still names it is passed over by readers and dropped
 *    with the next write.
 */

import { limits } from "../../config/limits.ts";
import { answer, put, type RowWrite, type TurnView, tell } from "../../engine/actor.ts";
import type { Question, ReplyTo } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import { accountKey, type OpenAccount } from "../account/account-messages.ts";
import type { Role } from "../contract/organization.ts";
import type { Refused } from "../refusal.ts";
import type { AuditNote } from "./audit.ts";
import { type Directory, userByEmailKey, userKey } from "./directory.ts";
import { answered, changed, conflict, type DirectoryTurn, refuse } from "./directory-turn.ts";
import { deleted } from "./expiry.ts";
import {
  type Member,
  type Membership,
  membershipsKey,
  membersKey,
  type Organization,
  organizationBySlugKey,
  organizationKey,
} from "./organization.ts";
import { admitted, agreed, type CreateUser, given, type Terms } from "./users.ts";

export interface Organized {
  readonly kind: "organized";
  readonly organization: Organization;
}

export interface Joined {
  readonly kind: "joined";
  readonly member: Member;
}

export interface CreateOrganization extends Question<Organized | Refused> {
  readonly kind: "create_organization";
  readonly organization: Organization;
  /** A slug made from the name gives way when it is taken; one that was asked for does not. */
  readonly isSlugAsked: boolean;
  readonly founder: Id;
  readonly audit: AuditNote;
}

export interface PatchOrganization extends Question<Organized | Refused> {
  readonly kind: "patch_organization";
  readonly organization: Id;
  readonly name: string | undefined;
  readonly slug: string | undefined;
  readonly terms: Terms;
  readonly audit: AuditNote;
}

export interface DeleteOrganization extends Question<{ readonly kind: "deleted" } | Refused> {
  readonly kind: "delete_organization";
  readonly organization: Id;
  readonly audit: AuditNote;
}

export interface AddMember extends Question<Joined | Refused> {
  readonly kind: "add_member";
  readonly organization: Id;
  readonly role: Role;
  /** Who it becomes when nobody has the address yet. */
  readonly newcomer: CreateUser;
  readonly audit: AuditNote;
}

export interface ChangeMember extends Question<Joined | Refused> {
  readonly kind: "change_member";
  readonly organization: Id;
  readonly user: Id;
  /** Undefined to remove. */
  readonly role: Role | undefined;
  readonly audit: AuditNote;
}

export function createOrganization(
  head: Directory,
  message: CreateOrganization,
  turn: TurnView<ReplyTo<CreateOrganization>>,
): DirectoryTurn {
  const { organization, isSlugAsked, founder, audit } = message;
  const isTaken = turn.get(organizationBySlugKey(organization.slug)) !== undefined;
  if (isTaken && isSlugAsked) return conflict(head, turn, slugTaken);
  if (membershipsOf(founder, turn).length >= perAccountMax)
    return conflict(head, turn, tooManyOrganizations);
  const { id } = organization;
  const slug = isTaken ? `${organization.slug}-${id.slice(-12)}` : organization.slug;
  const made: Organization = { ...organization, slug };
  const member: Member = { user: founder, role: "owner", sinceMs: turn.atMs };
  const opening: OpenAccount = {
    kind: "open",
    plan: made.plan,
    credits: 0,
    isOrganization: true,
    replies: answer(turn, { kind: "organized", organization: made }),
  };
  return changed(head, turn, {
    rows: [
      put(organizationKey(id), made),
      put(organizationBySlugKey(slug), id),
      put(membersKey(id), [member]),
      membershipRow(founder, id, member, turn),
    ],
    tells: [tell(accountKey(id), opening)],
    audit,
  });
}

const slugTaken = "An organization with this slug exists already.";
const { perAccountMax } = limits.organizations;
const tooManyOrganizations = `An account belongs to at most ${perAccountMax} organizations.`;

export function patchOrganization(
  head: Directory,
  message: PatchOrganization,
  turn: TurnView<ReplyTo<PatchOrganization>>,
): DirectoryTurn {
  const { organization: id, terms, audit } = message;
  const organization = turn.get(organizationKey(id));
  if (organization === undefined) return refuse(head, turn, { code: "not_found" });
  const { name = organization.name, slug = organization.slug } = message;
  const holder = turn.get(organizationBySlugKey(slug));
  if (holder !== undefined && holder !== id) return conflict(head, turn, slugTaken);
  const next: Organization = { ...organization, name, slug, ...given(terms) };
  const isMoved = slug !== organization.slug;
  const slugRows = isMoved
    ? [...deleted([organizationBySlugKey(organization.slug)]), put(organizationBySlugKey(slug), id)]
    : [];
  return changed(head, turn, {
    rows: [put(organizationKey(id), next), ...slugRows],
    tells: Object.keys(given(terms)).length === 0 ? [] : [agreed(next)],
    reply: { kind: "organized", organization: next },
    audit,
  });
}

export function deleteOrganization(
  head: Directory,
  { organization: id, audit }: DeleteOrganization,
  turn: TurnView<ReplyTo<DeleteOrganization>>,
): DirectoryTurn {
  const organization = turn.get(organizationKey(id));
  if (organization === undefined) return refuse(head, turn, { code: "not_found" });
  const { slug } = organization;
  return changed(head, turn, {
    rows: deleted([organizationKey(id), organizationBySlugKey(slug), membersKey(id)]),
    reply: { kind: "deleted" },
    audit,
  });
}

export function addMember(
  head: Directory,
  message: AddMember,
  turn: TurnView<ReplyTo<AddMember>>,
): DirectoryTurn {
  const { organization, role, newcomer, audit } = message;
  const members = turn.get(membersKey(organization));
  if (members === undefined) return refuse(head, turn, { code: "not_found" });
  const known = turn.get(userByEmailKey(newcomer.emailDigest));
  const user = known ?? newcomer.user.id;
  if (members.some((member) => member.user === user))
    return conflict(head, turn, "This account is a member already.");
  if (members.length >= limits.organizations.membersMax)
    return conflict(
      head,
      turn,
      `An organization has at most ${limits.organizations.membersMax} members.`,
    );
  if (membershipsOf(user, turn).length >= perAccountMax)
    return conflict(head, turn, tooManyOrganizations);
  const member: Member = { user, role, sinceMs: turn.atMs };
  const birth = known === undefined ? admitted(newcomer, []) : undefined;
  return changed(head, turn, {
    head: birth === undefined ? {} : { users: head.users + 1 },
    rows: [
      ...(birth?.rows ?? []),
      put(membersKey(organization), [...members, member]),
      membershipRow(user, organization, member, turn),
    ],
    tells: birth === undefined ? [] : [birth.opening],
    reply: { kind: "joined", member },
    audit: { ...audit, target: `${audit.target} ${user}` },
  });
}

export function changeMember(
  head: Directory,
  message: ChangeMember,
  turn: TurnView<ReplyTo<ChangeMember>>,
): DirectoryTurn {
  const { organization, user, role, audit } = message;
  const members = turn.get(membersKey(organization)) ?? [];
  const member = members.find((candidate) => candidate.user === user);
  if (member === undefined) return refuse(head, turn, { code: "not_found" });
  const owners = members.filter((candidate) => candidate.role === "owner");
  if (member.role === "owner" && role !== "owner" && owners.length === 1)
    return conflict(head, turn, "An organization keeps an owner; name another one first.");
  if (role === member.role) return answered(head, turn, { kind: "joined", member });
  const next = role === undefined ? undefined : { ...member, role };
  return changed(head, turn, {
    rows: [
      put(
        membersKey(organization),
        members.flatMap((one) => (one === member ? (next ?? []) : [one])),
      ),
      membershipRow(user, organization, next, turn),
      ...(next === undefined ? leaveRows(user, organization, turn) : []),
    ],
    tells:
      next === undefined
        ? [tell(accountKey(organization), { kind: "set_budget", user, budget: undefined })]
        : [],
    reply: { kind: "joined", member: next ?? member },
    audit,
  });
}

/** Whoever left acts in the personal space again. */
function leaveRows(id: Id, organization: Id, turn: TurnView): RowWrite[] {
  const user = turn.get(userKey(id));
  if (user?.activeOrganization !== organization) return [];
  const { activeOrganization: _, ...personal } = user;
  return [put(userKey(id), personal)];
}

/** The user's side of a membership; `member` undefined ends it. */
function membershipRow(
  user: Id,
  organization: Id,
  member: Member | undefined,
  turn: TurnView,
): RowWrite {
  const others = membershipsOf(user, turn).filter((one) => one.organization !== organization);
  if (member === undefined) return put(membershipsKey(user), others);
  const { role, sinceMs } = member;
  return put(membershipsKey(user), [...others, { organization, role, sinceMs }]);
}

function membershipsOf(user: Id, turn: TurnView): readonly Membership[] {
  const all = turn.get(membershipsKey(user)) ?? [];
  return all.filter(({ organization }) => turn.get(organizationKey(organization)) !== undefined);
}
