/** Sets a tombstone, moves its expiry to a later time, and removes it when it has expired. */

import { type Actor, type Decision, decision, tell } from "../../engine/actor.ts";
import { accountKey } from "../protocol/account-messages.ts";
import type { Tombstone, TombstoneMessage } from "../protocol/tombstone.ts";

export const tombstoneActor: Actor<Tombstone, TombstoneMessage, never> = {
  kind: "tombstone",
  decide(tombstone, message, { atMs }): Decision<Tombstone, never> {
    if (message.kind === "due") {
      const isOver = tombstone === undefined || atMs >= tombstone.expiresAtMs;
      return isOver ? countTombstone(undefined, tombstone, -1) : decision(tombstone);
    }
    if (tombstone === undefined) return countTombstone(message.tombstone, message.tombstone, 1);
    const isLonger = message.tombstone.expiresAtMs > tombstone.expiresAtMs;
    return decision(isLonger ? message.tombstone : tombstone);
  },
  dueAt: ({ expiresAtMs }) => expiresAtMs,
};

/** Counts refusals in the account, so that a scope without any need not look for tombstones. */
function countTombstone(
  head: Tombstone | undefined,
  tombstone: Tombstone | undefined,
  by: 1 | -1,
): Decision<Tombstone, never> {
  const effects =
    tombstone?.kind === "refused"
      ? [tell(accountKey(tombstone.scope), { kind: "remembered", by })]
      : [];
  return decision(head, { effects });
}
