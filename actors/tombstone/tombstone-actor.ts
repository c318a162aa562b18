/** How a tombstone is set, moved to a later instant, and forgotten. */

import { type Actor, type Decision, tell } from "../../engine/actor.ts";
import { accountKey } from "../account/account-messages.ts";
import type { Tombstone, TombstoneMessage } from "./tombstone.ts";

export const tombstoneActor: Actor<Tombstone, TombstoneMessage, never> = {
  kind: "tombstone",
  decide(tombstone, message, { atMs }): Decision<Tombstone, never> {
    if (message.kind === "due") {
      const isOver = tombstone === undefined || atMs >= tombstone.expiresAtMs;
      return isOver ? counted(undefined, tombstone, -1) : unchanged(tombstone);
    }
    if (tombstone === undefined) return counted(message.tombstone, message.tombstone, 1);
    const isLonger = message.tombstone.expiresAtMs > tombstone.expiresAtMs;
    return unchanged(isLonger ? message.tombstone : tombstone);
  },
  dueAt: ({ expiresAtMs }) => expiresAtMs,
};

/** The account counts what it has to look for, so that a scope without refusals looks for none. */
function counted(
  head: Tombstone | undefined,
  tombstone: Tombstone | undefined,
  by: 1 | -1,
): Decision<Tombstone, never> {
  const effects =
    tombstone?.kind === "refused"
      ? [tell(accountKey(tombstone.scope), { kind: "remembered", by })]
      : [];
  return { head, rows: [], replies: [], effects };
}

function unchanged(head: Tombstone): Decision<Tombstone, never> {
  return { head, rows: [], replies: [], effects: [] };
}
