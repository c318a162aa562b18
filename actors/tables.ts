/**
 * Every table of the domain: its code, its key and the type of its rows. One place, so that no two
 * collide.
 */
import { type Address, addressOf } from "../engine/address.ts";
import { type Id, idBytes, idOfBytes, keyOfId, vpartOfId } from "../engine/id.ts";
import { type Key, keyOf, orderedNumber, vpartOf } from "../engine/key.ts";
import type { Account, AccountMessage, LedgerRow } from "./account/account.ts";
import type { MemberSpending } from "./account/budget.ts";
import type { Run } from "./account/run.ts";
import type {
  AgentTurn,
  Session,
  SessionMessage,
  SessionTerms,
  TurnCredential,
} from "./agent/session.ts";
import type { Asset, AssetMessage, UploadPart } from "./asset/asset.ts";
import type { Removal, RemovalMessage } from "./asset/removal.ts";
import type { BundleFile } from "./composition/bundle-file.ts";
import type {
  Composition,
  CompositionDetails,
  CompositionMessage,
} from "./composition/composition.ts";
import type { AuditRow } from "./directory/audit.ts";
import type { Device } from "./directory/devices.ts";
import type { Credential, Directory, SigningKey, User } from "./directory/directory.ts";
import type { DirectoryMessage } from "./directory/directory-actor.ts";
import type { Expiry, ExpiryMessage } from "./directory/expiry.ts";
import type { OAuthClient, RefreshFamily, RefreshToken } from "./directory/oauth.ts";
import type { Member, Membership, Organization } from "./directory/organizations.ts";
import type { TokenRef } from "./directory/tokens.ts";
import type { Asked, Job, JobEvent, JobMessage } from "./job/job.ts";
import type { Mark, MarkMessage } from "./mark/mark.ts";
import type { Render, RenderMessage, RenderNotes, RenderOrder } from "./render/render.ts";
import type { OutputSet } from "./set/set.ts";
import type { Studio, StudioMessage } from "./studio/studio.ts";
import { codes } from "./table-codes.ts";
import type { Ticket, TicketMessage } from "./ticket/ticket.ts";

export function accountKey(scope: Id): Address<AccountMessage, Account> {
  return addressOf(keyOfId(codes.account, scope));
}

export function jobKey(job: Id): Address<JobMessage, Job> {
  return addressOf(keyOfId(codes.job, job));
}

export function askedKey(job: Id): Key<Asked> {
  return keyOfId(codes.asked, job);
}

/** A line of a job's history, by its place there. */
export function jobEventKey(job: Id, event: number): Key<JobEvent> {
  return keyOf(vpartOfId(job), codes.jobEvent, idBytes(job) + orderedNumber(event));
}

/** Under its scope, so that the assets of a scope are a range in the order of their ids. */
export function assetKey(scope: Id, asset: Id): Address<AssetMessage, Asset> {
  return addressOf(ofScope(codes.asset, scope, idBytes(asset)));
}

/** What all assets of a scope begin with. */
export function assetsKey(scope: Id): Key<Asset> {
  return ofScope(codes.asset, scope, "");
}

/** What an asset gave up: the parts of its upload, or its media. */
export function removalKey(asset: Key, what: "parts" | "media"): Address<RemovalMessage, Removal> {
  return addressOf(keyOf(vpartOf(asset), codes.removal, asset.slice(2) + what.slice(0, 1)));
}

/** The names in the object store that a removal is about. */
export function removedObjectsKey(removal: Key): Key<readonly string[]> {
  return keyOf(vpartOf(removal), codes.removedObjects, removal.slice(2));
}

/** Under its scope, so that the compositions of a scope are a range in the order of their ids. */
export function compositionKey(
  scope: Id,
  composition: Id,
): Address<CompositionMessage, Composition> {
  return addressOf(ofScope(codes.composition, scope, idBytes(composition)));
}

/** What all compositions of a scope begin with. */
export function compositionsKey(scope: Id): Key<Composition> {
  return ofScope(codes.composition, scope, "");
}

export function compositionDetailsKey(composition: Key): Key<CompositionDetails> {
  return keyOf(vpartOf(composition), codes.compositionDetails, composition.slice(2));
}

/** A file of a composition by the digest of its path, 16 bytes; empty for what all begin with. */
export function bundleFileKey(composition: Key, digest: string): Key<BundleFile> {
  return keyOf(vpartOf(composition), codes.bundleFile, composition.slice(2) + digest);
}

/** Renders of a composition that have not ended. */
export function activeRendersKey(composition: Key): Key<readonly Id[]> {
  return keyOf(vpartOf(composition), codes.activeRenders, composition.slice(2));
}

/** Names of objects that no file of a composition has any more, but a render may. */
export function staleObjectsKey(composition: Key): Key<readonly string[]> {
  return keyOf(vpartOf(composition), codes.staleObjects, composition.slice(2));
}

/** What a composition gave up at one of its versions. */
export function bundleRemovalKey(
  composition: Key,
  version: number,
): Address<RemovalMessage, Removal> {
  const place = composition.slice(2) + orderedNumber(version);
  return addressOf(keyOf(vpartOf(composition), codes.removal, place));
}

/** Files on their way into a composition; 12 random bytes tell them from what it gave up. */
export function incomingKey(composition: Key, nonce: string): Address<RemovalMessage, Removal> {
  return addressOf(keyOf(vpartOf(composition), codes.removal, composition.slice(2) + nonce));
}

export function renderKey(render: Id): Address<RenderMessage, Render> {
  return addressOf(keyOfId(codes.render, render));
}

