/**
 * What the directory is: who may come in. Users, credentials as SHA-256 of their tokens,
 * organizations, OAuth clients, the audit and signing keys, in a small shard of its own that every
 * HTTP thread reads. What it does: `directory-actor.ts`.
 */

import type { PlanName, PlanOverrides } from "../../config/plans.ts";
import type { TokenScope } from "../../contract/account.ts";
import { type Id, idBytes } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";

export interface Directory {
  readonly version: number;
  readonly users: number;
  /** Range of the audit log's rows: those from `first` on are kept, `next` is the next number. */
  readonly audit?: { readonly first: number; readonly next: number };
  /** Number of device codes given out in the current time window. */
  readonly devices?: { readonly window: number; readonly count: number };
}

export type AccountStatus = "active" | "suspended";

export interface User {
  readonly id: Id;
  readonly email: string;
  readonly displayName: string;
  readonly plan: PlanName;
  readonly status: AccountStatus;
  readonly createdAtMs: number;
  readonly overrides?: PlanOverrides;
  /** The organization that the user's credentials act in unless they are pinned to one. */
  readonly activeOrganization?: Id;
}

export interface Credential {
  /** Eight characters that identify the credential in listings; they are no secret. */
  readonly id: string;
  readonly name: string;
  readonly user: Id;
  readonly scopes: readonly TokenScope[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** The only context in which the credential acts, or null to follow its user. */
  readonly organization: Id | null;
  /** Family of refresh tokens with which an OAuth access token ends; absent for all others. */
  readonly family?: Id;
  /** OAuth client with which an access token ends; absent for other credentials. */
  readonly client?: Id;
}

/** Both are base64url of 32 random bytes; signatures by the previous key still verify. */
export interface SigningKey {
  readonly current: string;
  readonly previous: string | null;
}

export const signingPurposes = ["urls", "cursors", "quotes", "callbacks"] as const;
export type SigningPurpose = (typeof signingPurposes)[number];

/** A new credential and its digest, which is its key. */
export interface NewCredential {
  readonly digest: string;
  readonly credential: Credential;
}

/** Key prefix of all users. They are sorted by id, which is the order of their creation. */
export const usersKey: Key<User> = createKey(0, codes.user, "");

export function userKey(user: Id): Key<User> {
  return createKey(0, codes.user, idBytes(user));
}

/** `digest` is the SHA-256 of the lower-case address as a binary string. */
export function userByEmailKey(digest: string): Key<Id> {
  return createKey(0, codes.userByEmail, digest);
}

/** `digest` is the SHA-256 of the token as a binary string. */
export function credentialKey(digest: string): Key<Credential> {
  return createKey(0, codes.credential, digest);
}

export function signingKeyKey(purpose: string): Key<SigningKey> {
  return createKey(0, codes.signingKey, purpose);
}
