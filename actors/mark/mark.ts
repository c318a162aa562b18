/**
 * Something that is remembered until an instant and then forgotten: a confirmation token that was
 * used, a body that a content filter refused, a render that was asked for with a key. Only the
 * instant may move, to a later one, so whoever checks it in its shard may simply read it.
 */
import { type Actor, type Due, type Turn, tell } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { accountKey } from "../tables.ts";

export type Mark =
  | { readonly kind: "consumed"; readonly expiresAtMs: number }
  | { readonly kind: "submitted"; readonly render: Id; readonly expiresAtMs: number }
  | {
      readonly kind: "refused";
      readonly code: "prompt_nsfw" | "ip_detected";
      readonly scope: Id;
      readonly expiresAtMs: number;
    };

export type MarkMessage = { readonly kind: "set"; readonly mark: Mark } | Due;

export const markActor: Actor<Mark, MarkMessage, never> = {
  kind: "mark",
  decide(mark, message, { atMs }): Turn<Mark, never> {
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
function counted(head: Mark | undefined, mark: Mark | undefined, by: 1 | -1): Turn<Mark, never> {
  const effects =
    mark?.kind === "refused" ? [tell(accountKey(mark.scope), { kind: "remembered", by })] : [];
  return { head, rows: [], replies: [], effects };
}

function unchanged(head: Mark): Turn<Mark, never> {
  return { head, rows: [], replies: [], effects: [] };
}
