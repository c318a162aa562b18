/**
 * Counts each member's own jobs by modality and status, as the account does for all jobs, so that a
 * member's listing has a total too. There is one row per member; personal spaces have none.
 */

import { type Context, put, type RowWrite } from "../../engine/actor.ts";
import { type Id, idBytes } from "../../engine/id.ts";
import { createKey, getPartition, type Key } from "../../engine/key.ts";
import { change } from "../protocol/account.ts";
import { codes } from "../table-codes.ts";

/** `changes` has pairs of a `countIndex` and the number to add there. */
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

/** Key of a member's own job counts in the organization at `account`, indexed by `countIndex`. */
export function memberCountsKey(account: Key, user: Id): Key<readonly number[]> {
  return createKey(getPartition(account), codes.memberCounts, account.slice(2) + idBytes(user));
}
