/**
 * Something that is remembered until an instant and then forgotten: a used confirmation token, a
 * body that a content filter refused, a render requested with a key. Only the instant may move, to
 * a later one, so a check in its shard may simply read it.
 */

import type { Due } from "../../engine/actor.ts";
import { type Address, createAddress } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import { createKey } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";

export type Tombstone =
  | { readonly kind: "consumed"; readonly expiresAtMs: number }
  | { readonly kind: "submitted"; readonly render: Id; readonly expiresAtMs: number }
  | {
      readonly kind: "refused";
      readonly code: "prompt_nsfw" | "ip_detected";
      readonly scope: Id;
      readonly expiresAtMs: number;
    };

export type TombstoneMessage = { readonly kind: "set"; readonly tombstone: Tombstone } | Due;

/** Key of a tombstone by the first character of `kind`, and 16 bytes as a binary string. */
export function tombstoneKey(
  partition: number,
  kind: Tombstone["kind"],
  digest: string,
): Address<TombstoneMessage, Tombstone> {
  return createAddress(createKey(partition, codes.tombstone, kind.slice(0, 1) + digest));
}
