/** Removes objects, repeating the request until the store has done it. See `removal.ts`. */

import { limits } from "../../config/limits.ts";
import {
  type Actor,
  answer,
  type Context,
  type Decision,
  decision,
  put,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import {
  createRemovedObjectsKey,
  type Removal,
  type RemovalEffect,
  type RemovalMessage,
  type ReserveObjects,
} from "../protocol/removal.ts";
import { done } from "../reply.ts";

export const removalActor: Actor<Removal, RemovalMessage, RemovalEffect> = {
  kind: "removal",
  decide(removal, message, ctx) {
    const key = createRemovedObjectsKey(ctx.self);
    const againMs = ctx.atMs + limits.assets.removedAgainMs;
    switch (message.kind) {
      case "remove": {
        const { keys } = message;
        const effects = [{ kind: "objects.remove", keys } as const];
        return decision(
          { againMs },
          { rows: [put(key, keys)], replies: answer(ctx, done), effects },
        );
      }
      case "reserve":
        return reserve(message, ctx);
      case "removed":
        return decision(undefined, { rows: [{ key, value: undefined }] });
      case "due":
        if (removal === undefined || ctx.atMs < removal.againMs) return decision(removal);
        return decision({ againMs }, { effects: onLeave(ctx) });
    }
  },
  dueAt: ({ againMs }) => againMs,
  resume: ({ isReserved }, ctx) => (isReserved === true ? [] : onLeave(ctx)),
};

function reserve(
  { keys }: ReserveObjects,
  ctx: Context<ReplyTo<ReserveObjects>>,
): Decision<Removal, RemovalEffect> {
  const untilMs = ctx.atMs + limits.compositions.reservedMs;
  return decision(
    { againMs: untilMs, isReserved: true },
    {
      rows: [put(createRemovedObjectsKey(ctx.self), keys)],
      replies: answer(ctx, { kind: "reserved", untilMs }),
    },
  );
}

function onLeave(ctx: Context): RemovalEffect[] {
  const keys = ctx.get(createRemovedObjectsKey(ctx.self));
  return keys === undefined ? [] : [{ kind: "objects.remove", keys }];
}
