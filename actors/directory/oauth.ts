/**
 * OAuth (RFC 6749, 7009): clients, access tokens, and families of refresh tokens.
 *
 * 1. A refresh token works once. The one that comes a second time has been seen by two, so its
 *    whole family ends, and with it every access token that came of it.
 * 2. Access tokens are credentials like any other; they name their family or their client, and end
 *    with it at once.
 * 3. What is pinned to an organization ends with the membership under which it was given.
 */

import { limits } from "../../config/limits.ts";
import type { TokenScope } from "../../contract/account.ts";
import { type Context, put, type RowWrite, type Tell } from "../../engine/actor.ts";
import type { Question, ReplyTo } from "../../engine/address.ts";
import { type Id, idBytes } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import { createRefused, type Refusal, type Refused } from "../refusal.ts";
import { codes } from "../table-codes.ts";
import type { AuditNote } from "./audit.ts";
import { encodeHex } from "./digest.ts";
import {
  type Credential,
  credentialKey,
  type Directory,
  type NewCredential,
  userKey,
} from "./directory.ts";
import {
  answerWith,
  changeDirectory,
  conflict,
  type DirectoryDecision,
  refuse,
} from "./directory-decision.ts";
import { deleteRows, expire } from "./expiry.ts";
import { membershipsKey, organizationKey } from "./organization.ts";
import { tokenUseKey } from "./tokens.ts";

export interface OAuthClient {
  readonly id: Id;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** SHA-256 of the client's secret, in hex. */
  readonly secretDigest: string;
  /** The user as whom the client's tokens act. */
  readonly user: Id;
  readonly organization: Id | null;
  readonly createdAtMs: number;
}

/** What was granted to a client: the user and context its tokens act for, and their scopes. */
export interface Granted {
  readonly user: Id;
  readonly organization: Id | null;
  readonly scopes: readonly TokenScope[];
}

export interface RefreshFamily extends Granted {
  readonly client: string;
  readonly clientName: string;
  readonly createdAtMs: number;
  /** Digest of the family's one valid refresh token, in hex. */
  readonly current: string;
}

export interface RefreshToken {
  readonly family: Id;
  readonly expiresAtMs: number;
}

/** The next tokens, generated before it is known whether they are granted. */
export interface NewPair {
  readonly accessId: string;
  readonly accessDigest: string;
  readonly refreshDigest: string;
}

export interface MakeClient
  extends Question<{ readonly kind: "made"; readonly client: OAuthClient } | Refused> {
  readonly kind: "make_client";
  readonly client: OAuthClient;
  readonly audit: AuditNote;
}

export interface DeleteClient extends Question<{ readonly kind: "deleted" } | Refused> {
  readonly kind: "delete_client";
  readonly client: Id;
  /** The context in which the client was created. */
  readonly scope: Id;
  readonly audit: AuditNote;
}

export interface IssueAccess extends Question<TokensGranted | Refused> {
  readonly kind: "issue_access";
  readonly token: NewCredential;
}

export interface Refresh extends Question<TokensGranted | Refused> {
  readonly kind: "refresh";
  readonly digest: string;
  readonly client: string;
  /** The requested scopes, or undefined for all scopes of the family. */
  readonly scopes: readonly TokenScope[] | undefined;
  readonly pair: NewPair;
}

export interface Revoke extends Question<{ readonly kind: "revoked" }> {
  readonly kind: "revoke";
  readonly digest: string;
  /** The requesting client: only its own tokens are revoked (RFC 7009, section 2.1). */
  readonly client: string;
}

export interface TokensGranted {
  readonly kind: "granted";
  readonly scopes: readonly TokenScope[];
}

export function makeClient(
  head: Directory,
  message: MakeClient,
  ctx: Context<ReplyTo<MakeClient>>,
): DirectoryDecision {
  const { client, audit } = message;
  const scope = client.organization ?? client.user;
  const clients = ctx.get(clientsOfScopeKey(scope)) ?? [];
  if (clients.length >= limits.oauth.clientsMax)
    return conflict(
      head,
      ctx,
      `A context can have at most ${limits.oauth.clientsMax} OAuth clients.`,
    );
  const made = { ...client, createdAtMs: ctx.atMs };
  return changeDirectory(head, ctx, {
    rows: [
      put(oauthClientKey(client.id), made),
      put(clientsOfScopeKey(scope), [...clients, client.id]),
    ],
    reply: { kind: "made", client: made },
    audit,
  });
}

