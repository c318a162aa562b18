/** The job's event stream and the tickets that open it. */

import { SseTicket } from "../../contract/job.ts";
import { JobFrame } from "../../contract/stream.ts";
import type { Answer } from "../exchange/answer.ts";
import { ticketParameter } from "../request/query.ts";
import { type Call, type Route, route } from "../route.ts";
import { atTicket, mintTicket, redeemTicket } from "../sign-in/stream-tickets.ts";
import { getJobId } from "./job-routes.ts";
import { jobStream } from "./job-stream.ts";

export const streamRoutes: readonly Route[] = [
  route("POST", "/v1/jobs/{id}/sse-ticket", {
    summary: "Mint a ticket for one event stream of a job",
    answers: { 201: SseTicket },
    access: "jobs:read",
    needs: "read",
    rate: "read",
    run: ticketForJob,
  }),
  route("GET", "/v1/jobs/{id}/sse", {
    summary: "Follow a job as an event stream",
    answers: { 200: { frames: JobFrame } },
    anyOrigin: true,
    access: "open",
    getPartition: atTicket,
    takesHead: false,
    query: { ticket: ticketParameter },
    run: openStream,
  }),
];

function ticketForJob(call: Call): Promise<Answer> {
  const job = getJobId(call);
  call.service.jobs.find(job, call.principal.scope);
  return mintTicket(call, job);
}

async function openStream(call: Call<unknown, { ticket: string | undefined }>): Promise<Answer> {
  const reader = await redeemTicket(call, call.query.ticket);
  return jobStream(call, getJobId(call), reader);
}
