/** How a mark is set, moved to a later instant, and forgotten. */

import { type Actor, type Decision, tell } from "../../engine/actor.ts";
import { accountKey } from "../account/account-messages.ts";
import type { Mark, MarkMessage } from "./mark.ts";

export const markActor: Actor<Mark, MarkMessage, never> = {
  kind: "mark",
  decide(mark, message, { atMs }): Decision<Mark, never> {
    if (message.kind === "due") {
      const isOver = mark === undefined || atMs >= mark.expiresAtMs;
      return isOver ? counted(undefined, mark, -1) : unchanged(mark);
    }
    if (mark === undefined) return counted(message.mark, message.mark, 1);
    const isLonger = message.mark.expiresAtMs > mark.expiresAtMs;
    return unchanged(isLonger ? message.mark : mark);
  },
  dueAt: ({ expiresAtMs }) => expiresAtMs,
};

/** The account counts what it has to look for, so that a scope without refusals looks for none. */
function counted(
  head: Mark | undefined,
  mark: Mark | undefined,
  by: 1 | -1,
): Decision<Mark, never> {
  const effects =
    mark?.kind === "refused" ? [tell(accountKey(mark.scope), { kind: "remembered", by })] : [];
  return { head, rows: [], replies: [], effects };
}

function unchanged(head: Mark): Decision<Mark, never> {
  return { head, rows: [], replies: [], effects: [] };
}
