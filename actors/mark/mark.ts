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
      return isOver ? turn(undefined, mark, -1) : turn(mark, undefined, 0);
    }
    if (mark === undefined) return turn(message.mark, message.mark, 1);
    const isLonger = message.mark.expiresAtMs > mark.expiresAtMs;
    return turn(isLonger ? message.mark : mark, undefined, 0);
  },
  dueAt: ({ expiresAtMs }) => expiresAtMs,
};

/** The account counts what it has to look for, so that a scope without refusals looks for none. */
function turn(head: Mark | undefined, counted: Mark | undefined, by: 1 | -1 | 0) {
  const effects =
    counted?.kind === "refused"
      ? [tell(accountKey(counted.scope), { kind: "remembered", by })]
      : [];
  return { head, rows: [], replies: [], effects };
}
