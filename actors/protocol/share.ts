/**
 * A share link opens one asset, or what a render made, to those who have its token. Of the token
 * only the SHA-256 is stored, of a password only a scrypt hash. One actor has all links of a
 * target; rows of its own are each link and, by the token's digest, which link it is. How they
 * move: `share-actor.ts`.
 */

import type { ShareLinkKind } from "../../contract/share.ts";
import { type Address, createAddress, type Question } from "../../engine/address.ts";
import { type Id, keyOfId } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import type { Refused } from "../refusal.ts";
import type { Done } from "../reply.ts";
import { codes } from "../table-codes.ts";

/** Salt and hash of a password in base64url; `cost` is scrypt's N, stored so that it can rise. */
export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
  readonly cost: number;
}

export interface ShareLink {
  readonly id: Id;
  readonly kind: ShareLinkKind;
  /** The render or asset that was shared. */
  readonly target: Id;
  /** The asset that is shown: the render's asset, or the target itself. */
  readonly asset: Id;
  readonly scope: Id;
  /** The user who made the link. */
  readonly user: Id;
  readonly tokenPrefix: string;
  readonly createdAtMs: number;
  readonly name?: string;
  readonly password?: PasswordHash;
  readonly viewOnly?: true;
  readonly expiresAtMs?: number;
  readonly accessCount: number;
  readonly lastAccessedAtMs?: number;
  readonly revokedAtMs?: number;
}

/** Links of one target that are not revoked, oldest first. */
export interface Shares {
  readonly links: readonly Id[];
}

/** `digest` is the SHA-256 of the token as a binary string. */
export interface CreateShare extends Question<Done | Refused> {
  readonly kind: "create";
  readonly link: ShareLink;
  readonly digest: string;
}

/** Revokes a link. Revoking a revoked link changes nothing. */
export interface RevokeShare extends Question<Done | Refused> {
  readonly kind: "revoke";
  readonly link: Id;
}

/** Notes that a visitor was shown what the link leads to. */
export interface NoteVisit extends Question<Done> {
  readonly kind: "note_visit";
  readonly link: Id;
}

export type ShareMessage = CreateShare | RevokeShare | NoteVisit;

export function sharesKey(target: Id): Address<ShareMessage, Shares> {
  return createAddress(keyOfId(codes.shares, target));
}

export function shareLinkKey(link: Id): Key<ShareLink> {
  return keyOfId(codes.shareLink, link);
}

/** Key of the link whose token has that digest. The token itself names its partition. */
export function shareOfTokenKey(partition: number, digest: string): Key<Id> {
  return createKey(partition, codes.shareOfToken, digest);
}

export function isExpired({ expiresAtMs }: ShareLink, atMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= atMs;
}
