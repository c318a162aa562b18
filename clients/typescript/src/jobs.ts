/** Jobs: the calls of the contract, waiting for a result, and following a job's events. */
import { type CallOptions, segment } from "./caller.ts";
import { follow } from "./follow.ts";
import { JobsCalls } from "./generated/jobs-calls.ts";
import type { Job, JobFrame, ReconnectFrame } from "./generated/models.ts";
import { jobError, KliegError } from "./problem.ts";

/** A change of a job; the last one is `complete`. */
export type JobEvent = Exclude<JobFrame, ReconnectFrame>;

export interface WaitOptions extends CallOptions {
  /** Maximum wait, then `timeout` is thrown and the job goes on. By default there is no limit. */
  readonly timeoutSeconds?: number | undefined;
  /** Called for each event of the job during the wait. */
  readonly onEvent?: ((event: JobEvent) => void) | undefined;
}

/** Length of the wait of one request. */
const windowSeconds = 60;

export class Jobs extends JobsCalls {
  /**
   * Returns the job once it has succeeded. A failed job throws with the code of its failure, a
   * canceled one with `canceled`; the error contains the job.
   */
  async wait(id: string, options: WaitOptions = {}): Promise<Job> {
    const { timeoutSeconds = Number.POSITIVE_INFINITY, onEvent } = options;
    if (onEvent !== undefined) {
      await this.watch(id, onEvent, options);
      return requireSuccess(await this.get(id, options));
    }
    for (let left = timeoutSeconds; left > 0; left -= windowSeconds) {
      const job = await this.awaitEnd(id, Math.ceil(Math.min(left, windowSeconds)), options);
      if (job !== undefined) return requireSuccess(job);
    }
    throw notYet(id);
  }

  private async watch(
    id: string,
    onEvent: (event: JobEvent) => void,
    { timeoutSeconds, signal }: WaitOptions,
  ): Promise<void> {
    const late = timeoutSeconds === undefined ? [] : [AbortSignal.timeout(timeoutSeconds * 1_000)];
    const signals = signal === undefined ? late : [...late, signal];
    try {
      const ended = { signal: AbortSignal.any(signals) };
      for await (const event of this.stream(id, ended)) onEvent(event);
    } catch (fault) {
      signal?.throwIfAborted();
      throw late[0]?.aborted === true ? notYet(id) : fault;
    }
  }

  /** Returns the job once it has ended in any way, or undefined after the window of 1 to 900 s. */
  async awaitEnd(id: string, seconds: number, options: CallOptions = {}): Promise<Job | undefined> {
    try {
      return await this.caller.json<Job>(
        {
          method: "GET",
          path: `/jobs/${segment(id)}/wait`,
          query: { timeout_seconds: seconds },
          isRepeatable: true,
          heldMs: seconds * 1_000,
        },
        options,
      );
    } catch (fault) {
      if (fault instanceof KliegError && fault.status === 408) return undefined;
      throw fault;
    }
  }

  /** Yields the job's events, from its current state to its end. */
  stream(id: string, options: CallOptions = {}): AsyncGenerator<JobEvent> {
    const lookAgain = async (hasStream: boolean) => {
      const ended = hasStream ? undefined : await this.awaitEnd(id, windowSeconds, options);
      return toEvent(ended ?? (await this.get(id, options)));
    };
    return follow<JobEvent>({
      caller: this.caller,
      ticketPath: `/jobs/${segment(id)}/sse-ticket`,
      streamPath: `/jobs/${segment(id)}/sse`,
      lookAgain,
      signal: options.signal,
    });
  }
}

/** Throws for a job that ended in any other way than by success. */
function requireSuccess(job: Job): Job {
  if (job.status === "succeeded") return job;
  throw jobError(job);
}

function notYet(id: string): KliegError {
  const about = { status: 408, code: "timeout", problem: { job_id: id } };
  return new KliegError(`The job ${id} has not ended yet.`, about);
}

/** Converts a job that was read to the event that a stream would have sent. */
function toEvent(job: Job): JobEvent {
  const { status, failure, progress, status_detail: detail, status_message: message } = job;
  if (status === "succeeded") return { event: "complete", data: { status } };
  if (status === "canceled")
    return { event: "complete", data: { status, ...describeError(job.cancellation?.message) } };
  if (status === "failed")
    return {
      event: "complete",
      data: {
        status,
        ...describeError(failure?.message),
        ...(failure && { failure_kind: failure.kind }),
        ...(failure?.code && { failure_code: failure.code }),
      },
    };
  return {
    event: "status",
    data: {
      status,
      ...(typeof progress === "number" && { progress }),
      ...(detail && { status_detail: detail }),
      ...(message && { status_message: message }),
    },
  };
}

function describeError(error: string | undefined) {
  return error === undefined ? {} : { error };
}
