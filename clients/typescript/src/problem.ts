/** The service's refusals, as the only error class that this client throws. */
import type { Job, Problem } from "./generated/models.ts";

/** Failure codes of a generation; any other failure of a job is reported as `job_failed`. */
const codes: readonly string[] = [
  "out_of_credits",
  "rate_limit",
  "prompt_nsfw",
  "ip_detected",
  "job_failed",
  "timeout",
  "validation",
  "confirmation_rejected",
  "canceled",
  "job_not_cancellable",
  "approval_required",
  "run_ended",
];

interface Circumstances {
  readonly status: number;
  readonly problem?: Partial<Problem>;
  readonly code?: string | undefined;
  /** Time to wait, in seconds. */
  readonly retryAfter?: number | undefined;
  readonly retryAfterReset?: string | undefined;
  readonly job?: Job;
  readonly cause?: unknown;
}

/**
 * A refused request, a job that ended without a result, or a service that does not answer. Branch
 * on `code`, and where there is none on `status`; the sentences are for people.
 */
export class KliegError extends Error {
  override readonly name = "KliegError";
  /** HTTP status of the answer, or the one in a failed job's failure; 0 where there is none. */
  readonly status: number;
  /** The problem's code; `unreachable` when there was no answer or it broke off. */
  readonly code: string | undefined;
  readonly title: string;
  readonly detail: string | undefined;
  /** The invalid fields of the request, with the reason for each. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** The job that the problem is about; for a duplicate, the earlier job. */
  readonly jobId: string | undefined;
  readonly renderId: string | undefined;
  readonly setId: string | undefined;
  /** Request id to give to support. */
  readonly requestId: string | undefined;
  /** Time to wait in seconds, when the service named it. */
  readonly retryAfter: number | undefined;
  /** When the exhausted quota resets, as RFC 3339. */
  readonly retryAfterReset: string | undefined;
  /** The whole problem object as the service sent it. */
  readonly problem: Partial<Problem>;
  /** The job that failed or was canceled, as read by the wait. */
  readonly job: Job | undefined;

  constructor(message: string, circumstances: Circumstances) {
    super(message, { cause: circumstances.cause });
    const { status, problem = {}, job } = circumstances;
    this.status = status;
    this.code = circumstances.code ?? problem.code;
    this.title = problem.title ?? (status === 0 ? "No Answer" : `Status ${status}`);
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.jobId = job?.id ?? problem.job_id;
    this.renderId = problem.render_id;
    this.setId = problem.set_id;
    this.requestId = problem.request_id;
    this.retryAfter = circumstances.retryAfter;
    this.retryAfterReset = circumstances.retryAfterReset;
    this.problem = problem;
    this.job = job;
  }
}

/** Builds the error for an answer other than 2xx. A proxy's error page yields only its status. */
export async function refusal(response: Response): Promise<KliegError> {
  const { status, headers } = response;
  const problem = await readProblem(response);
  return new KliegError(problem.detail ?? problem.title ?? `The service answered ${status}.`, {
    status,
    problem,
    retryAfter: parseRetryAfter(headers),
    retryAfterReset: headers.get("retry-after-reset") ?? undefined,
  });
}

async function readProblem(response: Response): Promise<Partial<Problem>> {
  const text = await response.text().catch(() => "");
  try {
    return JSON.parse(text) as Partial<Problem>;
  } catch {
    return {};
  }
}

/** Seconds to wait; a date is compared with the answer's own date, not with the local clock. */
function parseRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, headers);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

function secondsUntil(date: string, headers: Headers): number {
  return (Date.parse(date) - Date.parse(headers.get("date") ?? "")) / 1_000;
}

/** Builds the error for no answer from `url`, or a connection that broke during the answer. */
export function unreachable(url: string, cause: unknown): KliegError {
  return new KliegError(`${url} is not reachable.`, { status: 0, code: "unreachable", cause });
}

/** Builds the error that a wait throws for a job that ended without a result. */
export function jobError(job: Job): KliegError {
  if (job.status === "canceled") {
    const message = job.cancellation?.message ?? "The job was canceled.";
    return new KliegError(message, { status: 0, code: "canceled", job });
  }
  const code = job.failure?.code ?? "job_failed";
  return new KliegError(job.failure?.message ?? "The job failed.", {
    status: job.error?.status ?? 502,
    problem: job.error ?? {},
    code: codes.includes(code) ? code : "job_failed",
    job,
  });
}
