/** The product with one actor that forgets something, which the checks have to catch. */

import { domain } from "../../actors/domain.ts";
import type { AnyActor, Decision, OutsideEffect, RowWrite } from "../../engine/actor.ts";
import type { Domain } from "../../engine/domain.ts";

/** What a bug does to one turn of the actor. */
export type Bug = (
  turn: Decision<unknown, OutsideEffect>,
  message: { readonly kind: string },
  head: unknown,
) => Decision<unknown, OutsideEffect>;

export function withBug(code: number, bug: Bug): Domain {
  const actor = domain.actorByCode.get(code);
  if (actor === undefined) throw new Error(`table ${code} has no actor`);
  const sick: AnyActor = {
    ...actor,
    decide: (head, message, view) =>
      bug(actor.decide(head, message, view), message as { kind: string }, head),
  };
  return { ...domain, actorByCode: new Map([...domain.actorByCode, [code, sick]]) };
}

/** Changes some members of the next head. */
export function onChange<Head>(
  turn: Decision<unknown, OutsideEffect>,
  by: (head: Head) => Partial<Head>,
): Decision<unknown, OutsideEffect> {
  const head = turn.head as Head | undefined;
  return head === undefined ? turn : { ...turn, head: { ...head, ...by(head) } };
}

export function withoutRows(
  turn: Decision<unknown, OutsideEffect>,
  isLost: (row: RowWrite) => boolean,
): Decision<unknown, OutsideEffect> {
  return { ...turn, rows: turn.rows.filter((row) => !isLost(row)) };
}
