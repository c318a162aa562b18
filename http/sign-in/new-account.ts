/** A new user, its wallet and its first credential, as a message to the directory. */

import type { NewCredential } from "../../actors/directory/directory.ts";
import { firstCredentialName } from "../../actors/directory/tokens.ts";
import type { CreateUser } from "../../actors/directory/users.ts";
import { plans } from "../../config/plans.ts";
import {
  type CreateAccountRequest,
  type CreatedAccount,
  type TokenScope,
  tokenScopes,
} from "../../contract/account.ts";
import type { Id, IdMint } from "../../engine/id.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import { computeDigest } from "../auth/principals.ts";

export interface Mints {
  readonly ids: IdMint;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/**
 * `token` is undefined for an account without a credential. The message contains only its digest,
 * because it is stored with everything that follows from it.
 */
export function newAccount(
  { ids, clock }: Mints,
  request: CreateAccountRequest,
  token: string | undefined,
  scopes: readonly TokenScope[] = scopesOfClients,
): CreateUser {
  const { email, display_name: displayName = email, plan = "free" } = request;
  const id = ids.scope();
  const createdAtMs = clock.nowMs();
  const account: CreatedAccount = {
    id,
    email,
    plan,
    balance_credits: request.credits ?? plans[plan].monthlyCredits,
  };
  return {
    kind: "create_user",
    user: { id, email, displayName, plan, status: "active", createdAtMs },
    emailDigest: computeDigest(email.toLowerCase()),
    credential: token === undefined ? undefined : firstCredential(id, token, scopes, createdAtMs),
    credits: request.credits,
    reply: { kind: "created", account },
  };
}

export const scopesOfClients = tokenScopes.filter((scope) => scope !== "admin");

export function firstCredential(
  user: Id,
  token: string,
  scopes: readonly TokenScope[],
  createdAtMs: number,
): NewCredential {
  const digest = computeDigest(token);
  const id = /^pat_(.{8})_/.exec(token)?.[1] ?? Buffer.from(digest, "latin1").toString("hex", 0, 4);
  const name = firstCredentialName;
  const organization = null;
  const credential = { id, name, user, scopes, createdAtMs, expiresAtMs: null, organization };
  return { digest, credential };
}

/** `pat_`, an id of eight characters, `_` and 43 characters of secret. */
export function mintToken(entropy: Entropy): string {
  const id = Buffer.from(entropy.bytes(4)).toString("hex");
  return `pat_${id}_${Buffer.from(entropy.bytes(32)).toString("base64url")}`;
}
