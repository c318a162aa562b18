/**
 * A job's life as server-sent events: `status` at once and at every change, one `complete`, then
 * the end.
 *
 * I11 versions rise, one `complete`, then closed. Frames that change only progress are coalesced,
 * the last is always sent. A reader that leaves more than 64 KiB unread is cut off.
 */

import type { Job as JobView } from "../actors/contract/job.ts";
import type { Job } from "../actors/job/job.ts";
import { jobKey } from "../actors/tables.ts";
import type { Reader } from "../actors/ticket/ticket.ts";
import { limits } from "../config/limits.ts";
import type { Id } from "../engine/id.ts";
import type { Answer, Sink } from "./answer.ts";
import { isTerminal } from "./following.ts";
import { Frames, frameHeaders } from "./frames.ts";
import { RefusalError } from "./refusal-error.ts";
import type { Call } from "./route.ts";
import type { Service } from "./service.ts";

/** Throws `RefusalError` with 503 when the account has too many streams open. */
export function jobStream(
  { service, request }: Call<unknown, unknown>,
  id: Id,
  reader: Reader | undefined,
): Answer {
  const job = service.gateway.read(jobKey(id));
  if (job === undefined) throw new RefusalError({ code: "not_found" });
  if (request.isGone()) throw new RefusalError({ code: "not_found" });
  if (!service.following.enter("stream", job.terms.scope, limits.jobs.streamsMax))
    throw new RefusalError({
      code: "unavailable",
      retryAfterSeconds: limits.http.retryAfterSeconds,
      detail: `At most ${limits.jobs.streamsMax} streams of one account are open at once.`,
    });
  return {
    status: 200,
    headers: frameHeaders,
    body: { length: undefined, start: (sink) => new JobStream(service, id, sink).open(reader) },
  };
}

class JobStream {
  private readonly service: Service;
  private readonly id: Id;
  private readonly frames: Frames;
  private stopProgress: (() => void) | undefined;
  private shown: Job | undefined;

  constructor(service: Service, id: Id, sink: Sink) {
    this.service = service;
    this.id = id;
    this.frames = new Frames(sink);
  }

  /** Returns what to call when the client has gone. */
  open(reader: Reader | undefined): () => void {
    const { following, gateway, clock } = this.service;
    const { frames } = this;
    const job = gateway.read(jobKey(this.id));
    frames.open(following, clock);
    frames.whileReadable(following, reader);
    if (job === undefined) frames.end();
    else {
      frames.until(following.watch(this.id, (next) => this.changed(next)));
      frames.until(() => following.leave("stream", job.terms.scope));
      frames.until(() => this.stopProgress?.());
      this.status(job);
      if (isTerminal(job)) this.complete(job);
    }
    return () => frames.close();
  }

  private changed(job: Job): void {
    const { shown } = this;
    if (this.frames.isClosed || shown === undefined || job.revision <= shown.revision) return;
    if (isTerminal(job)) this.complete(job);
    else if (job.phase !== shown.phase || detailOf(job) !== detailOf(shown)) this.status(job);
    else this.later();
  }

  /** Progress alone: one frame for all that comes within the interval. */
  private later(): void {
    this.stopProgress ??= this.service.clock.after(limits.http.progressFrameMs, () => {
      this.stopProgress = undefined;
      const job = this.service.gateway.read(jobKey(this.id));
      if (job !== undefined && !isTerminal(job) && !this.frames.isClosed) this.status(job);
    });
  }

  private status(job: Job): void {
    this.shown = job;
    const view = this.viewOf(job);
    const data = {
      status: job.phase,
      progress: view?.progress ?? undefined,
      status_detail: view?.status_detail ?? undefined,
      status_message: detailOf(job) === undefined ? undefined : view?.status_message,
    };
    this.frames.say("status", data, `${this.id}:${job.revision}`);
  }

  private complete(job: Job): void {
    const view = this.viewOf(job);
    if (view !== undefined)
      this.frames.say("complete", outcomeOf(view), `${this.id}:${job.revision}`);
    this.frames.end();
  }

  private viewOf(job: Job): JobView | undefined {
    const { asked } = this.service.jobs.find(this.id, job.terms.scope);
    return this.service.jobs.view({ asked, job });
  }
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
