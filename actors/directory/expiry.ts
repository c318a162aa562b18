/**
 * Deletes rows whose lifetime has passed. Readers of such a row check its expiry too, so this only
 * keeps the store small.
 */

import {
  type Actor,
  type Due,
  decision,
  type RowWrite,
  type Tell,
  tell,
} from "../../engine/actor.ts";
import { type Address, createAddress } from "../../engine/address.ts";
import { createKey, type Key } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";

export interface Expiry {
  readonly atMs: number;
  readonly rows: readonly Key[];
}

export type ExpiryMessage = { readonly kind: "expire"; readonly expiry: Expiry } | Due;

export const expiryActor: Actor<Expiry, ExpiryMessage, never> = {
  kind: "expiry",
  decide(head, message, { atMs }) {
    if (message.kind === "expire") return decision(message.expiry);
    if (head === undefined || atMs < head.atMs) return decision(head);
    return decision(undefined, { rows: deleteRows(head.rows) });
  },
  dueAt: (head) => head.atMs,
};

/** Schedules the deletion of these rows; a time already set for the first row is replaced. */
export function expire(atMs: number, first: Key, ...others: readonly Key[]): Tell {
  const expiry: Expiry = { atMs, rows: [first, ...others] };
  return tell(expiryKey(first), { kind: "expire", expiry });
}

export function deleteRows(keys: readonly Key[]): RowWrite[] {
  return keys.map((key) => ({ key, value: undefined }));
}

/** Address of the actor that deletes rows at a set time; named after the first of the rows. */
export function expiryKey(first: Key): Address<ExpiryMessage, Expiry> {
  return createAddress(createKey(0, codes.expiry, first.slice(1)));
}
