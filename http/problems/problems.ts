/** The one table from refusals to problem objects: slug, status, title, members and headers. */
import { timestamp } from "../../actors/contract/common.ts";
import { count, isOrAre } from "../../actors/count.ts";
import type { Refusal } from "../../actors/refusal.ts";
import { type Answer, type Header, json } from "../transport/answer.ts";
import { type Shape, shapeOfRequest } from "./request-problems.ts";

/** `problems` is the URL under which the types are explained. */
export function problem(refusal: Refusal, requestId: string, problems: string): Answer {
  if (refusal.code === "oauth") return oauthError(refusal);
  const { slug, status, title, code, detail, members, headers = [] } = shapeOf(refusal);
  const body = {
    type: `${problems}/${slug}`,
    title,
    status,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
    instance: `urn:klieg:request:${requestId}`,
    request_id: requestId,
    ...members,
  };
  return {
    status,
    headers: [["Content-Type", "application/problem+json"], ...headers],
    body: JSON.stringify(body),
  };
}

/** RFC 6749, section 5.2: no problem object. */
function oauthError({ error, detail }: Of<"oauth">): Answer {
  const headers: Header[] = [["Cache-Control", "no-store"]];
  const body = { error, error_description: detail };
  if (error !== "invalid_client") return json(400, body, headers);
  return json(401, body, [...headers, ["WWW-Authenticate", 'Basic realm="klieg"']]);
}

/** The problem of a refusal, without the request it answers. */
export function problemOf(refusal: Refusal) {
  if (refusal.code === "oauth")
    return { slug: "oauth", status: 400, title: refusal.error, detail: refusal.detail };
  const { slug, status, title, code, detail } = shapeOf(refusal);
  return { slug, status, title, code, detail };
}

/** Refusals that are problem objects. */
type Explained = Exclude<Refusal, { code: "oauth" }>;

function shapeOf(refusal: Explained): Shape {
  switch (refusal.code) {
    case "validation":
    case "not_found":
    case "method_not_allowed":
    case "payload_too_large":
    case "uri_too_long":
    case "not_acceptable":
    case "headers_too_large":
    case "unsupported_media_type":
      return shapeOfRequest(refusal);
    case "unauthorized":
    case "forbidden":
      return shapeOfCredential(refusal);
    case "plan_required":
    case "out_of_credits":
    case "member_budget":
      return shapeOfPrice(refusal);
    case "confirmation_rejected":
    case "duplicate":
    case "duplicate_render":
    case "upload_incomplete":
      return shapeOfSubmit(refusal);
    case "moderated":
    case "generation_failed":
    case "approval_required":
    case "run_ended":
      return shapeOfGeneration(refusal);
    case "concurrency":
    case "quota":
    case "rate_limit":
      return shapeOfLimit(refusal);
    case "wait_timeout":
    case "precondition_failed":
    case "conflict":
    case "job_not_cancellable":
    case "internal":
    case "unavailable":
      return shapeOfState(refusal);
  }
}

type Of<Code extends Refusal["code"]> = Extract<Refusal, { code: Code }>;

function shapeOfCredential(refusal: Of<"unauthorized" | "forbidden">): Shape {
  if (refusal.code === "forbidden")
    return {
      slug: "forbidden",
      status: 403,
      title: "Forbidden",
      detail: refusal.detail ?? "This credential may not do that.",
      members: {
        ...(refusal.requiredScope === undefined ? {} : { required_scope: refusal.requiredScope }),
        ...(refusal.requiredRole === undefined ? {} : { required_role: refusal.requiredRole }),
      },
    };
  const challenge = `Bearer realm="klieg"${refusal.presented ? ', error="invalid_token"' : ""}`;
  return {
    slug: "unauthorized",
    status: 401,
    title: "Unauthorized",
    detail: "Valid authentication is required.",
    headers: [["WWW-Authenticate", challenge]],
  };
}

/** 402: what the caller, its plan or its budget cannot pay for. */
function shapeOfPrice(refusal: Of<"plan_required" | "out_of_credits" | "member_budget">): Shape {
  switch (refusal.code) {
    case "plan_required":
      return {
        slug: "plan-required",
        status: 402,
        title: "Plan Required",
        detail: `This model needs the plan ${refusal.plan} or a higher one.`,
        members: { required_plan: refusal.plan },
      };
    case "out_of_credits":
      return {
        slug: "out-of-credits",
        status: 402,
        title: "Out Of Credits",
        code: "out_of_credits",
        detail: `This costs ${count(refusal.creditsRequired, "credit")}; ${refusal.balanceCredits} ${isOrAre(refusal.balanceCredits)} left.`,
        members: {
          credits_required: refusal.creditsRequired,
          balance_credits: refusal.balanceCredits,
        },
      };
    case "member_budget":
      return {
        slug: "member-budget",
        status: 402,
        title: "Member Budget Reached",
        code: "out_of_credits",
        detail: `${refusal.usedCredits} of your budget of ${count(refusal.budgetCredits, "credit")} ${isOrAre(refusal.usedCredits)} used.`,
        members: {
          budget_credits: refusal.budgetCredits,
          budget_used_credits: refusal.usedCredits,
          budget_resets_at: refusal.resetsAtMs === null ? null : timestamp(refusal.resetsAtMs),
        },
      };
  }
}

