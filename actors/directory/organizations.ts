/**
 * Organizations: a name, a plan and members with roles; each has a wallet of its own under its id.
 *
 * 1. A member has two rows, the organization's and the user's, written in one step.
 * 2. An organization has an owner at every moment.
 * 3. A slug is taken once.
 * 4. A deleted organization has no row; readers skip rows that still name it, and the next write
 *    drops them.
 */

import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import { plans } from "../../config/plans.ts";
import type { Role } from "../../contract/organization.ts";
import { answer, type Context, put, type RowWrite, tell } from "../../engine/actor.ts";
import type { Question, ReplyTo } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import { count } from "../count.ts";
import { accountKey, type OpenAccount } from "../protocol/account-messages.ts";
import type { Refused } from "../refusal.ts";
import type { AuditNote } from "./audit.ts";
import { type Directory, userByEmailKey, userKey } from "./directory.ts";
import {
  answerWith,
  changeDirectory,
  conflict,
  type DirectoryDecision,
  refuse,
} from "./directory-decision.ts";
import { deleteRows } from "./expiry.ts";
import {
  type Member,
  type Membership,
  membershipsKey,
  membersKey,
  type Organization,
  organizationBySlugKey,
  organizationKey,
  payForItself,
} from "./organization.ts";
import { admitUser, type CreateUser, listGivenTerms, type Terms, tellTerms } from "./users.ts";

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
  /** If false, the slug was made from the name, and another is tried when it is taken. */
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
  /** The user to create if the email address is not known yet. */
  readonly newcomer: CreateUser;
  readonly audit: AuditNote;
}

export interface ChangeMember extends Question<Joined | Refused> {
  readonly kind: "change_member";
  readonly organization: Id;
  readonly user: Id;
  /** The member's new role, or undefined to remove the member. */
  readonly role: Role | undefined;
  readonly audit: AuditNote;
}

export function createOrganization(
  head: Directory,
  message: CreateOrganization,
  ctx: Context<ReplyTo<CreateOrganization>>,
): DirectoryDecision {
  const { organization, isSlugAsked, founder, audit } = message;
  const isTaken = ctx.get(organizationBySlugKey(organization.slug)) !== undefined;
  if (isTaken && isSlugAsked) return conflict(head, ctx, slugTaken);
  const excess = findExcess(founder, "owner", ctx);
  if (excess !== undefined) return conflict(head, ctx, excess);
  const { id } = organization;
  const slug = isTaken ? `${organization.slug}-${id.slice(-12)}` : organization.slug;
  const made: Organization = { ...organization, slug };
  const member: Member = { user: founder, role: "owner", sinceMs: ctx.atMs };
  const opening: OpenAccount = {
    kind: "open",
    plan: made.plan,
    credits: 0,
    isOrganization: true,
    replies: answer(ctx, { kind: "organized", organization: made }),
    ...omitUndefined({ countsInto: made.countsInto }),
  };
  return changeDirectory(head, ctx, {
    rows: [
      put(organizationKey(id), made),
      put(organizationBySlugKey(slug), id),
      put(membersKey(id), [member]),
      membershipRow(founder, id, member, ctx),
    ],
    tells: [tell(accountKey(id), opening)],
    audit,
  });
}

const slugTaken = "An organization with this slug already exists.";

/** Returns why `user` may not join one more organization in this role, or undefined if it may. */
function findExcess(user: Id, role: Role, ctx: Context): string | undefined {
  const memberships = listMemberships(user, ctx);
  const { perAccountMax } = limits.organizations;
  if (memberships.length >= perAccountMax)
    return `An account can belong to at most ${perAccountMax} organizations.`;
  return role === "owner" ? findOwnedExcess(user, ctx) : undefined;
}

/** Returns why `user` may not own one more organization, or undefined if it may. */
function findOwnedExcess(user: Id, ctx: Context): string | undefined {
  const owned = listMemberships(user, ctx).filter(({ role }) => role === "owner").length;
  const plan = ctx.get(userKey(user))?.plan ?? "free";
  const { organizationsOwned: most } = plans[plan];
  if (owned < most) return undefined;
  return `An account on the plan "${plan}" can own at most ${count(most, "organization")}.`;
}

export function patchOrganization(
  head: Directory,
  message: PatchOrganization,
  ctx: Context<ReplyTo<PatchOrganization>>,
): DirectoryDecision {
  const { organization: id, terms, audit } = message;
  const organization = ctx.get(organizationKey(id));
  if (organization === undefined) return refuse(head, ctx, { code: "not_found" });
  const { name = organization.name, slug = organization.slug } = message;
  const holder = ctx.get(organizationBySlugKey(slug));
  if (holder !== undefined && holder !== id) return conflict(head, ctx, slugTaken);
  const changed: Organization = { ...organization, name, slug, ...listGivenTerms(terms) };
  const isPaid = terms.plan !== undefined && terms.plan !== "free";
  const next = isPaid ? payForItself(changed) : changed;
  const isMoved = slug !== organization.slug;
  const slugRows = isMoved
    ? [
        ...deleteRows([organizationBySlugKey(organization.slug)]),
        put(organizationBySlugKey(slug), id),
      ]
    : [];
  return changeDirectory(head, ctx, {
    rows: [put(organizationKey(id), next), ...slugRows],
    tells: Object.keys(listGivenTerms(terms)).length === 0 ? [] : [tellTerms(next)],
    reply: { kind: "organized", organization: next },
    audit,
  });
}

