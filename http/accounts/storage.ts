/** Whether more may be stored: by the disk, and by the plan of the paying account. */

import type { Account } from "../../actors/account/account.ts";
import { accountKey } from "../../actors/account/account-messages.ts";
import { storageRefusal } from "../../actors/account/storage.ts";
import type { StorageUse } from "../../actors/contract/common.ts";
import { allowanceOf } from "../../config/plans.ts";
import type { Static } from "../../config/schema.ts";
import type { Principal } from "../auth/principal.ts";
import { RefusalError } from "../problems/refusal-error.ts";
import type { Call } from "../route.ts";

const diskFullSeconds = 60;

/**
 * For `bytes` more. Throws `RefusalError`: 503 while the disk has no room, 413 at the plan's limit.
 */
export function requireRoom(
  { service, principal }: Pick<Call, "service" | "principal">,
  bytes = 0,
): void {
  if (service.health.isDiskLow)
    throw new RefusalError({ code: "unavailable", retryAfterSeconds: diskFullSeconds });
  const account = service.gateway.read(accountKey(principal.scope));
  const refusal = account && storageRefusal(account, principal, bytes);
  if (refusal !== undefined) throw new RefusalError(refusal);
}

/** The announced length of a body, or 0. */
export function announcedBytes({ request }: Pick<Call, "request">): number {
  const length = Number(request.headers["content-length"]);
  return Number.isSafeInteger(length) && length > 0 ? length : 0;
}

export function storageView(
  account: Account | undefined,
  { plan, overrides }: Principal,
): Static<typeof StorageUse> {
  return {
    used_bytes: account?.stored ?? 0,
    limit_bytes: allowanceOf(plan, overrides).storedBytes ?? null,
  };
}
