/**
 * Bytes that nothing refers to any more. The asset that gave them up is gone or has moved on, so
 * what is left to remove stands here, from the same turn on, until the store has removed it: after
 * a crash, or when nobody has answered for an hour, it is asked again. Removing twice does no harm.
 *
 * Bytes on their way into a composition are reserved before they are stored: unless a turn takes
 * them before the reservation ends, they are removed like any others, so a crash leaves none.
 */
import { limits } from "../../config/limits.ts";
import { type Actor, answer, type Due, put, type Turn, type TurnView } from "../../engine/actor.ts";
import type { Question, ReplyTo } from "../../engine/address.ts";
import { type Done, done } from "../reply.ts";
import { removedObjectsKey } from "../tables.ts";

export interface Removal {
  readonly againMs: number;
  /** Until then somebody may take them. */
  readonly isReserved?: true;
}

export type RemovalMessage = RemoveObjects | ReserveObjects | { readonly kind: "removed" } | Due;

export interface RemoveObjects extends Question<Done> {
  readonly kind: "remove";
  readonly keys: readonly string[];
}

export interface ReserveObjects extends Question<Reserved> {
  readonly kind: "reserve";
  readonly keys: readonly string[];
}

export interface Reserved {
  readonly kind: "reserved";
  readonly untilMs: number;
}

export interface RemovalEffect {
  readonly kind: "objects.remove";
  readonly keys: readonly string[];
}

export const removalActor: Actor<Removal, RemovalMessage, RemovalEffect> = {
  kind: "removal",
  decide(removal, message, turn) {
    const key = removedObjectsKey(turn.self);
    const againMs = turn.atMs + limits.assets.removedAgainMs;
    switch (message.kind) {
      case "remove": {
        const { keys } = message;
        const effects = [{ kind: "objects.remove", keys } as const];
        return { head: { againMs }, rows: [put(key, keys)], replies: answer(turn, done), effects };
      }
      case "reserve":
        return reserve(message, turn);
      case "removed":
        return { head: undefined, rows: [{ key, value: undefined }], replies: [], effects: [] };
      case "due":
        if (removal === undefined || turn.atMs < removal.againMs)
          return { head: removal, rows: [], replies: [], effects: [] };
        return { head: { againMs }, rows: [], replies: [], effects: left(turn) };
    }
  },
  dueAt: ({ againMs }) => againMs,
  resume: ({ isReserved }, turn) => (isReserved === true ? [] : left(turn)),
};

function reserve(
  { keys }: ReserveObjects,
  turn: TurnView<ReplyTo<ReserveObjects>>,
): Turn<Removal, RemovalEffect> {
  const untilMs = turn.atMs + limits.compositions.reservedMs;
  return {
    head: { againMs: untilMs, isReserved: true },
    rows: [put(removedObjectsKey(turn.self), keys)],
    replies: answer(turn, { kind: "reserved", untilMs }),
    effects: [],
  };
}

function left(turn: TurnView): RemovalEffect[] {
  const keys = turn.get(removedObjectsKey(turn.self));
  return keys === undefined ? [] : [{ kind: "objects.remove", keys }];
}
