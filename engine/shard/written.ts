/** A row as a batch writes it. */
import type { AnyActor } from "../actor.ts";

export interface Written {
  readonly value: unknown;
  /** Its JSON in the batch's values, from the end of its step on; -1 for a value of undefined. */
  start: number;
  end: number;
  /** Set for heads. */
  readonly actor: AnyActor | undefined;
  /** When the actor of a head wants to learn `due`. */
  dueMs: number | undefined;
}
