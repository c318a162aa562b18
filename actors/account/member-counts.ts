/**
 * A member's own jobs by modality and status, counted like the account's: a listing of them has a
 * total too. A row a member; personal spaces have none.
 */

import { type Context, put, type RowWrite } from "../../engine/actor.ts";
import { type Id, idBytes } from "../../engine/id.ts";
import { createKey, getPartition, type Key } from "../../engine/key.ts";
import { change } from "../protocol/account.ts";
import { codes } from "../table-codes.ts";

/** `changes` are places of `countIndex` and what is added there. */
export function countMember(
  member: Id | undefined,
  changes: readonly (readonly [index: number, by: number])[],
  ctx: Context,
): RowWrite[] {
  if (member === undefined) return [];
  const key = memberCountsKey(ctx.self, member);
  const counts = [...(ctx.get(key) ?? [])];
  for (const [index, by] of changes) change(counts, index, by);
  return [put(key, counts)];
}

/** A member's own jobs in the organization at an address, by `countIndex`. */
export function memberCountsKey(account: Key, user: Id): Key<readonly number[]> {
  return createKey(getPartition(account), codes.memberCounts, account.slice(2) + idBytes(user));
}
