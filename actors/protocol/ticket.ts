/**
 * A stream ticket: opens one event stream of one job or session, once, within a minute. Only its
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
  /** Who may follow, when the scope is an organization: only as long as it is a member. */
  readonly user?: Id;
}

/** A user in the organization that the scope is. */
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

/** `spent`: absent, expired or consumed. */
export type Redeemed =
  | { readonly kind: "redeemed"; readonly reader?: Reader }
  | { readonly kind: "spent" | "mismatched" };

/** `digest` is the SHA-256 of the ticket as a binary string. */
export function ticketKey(partition: number, digest: string): Address<TicketMessage, Ticket> {
  return createAddress(createKey(partition, codes.ticket, digest));
}
