/** Personal access tokens: issues and revokes them, and records when they were last used. */

import { limits } from "../../config/limits.ts";
import { type Context, decision, put, type RowWrite, type Tell } from "../../engine/actor.ts";
import type { Question, ReplyTo } from "../../engine/address.ts";
import { type Id, idBytes } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import type { Refused } from "../refusal.ts";
import { codes } from "../table-codes.ts";
import type { AuditNote } from "./audit.ts";
import { digestOfHex, encodeHex } from "./digest.ts";
import { credentialKey, type Directory, type NewCredential, userKey } from "./directory.ts";
import {
  answerWith,
  changeDirectory,
  conflict,
  type DirectoryDecision,
  refuse,
} from "./directory-decision.ts";
import { deleteRows, expire } from "./expiry.ts";

/** An entry in the list of a user's tokens, with the digest under which the token is stored. */
export interface TokenRef {
  readonly id: string;
  /** Digest of the token, in hex. */
  readonly digest: string;
  readonly expiresAtMs: number | null;
}

/** Name of the credential that an account is created with. */
export const firstCredentialName = "First credential";

export interface IssueToken extends Question<{ readonly kind: "issued" } | Refused> {
  readonly kind: "issue_token";
  readonly token: NewCredential;
  readonly audit?: AuditNote;
}

export interface RevokeToken extends Question<{ readonly kind: "revoked" } | Refused> {
  readonly kind: "revoke_token";
  readonly user: Id;
  readonly id: string;
}

export interface TokenUsed {
  readonly kind: "token_used";
  readonly digest: string;
  readonly atMs: number;
}

/** Replaces the first credential, so that an operator who lost it can get in again. */
export interface ResetFirstToken extends Question<{ readonly kind: "reset" }> {
  readonly kind: "reset_first_token";
  readonly token: NewCredential;
  readonly audit: AuditNote;
}

export function issueToken(
  head: Directory,
  message: IssueToken,
  ctx: Context<ReplyTo<IssueToken>>,
): DirectoryDecision {
  const { token, audit } = message;
  const { user } = token.credential;
  if (ctx.get(userKey(user)) === undefined) return refuse(head, ctx, { code: "not_found" });
  const live = liveTokens(user, ctx);
  if (live.length >= limits.tokens.perAccountMax)
    return conflict(
      head,
      ctx,
      `An account can have at most ${limits.tokens.perAccountMax} active tokens; revoke one first.`,
    );
  if (live.some(({ id }) => id === token.credential.id))
    return conflict(head, ctx, "The token could not be created; try again.");
  const { rows, tells } = issueRows(token, live, ctx);
  return changeDirectory(head, ctx, { rows, tells, reply: { kind: "issued" }, audit });
}

function issueRows(
  { digest, credential: asked }: NewCredential,
  live: readonly TokenRef[],
  { atMs }: Context,
): { readonly rows: readonly RowWrite[]; readonly tells: readonly Tell[] } {
  const credential = { ...asked, createdAtMs: atMs };
  const { user, expiresAtMs } = credential;
  const key = credentialKey(digest);
  return {
    rows: [
      put(key, credential),
      put(tokensOfUserKey(user), [...live, getRef({ digest, credential })]),
    ],
    tells: expiresAtMs === null ? [] : [expire(expiresAtMs, key, tokenUseKey(digest))],
  };
}

/** Returns the rows of an account's first token, for an account that is being created. */
export function firstTokenRows({ digest, credential }: NewCredential): RowWrite[] {
  return [
    put(credentialKey(digest), credential),
    put(tokensOfUserKey(credential.user), [getRef({ digest, credential })]),
  ];
}

function getRef({ digest, credential: { id, expiresAtMs } }: NewCredential): TokenRef {
  return { id, digest: encodeHex(digest), expiresAtMs };
}

export function revokeToken(
  head: Directory,
  message: RevokeToken,
  ctx: Context<ReplyTo<RevokeToken>>,
): DirectoryDecision {
  const ref = liveTokens(message.user, ctx).find(({ id }) => id === message.id);
  if (ref === undefined) return refuse(head, ctx, { code: "not_found" });
  const rows = withdrawTokens(message.user, [ref], ctx);
  return changeDirectory(head, ctx, { rows, reply: { kind: "revoked" } });
}

/** Returns the rows that revoke these tokens of a user. */
export function withdrawTokens(user: Id, refs: readonly TokenRef[], ctx: Context): RowWrite[] {
  const left = liveTokens(user, ctx).filter(({ id }) => !refs.some((ref) => ref.id === id));
  const keys = refs.flatMap((ref) => {
    const digest = digestOfHex(ref.digest);
    return [credentialKey(digest), tokenUseKey(digest)];
  });
  return [...deleteRows(keys), put(tokensOfUserKey(user), left)];
}

export function noteUse(head: Directory, message: TokenUsed, ctx: Context): DirectoryDecision {
  const { digest, atMs } = message;
  const isNew =
    ctx.get(credentialKey(digest)) !== undefined && (ctx.get(tokenUseKey(digest)) ?? 0) < atMs;
  const rows = isNew ? [put(tokenUseKey(digest), atMs)] : [];
  return decision(head, { rows });
}

export function resetFirstToken(
  head: Directory,
  message: ResetFirstToken,
  ctx: Context<ReplyTo<ResetFirstToken>>,
): DirectoryDecision {
  const { token, audit } = message;
  const { user } = token.credential;
  const live = liveTokens(user, ctx);
  if (live.some(({ digest }) => digest === encodeHex(token.digest)))
    return answerWith(head, ctx, { kind: "reset" });
  const isFirst = ({ digest }: TokenRef) =>
    ctx.get(credentialKey(digestOfHex(digest)))?.name === firstCredentialName;
  const old = live.filter(isFirst);
  const left = live.filter((ref) => !isFirst(ref));
  const keys = old.map(({ digest }) => credentialKey(digestOfHex(digest)));
  const { rows } = issueRows(token, left, ctx);
  return changeDirectory(head, ctx, {
    rows: [...deleteRows(keys), ...rows],
    reply: { kind: "reset" },
    audit,
  });
}

export function liveTokens(user: Id, ctx: Pick<Context, "get" | "atMs">): readonly TokenRef[] {
  const all = ctx.get(tokensOfUserKey(user)) ?? [];
  return all.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > ctx.atMs);
}

/** Key of a user's personal access tokens, oldest first; their number is bounded. */
export function tokensOfUserKey(user: Id): Key<readonly TokenRef[]> {
  return createKey(0, codes.tokensOfUser, idBytes(user));
}

/** Key of the time at which a credential was last used: in milliseconds, to the minute. */
export function tokenUseKey(digest: string): Key<number> {
  return createKey(0, codes.tokenUse, digest);
}
