/** Streams the states of a job as server-sent events. */

import { type Job, jobKey } from "../../actors/protocol/job.ts";
import type { Reader } from "../../actors/protocol/ticket.ts";
import type { Job as JobView } from "../../contract/job.ts";
import type { Id } from "../../engine/id.ts";
import type { Answer } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";
import { hasEnded, isTerminal } from "../streams/job-watchers.ts";
import { eventStream } from "../streams/sse-connection.ts";
import { type StreamedState, streamStates } from "../streams/state-stream.ts";

/** Throws `RefusalError`: 404 when there is no job, 503 when too many streams are open. */
export function jobStream(
  call: Call<unknown, unknown>,
  id: Id,
  reader: Reader | undefined,
): Answer {
  const { service } = call;
  const { terms } = requireFound(service.gateway.read(jobKey(id)));
  return eventStream(call, terms.scope, reader, (frames) =>
    streamStates(service, streamJob(service, id), frames),
  );
}

export function streamJob({ jobs }: Pick<Service, "jobs">, id: Id): StreamedState<Job> {
  return {
    key: jobKey(id),
    getVersion: ({ revision }) => revision,
    compare(job, shown) {
      // The stream ends only when a canceled job is settled too.
      if (isTerminal(job)) return hasEnded(job) ? "change" : "nothing";
      const isSame = job.phase === shown.phase && getDetail(job) === getDetail(shown);
      return isSame ? "progress" : "change";
    },
    view(job) {
      const found = jobs.look(id, job.terms.scope);
      if (found === undefined) return undefined;
      const view = jobs.view(found);
      return {
        place: `${id}:${job.revision}`,
        status: buildStatusFrame(job, view),
        outcome: hasEnded(job) ? buildOutcomeFrame(view) : undefined,
      };
    },
  };
}

function buildStatusFrame(job: Job, view: JobView): object {
  return {
    status: job.phase,
    progress: view.progress ?? undefined,
    status_detail: view.status_detail ?? undefined,
    status_message: getDetail(job) === undefined ? undefined : view.status_message,
  };
}

function getDetail(job: Job): string | undefined {
  return job.phase === "queued" ? job.detail?.name : undefined;
}

/** Builds the data of the stream's only terminal frame. */
function buildOutcomeFrame(view: JobView): object {
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
