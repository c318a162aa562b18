/**
 * Bytes that nothing refers to any more. The asset that gave them up is gone or has moved on, so
 * this row lists what is left to remove, from the same step on, until the store has removed it.
 * Removal is requested again after a crash or an hour without an answer. Removing twice does no
 * harm.
 *
 * Bytes on their way into a composition are reserved before they are stored: unless a step takes
 * them before the reservation ends, they are removed like any others, so a crash leaves none.
 */

import type { Due } from "../../engine/actor.ts";
import { type Address, createAddress, type Question } from "../../engine/address.ts";
import { createKey, encodeOrderedNumber, getPartition, type Key } from "../../engine/key.ts";
import type { Done } from "../reply.ts";
import { codes } from "../table-codes.ts";

export interface Removal {
  readonly againMs: number;
  /** Set while the objects are only reserved: until `againMs`, a step may take them. */
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

/** Address of the removal of what an asset gave up: its upload's parts, or its media. */
export function removalKey(asset: Key, what: "parts" | "media"): Address<RemovalMessage, Removal> {
  return createAddress(
    createKey(getPartition(asset), codes.removal, asset.slice(2) + what.slice(0, 1)),
  );
}

/** Key of the list of object keys that a removal is to remove. */
export function createRemovedObjectsKey(removal: Key): Key<readonly string[]> {
  return createKey(getPartition(removal), codes.removedObjects, removal.slice(2));
}

/** Address of the removal of what a composition gave up at one of its versions. */
export function bundleRemovalKey(
  composition: Key,
  version: number,
): Address<RemovalMessage, Removal> {
  const place = composition.slice(2) + encodeOrderedNumber(version);
  return createAddress(createKey(getPartition(composition), codes.removal, place));
}

/** Address for files on their way in; the nonce, 12 random bytes, keeps it apart from versions. */
export function incomingKey(composition: Key, nonce: string): Address<RemovalMessage, Removal> {
  return createAddress(
    createKey(getPartition(composition), codes.removal, composition.slice(2) + nonce),
  );
}
