/** What the service refuses, in the one class of errors that this client throws. */
import type { Job, Problem } from "./generated/models.ts";

/** Of a generation; anything else that a failed job says is `job_failed`. */
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
  /** Seconds. */
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
  /** Of the answer, or what a failed job says of its own; 0 where there is none. */
  readonly status: number;
  /** Also `unreachable`, when nothing answered or the answer broke off. */
  readonly code: string | undefined;
  readonly title: string;
  readonly detail: string | undefined;
  /** Which fields of the request are wrong, and how. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** The job that the problem is about: for a duplicate, the earlier one. */
  readonly jobId: string | undefined;
  readonly renderId: string | undefined;
  readonly setId: string | undefined;
  /** For support. */
  readonly requestId: string | undefined;
  /** Seconds, when the service named them. */
  readonly retryAfter: number | undefined;
  /** When a quota begins anew, as RFC 3339. */
  readonly retryAfterReset: string | undefined;
  /** All that the service said. */
  readonly problem: Partial<Problem>;
  /** The job that failed or was canceled, as a wait found it. */
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

/** Of an answer other than 2xx. A proxy's page is no problem object and has its status alone. */
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

/** Seconds; a date counts from the answer's own, so that no clock here is asked. */
function parseRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, headers);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

function secondsUntil(date: string, headers: Headers): number {
  return (Date.parse(date) - Date.parse(headers.get("date") ?? "")) / 1_000;
}

/** Nothing answered at `url`, or the connection broke before the answer was whole. */
export function unreachable(url: string, cause: unknown): KliegError {
  return new KliegError(`Nothing answers at ${url}.`, { status: 0, code: "unreachable", cause });
}

/** What a wait throws for a job that ended without a result. */
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
