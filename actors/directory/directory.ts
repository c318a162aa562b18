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
  /** Audit rows are numbered; those from `first` on are kept. */
  readonly audit?: { readonly first: number; readonly next: number };
  /** Device codes given out in one window of time. */
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
  /** Where credentials act that are not pinned to an organization. */
  readonly activeOrganization?: Id;
}

export interface Credential {
  /** Eight characters, as shown in listings; no secret. */
  readonly id: string;
  readonly name: string;
  readonly user: Id;
  readonly scopes: readonly TokenScope[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** The only context in which it acts, or null to follow its user. */
  readonly organization: Id | null;
  /** Of an OAuth access token: ends with this family of refresh tokens. */
  readonly family?: Id;
  /** Of an OAuth access token: ends with this client. */
  readonly client?: Id;
}

/** Base64url of 32 random bytes each; the previous one still verifies. */
export interface SigningKey {
  readonly current: string;
  readonly previous: string | null;
}

export const signingPurposes = ["urls", "cursors", "quotes", "callbacks"] as const;
export type SigningPurpose = (typeof signingPurposes)[number];

/** A credential and the digest that is its key. */
export interface NewCredential {
  readonly digest: string;
  readonly credential: Credential;
}

/** All users; by their ids, so in the order in which they came. */
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