function shapeOfSubmit(
  refusal: Of<"confirmation_rejected" | "duplicate" | "duplicate_render" | "upload_incomplete">,
): Shape {
  switch (refusal.code) {
    case "confirmation_rejected":
      return {
        slug: "confirmation-rejected",
        status: 422,
        title: "Confirmation Rejected",
        code: "confirmation_rejected",
        detail: rejections[refusal.reason],
        members: { reason: refusal.reason },
      };
    case "duplicate":
      return {
        ...duplicated,
        detail: "The same request was accepted less than five minutes ago; follow its job.",
        members: {
          job_id: refusal.job,
          ...(refusal.set === undefined ? {} : { set_id: refusal.set }),
        },
      };
    case "duplicate_render":
      return {
        ...duplicated,
        detail:
          "The same key and body were accepted less than five minutes ago; follow the render.",
        members: { render_id: refusal.render },
      };
    case "upload_incomplete":
      return {
        slug: "upload-incomplete",
        status: 422,
        title: "Upload Incomplete",
        detail: refusal.detail,
      };
  }
}

const duplicated = { slug: "duplicate", status: 409, title: "Duplicate Submission" };

const rejections = {
  expired: "The quote has expired. Obtain a fresh quote.",
  invalid: "The confirmation token is not valid. Obtain a fresh quote.",
  foreign: "The confirmation token was given to another account. Obtain a fresh quote.",
  mismatch: "The confirmation token is for another request or price. Obtain a fresh quote.",
  consumed: "The confirmation token was used already. Obtain a fresh quote.",
} as const;

/** What the content filter, the provider or the agent's run does not allow. */
function shapeOfGeneration(
  refusal: Of<"moderated" | "generation_failed" | "approval_required" | "run_ended">,
): Shape {
  switch (refusal.code) {
    case "moderated":
      return {
        slug: refusal.as === "prompt_nsfw" ? "prompt-nsfw" : "ip-detected",
        status: refusal.isRemembered ? 400 : 422,
        title: "Request Refused",
        code: refusal.as,
        detail: refusal.detail,
      };
    case "generation_failed":
      return {
        slug: "job-failed",
        status: refusal.status,
        title: "Generation Failed",
        code: "job_failed",
        detail: refusal.detail,
      };
    case "approval_required": {
      const { creditsRequired, runTotalCredits, creditCeiling } = refusal;
      return {
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
      };
    }
    case "run_ended":
      return {
        slug: "run-ended",
        status: 409,
        title: "Run Ended",
        code: "run_ended",
        detail: "The agent run of this credential has ended. Stop working on it.",
      };
  }
}

/** 429: the same request is accepted later. */
function shapeOfLimit(refusal: Of<"concurrency" | "quota" | "rate_limit">): Shape {
  const limited = { status: 429, code: "rate_limit" };
  switch (refusal.code) {
    case "concurrency":
      return {
        ...limited,
        slug: "concurrency",
        title: "Generation Concurrency Limit Reached",
        detail: `Your plan runs ${count(refusal.max, "generation")} at once. Try again when one has ended.`,
        members: { concurrent_max: refusal.max, concurrent_active: refusal.active },
      };
    case "quota":
      return {
        ...limited,
        slug: "quota",
        title: "Generation Quota Reached",
        detail: `Your plan accepts ${count(refusal.quota, "generation")} a day.`,
        members: { quota: refusal.quota, used: refusal.used },
        headers: [["Retry-After-Reset", timestamp(refusal.resetsAtMs)]],
      };
    case "rate_limit":
      return {
        ...limited,
        slug: "rate-limit",
        title: "Too Many Requests",
        detail: refusal.detail ?? "Too many requests in a short time.",
        headers: [["Retry-After", String(refusal.retryAfterSeconds)]],
      };
  }
}

function shapeOfState(
  refusal: Of<
    | "wait_timeout"
    | "precondition_failed"
    | "conflict"
    | "job_not_cancellable"
    | "internal"
    | "unavailable"
  >,
): Shape {
  switch (refusal.code) {
    case "wait_timeout":
      return {
        slug: "wait-timeout",
        status: 408,
        title: "Wait Timed Out",
        code: "timeout",
        detail: "The job has not ended yet. Wait again.",
        members: { job_id: refusal.job, job_status: refusal.status },
      };
    case "precondition_failed":
      return {
        slug: "precondition-failed",
        status: 412,
        title: "Precondition Failed",
        detail: "It was changed meanwhile; read it again.",
      };
    case "conflict":
      return { slug: "conflict", status: 409, title: "Conflict", detail: refusal.detail };
    case "job_not_cancellable":
      return {
        slug: "conflict",
        status: 409,
        title: "Conflict",
        code: "job_not_cancellable",
        detail: "The job has ended or is being delivered; nothing was changed.",
      };
    case "internal":
      return {
        slug: "internal",
        status: 500,
        title: "Internal Error",
        ...(refusal.onGeneration ? { code: "job_failed" } : {}),
        detail: "The request could not be completed.",
      };
    case "unavailable":
      return {
        slug: "unavailable",
        status: 503,
        title: "Service Unavailable",
        detail: refusal.detail ?? "The service is busy or restarting. Try again shortly.",
        headers: [["Retry-After", String(refusal.retryAfterSeconds)]],
      };
  }
}
