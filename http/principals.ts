/**
 * Who asks: from a bearer token to the user behind it, by the directory's rows. Tokens are looked
 * up by their SHA-256 and never stored. Found principals are remembered until anything in the
 * directory changes.
 */
import { createHash } from "node:crypto";
import type { TokenScope } from "../actors/contract/account.ts";
import type { Credential, User } from "../actors/directory/directory.ts";
import type { TurnOfJob } from "../actors/job/job.ts";
import { credentialKey, userKey } from "../actors/tables.ts";
import { limits } from "../config/limits.ts";
import type { PlanName } from "../config/plans.ts";
import type { Gateway } from "../engine/gateway.ts";
import type { Id } from "../engine/id.ts";
import { codeOf, directoryCode, type Key } from "../engine/key.ts";
import type { Clock } from "../engine/ports/clock.ts";
import { RefusalError } from "./refusal-error.ts";

export interface Principal {
  readonly user: User;
  readonly credential: Credential;
  /** Who owns and pays for what this credential does. */
  readonly scope: Id;
  readonly plan: PlanName;
  /** The agent's turn that the credential was made for. */
  readonly run?: TurnOfJob;
}

const bearer = /^bearer +([\x21-\x7e]+) *$/i;

export class Principals {
  private readonly gateway: Gateway;
  private readonly clock: Clock;
  private readonly byHeader = new Map<string, Principal>();

  constructor(gateway: Gateway, clock: Clock) {
    this.gateway = gateway;
    this.clock = clock;
  }

  /** Throws `RefusalError`: 401 for all that is missing or wrong, 403 for a suspended account. */
  of(authorization: string | undefined): Principal {
    const known = this.byHeader.get(authorization ?? "") ?? this.find(authorization);
    const { expiresAtMs } = known.credential;
    if (expiresAtMs !== null && expiresAtMs <= this.clock.nowMs()) throw unauthorized(true);
    if (known.user.status === "suspended")
      throw new RefusalError({ code: "forbidden", detail: "This account is suspended." });
    return known;
  }

  /** Hears of every row that changes. */
  onWrite(key: Key): void {
    if (codeOf(key) >= directoryCode) this.byHeader.clear();
  }

  private find(authorization: string | undefined): Principal {
    const token = bearer.exec(authorization ?? "")?.[1];
    if (authorization === undefined || token === undefined)
      throw unauthorized(authorization !== undefined);
    const credential = this.gateway.read(credentialKey(digestOf(token)));
    const user = credential === undefined ? undefined : this.gateway.read(userKey(credential.user));
    if (credential === undefined || user === undefined) throw unauthorized(true);
    const principal = { user, credential, scope: user.id, plan: user.plan };
    if (this.byHeader.size >= limits.http.principalsMax) this.byHeader.clear();
    this.byHeader.set(authorization, principal);
    return principal;
  }
}

/** Throws `RefusalError` with 403 unless the credential has the scope. */
export function requireScope({ credential }: Principal, scope: TokenScope): void {
  if (!credential.scopes.includes(scope))
    throw new RefusalError({ code: "forbidden", requiredScope: scope });
}

/** SHA-256 as a binary string. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("binary");
}

function unauthorized(presented: boolean): RefusalError {
  return new RefusalError({ code: "unauthorized", presented });
}
