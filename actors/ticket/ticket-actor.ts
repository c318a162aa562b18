/**
 * A ticket is redeemed at most once.
 *
 * I10 redeeming ends the actor, also when the ticket was for another stream.
 */

import {
  type Actor,
  answer,
  type Decision,
  decision,
  type Reply,
  tell,
} from "../../engine/actor.ts";
import { accountKey } from "../protocol/account-messages.ts";
import type { Redeemed, Ticket, TicketMessage } from "../protocol/ticket.ts";

export const ticketActor: Actor<Ticket, TicketMessage, never> = {
  kind: "ticket",
  decide(ticket, message, ctx) {
    switch (message.kind) {
      case "issue":
        return decision(message.ticket);
      case "redeem": {
        if (ticket === undefined || ticket.expiresAtMs <= ctx.atMs)
          return end(ticket, answer(ctx, { kind: "spent" }));
        const isMatch = ticket.subject === message.subject;
        const reply = isMatch ? redeemTicket(ticket) : ({ kind: "mismatched" } as const);
        return end(ticket, answer(ctx, reply));
      }
      case "due":
        return end(ticket, []);
    }
  },
  dueAt: (ticket) => ticket.expiresAtMs,
};

function redeemTicket({ scope, user }: Ticket): Redeemed {
  return user === undefined ? { kind: "redeemed" } : { kind: "redeemed", reader: { user, scope } };
}

function end(ticket: Ticket | undefined, replies: readonly Reply[]): Decision<Ticket, never> {
  return decision(undefined, {
    replies,
    effects: ticket === undefined ? [] : [tell(accountKey(ticket.scope), { kind: "ticket_spent" })],
  });
}
