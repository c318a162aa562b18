/**
 * A job's life as server-sent events: `status` at once and at every change, one `complete`, then
 * the end.
 *
 * I11 versions rise, one `complete`, then closed. Frames that change only progress are coalesced,
 * the last is always sent. A reader that leaves more than 64 KiB unread is cut off.
 */

import type { Job as JobView } from "../../actors/contract/job.ts";
import { type Job, jobKey } from "../../actors/job/job.ts";
import type { Reader } from "../../actors/ticket/ticket.ts";
import { limits } from "../../config/limits.ts";
import type { Id } from "../../engine/id.ts";
import { found } from "../problems/refusal-error.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";
import type { Answer } from "../transport/answer.ts";
import { eventStream, type Frames } from "../transport/sse-connection.ts";
import { hasEnded, isTerminal } from "./job-watchers.ts";

/** Throws `RefusalError`: 404 when there is none, 503 when too many streams are open. */
export function jobStream(
  call: Call<unknown, unknown>,
  id: Id,
  reader: Reader | undefined,
): Answer {
  const { service } = call;
  const { terms } = found(service.gateway.read(jobKey(id)));
  return eventStream(call, terms.scope, reader, (frames) =>
    new JobStream(service, id, frames).open(),
  );
}

class JobStream {
  private readonly service: Service;
  private readonly id: Id;
  private readonly frames: Frames;
  private stopProgress: (() => void) | undefined;
  private shown: Job | undefined;

  constructor(service: Service, id: Id, frames: Frames) {
    this.service = service;
    this.id = id;
    this.frames = frames;
  }

  open(): void {
    const look = () => this.look();
    const { gateway } = this.service;
    this.frames.until(gateway.watch(jobKey(this.id), look));
    this.frames.until(() => this.stopProgress?.());
    gateway.look(look);
  }

  /** All rows are read before anything is sent, so that an interrupted look can be repeated. */
  private look(isProgressDue = false): void {
    const { frames, shown } = this;
    if (frames.isClosed) return;
    const job = this.service.gateway.read(jobKey(this.id));
    const found = job && this.service.jobs.look(this.id, job.terms.scope);
    if (job === undefined || found === undefined) {
      frames.end();
      return;
    }
    if (shown !== undefined && job.revision <= shown.revision) return;
    const isOver = hasEnded(job);
    if (shown !== undefined && isTerminal(job) && !isOver) return;
    if (shown !== undefined && isProgressOnly(job, shown) && !isProgressDue) {
      this.later();
      return;
    }
    const view = this.service.jobs.view(found);
    this.shown = job;
    const place = `${this.id}:${job.revision}`;
    if (shown === undefined || !isOver) frames.say("status", statusOf(job, view), place);
    if (isOver) frames.last("complete", outcomeOf(view), place);
  }

  /** Progress alone: one frame for all that comes within the interval. */
  private later(): void {
    const { clock, gateway } = this.service;
    this.stopProgress ??= clock.after(limits.http.progressFrameMs, () => {
      this.stopProgress = undefined;
      gateway.look(() => this.look(true));
    });
  }
}

function isProgressOnly(job: Job, shown: Job): boolean {
  return job.phase === shown.phase && !isTerminal(job) && detailOf(job) === detailOf(shown);
}

function statusOf(job: Job, view: JobView): object {
  return {
    status: job.phase,
    progress: view.progress ?? undefined,
    status_detail: view.status_detail ?? undefined,
    status_message: detailOf(job) === undefined ? undefined : view.status_message,
  };
}

function detailOf(job: Job): string | undefined {
  return job.phase === "queued" ? job.detail?.name : undefined;
}

/** The data of the one terminal frame. */
function outcomeOf(view: JobView): object {
  const { status, failure, cancellation, asset } = view;
  if (failure !== undefined)
    return {
      status,
      error: failure.message,
      failure_kind: failure.kind,
      failure_code: failure.code,
      credits_refunded: failure.credits_refunded,
    };
  if (cancellation !== undefined)
    return {
      status,
      error: cancellation.message,
      credits_refunded:
        cancellation.settlement === "pending" ? undefined : cancellation.settlement === "refunded",
    };
  return { status, progress: view.progress, asset_url: asset?.signed_url };
}