export function renderOrderKey(render: Id): Key<RenderOrder> {
  return keyOfId(codes.renderOrder, render);
}

export function renderNotesKey(render: Id): Key<RenderNotes> {
  return keyOfId(codes.renderNotes, render);
}

/** A composition's renders in the order of their ids; `render` its bytes, or empty for all. */
export function renderOfCompositionKey(composition: Id, render: string): Key<string> {
  return keyOf(vpartOfId(composition), codes.renderOfComposition, idBytes(composition) + render);
}

/** What counts a scope's compositions and renders. */
export function studioKey(scope: Id): Address<StudioMessage, Studio> {
  return addressOf(keyOfId(codes.studio, scope));
}

/** Renders that wait for others of their scope to end, in order. */
export function waitingRendersKey(studio: Key): Key<readonly Id[]> {
  return keyOf(vpartOf(studio), codes.waitingRenders, studio.slice(2));
}

/** `kind` is one character, `digest` 16 bytes as a binary string. */
export function markKey(
  vpart: number,
  kind: Mark["kind"],
  digest: string,
): Address<MarkMessage, Mark> {
  return addressOf(keyOf(vpart, codes.mark, kind.slice(0, 1) + digest));
}

/**
 * The jobs of an owner (a scope, or one member of an organization, or those of either with a tag or
 * a session) by class, model and then in the order of their ids. `owner` is 16 bytes; see
 * `job/job-index.ts`.
 */
export function jobsOfOwnerKey(vpart: number, owner: string, place: string): Key<string> {
  return keyOf(vpart, codes.jobOfOwner, owner + place);
}

/** What the last 16 bytes of a key name. */
export function idAtEnd(key: Key): Id {
  return idOfBytes(key, key.length - 16);
}

export function sessionKey(session: Id): Address<SessionMessage, Session> {
  return addressOf(keyOfId(codes.session, session));
}

export function sessionTermsKey(session: Id): Key<SessionTerms> {
  return keyOfId(codes.sessionTerms, session);
}

/** A user's sessions in one context; `owner` as for jobs, `session` its bytes or empty for all. */
export function sessionOfOwnerKey(scope: Id, owner: string, session: string): Key<string> {
  return keyOf(vpartOfId(scope), codes.sessionOfOwner, owner + session);
}

/** Under its session, in the order of the ids. */
export function turnKey(session: Id, turn: Id): Key<AgentTurn> {
  return turnsKey(session) + idBytes(turn);
}

export function turnsKey(session: Id): Key<AgentTurn> {
  return keyOfId(codes.agentTurn, session);
}

export function briefKey(turn: Id): Key<string> {
  return keyOfId(codes.brief, turn);
}

/** `digest` is the SHA-256 of the credential as a binary string. */
export function turnCredentialKey(vpart: number, digest: string): Key<TurnCredential> {
  return keyOf(vpart, codes.turnCredential, digest);
}

export function jobsOfTurnKey(turn: Id, job: string): Key<string> {
  return keyOf(vpartOfId(turn), codes.jobOfTurn, idBytes(turn) + job);
}

/** What the run of an agent's turn has spent. */
export function runKey(turn: Id): Key<Run> {
  return keyOfId(codes.run, turn);
}

/** Jobs of sets that were accepted and wait for a slot, in order. */
export function waitingKey(account: Key): Key<readonly Id[]> {
  return keyOf(vpartOf(account), codes.waiting, account.slice(2));
}

/** How many files of its compositions have these bytes; `sha256` in base64url. */
export function fileUsesKey(account: Key, sha256: string): Key<number> {
  const digest = Buffer.from(sha256, "base64url").toString("latin1");
  return keyOf(vpartOf(account), codes.fileUses, account.slice(2) + digest);
}

export function setKey(scope: Id, set: Id): Key<OutputSet> {
  return ofScope(codes.set, scope, idBytes(set));
}

export function setsKey(scope: Id): Key<OutputSet> {
  return ofScope(codes.set, scope, "");
}

/** A stored part of an upload, by its number. */
export function uploadPartKey(asset: Key, number: number): Key<UploadPart> {
  const place = String.fromCharCode(number >> 8, number & 255);
  return keyOf(vpartOf(asset), codes.uploadPart, asset.slice(2) + place);
}

/** The ledger of the account at an address. */
export function ledgerKey(account: Key, entry: number): Key<LedgerRow> {
  return keyOf(vpartOf(account), codes.ledger, account.slice(2) + orderedNumber(entry));
}

/** What all rows of that ledger begin with. */
export function ledgerRowsKey(account: Key): Key<LedgerRow> {
  return keyOf(vpartOf(account), codes.ledger, account.slice(2));
}

/** A member's own jobs in the organization at an address, by `countIndex`. */
export function memberCountsKey(account: Key, user: Id): Key<readonly number[]> {
  return keyOf(vpartOf(account), codes.memberCounts, account.slice(2) + idBytes(user));
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
export function ticketKey(vpart: number, digest: string): Address<TicketMessage, Ticket> {
  return addressOf(keyOf(vpart, codes.ticket, digest));
}

export const directoryKey: Address<DirectoryMessage, Directory> = addressOf(
  keyOf(0, codes.directory, ""),
);

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

/** All organizations, by their ids. */
export const organizationsKey: Key<Organization> = keyOf(0, codes.organization, "");

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
export function expiryKey(first: Key): Address<ExpiryMessage, Expiry> {
  return addressOf(keyOf(0, codes.expiry, first.slice(1)));
}

function ofScope<Row>(code: number, scope: Id, rest: string): Key<Row> {
  return keyOf(vpartOfId(scope), code, idBytes(scope) + rest);
}