export function deleteOrganization(
  head: Directory,
  { organization: id, audit }: DeleteOrganization,
  ctx: Context<ReplyTo<DeleteOrganization>>,
): DirectoryDecision {
  const organization = ctx.get(organizationKey(id));
  if (organization === undefined) return refuse(head, ctx, { code: "not_found" });
  const { slug } = organization;
  return changeDirectory(head, ctx, {
    rows: deleteRows([organizationKey(id), organizationBySlugKey(slug), membersKey(id)]),
    reply: { kind: "deleted" },
    audit,
  });
}

export function addMember(
  head: Directory,
  message: AddMember,
  ctx: Context<ReplyTo<AddMember>>,
): DirectoryDecision {
  const { organization, role, newcomer, audit } = message;
  const members = ctx.get(membersKey(organization));
  if (members === undefined) return refuse(head, ctx, { code: "not_found" });
  const known = ctx.get(userByEmailKey(newcomer.emailDigest));
  const user = known ?? newcomer.user.id;
  if (members.some((member) => member.user === user))
    return conflict(head, ctx, "This account is already a member.");
  if (members.length >= limits.organizations.membersMax)
    return conflict(
      head,
      ctx,
      `An organization can have at most ${limits.organizations.membersMax} members.`,
    );
  const excess = findExcess(user, role, ctx);
  if (excess !== undefined) return conflict(head, ctx, excess);
  const member: Member = { user, role, sinceMs: ctx.atMs };
  const birth = known === undefined ? admitUser(newcomer, []) : undefined;
  return changeDirectory(head, ctx, {
    head: birth === undefined ? {} : { users: head.users + 1 },
    rows: [
      ...(birth?.rows ?? []),
      put(membersKey(organization), [...members, member]),
      membershipRow(user, organization, member, ctx),
    ],
    tells: birth === undefined ? [] : [birth.opening],
    reply: { kind: "joined", member },
    audit: { ...audit, target: `${audit.target} ${user}` },
  });
}

export function changeMember(
  head: Directory,
  message: ChangeMember,
  ctx: Context<ReplyTo<ChangeMember>>,
): DirectoryDecision {
  const { organization, user, role, audit } = message;
  const members = ctx.get(membersKey(organization)) ?? [];
  const member = members.find((candidate) => candidate.user === user);
  if (member === undefined) return refuse(head, ctx, { code: "not_found" });
  const owners = members.filter((candidate) => candidate.role === "owner");
  if (member.role === "owner" && role !== "owner" && owners.length === 1)
    return conflict(head, ctx, "An organization needs an owner; appoint another one first.");
  if (role === member.role) return answerWith(head, ctx, { kind: "joined", member });
  const excess = role === "owner" ? findOwnedExcess(user, ctx) : undefined;
  if (excess !== undefined) return conflict(head, ctx, excess);
  const next = role === undefined ? undefined : { ...member, role };
  return changeDirectory(head, ctx, {
    rows: [
      put(
        membersKey(organization),
        members.flatMap((one) => (one === member ? (next ?? []) : [one])),
      ),
      membershipRow(user, organization, next, ctx),
      ...(next === undefined ? leaveRows(user, organization, ctx) : []),
    ],
    tells:
      next === undefined
        ? [tell(accountKey(organization), { kind: "set_budget", user, budget: undefined })]
        : [],
    reply: { kind: "joined", member: next ?? member },
    audit,
  });
}

/** Makes a user who leaves an organization act in the personal space again. */
function leaveRows(id: Id, organization: Id, ctx: Context): RowWrite[] {
  const user = ctx.get(userKey(id));
  if (user?.activeOrganization !== organization) return [];
  const { activeOrganization: _, ...personal } = user;
  return [put(userKey(id), personal)];
}

/** Returns a user's memberships row with this one changed; an undefined `member` ends it. */
function membershipRow(
  user: Id,
  organization: Id,
  member: Member | undefined,
  ctx: Context,
): RowWrite {
  const others = listMemberships(user, ctx).filter((one) => one.organization !== organization);
  if (member === undefined) return put(membershipsKey(user), others);
  const { role, sinceMs } = member;
  return put(membershipsKey(user), [...others, { organization, role, sinceMs }]);
}

function listMemberships(user: Id, ctx: Context): readonly Membership[] {
  const all = ctx.get(membershipsKey(user)) ?? [];
  return all.filter(({ organization }) => ctx.get(organizationKey(organization)) !== undefined);
}
