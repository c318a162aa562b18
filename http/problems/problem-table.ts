/** The only table that maps a refusal's code to the problem object that reports it. */

import { count, isOrAre } from "../../actors/count.ts";
import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { Header } from "../exchange/answer.ts";

/** A problem object without the id of the request that it answers. */
export interface Problem {
  readonly slug: string;
  readonly status: number;
  readonly title: string;
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  /** Extra members of the problem type; undefined ones are left out. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: readonly Header[];
}

/** Refusals that become problem objects; those of OAuth have their own format. */
export type Explained = Exclude<Refusal, { code: "oauth" }>;

type ProblemTable = {
  readonly [Code in Explained["code"]]: (refusal: Extract<Refusal, { code: Code }>) => Problem;
};

const duplicate = { slug: "duplicate", status: 409, title: "Duplicate Submission" };
const conflict = { slug: "conflict", status: 409, title: "Conflict" };
const limited = { status: 429, code: "rate_limit" };

const rejections = {
  expired: "The quote has expired. Obtain a fresh quote.",
  invalid: "The confirmation token is not valid. Obtain a fresh quote.",
  foreign: "The confirmation token was given to another account. Obtain a fresh quote.",
  mismatch: "The confirmation token is for another request or price. Obtain a fresh quote.",
  consumed: "The confirmation token has already been used. Obtain a fresh quote.",
} as const;

const goneBecause = {
  expired: "This link has expired.",
  revoked: "This link was revoked.",
  media_unavailable: "What this link led to is no longer available.",
} as const;

export const problemTable: ProblemTable = {
  validation: ({ detail, faults }) => ({
    slug: "validation",
    status: 400,
    title: "Invalid Request",
    code: "validation",
    detail: detail ?? (faults[0] && `${faults[0].pointer} ${faults[0].detail}`.trim()),
    members: { errors: faults },
  }),
  unauthorized: ({ presented }) => ({
    slug: "unauthorized",
    status: 401,
    title: "Unauthorized",
    detail: "Valid authentication is required.",
    headers: [
      ["WWW-Authenticate", `Bearer realm="klieg"${presented ? ', error="invalid_token"' : ""}`],
    ],
  }),
  plan_required: ({ plan }) => ({
    slug: "plan-required",
    status: 402,
    title: "Plan Required",
    detail: `This model requires the plan ${plan} or a higher one.`,
    members: { required_plan: plan },
  }),
  out_of_credits: ({ creditsRequired, balanceCredits }) => ({
    slug: "out-of-credits",
    status: 402,
    title: "Out Of Credits",
    code: "out_of_credits",
    detail: `This costs ${count(creditsRequired, "credit")}; ${balanceCredits} ${isOrAre(balanceCredits)} left.`,
    members: { credits_required: creditsRequired, balance_credits: balanceCredits },
  }),
  member_budget: ({ budgetCredits, usedCredits, resetsAtMs }) => ({
    slug: "member-budget",
    status: 402,
    title: "Member Budget Reached",
    code: "out_of_credits",
    detail: `${usedCredits} of your budget of ${count(budgetCredits, "credit")} ${isOrAre(usedCredits)} used.`,
    members: {
      budget_credits: budgetCredits,
      budget_used_credits: usedCredits,
      budget_resets_at: resetsAtMs === null ? null : timestamp(resetsAtMs),
    },
  }),
  approval_required: ({ creditsRequired, runTotalCredits, creditCeiling }) => ({
    slug: "approval-needed",
    status: 402,
    title: "Approval Needed",
    code: "approval_required",
    detail:
      `This generation costs ${count(creditsRequired, "credit")} and would bring the run to ` +
      `${runTotalCredits}; the approved price is ${creditCeiling}.`,
    members: {
      credits_required: creditsRequired,
      run_total_credits: runTotalCredits,
      credit_ceiling: creditCeiling,
    },
  }),
  forbidden: ({ detail, requiredScope, requiredRole }) => ({
    slug: "forbidden",
    status: 403,
    title: "Forbidden",
    detail: detail ?? "This credential is not allowed to do that.",
    members: { required_scope: requiredScope, required_role: requiredRole },
  }),
  not_found: ({ detail }) => ({
    slug: "not-found",
    status: 404,
    title: "Not Found",
    detail: detail ?? "Nothing here is visible to this credential.",
  }),
  gone: ({ reason }) => ({
    slug: "gone",
    status: 410,
    title: "Gone",
    detail: goneBecause[reason],
    members: { reason },
  }),
  share_password_required: ({ isWrong }) => ({
    slug: "share-password-required",
    status: 401,
    title: "Password Required",
    code: "share_password_required",
    detail: isWrong ? "The password is wrong." : "This link is protected by a password.",
    // RFC 9110, section 15.5.2, requires a challenge; no browser knows the scheme.
    headers: [["WWW-Authenticate", 'SharePassword realm="klieg"']],
  }),
  method_not_allowed: ({ allow }) => ({
    slug: "method-not-allowed",
    status: 405,
    title: "Method Not Allowed",
    detail: `This path allows only ${allow}.`,
    headers: [["Allow", allow]],
  }),
  not_acceptable: () => ({
    slug: "not-acceptable",
    status: 406,
    title: "Not Acceptable",
    detail: "None of the types in the Accept header is available.",
  }),
  wait_timeout: ({ job, status }) => ({
    slug: "wait-timeout",
    status: 408,
    title: "Wait Timed Out",
    code: "timeout",
    detail: "The job has not ended yet. Wait again.",
    members: { job_id: job, job_status: status },
  }),
  duplicate: ({ job, set }) => ({
    ...duplicate,
    detail: "The same request was accepted less than five minutes ago; follow its job.",
    members: { job_id: job, set_id: set },
  }),
  duplicate_render: ({ render }) => ({
    ...duplicate,
    detail: "The same key and body were accepted less than five minutes ago; follow the render.",
    members: { render_id: render },
  }),
  conflict: ({ detail }) => ({ ...conflict, detail }),
  job_not_cancellable: () => ({
    ...conflict,
    code: "job_not_cancellable",
    detail: "The job has ended or is being delivered; nothing was changed.",
  }),
  run_ended: () => ({
    slug: "run-ended",
    status: 409,
    title: "Run Ended",
    code: "run_ended",
    detail: "The agent run of this credential has ended. Stop working on it.",
  }),
  precondition_failed: () => ({
    slug: "precondition-failed",
    status: 412,
    title: "Precondition Failed",
    detail: "The object has changed since you read it. Read it again.",
  }),
  payload_too_large: ({ limitBytes, detail }) => ({
    slug: "payload-too-large",
    status: 413,
    title: "Payload Too Large",
    detail: detail ?? `The body is limited to ${limitBytes} bytes.`,
    members: { limit_bytes: limitBytes },
  }),
  uri_too_long: () => ({
    slug: "uri-too-long",
    status: 414,
    title: "URI Too Long",
    detail: `A path and its query may have at most ${limits.http.urlBytesMax} bytes.`,
  }),
  unsupported_media_type: ({ accepts = "application/json in UTF-8" }) => ({
    slug: "unsupported-media-type",
    status: 415,
    title: "Unsupported Media Type",
    detail: `Send ${accepts}.`,
  }),
  encoded_body: () => ({
    slug: "unsupported-media-type",
    status: 415,
    title: "Unsupported Media Type",
    detail: "Send the body as it is, without Content-Encoding.",
    headers: [["Accept-Encoding", "identity"]],
  }),
  unexportable: ({ detail }) => ({
    slug: "unexportable",
    status: 422,
    title: "Nothing To Export",
    detail,
  }),
  moderated: ({ as, isRemembered, detail }) => ({
    slug: as === "prompt_nsfw" ? "prompt-nsfw" : "ip-detected",
    status: isRemembered ? 400 : 422,
    title: "Request Refused",
    code: as,
    detail,
  }),
  upload_incomplete: ({ detail }) => ({
    slug: "upload-incomplete",
    status: 422,
    title: "Upload Incomplete",
    detail,
  }),
  confirmation_rejected: ({ reason }) => ({
    slug: "confirmation-rejected",
    status: 422,
    title: "Confirmation Rejected",
    code: "confirmation_rejected",
    detail: rejections[reason],
    members: { reason },
  }),
  generation_failed: ({ status, detail }) => ({
    slug: "job-failed",
    status,
    title: "Generation Failed",
    code: "job_failed",
    detail,
  }),
  concurrency: ({ max, active }) => ({
    ...limited,
    slug: "concurrency",
    title: "Generation Concurrency Limit Reached",
    detail: `Your plan runs ${count(max, "generation")} at once. Try again when one has ended.`,
    members: { concurrent_max: max, concurrent_active: active },
  }),
  quota: ({ quota, used, resetsAtMs }) => ({
    ...limited,
    slug: "quota",
    title: "Generation Quota Reached",
    detail: `Your plan accepts ${count(quota, "generation")} a day.`,
    members: { quota, used },
    headers: [["Retry-After-Reset", timestamp(resetsAtMs)]],
  }),
  rate_limit: ({ retryAfterSeconds, detail }) => ({
    ...limited,
    slug: "rate-limit",
    title: "Too Many Requests",
    detail: detail ?? "Too many requests in a short time.",
    headers: [["Retry-After", String(retryAfterSeconds)]],
  }),
  headers_too_large: () => ({
    slug: "headers-too-large",
    status: 431,
    title: "Headers Too Large",
    detail: `The headers of a request may have ${limits.http.headerBytesMax} bytes.`,
  }),
  upstream: ({ detail }) => ({
    slug: "upstream",
    status: 502,
    title: "Upstream Failed",
    detail,
  }),
  internal: ({ onGeneration }) => ({
    slug: "internal",
    status: 500,
    title: "Internal Error",
    code: onGeneration ? "job_failed" : undefined,
    detail: "The request could not be completed.",
  }),
  unavailable: ({ retryAfterSeconds, detail }) => ({
    slug: "unavailable",
    status: 503,
    title: "Service Unavailable",
    detail: detail ?? "The service is busy or restarting. Try again shortly.",
    headers: [["Retry-After", String(retryAfterSeconds)]],
  }),
};
