/**
 * Bytes that nothing refers to any more. The asset that gave them up is gone or has moved on, so
 * what is left to remove stands here, from the same turn on, until the store has removed it: after
 * a crash, or when nobody has answered for an hour, it is asked again. Removing twice does no harm.
 */
import { limits } from "../../config/limits.ts";
import { type Actor, type Due, put, type TurnView } from "../../engine/actor.ts";
import { removedObjectsKey } from "../tables.ts";

export interface Removal {
  readonly againMs: number;
}

export type RemovalMessage =
  | { readonly kind: "remove"; readonly keys: readonly string[] }
  | { readonly kind: "removed" }
  | Due;

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
        return { head: { againMs }, rows: [put(key, keys)], replies: [], effects };
      }
      case "removed":
        return { head: undefined, rows: [{ key, value: undefined }], replies: [], effects: [] };
      case "due":
        if (removal === undefined || turn.atMs < removal.againMs)
          return { head: removal, rows: [], replies: [], effects: [] };
        return { head: { againMs }, rows: [], replies: [], effects: left(turn) };
    }
  },
  dueAt: ({ againMs }) => againMs,
  resume: (_, turn) => left(turn),
};

function left(turn: TurnView): RemovalEffect[] {
  const keys = turn.get(removedObjectsKey(turn.self));
  return keys === undefined ? [] : [{ kind: "objects.remove", keys }];
}
