/**
 * The bytes that an account has stored. Assets are counted one by one, files of compositions by
 * what they hold: of equal files, as a clone has them, one counts. What was accepted is always
 * stored; at the limit nothing more is accepted.
 */

import { getAllowance, type PlanName, type PlanOverrides } from "../../config/plans.ts";
import { type Context, put, type RowWrite } from "../../engine/actor.ts";
import { invariant } from "../../engine/invariant.ts";
import { createKey, getPartition, type Key } from "../../engine/key.ts";
import type { Account } from "../protocol/account.ts";
import type { FilesChanged, StoredFile } from "../protocol/account-messages.ts";
import type { Refusal } from "../refusal.ts";
import { codes } from "../table-codes.ts";
import { getStoredBytes } from "./unpaid-use.ts";

interface Agreed {
  readonly plan: PlanName;
  readonly overrides?: PlanOverrides | undefined;
}

/**
 * Returns why `bytes` more are not accepted, if so: because of the terms `agreed` with the account,
 * or the plan of its `creator`, into whose account it counts.
 */
export function storageRefusal(
  account: Account,
  agreed: Agreed,
  bytes: number,
  creator: Account | undefined,
): Refusal | undefined {
  const full = findFull(account, agreed, bytes);
  if (full !== undefined) {
    const { limitBytes, used } = full;
    const use = `${limitBytes} bytes of storage, and ${used} are used`;
    return tooLarge(full, `Your plan includes ${use}; delete something first.`);
  }
  const shared = creator && findFull(creator, creator, bytes);
  if (shared === undefined) return undefined;
  const used = `${shared.used} of ${shared.limitBytes} bytes of its creator's plan are used`;
  return tooLarge(shared, `This organization is unpaid, and ${used}; delete something first.`);
}

interface Full {
  readonly limitBytes: number;
  readonly used: number;
}

/** Returns the exceeded storage limit, or undefined when there is room for `bytes` more. */
function findFull(account: Account, { plan, overrides }: Agreed, bytes: number): Full | undefined {
  const limitBytes = getAllowance(plan, overrides).storedBytes;
  const used = getStoredBytes(account);
  if (limitBytes === undefined || (used < limitBytes && used + bytes <= limitBytes))
    return undefined;
  return { limitBytes, used };
}

function tooLarge({ limitBytes }: Full, detail: string): Refusal {
  return { code: "payload_too_large", limitBytes, detail };
}

export function countFiles(
  account: Account,
  { added, removed }: FilesChanged,
  ctx: Context,
): { readonly account: Account; readonly rows: readonly RowWrite[] } {
  const changes = new Map<string, { readonly size: number; by: number }>();
  const note = ({ sha256, size }: StoredFile, by: 1 | -1) => {
    const change = changes.get(sha256) ?? { size, by: 0 };
    change.by += by;
    changes.set(sha256, change);
  };
  for (const file of added) note(file, 1);
  for (const file of removed) note(file, -1);
  let { stored } = account;
  const rows: RowWrite[] = [];
  for (const [sha256, { size, by }] of changes) {
    if (by === 0) continue;
    const key = fileUsesKey(ctx.self, sha256);
    const before = ctx.get(key) ?? 0;
    const uses = before + by;
    invariant(uses >= 0, "a file is given up once");
    if (before === 0) stored += size;
    if (uses === 0) stored -= size;
    rows.push(uses === 0 ? { key, value: undefined } : put(key, uses));
  }
  return { account: { ...account, stored }, rows };
}

/** Key of the number of composition files that have the same bytes; `sha256` is in base64url. */
export function fileUsesKey(account: Key, sha256: string): Key<number> {
  const digest = Buffer.from(sha256, "base64url").toString("latin1");
  return createKey(getPartition(account), codes.fileUses, account.slice(2) + digest);
}
