/** The job's event stream and the tickets that open it. */

import { timestamp } from "../../actors/contract/common.ts";
import { SseTicket } from "../../actors/contract/job.ts";
import { accountKey, ticketKey } from "../../actors/tables.ts";
import type { Redeemed } from "../../actors/ticket/ticket.ts";
import { limits } from "../../config/limits.ts";
import { vpartOfId } from "../../engine/id.ts";
import { type Answer, json } from "../answer.ts";
import { jobStream } from "../event-stream.ts";
import { digestOf } from "../principals.ts";
import { optionalText } from "../query.ts";
import { RefusalError } from "../refusal-error.ts";
import { expectReply } from "../replies.ts";
import { type Call, type Route, route } from "../route.ts";
import { jobIdOf } from "./jobs.ts";

const secretBytes = 32;

export const streamRoutes: readonly Route[] = [
  route("POST", "/v1/jobs/{id}/sse-ticket", {
    summary: "Mint a ticket for one event stream of a job",
    answers: { 201: SseTicket },
    access: "jobs:read",
    needs: "read",
    rate: "read",
    run: mintTicket,
  }),
  route("GET", "/v1/jobs/{id}/sse", {
    summary: "Follow a job as an event stream",
    answers: { 200: "text/event-stream" },
    anyOrigin: true,
    access: "open",
    takesHead: false,
    query: { ticket: optionalText(256) },
    run: openStream,
  }),
];

async function mintTicket(call: Call): Promise<Answer> {
  const { service, principal } = call;
  const job = jobIdOf(call);
  service.jobs.find(job, principal.scope);
  const vpart = vpartOfId(principal.scope);
  const secret = Buffer.from([...service.entropy.bytes(secretBytes), vpart]);
  const ticket = secret.toString("base64url");
  const expiresAtMs = service.clock.nowMs() + limits.jobs.ticketMs;
  const message = {
    kind: "issue_ticket",
    digest: digestOf(ticket),
    ticket: { scope: principal.scope, job, expiresAtMs },
  };
  const reply = await service.gateway.ask(accountKey(principal.scope), message, "work");
  expectReply(reply, "issued");
  return json(201, { ticket, expires_at: timestamp(expiresAtMs) });
}

/** A missing ticket is answered before the id is looked at; `Authorization` is ignored. */
async function openStream(call: Call<unknown, { ticket: string | undefined }>): Promise<Answer> {
  const { service, query } = call;
  const vpart = vpartOfTicket(query.ticket);
  if (query.ticket === undefined || vpart === undefined) throw noTicket();
  const address = ticketKey(vpart, digestOf(query.ticket));
  const redeem = { kind: "redeem", job: call.id.toLowerCase() };
  const reply = await service.gateway.ask(address, redeem, "settle");
  const { kind } = expectReply<Redeemed>(reply, "redeemed", "spent", "mismatched");
  if (kind === "spent") throw noTicket();
  if (kind === "mismatched")
    throw new RefusalError({ code: "forbidden", detail: "This ticket is for another job." });
  return jobStream(call, jobIdOf(call));
}

/** The last of the 33 bytes says where the ticket is kept. */
function vpartOfTicket(ticket: string | undefined): number | undefined {
  const bytes = Buffer.from(ticket ?? "", "base64url");
  return bytes.length === secretBytes + 1 ? bytes[secretBytes] : undefined;
}

function noTicket(): RefusalError {
  return new RefusalError({ code: "unauthorized", presented: true });
}
