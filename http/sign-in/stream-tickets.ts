/** Tickets that open one event stream once: issued to readers, redeemed without credentials. */

import { accountKey, type IssueTicket } from "../../actors/protocol/account-messages.ts";
import { type Reader, type RedeemTicket, ticketKey } from "../../actors/protocol/ticket.ts";
import { limits } from "../../config/limits.ts";
import { type Id, partitionOfId } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { Principal } from "../auth/principal.ts";
import { computeDigest } from "../auth/principals.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import type { Call, PartitionOf } from "../route.ts";

const secretBytes = 32;

/** `subject` is the object of the stream; the caller has checked that it may be read. */
export async function mintTicket(call: Call<unknown, unknown>, subject: Id): Promise<Answer> {
  const { service, principal } = call;
  const secret = Buffer.from([
    ...service.entropy.bytes(secretBytes),
    partitionOfId(principal.scope),
  ]);
  const ticket = secret.toString("base64url");
  const expiresAtMs = service.clock.nowMs() + limits.jobs.ticketMs;
  const message: IssueTicket = {
    kind: "issue_ticket",
    digest: computeDigest(ticket),
    ticket: { scope: principal.scope, subject, expiresAtMs, ...getMember(principal) },
  };
  const reply = await service.gateway.ask(accountKey(principal.scope), message, "work");
  expectReply(reply, "issued");
  return json(201, { ticket, expires_at: timestamp(expiresAtMs) });
}

/**
 * Throws `RefusalError`: 401 for a ticket that is absent, expired or consumed, checked before the
 * id; 403 for a ticket of another stream. `Authorization` is ignored. Resolves to the reader if its
 * right to read may end.
 */
export async function redeemTicket(
  { service, id }: Call<unknown, unknown>,
  ticket: string | undefined,
): Promise<Reader | undefined> {
  const partition = partitionOfTicket(ticket);
  if (ticket === undefined || partition === undefined) throw noTicket();
  const address = ticketKey(partition, computeDigest(ticket));
  const redeem: RedeemTicket = { kind: "redeem", subject: id.toLowerCase() };
  const reply = await service.gateway.ask(address, redeem, "settle");
  const found = expectReply(reply, "redeemed", "spent", "mismatched");
  if (found.kind !== "redeemed") throw found.kind === "spent" ? noTicket() : otherStream();
  const { reader } = found;
  if (reader !== undefined && !service.following.mayRead(reader)) throw noTicket();
  return reader;
}

/** For routes that a ticket opens. */
export const atTicket: PartitionOf = ({ query }) =>
  partitionOfTicket(new URLSearchParams(query).get("ticket") ?? undefined);

function getMember({ organization, user }: Principal): { readonly user?: Id } {
  return organization === undefined ? {} : { user: user.id };
}

/** The last of the 33 bytes names the partition that keeps the ticket. */
function partitionOfTicket(ticket: string | undefined): number | undefined {
  const bytes = Buffer.from(ticket ?? "", "base64url");
  return bytes.length === secretBytes + 1 ? bytes[secretBytes] : undefined;
}

function otherStream(): RefusalError {
  return new RefusalError({ code: "forbidden", detail: "This ticket is for another stream." });
}

function noTicket(): RefusalError {
  return new RefusalError({ code: "unauthorized", presented: true });
}
