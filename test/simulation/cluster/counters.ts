/**
 * Counters that remember the number of each addition and break when one arrives again: an ask is
 * promised to arrive at most once, a tell to arrive once.
 */
import { type AnyActor, put } from "../../../engine/actor.ts";
import type { Domain } from "../../../engine/domain.ts";
import { createKey, getCode, getPartition } from "../../../engine/key.ts";
import { type CounterMessage, toys } from "../../engine/toys.ts";

export const counters: Domain = {
  ...toys,
  actorByCode: new Map([...toys.actorByCode].map(([code, actor]) => [code, rememberAll(actor)])),
};

function rememberAll(actor: AnyActor): AnyActor {
  return {
    ...actor,
    decide(head, message, ctx) {
      const decision = actor.decide(head, message, ctx);
      const { kind, ...rest } = message as CounterMessage;
      const id = kind === "add" && "id" in rest ? rest.id : undefined;
      if (id === undefined) return decision;
      // The row stands beside the head, in its shard.
      const { self } = ctx;
      const key = createKey(getPartition(self), getCode(self) + 1, `${self.slice(2)}/${id}`);
      if (ctx.get(key) !== undefined) throw new Error(`addition ${id} came twice`);
      return { ...decision, rows: [...decision.rows, put(key, "")] };
    },
  };
}
