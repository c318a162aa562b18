/**
 * Every table of the domain: its code, its key and the type of its rows. One place, so that no two
 * collide.
 */
import { type Id, idBytes, idOfBytes, vpartOfId } from "../engine/id.ts";
import { directoryCode, type Key, keyOf, orderedNumber, vpartOf } from "../engine/key.ts";
import type { Account, LedgerRow } from "./account/account.ts";
import type { Asset } from "./asset/asset.ts";
import type { Credential, Directory, SigningKey, User } from "./directory/directory.ts";
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
  fingerprint: 48,
  directory: directoryCode,
  user: directoryCode + 1,
  userByEmail: directoryCode + 2,
  credential: directoryCode + 3,
  signingKey: directoryCode + 4,
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

/** `digest` is 16 bytes as a binary string; the entry is the job's id in bytes. */
export function fingerprintKey(vpart: number, digest: string): Key<string> {
  return keyOf(vpart, codes.fingerprint, digest);
}

/** `digest` is the SHA-256 of the ticket as a binary string. */
export function ticketKey(vpart: number, digest: string): Key<Ticket> {
  return keyOf(vpart, codes.ticket, digest);
}

export const directoryKey: Key<Directory> = keyOf(0, codes.directory, "");

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

function ofId<Row>(code: number, id: Id): Key<Row> {
  return keyOf(vpartOfId(id), code, idBytes(id));
}
