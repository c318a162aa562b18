/** How objects are removed: asked for again until the store has done it. See `removal.ts`. */

import { limits } from "../../config/limits.ts";
import { type Actor, answer, put, type Turn, type TurnView } from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { done } from "../reply.ts";
import {
  type Removal,
  type RemovalEffect,
  type RemovalMessage,
  type ReserveObjects,
  removedObjectsKey,
} from "./removal.ts";

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
