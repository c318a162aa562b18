/**
 * Users: created, changed by an operator, moved between their contexts. The wallet is another
 * actor: the outbox notifies it, and it sends the reply itself, so that a user who got the reply
 * can submit.
 */

import { omitUndefined } from "../../config/defined.ts";
import type { PlanName, PlanOverrides } from "../../config/plans.ts";
import type { CreatedAccount } from "../../contract/account.ts";
import {
  answer,
  type Context,
  put,
  type Reply,
  type RowWrite,
  type Tell,
  tell,
} from "../../engine/actor.ts";
import type { Question, ReplyTo } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import {
  accountKey,
  type Grant,
  type GrantReply,
  type OpenAccount,
} from "../protocol/account-messages.ts";
import type { Refused } from "../refusal.ts";
import type { AuditNote } from "./audit.ts";
import {
  type AccountStatus,
  type Directory,
  type NewCredential,
  type User,
  userByEmailKey,
  userKey,
} from "./directory.ts";
import {
  answerWith,
  changeDirectory,
  conflict,
  type DirectoryDecision,
  refuse,
} from "./directory-decision.ts";
import {
  membershipsKey,
  type Organization,
  organizationKey,
  payForItself,
} from "./organization.ts";
import { firstTokenRows } from "./tokens.ts";

/** Terms that an operator changes for an account or an organization; undefined leaves one as is. */
export interface Terms {
  readonly plan: PlanName | undefined;
  readonly status: AccountStatus | undefined;
  readonly overrides: PlanOverrides | undefined;
}

export interface PatchUser extends Question<{ readonly kind: "patched" } | Refused> {
  readonly kind: "patch_user";
  readonly user: Id;
  readonly terms: Terms;
  readonly audit: AuditNote;
}

export interface GiveCredits extends Question<GrantReply> {
  readonly kind: "give_credits";
  /** Id of a user or of an organization. */
  readonly scope: Id;
  readonly amount: number;
  readonly note: string | undefined;
  readonly audit: AuditNote;
}

export interface Activate extends Question<{ readonly kind: "activated" } | Refused> {
  readonly kind: "activate";
  readonly user: Id;
  /** The organization to act in, or null for the personal space. */
  readonly organization: Id | null;
}

export function createUser(
  head: Directory,
  message: CreateUser,
  ctx: Context<ReplyTo<CreateUser>>,
): DirectoryDecision {
  if (ctx.get(userByEmailKey(message.emailDigest)) !== undefined)
    return conflict(head, ctx, "An account with this email address already exists.");
  const { rows, opening } = admitUser(message, answer(ctx, message.reply));
  return changeDirectory(head, ctx, {
    head: { users: head.users + 1 },
    rows,
    tells: [opening],
    audit: message.audit,
  });
}

/** Returns the rows of a new user, and the message to its wallet, which sends the reply. */
export function admitUser(
  { user, emailDigest, credential, credits }: CreateUser,
  replies: readonly Reply[],
): { readonly rows: readonly RowWrite[]; readonly opening: Tell } {
  const opening: OpenAccount = { kind: "open", plan: user.plan, credits, replies };
  return {
    rows: [
      put(userKey(user.id), user),
      put(userByEmailKey(emailDigest), user.id),
      ...(credential === undefined ? [] : firstTokenRows(credential)),
    ],
    opening: tell(accountKey(user.id), opening),
  };
}

export function patchUser(
  head: Directory,
  message: PatchUser,
  ctx: Context<ReplyTo<PatchUser>>,
): DirectoryDecision {
  const { user: id, terms, audit } = message;
  const user = ctx.get(userKey(id));
  if (user === undefined) return refuse(head, ctx, { code: "not_found" });
  const next: User = { ...user, ...listGivenTerms(terms) };
  return changeDirectory(head, ctx, {
    rows: [put(userKey(id), next)],
    tells: [tellTerms(next)],
    reply: { kind: "patched" },
    audit,
  });
}

/** Returns only those terms that are not undefined. */
export function listGivenTerms(terms: Terms): Partial<Pick<User, "plan" | "status" | "overrides">> {
  const { plan, status, overrides } = terms;
  return {
    ...omitUndefined({ plan, status, overrides }),
  };
}

/** Tells the wallet its new terms, which decide its renewals and its number of slots. */
export function tellTerms(owner: User | Organization): Tell {
  const { id, plan, overrides } = owner;
  const countsInto = "countsInto" in owner ? owner.countsInto : undefined;
  return tell(accountKey(id), { kind: "set_terms", plan, overrides, countsInto });
}

/** Audits the grant in the directory; the wallet adds the credits and replies. */
export function giveCredits(
  head: Directory,
  message: GiveCredits,
  ctx: Context<ReplyTo<GiveCredits>>,
): DirectoryDecision {
  const { scope, amount, note, audit } = message;
  const organization = ctx.get(organizationKey(scope));
  if (organization === undefined && ctx.get(userKey(scope)) === undefined)
    return refuse(head, ctx, { code: "not_found" });
  const grant: Grant = { kind: "grant", amount, note, request: ctx.request };
  const given = tell(accountKey(scope), grant);
  if (amount < 0 || organization?.countsInto === undefined)
    return changeDirectory(head, ctx, { rows: [], tells: [given], audit });
  const paid = payForItself(organization);
  const rows = [put(organizationKey(scope), paid)];
  return changeDirectory(head, ctx, { rows, tells: [tellTerms(paid), given], audit });
}

export function activate(
  head: Directory,
  message: Activate,
  ctx: Context<ReplyTo<Activate>>,
): DirectoryDecision {
  const user = ctx.get(userKey(message.user));
  const { organization } = message;
  const isMember =
    organization === null ||
    (ctx.get(membershipsKey(message.user)) ?? []).some(
      (membership) =>
        membership.organization === organization &&
        ctx.get(organizationKey(organization)) !== undefined,
    );
  if (user === undefined || !isMember) return refuse(head, ctx, { code: "not_found" });
  const { activeOrganization, ...personal } = user;
  const done = { kind: "activated" } as const;
  if ((activeOrganization ?? null) === organization) return answerWith(head, ctx, done);
  const next = organization === null ? personal : { ...user, activeOrganization: organization };
  return changeDirectory(head, ctx, { rows: [put(userKey(user.id), next)], reply: done });
}

export interface AccountCreated {
  readonly kind: "created";
  readonly account: CreatedAccount;
}

export interface CreateUser extends Question<AccountCreated | Refused> {
  readonly kind: "create_user";
  readonly user: User;
  readonly emailDigest: string;
  readonly credential: NewCredential | undefined;
  readonly credits: number | undefined;
  /** Reply that the caller gets once the wallet is open. */
  readonly reply: AccountCreated;
  readonly audit?: AuditNote;
}
