/**
 * The principal of an agent's turn: the session's owner, in the context in which the session was
 * opened, with fewer scopes. Each request looks it up anew, because it expires with the turn.
 */

import { runKey } from "../../actors/account/run.ts";
import { userKey } from "../../actors/directory/directory.ts";
import { turnCredentialKey } from "../../actors/protocol/session.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { nameCounter, placeIn } from "./contexts.ts";
import type { Principal } from "./principal.ts";

export const turnPrefix = "agt_";
const secretBytes = 33;

/**
 * `digest` is the token's SHA-256 as a binary string. Throws `RefusalError`: 401 for an unknown
 * token or one whose owner no longer belongs to the organization, 409 once the turn has ended.
 */
export function turnPrincipal(
  gateway: Gateway,
  token: string,
  digest: string,
  nowMs: number,
): Principal {
  const partition = partitionOfTurn(token);
  const granted =
    partition === undefined ? undefined : gateway.read(turnCredentialKey(partition, digest));
  const user = granted === undefined ? undefined : gateway.read(userKey(granted.user));
  if (granted === undefined || user === undefined) throw unknown();
  if (granted.expiresAtMs <= nowMs || gateway.read(runKey(granted.turn))?.isEnded !== false)
    throw new RefusalError({ code: "run_ended" });
  const { scope, session, turn, scopes } = granted;
  const place = scope === user.id ? undefined : placeIn(gateway, user.id, scope);
  if (scope !== user.id && place === undefined) throw unknown();
  const owner = place?.organization ?? user;
  return {
    user,
    credential: {
      id: turn.slice(-8),
      name: "Agent turn",
      user: user.id,
      scopes,
      createdAtMs: granted.expiresAtMs,
      expiresAtMs: granted.expiresAtMs,
      organization: place === undefined ? null : scope,
    },
    scope,
    plan: owner.plan,
    overrides: owner.overrides,
    organization: place?.organization,
    role: place?.role,
    counter: nameCounter(user, place?.organization),
    run: { session, turn },
  };
}

/** The turn's partition, by the token's last byte; undefined for other tokens. */
export function partitionOfTurn(token: string): number | undefined {
  if (!token.startsWith(turnPrefix)) return undefined;
  const secret = Buffer.from(token.slice(turnPrefix.length), "base64url");
  return secret.length === secretBytes ? secret[secretBytes - 1] : undefined;
}

function unknown(): RefusalError {
  return new RefusalError({ code: "unauthorized", presented: true });
}
