/**
 * The history of one job. Most of it follows from the job's rows, so accepting a job writes nothing
 * for it; only events that a later state does not preserve have rows of their own.
 */

import { type Job, jobEventKey } from "../../actors/protocol/job.ts";
import type { JobEvents } from "../../contract/job.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { Found } from "./job-reads.ts";

interface Line {
  readonly atMs: number;
  readonly type: JobEvents["items"][number]["type"];
  readonly data: Readonly<Record<string, unknown>>;
}

export function readHistory(gateway: Gateway, { request: asked, job }: Found): JobEvents {
  const { createdAtMs: atMs, modality, model } = asked;
  const noted = readEventRows(gateway, job);
  const lines: Line[] = [{ atMs, type: "accepted", data: { modality, model } }];
  const { hold } = job.terms;
  if (hold > 0) lines.push({ atMs, type: "hold_placed", data: { credits: hold } });
  const isNoted = noted.some(({ type }) => type === "submitted");
  if (!isNoted && wasSubmitted(job)) lines.push({ atMs, type: "submitted", data: {} });
  lines.push(...noted, ...listCourse(job));
  // The sort is stable, so events of the same time keep the order in which they happen.
  lines.sort((a, b) => a.atMs - b.atMs);
  return { items: lines.map(({ atMs, type, data }) => ({ at: timestamp(atMs), type, data })) };
}

function readEventRows(gateway: Gateway, { terms, events = 0 }: Job): Line[] {
  return Array.from({ length: events }).flatMap((_, at) => {
    return gateway.read(jobEventKey(terms.job, at)) ?? [];
  });
}

/** Whether the job was sent to the provider or to a node of the farm. */
function wasSubmitted(job: Job): boolean {
  if (job.phase === "queued") return job.ref !== undefined || job.submitting !== undefined;
  return job.phase !== "canceled" || job.stage !== "before_submit";
}

function listCourse(job: Job): Line[] {
  const lines: Line[] = [];
  const add = (atMs: number, type: Line["type"], data: Line["data"]) =>
    lines.push({ atMs, type, data });
  if ("startedAtMs" in job) add(job.startedAtMs, "provider_status", { state: "running" });
  if (job.phase === "running" && job.progress > 0)
    add(job.updatedAtMs, "progress", { progress: job.progress });
  if (!("completedAtMs" in job)) return lines;
  const { completedAtMs: endMs, phase: status } = job;
  if (job.phase === "canceled") add(endMs, "cancel_requested", { canceled_by: job.canceledBy });
  const failed = job.phase === "failed" ? { failure_code: job.failure.code } : {};
  add(endMs, "terminal", { status, ...failed });
  const settled = getSettlement(job);
  if (settled !== undefined) add(settled.atMs, "settled", getAmounts(job, settled.charged));
  return lines;
}

/** The settlement, or undefined while it is pending. */
function getSettlement(job: Extract<Job, { completedAtMs: number }>) {
  if (job.phase !== "canceled") return { atMs: job.completedAtMs, charged: job.charged };
  return job.settlement.kind === "settled" ? job.settlement : undefined;
}

function getAmounts({ terms }: Job, charged: number) {
  return { credits_charged: charged, credits_refunded: terms.hold - charged };
}
