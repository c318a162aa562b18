/**
 * From a bearer token to the user behind it and the context in which it acts, by the directory's
 * rows. Tokens are looked up by their SHA-256 and never stored. Principals are cached until a row
 * of the directory changes that affects permissions.
 */

import { createHash } from "node:crypto";
import { type Credential, credentialKey, userKey } from "../../actors/directory/directory.ts";
import { directoryKey } from "../../actors/directory/directory-messages.ts";
import { oauthClientKey, refreshFamilyKey } from "../../actors/directory/oauth.ts";
import type { TokenUsed } from "../../actors/directory/tokens.ts";
import { codes } from "../../actors/table-codes.ts";
import { limits } from "../../config/limits.ts";
import type { TokenScope } from "../../contract/account.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { directoryCode, getCode, type Key } from "../../engine/key.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { ShardDown } from "../../engine/reading/shard-end.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { turnPrefix, turnPrincipal } from "./agent-turn-principal.ts";
import { findPlace, nameCounter } from "./contexts.ts";
import type { Principal } from "./principal.ts";

interface Known {
  readonly principal: Principal;
  readonly digest: string;
  /** Version of the directory when the entry was read. */
  readonly version: number;
  usedMinute: number;
}

const bearer = /^bearer +([\x21-\x7e]+) *$/i;
const minuteMs = 60_000;

/** Tables whose changes do not affect permissions. */
const indifferent: ReadonlySet<number> = new Set([
  codes.directory,
  codes.tokensOfUser,
  codes.tokenUse,
  codes.members,
  codes.clientsOfScope,
  codes.refreshToken,
  codes.device,
  codes.deviceByUserCode,
  codes.devicesOfClient,
  codes.audit,
  codes.expiry,
]);

export class Principals {
  private readonly gateway: Gateway;
  private readonly clock: Clock;
  private readonly byHeader = new Map<string, Known>();
  private version = 0;

  constructor(gateway: Gateway, clock: Clock) {
    this.gateway = gateway;
    this.clock = clock;
  }

  /**
   * Throws `RefusalError`: 401 for a missing or invalid credential, 403 for a suspended account;
   * and `ShardDown` where another node may know the credential.
   */
  of(authorization: string | undefined): Principal {
    const remembered = this.byHeader.get(authorization ?? "");
    const isCurrent = remembered?.version === this.version;
    const known = isCurrent ? remembered : this.find(authorization, remembered);
    const { principal } = known;
    const nowMs = this.clock.nowMs();
    const { expiresAtMs } = principal.credential;
    if (expiresAtMs !== null && expiresAtMs <= nowMs) throw createUnauthorized(true);
    if (principal.user.status === "suspended")
      throw new RefusalError({ code: "forbidden", detail: "This account is suspended." });
    const minute = Math.floor(nowMs / minuteMs);
    if (known.usedMinute !== minute) this.noteUse(known, minute);
    return principal;
  }

  /** Called for every row that changes. */
  onWrite(key: Key): void {
    const code = getCode(key);
    if (code >= directoryCode && !indifferent.has(code)) this.version++;
  }

  /** Drops cached principals when anything in the directory may have changed. */
  forget(): void {
    this.version++;
  }

  private find(authorization: string | undefined, before: Known | undefined): Known {
    const token = bearer.exec(authorization ?? "")?.[1];
    if (authorization === undefined || token === undefined)
      throw createUnauthorized(authorization !== undefined);
    const digest = before?.digest ?? computeDigest(token);
    if (token.startsWith(turnPrefix)) return this.turn(token, digest);
    this.byHeader.delete(authorization);
    const principal = this.findPrincipal(digest);
    if (this.byHeader.size >= limits.http.principalsMax) this.byHeader.clear();
    const usedMinute = before?.usedMinute ?? 0;
    const known: Known = { principal, digest, version: this.version, usedMinute };
    this.byHeader.set(authorization, known);
    return known;
  }

  /** Not cached, because the token expires with its turn, which is not in the directory. */
  private turn(token: string, digest: string): Known {
    const nowMs = this.clock.nowMs();
    const principal = turnPrincipal(this.gateway, token, digest, nowMs);
    return { principal, digest, version: this.version, usedMinute: Math.floor(nowMs / minuteMs) };
  }

  private findPrincipal(digest: string): Principal {
    const { gateway } = this;
    const credential = gateway.read(credentialKey(digest));
    const user = credential === undefined ? undefined : gateway.read(userKey(credential.user));
    if (credential === undefined || user === undefined || this.isWithdrawn(credential)) {
      // A node that begins or stops to follow the directory lacks the newest credentials.
      if (!gateway.isDirectoryWhole) throw new ShardDown();
      throw createUnauthorized(true);
    }
    const place = findPlace(gateway, user, credential);
    if (place === "lost") throw createUnauthorized(true);
    const [organization, role] =
      place === "personal" ? [undefined, undefined] : [place.organization, place.role];
    const owner = organization ?? user;
    return {
      user,
      credential,
      scope: owner.id,
      counter: nameCounter(user, organization),
      plan: owner.plan,
      overrides: owner.overrides,
      organization,
      role,
    };
  }

  /** OAuth access tokens end with the grant or the client that they came from. */
  private isWithdrawn({ family, client }: Credential): boolean {
    const { gateway } = this;
    if (family !== undefined && gateway.read(refreshFamilyKey(family)) === undefined) return true;
    return client !== undefined && gateway.read(oauthClientKey(client)) === undefined;
  }

  /** Not awaited: a note that is lost is made again within the minute after. */
  private noteUse(known: Known, minute: number): void {
    known.usedMinute = minute;
    const message: TokenUsed = {
      kind: "token_used",
      digest: known.digest,
      atMs: minute * minuteMs,
    };
    void this.gateway.ask(directoryKey, message, "work");
  }
}

/** Throws `RefusalError` with 403 unless the credential has the scope. */
export function requireScope({ credential }: Principal, scope: TokenScope): void {
  if (!credential.scopes.includes(scope))
    throw new RefusalError({ code: "forbidden", requiredScope: scope });
}

/** Returns the SHA-256 of a text as a binary string. */
export function computeDigest(text: string): string {
  return createHash("sha256").update(text).digest("binary");
}

function createUnauthorized(presented: boolean): RefusalError {
  return new RefusalError({ code: "unauthorized", presented });
}
