/**
 * A stream ticket: it opens one event stream of one job or session, once, within a minute. Only its
 * SHA-256 is stored, as the address of this actor, so tickets cannot be read from the store.
 */

import type { Due } from "../../engine/actor.ts";
import { type Address, createAddress, type Question } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import { createKey } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";

export interface Ticket {
  readonly scope: Id;
  readonly subject: Id;
  readonly expiresAtMs: number;
  /** In an organization, the user who may follow the stream, for as long as they are a member. */
  readonly user?: Id;
}

/** A user as a reader of the stream, with the organization that is the ticket's scope. */
export interface Reader {
  readonly user: Id;
  readonly scope: Id;
}

export type TicketMessage =
  | { readonly kind: "issue"; readonly ticket: Ticket }
  | RedeemTicket
  | Due;

export interface RedeemTicket extends Question<Redeemed> {
  readonly kind: "redeem";
  readonly subject: Id;
}

/** `spent` means that the ticket is absent, expired or already redeemed. */
export type Redeemed =
  | { readonly kind: "redeemed"; readonly reader?: Reader }
  | { readonly kind: "spent" | "mismatched" };

/** `digest` is the SHA-256 of the ticket as a binary string. */
export function ticketKey(partition: number, digest: string): Address<TicketMessage, Ticket> {
  return createAddress(createKey(partition, codes.ticket, digest));
}
