/** The domain as the engine sees it: its actors, and rules of rows and times beside them. */

import type { AnyActor, OutsideEffect, RowWrite } from "./actor.ts";
import type { Key, KeyRange } from "./key.ts";
import type { RowCodecs } from "./row-codec.ts";

export interface Domain {
  readonly actorByCode: ReadonlyMap<number, AnyActor>;
  /** How tables encode their rows, those that do not as JSON does. */
  readonly rowCodecs?: RowCodecs;
  /** By the table code of the actors that are found by them. */
  readonly indexRules?: ReadonlyMap<number, IndexRule>;
  /** Short windows by table code; see `window.ts`. */
  readonly windows: readonly WindowRule[];
  readonly sweeps: readonly SweepRule[];
  /**
   * The message in which an effect ends when nothing outside is needed for it: its actor gets that
   * in the same step. Undefined for an effect that leaves the shard.
   */
  readonly conclude?: (effect: OutsideEffect) => object | undefined;
}

/**
 * Actors that are woken once in a while to end or to renew. They are found by their place in a
 * range, so none of them needs a timer for it.
 */
export interface SweepRule {
  /** The rows of a partition whose time has come. */
  readonly source: (partition: number, nowMs: number) => KeyRange;
  /** The actor that a row stands for; without it the rows are the actors' own heads. */
  readonly findActor?: (row: Key) => Key;
  readonly message: unknown;
}

/** Rows by which range reads find an actor. They follow from its head, so they are in no record. */
export interface IndexRule {
  /** What of a head its entries follow from; kept until the next flush instead of the head. */
  readonly pick: (head: unknown) => unknown;
  /** `hasEarlier`: the tables hold entries of an earlier head, one that waited for something. */
  readonly entries: (picked: unknown, hasEarlier: boolean) => readonly RowWrite[];
}

/** A table that is kept in memory only, for `windowMs`, and rebuilt from other rows at start. */
export interface WindowRule {
  readonly code: number;
  readonly windowMs: number;
  /** Key bounds of the rows to read for one partition, given the oldest instant that matters. */
  readonly source: (partition: number, sinceMs: number) => KeyRange;
  /** The window's entry that such a row stands for. */
  readonly entry: (key: Key, row: unknown) => WindowEntry | undefined;
}

/** Both are 16 bytes as binary strings; `key` is the full key with partition and code. */
export interface WindowEntry {
  readonly key: Key<string>;
  readonly value: string;
  readonly atMs: number;
}

/** How rows read, and which of them follow from heads. */
export type RowRules = Pick<Domain, "rowCodecs" | "indexRules">;