export function deleteClient(
  head: Directory,
  { client, scope, audit }: DeleteClient,
  ctx: Context<ReplyTo<DeleteClient>>,
): DirectoryDecision {
  const clients = ctx.get(clientsOfScopeKey(scope)) ?? [];
  if (!clients.includes(client)) return refuse(head, ctx, { code: "not_found" });
  const left = clients.filter((id) => id !== client);
  return changeDirectory(head, ctx, {
    rows: [...deleteRows([oauthClientKey(client)]), put(clientsOfScopeKey(scope), left)],
    reply: { kind: "deleted" },
    audit,
  });
}

/** The `client_credentials` grant: issues an access token without a refresh token. */
export function issueAccess(
  head: Directory,
  message: IssueAccess,
  ctx: Context<ReplyTo<IssueAccess>>,
): DirectoryDecision {
  const { digest, credential } = message.token;
  const client = credential.client === undefined ? undefined : ctx.get(getClientKey(credential));
  if (client === undefined || !isInForce(client, client.createdAtMs, ctx))
    return refuse(
      head,
      ctx,
      oauth("unauthorized_client", "The account of this client is suspended."),
    );
  const { rows, tells } = accessRows(digest, { ...credential, createdAtMs: ctx.atMs });
  return changeDirectory(head, ctx, { rows, tells, reply: grantTokens(credential.scopes) });
}

function getClientKey({ client = "" }: Credential) {
  return oauthClientKey(client);
}

/** Creates a family of refresh tokens with its first pair of tokens. */
export function beginFamily(
  grant: Granted,
  client: { readonly id: string; readonly name: string; readonly family: Id },
  pair: NewPair,
  ctx: Context,
): { readonly rows: readonly RowWrite[]; readonly tells: readonly Tell[] } {
  const family: RefreshFamily = {
    ...grant,
    client: client.id,
    clientName: client.name,
    createdAtMs: ctx.atMs,
    current: encodeHex(pair.refreshDigest),
  };
  return pairRows(client.family, family, grant.scopes, pair, ctx);
}

export function refresh(
  head: Directory,
  message: Refresh,
  ctx: Context<ReplyTo<Refresh>>,
): DirectoryDecision {
  const { digest, client, pair } = message;
  const token = ctx.get(refreshTokenKey(digest));
  const family = token === undefined ? undefined : ctx.get(refreshFamilyKey(token.family));
  const isDead = token === undefined || token.expiresAtMs <= ctx.atMs;
  if (isDead || family === undefined || family.client !== client)
    return refuse(head, ctx, invalidGrant);
  if (family.current !== encodeHex(digest) || !isInForce(family, family.createdAtMs, ctx)) {
    const rows = deleteRows([refreshFamilyKey(token.family)]);
    return changeDirectory(head, ctx, { rows, reply: createRefused(invalidGrant) });
  }
  const scopes = message.scopes ?? family.scopes;
  if (!scopes.every((scope) => family.scopes.includes(scope)))
    return refuse(head, ctx, oauth("invalid_scope", "The requested scope was not granted."));
  const next = { ...family, current: encodeHex(pair.refreshDigest) };
  const { rows, tells } = pairRows(token.family, next, scopes, pair, ctx);
  return changeDirectory(head, ctx, { rows, tells, reply: grantTokens(scopes) });
}

const invalidGrant = oauth("invalid_grant", "The refresh token is invalid, expired or revoked.");

