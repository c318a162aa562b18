/**
 * Builds the client's view of a job from its two rows. This is the only file that writes a job's
 * wire names.
 */

import { limits } from "../../config/limits.ts";
import { firstCharacters, toOneLine } from "../../config/one-line.ts";
import type { Asset as AssetView } from "../../contract/asset.ts";
import type {
  Cancellation as CancellationView,
  JobFailure as FailureView,
  Job as JobView,
} from "../../contract/job.ts";
import type { Problem } from "../../contract/problem.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { count, wasOrWere } from "../count.ts";
import type {
  CanceledJob,
  FailedJob,
  Failure,
  Job,
  JobRequest,
  StatusDetail,
} from "../protocol/job.ts";

const detailMessages: Readonly<Record<StatusDetail, string>> = {
  provider_down:
    "The model provider is unavailable. Your generation is waiting and will start when it recovers.",
  upstream_at_capacity:
    "The model provider is at capacity. Your generation is waiting for a free slot.",
};

/**
 * `assets` are those of a succeeded job, in order; `problems` is the base URL under which problem
 * types are explained.
 */
export function jobView(
  request: JobRequest,
  job: Job,
  assets: readonly AssetView[],
  problems = "",
): JobView {
  const view: JobView = {
    id: request.id,
    modality: request.modality,
    model: request.model,
    status: job.phase,
    status_detail: null,
    status_message: null,
    progress: null,
    created_at: timestamp(request.createdAtMs),
    updated_at: timestamp(job.updatedAtMs),
    started_at: null,
    completed_at: null,
    user_id: request.user,
    set_id: request.set ?? null,
    agent_session_id: request.turn?.session ?? null,
    parent_job_id: request.parent ?? null,
    credits_held: job.terms.hold,
    credits_charged: null,
    surface: request.surface ?? null,
    summary: summarize(request),
  };
  if ("startedAtMs" in job) view.started_at = timestamp(job.startedAtMs);
  if ("completedAtMs" in job) view.completed_at = timestamp(job.completedAtMs);
  addOutcome(view, job, assets, problems);
  return view;
}

/** Names a job in lists by the beginning of its prompt, which may be long. */
function summarize({ prompt, subject, model }: JobRequest): string {
  const { summaryMax } = limits.jobs;
  const beginning = toOneLine(prompt.slice(0, 8 * summaryMax));
  return firstCharacters(beginning || toOneLine(subject ?? model), summaryMax);
}

/** Returns the accepted request in the form of its route's request body. */
export function viewRequest(request: JobRequest): Readonly<Record<string, unknown>> {
  const { model, promptAs, prompt, accepted } = request;
  const text = promptAs === undefined || prompt === "" ? {} : { [promptAs]: prompt };
  return { model, ...text, ...accepted };
}

function addOutcome(view: JobView, job: Job, assets: readonly AssetView[], problems: string): void {
  switch (job.phase) {
    case "queued":
      if (job.detail === undefined) return;
      view.status_detail = job.detail.name;
      view.status_message = detailMessages[job.detail.name];
      return;
    case "running":
      view.progress = job.progress;
      return;
    case "succeeded": {
      view.progress = 1;
      view.credits_charged = job.charged;
      const [first] = assets;
      if (first !== undefined) view.asset = first;
      if (job.assets.length > 1) view.assets = [...assets];
      if (job.warnings !== undefined) view.warnings = [...job.warnings];
      return;
    }
    case "failed":
      view.credits_charged = job.charged;
      view.failure = failureView(job);
      view.error = buildError(job.failure, problems);
      return;
    case "canceled":
      view.cancellation = cancellationView(job);
      view.status_message = view.cancellation.message;
      if (job.settlement.kind === "settled") view.credits_charged = job.settlement.charged;
      return;
  }
}

function failureView({ failure, charged }: FailedJob): FailureView {
  const { code, kind, message } = failure;
  return { code, kind, message, credits_refunded: charged === 0 };
}

const problemOfCode = {
  job_failed: ["job-failed", "Generation Failed"],
  rate_limit: ["job-failed", "Generation Failed"],
  timeout: ["job-failed", "Generation Failed"],
  prompt_nsfw: ["prompt-nsfw", "Request Refused"],
  ip_detected: ["ip-detected", "Request Refused"],
} as const;

function buildError({ code, message, status }: Failure, problems: string): Problem {
  const [slug, title] = problemOfCode[code];
  return { type: `${problems}/${slug}`, title, status, code, detail: message };
}

export function cancellationView(job: CanceledJob): CancellationView {
  const { stage, settlement, canceledBy, completedAtMs } = job;
  const { hold } = job.terms;
  const view: CancellationView = {
    stage,
    settlement: "pending",
    message: cancellationMessage(job),
    requested_at: timestamp(completedAtMs),
    canceled_by: canceledBy,
  };
  if (job.providerCancel !== undefined) view.provider_cancel = job.providerCancel;
  if (settlement.kind === "pending") return view;
  return {
    ...view,
    settlement: getSettlement(settlement.charged, hold),
    credits_refunded: hold - settlement.charged,
    credits_charged: settlement.charged,
    settled_at: timestamp(settlement.atMs),
  };
}

function getSettlement(
  charged: number,
  hold: number,
): "refunded" | "partially_refunded" | "charged" {
  if (charged === 0) return "refunded";
  return charged === hold ? "charged" : "partially_refunded";
}

function credits(amount: number): string {
  return `${count(amount, "credit")} ${wasOrWere(amount)}`;
}

/** Returns a cancellation's message, which mentions no refund before it is in the ledger. */
function cancellationMessage({ settlement, terms, providerCancel }: CanceledJob): string {
  if (settlement.kind === "pending")
    return providerCancel === undefined || providerCancel === "requested"
      ? "Canceled. The provider was asked to stop; credits settle when it answers."
      : "Canceled. The provider could not be stopped; credits settle when it finishes.";
  const { charged } = settlement;
  const returned = terms.hold - charged;
  switch (getSettlement(charged, terms.hold)) {
    case "refunded":
      return `Canceled. Your ${credits(returned)} returned.`;
    case "partially_refunded":
      return `Canceled part way. ${credits(charged)} charged for the rendered share and ${returned} ${wasOrWere(returned)} returned.`;
    case "charged":
      if (providerCancel === "stopped_partway")
        return `Canceled part way. The rendered share came to the whole price, so ${credits(charged)} charged.`;
      return `Canceled. The provider finished and billed the work, so ${credits(charged)} charged.`;
  }
}
