/**
 * Every table of the domain: its code, its key and the type of its rows. One place, so that no two
 * collide.
 */
import { type Id, idBytes, idOfBytes, vpartOfId } from "../engine/id.ts";
import { directoryCode, type Key, keyOf, orderedNumber, vpartOf } from "../engine/key.ts";
import type { Account, LedgerRow } from "./account/account.ts";
import type { MemberSpending } from "./account/budget.ts";
import type { Asset } from "./asset/asset.ts";
import type { AuditRow } from "./directory/audit.ts";
import type { Device } from "./directory/devices.ts";
import type { Credential, Directory, SigningKey, User } from "./directory/directory.ts";
import type { Expiry } from "./directory/expiry.ts";
import type { OAuthClient, RefreshFamily, RefreshToken } from "./directory/oauth.ts";
import type { Member, Membership, Organization } from "./directory/organizations.ts";
import type { TokenRef } from "./directory/tokens.ts";
import type { Asked, Job } from "./job/job.ts";
import type { Ticket } from "./ticket/ticket.ts";

export const codes = {
  account: 16,
  job: 17,
  ticket: 18,
  asset: 19,
  asked: 32,
  jobOfScope: 33,
  ledger: 35,
  memberSpending: 44,
  fingerprint: 48,
  directory: directoryCode,
  user: directoryCode + 1,
  userByEmail: directoryCode + 2,
  credential: directoryCode + 3,
  signingKey: directoryCode + 4,
  tokensOfUser: directoryCode + 5,
  tokenUse: directoryCode + 6,
  organization: directoryCode + 7,
  organizationBySlug: directoryCode + 8,
  members: directoryCode + 9,
  memberships: directoryCode + 10,
  oauthClient: directoryCode + 11,
  clientsOfScope: directoryCode + 12,
  refreshToken: directoryCode + 13,
  refreshFamily: directoryCode + 14,
  device: directoryCode + 15,
  deviceByUserCode: directoryCode + 16,
  audit: directoryCode + 17,
  expiry: directoryCode + 18,
} as const;

export function accountKey(scope: Id): Key<Account> {
  return ofId(codes.account, scope);
}

export function jobKey(job: Id): Key<Job> {
  return ofId(codes.job, job);
}

export function askedKey(job: Id): Key<Asked> {
  return ofId(codes.asked, job);
}

export function assetKey(asset: Id): Key<Asset> {
  return ofId(codes.asset, asset);
}

/** The jobs of a scope in the order of their ids; the row says `modality status`. */
export function jobOfScopeKey(scope: Id, job: Id): Key<string> {
  return keyOf(vpartOfId(scope), codes.jobOfScope, idBytes(scope) + idBytes(job));
}

export function jobsOfScopeKey(scope: Id): Key<string> {
  return keyOf(vpartOfId(scope), codes.jobOfScope, idBytes(scope));
}

/** The job that a key of the listing names. */
export function jobOfListing(key: Key): Id {
  return idOfBytes(key, 18);
}

/** The ledger of the account at an address. */
export function ledgerKey(account: Key, entry: number): Key<LedgerRow> {
  return keyOf(vpartOf(account), codes.ledger, account.slice(2) + orderedNumber(entry));
}

/** What a member of the organization at an address has committed. */
export function memberSpendingKey(account: Key, user: Id): Key<MemberSpending> {
  return keyOf(vpartOf(account), codes.memberSpending, account.slice(2) + idBytes(user));
}

/** `digest` is 16 bytes as a binary string; the entry is the job's id in bytes. */
export function fingerprintKey(vpart: number, digest: string): Key<string> {
  return keyOf(vpart, codes.fingerprint, digest);
}

/** `digest` is the SHA-256 of the ticket as a binary string. */
export function ticketKey(vpart: number, digest: string): Key<Ticket> {
  return keyOf(vpart, codes.ticket, digest);
}

export const directoryKey: Key<Directory> = keyOf(0, codes.directory, "");

/** All users; by their ids, so in the order in which they came. */
export const usersKey: Key<User> = keyOf(0, codes.user, "");

export function userKey(user: Id): Key<User> {
  return keyOf(0, codes.user, idBytes(user));
}

/** `digest` is the SHA-256 of the lower-case address as a binary string. */
export function userByEmailKey(digest: string): Key<Id> {
  return keyOf(0, codes.userByEmail, digest);
}

/** `digest` is the SHA-256 of the token as a binary string. */
export function credentialKey(digest: string): Key<Credential> {
  return keyOf(0, codes.credential, digest);
}

export function signingKeyKey(purpose: string): Key<SigningKey> {
  return keyOf(0, codes.signingKey, purpose);
}

/** A user's personal access tokens, oldest first; bounded. */
export function tokensOfUserKey(user: Id): Key<readonly TokenRef[]> {
  return keyOf(0, codes.tokensOfUser, idBytes(user));
}

/** When the credential of that digest was last used, in milliseconds, to the minute. */
export function tokenUseKey(digest: string): Key<number> {
  return keyOf(0, codes.tokenUse, digest);
}

export function organizationKey(organization: Id): Key<Organization> {
  return keyOf(0, codes.organization, idBytes(organization));
}

export function organizationBySlugKey(slug: string): Key<Id> {
  return keyOf(0, codes.organizationBySlug, slug);
}

/** The members of an organization, oldest first; bounded. */
export function membersKey(organization: Id): Key<readonly Member[]> {
  return keyOf(0, codes.members, idBytes(organization));
}

/** The organizations of a user; bounded. Those that were deleted have no row of their own. */
export function membershipsKey(user: Id): Key<readonly Membership[]> {
  return keyOf(0, codes.memberships, idBytes(user));
}

export function oauthClientKey(client: Id): Key<OAuthClient> {
  return keyOf(0, codes.oauthClient, idBytes(client));
}

/** The OAuth clients of a user's personal space or of an organization; bounded. */
export function clientsOfScopeKey(scope: Id): Key<readonly Id[]> {
  return keyOf(0, codes.clientsOfScope, idBytes(scope));
}

/** `digest` is the SHA-256 of the refresh token as a binary string. */
export function refreshTokenKey(digest: string): Key<RefreshToken> {
  return keyOf(0, codes.refreshToken, digest);
}

export function refreshFamilyKey(family: Id): Key<RefreshFamily> {
  return keyOf(0, codes.refreshFamily, idBytes(family));
}

/** `digest` is the SHA-256 of the device code as a binary string. */
export function deviceKey(digest: string): Key<Device> {
  return keyOf(0, codes.device, digest);
}

/** The digest of the device code, in hex, by the SHA-256 of the user code. */
export function deviceByUserCodeKey(digest: string): Key<string> {
  return keyOf(0, codes.deviceByUserCode, digest);
}

export function auditKey(entry: number): Key<AuditRow> {
  return keyOf(0, codes.audit, orderedNumber(entry));
}

/** What ends with time: named by the first of the rows that go with it. */
export function expiryKey(first: Key): Key<Expiry> {
  return keyOf(0, codes.expiry, first.slice(1));
}

function ofId<Row>(code: number, id: Id): Key<Row> {
  return keyOf(vpartOfId(id), code, idBytes(id));
}
