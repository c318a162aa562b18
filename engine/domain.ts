/** The domain as the engine sees it: its actors, and the rules for its rows and times. */

import type { AnyActor, OutsideEffect, RowWrite } from "./actor.ts";
import type { Key, KeyRange } from "./key.ts";
import type { RowCodecs } from "./row-codec.ts";

export interface Domain {
  readonly actorByCode: ReadonlyMap<number, AnyActor>;
  /** Encodings of the tables' rows by table code; other tables use plain JSON. */
  readonly rowCodecs?: RowCodecs;
  /** Index rules, by the table code of the actors that the index finds. */
  readonly indexRules?: ReadonlyMap<number, IndexRule>;
  /** Rules of the short windows, each for one table code; see `shard-windows.ts`. */
  readonly windows: readonly WindowRule[];
  readonly sweeps: readonly SweepRule[];
  /**
   * Returns the message that concludes an effect for which nothing outside is needed: its actor
   * gets the message in the same step. Undefined for an effect that leaves the shard.
   */
  readonly conclude?: (effect: OutsideEffect) => object | undefined;
  /** Called for each effect that was concluded, once its step is kept: a step may be repeated. */
  readonly onConcluded?: () => void;
}

/**
 * Actors that are woken once in a while to end or to renew. A range read finds them, so none of
 * them needs a timer.
 */
export interface SweepRule {
  /** Key range of a partition's rows whose time has come. */
  readonly source: (partition: number, nowMs: number) => KeyRange;
  /** Returns the actor that a row stands for; without it the rows are the actors' own heads. */
  readonly findActor?: (row: Key) => Key;
  readonly message: unknown;
}

/** Index rows for range reads that find an actor. They derive from its head: no record has them. */
export interface IndexRule {
  /** Picks the part of a head that its entries derive from; kept until the next flush. */
  readonly pick: (head: unknown) => unknown;
  /** `hasEarlier`: the tables hold entries of an earlier head, one that waited for something. */
  readonly entries: (picked: unknown, hasEarlier: boolean) => readonly RowWrite[];
}

/**
 * A table whose rows are looked up in memory and last for `windowMs`. What follows partition and
 * code in a key is 16 bytes, and so is a value: a binary string.
 */
export interface WindowRule {
  readonly code: number;
  readonly windowMs: number;
}

/** How rows are encoded, and which of them derive from heads. */
export type RowRules = Pick<Domain, "rowCodecs" | "indexRules">;
