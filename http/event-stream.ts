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
import { limits } from "../config/limits.ts";
import type { Id } from "../engine/id.ts";
import type { Answer, Sink } from "./answer.ts";
import { isTerminal } from "./following.ts";
import { RefusalError } from "./refusal-error.ts";
import type { Call } from "./route.ts";
import type { Service } from "./service.ts";

/** Throws `RefusalError` with 503 when the account has too many streams open. */
export function jobStream({ service, request }: Call<unknown, unknown>, id: Id): Answer {
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
    headers: [
      ["Content-Type", "text/event-stream; charset=utf-8"],
      ["Cache-Control", "no-store"],
      ["X-Accel-Buffering", "no"],
    ],
    body: { length: undefined, start: (sink) => new JobStream(service, id, sink).open() },
  };
}

class JobStream {
  private readonly service: Service;
  private readonly id: Id;
  private readonly sink: Sink;
  private readonly stops: (() => void)[] = [];
  private stopProgress: (() => void) | undefined;
  private stopKeepAlive: (() => void) | undefined;
  private shown: Job | undefined;
  private isClosed = false;

  constructor(service: Service, id: Id, sink: Sink) {
    this.service = service;
    this.id = id;
    this.sink = sink;
  }

  /** Returns what to call when the client has gone. */
  open(): () => void {
    const { following, gateway, clock } = this.service;
    const job = gateway.read(jobKey(this.id));
    this.write("retry: 5000\n\n");
    if (job === undefined) this.end();
    else {
      this.stops.push(
        following.watch(this.id, (next) => this.changed(next)),
        following.atDrain(() => this.say("reconnect", {}, undefined)),
        clock.after(limits.http.streamMs, () => this.end()),
      );
      this.keepAlive();
      this.status(job);
      if (isTerminal(job)) this.complete(job);
    }
    return () => this.close(job?.terms.scope);
  }

  private changed(job: Job): void {
    const { shown } = this;
    if (this.isClosed || shown === undefined || job.revision <= shown.revision) return;
    if (isTerminal(job)) this.complete(job);
    else if (job.phase !== shown.phase || detailOf(job) !== detailOf(shown)) this.status(job);
    else this.later();
  }

  /** Progress alone: one frame for all that comes within the interval. */
  private later(): void {
    this.stopProgress ??= this.service.clock.after(limits.http.progressFrameMs, () => {
      this.stopProgress = undefined;
      const job = this.service.gateway.read(jobKey(this.id));
      if (job !== undefined && !isTerminal(job) && !this.isClosed) this.status(job);
    });
  }

  private status(job: Job): void {
    this.shown = job;
    const view = this.viewOf(job);
    this.say(
      "status",
      {
        status: job.phase,
        progress: view?.progress ?? undefined,
        status_detail: view?.status_detail ?? undefined,
        status_message: detailOf(job) === undefined ? undefined : view?.status_message,
      },
      job,
    );
  }

  private complete(job: Job): void {
    const view = this.viewOf(job);
    if (view !== undefined) this.say("complete", outcomeOf(view), job);
    this.end();
  }

  private viewOf(job: Job): JobView | undefined {
    const { asked } = this.service.jobs.find(this.id, job.terms.scope);
    return this.service.jobs.view({ asked, job });
  }

  /** `job` undefined for frames that tell nothing of the job. */
  private say(event: string, data: object, job: Job | undefined): void {
    const id = job === undefined ? "" : `id: ${this.id}:${job.revision}\n`;
    this.write(`event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`);
    if (job === undefined) this.end();
  }

  private write(text: string): void {
    if (this.isClosed) return;
    this.sink.write(text);
    if (this.sink.unsent() <= limits.http.streamUnsentMax) return;
    this.isClosed = true;
    this.sink.abort();
  }

  private keepAlive(): void {
    const { clock } = this.service;
    const next = () => {
      this.stopKeepAlive = clock.after(limits.http.keepAliveMs, () => {
        this.write(": keep-alive\n\n");
        next();
      });
    };
    next();
  }

  private end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.sink.end();
  }

  private close(scope: Id | undefined): void {
    this.isClosed = true;
    this.stopProgress?.();
    this.stopKeepAlive?.();
    for (const stop of this.stops) stop();
    if (scope !== undefined) this.service.following.leave("stream", scope);
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
