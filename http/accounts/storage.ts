/** Whether more may be stored, given the free disk space and the plan of the paying account. */

import { storageRefusal } from "../../actors/account/storage.ts";
import { findCreator, getStoredBytes } from "../../actors/account/unpaid-use.ts";
import type { Account } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import type { Rows } from "../../actors/protocol/owner.ts";
import { getAllowance } from "../../config/plans.ts";
import type { Static } from "../../config/schema.ts";
import type { StorageUse } from "../../contract/common.ts";
import type { Principal } from "../auth/principal.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";

const diskFullSeconds = 60;

/**
 * Requires room for `bytes` more. Throws `RefusalError`: 503 while the disk has no room, 413 at the
 * plan's limit.
 */
export function requireRoom(
  { service, principal }: Pick<Call, "service" | "principal">,
  bytes = 0,
): void {
  if (service.health.isDiskLow)
    throw new RefusalError({ code: "unavailable", retryAfterSeconds: diskFullSeconds });
  const account = service.gateway.read(accountKey(principal.scope));
  const creator = account && findCreator(account, createRows(service));
  const refusal = account && storageRefusal(account, principal, bytes, creator);
  if (refusal !== undefined) throw new RefusalError(refusal);
}

/** Gives access to the rows of the partitions that this node owns. */
export function createRows({ gateway }: Pick<Service, "gateway">): Rows {
  return { get: (key) => gateway.read(key) };
}

/** The `Content-Length` that a request announces, or 0. */
export function getAnnouncedBytes({ request }: Pick<Call, "request">): number {
  const length = Number(request.headers["content-length"]);
  return Number.isSafeInteger(length) && length > 0 ? length : 0;
}

/** Bytes stored and allowed, by the account's plan, or its creator's where that leaves less. */
export function storageView(
  account: Account | undefined,
  agreed: Pick<Principal, "plan" | "overrides">,
  rows: Rows,
): Static<typeof StorageUse> {
  const own = storageUse(account, agreed);
  const creator = account && findCreator(account, rows);
  const shared = creator && storageUse(creator, { overrides: undefined, ...creator });
  return shared !== undefined && roomIn(shared) < roomIn(own) ? shared : own;
}

function storageUse(
  account: Account | undefined,
  { plan, overrides }: Pick<Principal, "plan" | "overrides">,
): Static<typeof StorageUse> {
  return {
    used_bytes: account === undefined ? 0 : getStoredBytes(account),
    limit_bytes: getAllowance(plan, overrides).storedBytes ?? null,
  };
}

function roomIn({ used_bytes, limit_bytes }: Static<typeof StorageUse>): number {
  return (limit_bytes ?? Number.POSITIVE_INFINITY) - used_bytes;
}
