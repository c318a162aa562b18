/**
 * A stream ticket: opens one event stream of one job or session, once, within a minute. Only its
 * SHA-256 is stored, as the address of this actor, so a ticket that nobody holds cannot be found in
 * the store.
 *
 * I10 redeemed at most once: redeeming ends the actor, also when the ticket was for another stream.
 */
import { type Actor, answer, type Due, type Reply, type Turn, tell } from "../../engine/actor.ts";
import type { Question } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import { accountKey } from "../tables.ts";

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

export const ticketActor: Actor<Ticket, TicketMessage, never> = {
  kind: "ticket",
  decide(ticket, message, turn) {
    switch (message.kind) {
      case "issue":
        return { head: message.ticket, rows: [], replies: [], effects: [] };
      case "redeem": {
        if (ticket === undefined || ticket.expiresAtMs <= turn.atMs)
          return end(ticket, answer(turn, { kind: "spent" }));
        const isMatch = ticket.subject === message.subject;
        const reply = isMatch ? redeemed(ticket) : ({ kind: "mismatched" } as const);
        return end(ticket, answer(turn, reply));
      }
      case "due":
        return end(ticket, []);
    }
  },
  dueAt: (ticket) => ticket.expiresAtMs,
};

function redeemed({ scope, user }: Ticket): Redeemed {
  return user === undefined ? { kind: "redeemed" } : { kind: "redeemed", reader: { user, scope } };
}

function end(ticket: Ticket | undefined, replies: readonly Reply[]): Turn<Ticket, never> {
  return {
    head: undefined,
    rows: [],
    replies,
    effects: ticket === undefined ? [] : [tell(accountKey(ticket.scope), { kind: "ticket_spent" })],
  };
}
