/** Creates a personal access token, for a message to the directory. */

import type { Credential, NewCredential } from "../../actors/directory/directory.ts";
import { tokenUseKey } from "../../actors/directory/tokens.ts";
import { limits } from "../../config/limits.ts";
import { type TokenScope, tokenScopes } from "../../contract/account.ts";
import type { CreatedToken, IssueTokenRequest, Token } from "../../contract/token.ts";
import type { Gateway } from "../../engine/gateway.ts";
import type { Id } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { placeIn } from "../auth/contexts.ts";
import type { Principal } from "../auth/principal.ts";
import { computeDigest } from "../auth/principals.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import type { Service } from "../service.ts";
import { mintToken } from "./new-account.ts";

export interface DrawnToken {
  readonly token: string;
  readonly drawn: NewCredential;
}

interface Wish extends Omit<IssueTokenRequest, "name"> {
  readonly name: string;
}

/** Draws a token for `user`, authorized by `giver`. Throws `RefusalError` without that right. */
export function drawToken(
  service: Service,
  giver: Principal,
  user: Id,
  wish: Wish,
  otherwise: readonly TokenScope[],
): DrawnToken {
  const token = mintToken(service.entropy);
  const nowMs = service.clock.nowMs();
  const credential: Credential = {
    id: token.slice(4, 12),
    name: wish.name,
    user,
    scopes: scopesWithin(giver, wish.scopes, otherwise),
    createdAtMs: nowMs,
    expiresAtMs: computeExpiry(wish.expires_in_days, nowMs),
    organization: findOrganization(service.gateway, giver, user, wish.organization_id),
  };
  return { token, drawn: { digest: computeDigest(token), credential } };
}

/** The default scopes: all but `admin` and `tokens`. */
export const usualScopes = tokenScopes.filter((scope) => scope !== "admin" && scope !== "tokens");

/** Limits scopes to those of the creator: 403 for requested ones, default ones are left out. */
export function scopesWithin(
  { credential }: Principal,
  asked: readonly TokenScope[] | undefined,
  otherwise: readonly TokenScope[],
): readonly TokenScope[] {
  if (asked === undefined) return otherwise.filter((scope) => credential.scopes.includes(scope));
  const lacking = asked.find((scope) => !credential.scopes.includes(scope));
  if (lacking === undefined) return asked;
  const detail = "A token cannot grant a scope that it lacks.";
  throw new RefusalError({ code: "forbidden", requiredScope: lacking, detail });
}

function computeExpiry(days: number | null | undefined, nowMs: number): number | null {
  const { expiresInDaysDefault, neverExpires } = limits.tokens;
  if (days !== null) return nowMs + (days ?? expiresInDaysDefault) * 86_400_000;
  if (neverExpires) return null;
  const detail = "may not be null: this service issues no token that never expires";
  throw new RefusalError({ code: "validation", faults: [{ pointer: "/expires_in_days", detail }] });
}

/** A pinned credential stays pinned; pinning requires that the user belongs to the organization. */
function findOrganization(
  gateway: Gateway,
  giver: Principal,
  user: Id,
  asked: Id | undefined,
): Id | null {
  const pinned = giver.user.id === user ? giver.credential.organization : null;
  const organization = asked?.toLowerCase() ?? pinned;
  if (organization === null || organization === pinned) return organization;
  if (pinned !== null) {
    const detail = "This token is pinned to another organization.";
    throw new RefusalError({ code: "forbidden", detail });
  }
  if (placeIn(gateway, user, organization) !== undefined) return organization;
  const detail = "is not an organization of this account";
  throw new RefusalError({ code: "validation", faults: [{ pointer: "/organization_id", detail }] });
}

export function tokenView(gateway: Gateway, { digest, credential }: NewCredential): Token {
  const { id, name, scopes, organization, createdAtMs, expiresAtMs } = credential;
  const usedAtMs = gateway.read(tokenUseKey(digest));
  return {
    id,
    name,
    prefix: `pat_${id}`,
    scopes: [...scopes],
    organization_id: organization,
    created_at: timestamp(createdAtMs),
    expires_at: expiresAtMs === null ? null : timestamp(expiresAtMs),
    last_used_at: usedAtMs === undefined ? null : timestamp(usedAtMs),
  };
}

export function viewCreated(gateway: Gateway, { token, drawn }: DrawnToken): CreatedToken {
  return { ...tokenView(gateway, drawn), token };
}
