/** Messages to the directory. Each type is declared next to the rows that it changes. */

import { type Address, createAddress, type Question } from "../../engine/address.ts";
import { createKey } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";
import type { AuditNote } from "./audit.ts";
import type { DecideDevice, OpenDevice, RedeemDevice } from "./devices.ts";
import type { Directory, SigningPurpose } from "./directory.ts";
import type { DeleteClient, IssueAccess, MakeClient, Refresh, Revoke } from "./oauth.ts";
import type {
  AddMember,
  ChangeMember,
  CreateOrganization,
  DeleteOrganization,
  PatchOrganization,
} from "./organizations.ts";
import type { PauseProvider } from "./paused-providers.ts";
import type { IssueToken, ResetFirstToken, RevokeToken, TokenUsed } from "./tokens.ts";
import type { AccountCreated, Activate, CreateUser, GiveCredits, PatchUser } from "./users.ts";

/** Creates the first user and the signing keys in an empty store. */
export interface Bootstrap extends Question<AccountCreated> {
  readonly kind: "bootstrap";
  readonly first: CreateUser;
  readonly signingKeys: Readonly<Record<SigningPurpose, string>>;
}

export interface NoteAudit extends Question<{ readonly kind: "noted" }> {
  readonly kind: "note";
  readonly audit: AuditNote;
}

export type DirectoryMessage =
  | Bootstrap
  | CreateUser
  /** A change that is made elsewhere. */
  | NoteAudit
  | PatchUser
  | GiveCredits
  | Activate
  | IssueToken
  | RevokeToken
  | TokenUsed
  | ResetFirstToken
  | CreateOrganization
  | PatchOrganization
  | DeleteOrganization
  | AddMember
  | ChangeMember
  | MakeClient
  | DeleteClient
  | IssueAccess
  | Refresh
  | Revoke
  | OpenDevice
  | DecideDevice
  | RedeemDevice
  | PauseProvider;

export const directoryKey: Address<DirectoryMessage, Directory> = createAddress(
  createKey(0, codes.directory, ""),
);
