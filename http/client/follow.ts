/**
 * Following a job to its end.
 *
 * 1. `follow` ends with a terminal job, or with the fault of a service that stays silent.
 * 2. It prefers the event stream and falls back to the long-poll, so it lives through a restart.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Job } from "../../actors/contract/job.ts";
import type { Render } from "../../actors/contract/render.ts";
import { ApiProblem, isPassing, Unreachable } from "./call.ts";
import { type Client, jobPath, renderPath } from "./client.ts";
import { readEvents } from "./events.ts";

/** The pace of new streams when they end early. */
const betweenStreamsMs = 100;
const waitSeconds = 60;
/** Between reads of a render whose stream is not available. */
const betweenReadsMs = 1_000;

/** What a stream frame says; `Job` has these fields too. */
export type JobEvent = Pick<Job, "status" | "status_message" | "progress">;

export type RenderEvent = Pick<Render, "status" | "progress">;

/** Reports each change and returns the terminal job. */
export async function follow(
  client: Client,
  id: string,
  report: (event: JobEvent) => void,
): Promise<Job> {
  for (;;) {
    try {
      for await (const event of eventsOf(client, jobPath(id))) report(event);
    } catch (fault) {
      if (!isPassing(fault) && !isCrowded(fault)) throw fault;
      const ended = await client.wait(id, waitSeconds);
      if (ended !== undefined) return ended;
    }
    const job = await client.job(id);
    if (isTerminal(job)) return job;
    report(job);
    await pause(betweenStreamsMs);
  }
}

/** As `follow`, for a render. */
export async function followRender(
  client: Client,
  id: string,
  report: (event: RenderEvent) => void,
): Promise<Render> {
  for (;;) {
    try {
      for await (const event of eventsOf(client, renderPath(id))) report(event);
    } catch (fault) {
      if (!isPassing(fault) && !isCrowded(fault)) throw fault;
    }
    const render = await client.render(id);
    if (render.status === "succeeded" || render.status === "failed") return render;
    report(render);
    await pause(betweenReadsMs);
  }
}

/** The changes from the present state on; ends when the service closes the stream. */
async function* eventsOf(client: Client, path: string): AsyncGenerator<JobEvent & RenderEvent> {
  const { ticket } = await client.ticket(path);
  const { body } = await client.openStream(path, ticket);
  if (body === null) return;
  try {
    for await (const { event, data } of readEvents(body)) {
      if (event === "status" || event === "complete")
        yield JSON.parse(data) as JobEvent & RenderEvent;
      if (event === "complete" || event === "reconnect") return;
    }
  } catch (fault) {
    throw new Unreachable(client.origin, fault);
  }
}

function isTerminal({ status }: Job): boolean {
  return status !== "queued" && status !== "running";
}

/** Too many open tickets or streams of this account: the long-poll serves. */
function isCrowded(fault: unknown): boolean {
  return fault instanceof ApiProblem && fault.status === 429;
}