/** Revokes a token. Unknown tokens, and those of other clients, are left as they are. */
export function revoke(
  head: Directory,
  { digest, client }: Revoke,
  ctx: Context<ReplyTo<Revoke>>,
): DirectoryDecision {
  const done = { kind: "revoked" } as const;
  const token = ctx.get(refreshTokenKey(digest));
  if (token !== undefined) {
    if (ctx.get(refreshFamilyKey(token.family))?.client !== client)
      return answerWith(head, ctx, done);
    const rows = deleteRows([refreshTokenKey(digest), refreshFamilyKey(token.family)]);
    return changeDirectory(head, ctx, { rows, reply: done });
  }
  const credential = ctx.get(credentialKey(digest));
  if (credential === undefined || issuer(credential, ctx) !== client)
    return answerWith(head, ctx, done);
  const rows = deleteRows([credentialKey(digest), tokenUseKey(digest)]);
  return changeDirectory(head, ctx, { rows, reply: done });
}

/** Returns the client that an access token was issued to; undefined for a personal token. */
function issuer({ client, family }: Credential, ctx: Context): string | undefined {
  return client ?? (family === undefined ? undefined : ctx.get(refreshFamilyKey(family))?.client);
}

function pairRows(
  id: Id,
  family: RefreshFamily,
  scopes: readonly TokenScope[],
  pair: NewPair,
  ctx: Context,
): { readonly rows: readonly RowWrite[]; readonly tells: readonly Tell[] } {
  const { accessId, accessDigest, refreshDigest } = pair;
  const expiresAtMs = ctx.atMs + limits.oauth.refreshTokenDays * 86_400_000;
  const access = accessRows(accessDigest, {
    id: accessId,
    name: family.clientName,
    user: family.user,
    scopes,
    createdAtMs: ctx.atMs,
    expiresAtMs: ctx.atMs + limits.oauth.accessTokenSeconds * 1000,
    organization: family.organization,
    family: id,
  });
  const refreshKey = refreshTokenKey(refreshDigest);
  const familyKey = refreshFamilyKey(id);
  return {
    rows: [...access.rows, put(familyKey, family), put(refreshKey, { family: id, expiresAtMs })],
    tells: [...access.tells, expire(expiresAtMs, refreshKey), expire(expiresAtMs, familyKey)],
  };
}

function accessRows(
  digest: string,
  credential: Credential,
): { readonly rows: readonly RowWrite[]; readonly tells: readonly Tell[] } {
  const key = credentialKey(digest);
  const { expiresAtMs } = credential;
  return {
    rows: [put(key, credential)],
    tells: expiresAtMs === null ? [] : [expire(expiresAtMs, key, tokenUseKey(digest))],
  };
}

/**
 * Whether a grant made at `sinceMs` is still valid: its user is active, and still a member of the
 * organization that it is pinned to.
 */
export function isInForce(
  { user, organization }: Pick<Granted, "user" | "organization">,
  sinceMs: number,
  ctx: Context,
): boolean {
  if (ctx.get(userKey(user))?.status !== "active") return false;
  if (organization === null) return true;
  const memberships = ctx.get(membershipsKey(user)) ?? [];
  const membership = memberships.find((one) => one.organization === organization);
  const isThere = ctx.get(organizationKey(organization)) !== undefined;
  return isThere && membership !== undefined && membership.sinceMs <= sinceMs;
}

export function grantTokens(scopes: readonly TokenScope[]): TokensGranted {
  return { kind: "granted", scopes };
}

export type OAuthError = Extract<Refusal, { code: "oauth" }>["error"];

export function oauth(error: OAuthError, detail: string): Refusal {
  return { code: "oauth", error, detail };
}

export function oauthClientKey(client: Id): Key<OAuthClient> {
  return createKey(0, codes.oauthClient, idBytes(client));
}

/** Key of the OAuth clients of a personal space or an organization; their number is bounded. */
export function clientsOfScopeKey(scope: Id): Key<readonly Id[]> {
  return createKey(0, codes.clientsOfScope, idBytes(scope));
}

/** `digest` is the SHA-256 of the refresh token as a binary string. */
export function refreshTokenKey(digest: string): Key<RefreshToken> {
  return createKey(0, codes.refreshToken, digest);
}

export function refreshFamilyKey(family: Id): Key<RefreshFamily> {
  return createKey(0, codes.refreshFamily, idBytes(family));
}
