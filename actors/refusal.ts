/**
 * Reasons for which a request is refused, as a closed union. Actors reply with one of them; one
 * table in `http/problems/problem-table.ts` maps each to status, title and members. Nothing is held
 * for a refused submit.
 */

import type { Fault } from "../config/schema.ts";
import type { Id } from "../engine/id.ts";

export type Refusal =
  | { readonly code: "validation"; readonly detail?: string; readonly faults: readonly Fault[] }
  | { readonly code: "unauthorized"; readonly presented: boolean }
  | {
      readonly code: "forbidden";
      readonly requiredScope?: string;
      readonly requiredRole?: string;
      readonly detail?: string;
    }
  | { readonly code: "not_found"; readonly detail?: string }
  | {
      readonly code: "gone";
      readonly reason: "expired" | "revoked" | "media_unavailable";
    }
  /** `isWrong`: one was given. */
  | { readonly code: "share_password_required"; readonly isWrong: boolean }
  | { readonly code: "method_not_allowed"; readonly allow: string }
  | { readonly code: "wait_timeout"; readonly job: Id; readonly status: string }
  | { readonly code: "duplicate"; readonly job: Id; readonly set?: Id }
  | { readonly code: "duplicate_render"; readonly render: Id }
  | { readonly code: "conflict"; readonly detail: string }
  | { readonly code: "job_not_cancellable" }
  /** `detail` where it is not the bytes of the body that are too many. */
  | { readonly code: "payload_too_large"; readonly limitBytes: number; readonly detail?: string }
  | { readonly code: "precondition_failed" }
  | { readonly code: "unexportable"; readonly detail: string }
  | { readonly code: "not_acceptable" }
  | { readonly code: "uri_too_long" }
  | { readonly code: "headers_too_large" }
  | { readonly code: "unsupported_media_type"; readonly accepts?: string }
  /** Compressed, for example: `Content-Encoding` names something else than `identity`. */
  | { readonly code: "encoded_body" }
  | { readonly code: "plan_required"; readonly plan: string }
  | {
      readonly code: "out_of_credits";
      readonly creditsRequired: number;
      readonly balanceCredits: number;
    }
  | {
      readonly code: "member_budget";
      readonly budgetCredits: number;
      readonly usedCredits: number;
      readonly resetsAtMs: number | null;
    }
  /** RFC 6749, section 5.2, and RFC 8628, section 3.5. */
  | {
      readonly code: "oauth";
      readonly error:
        | "invalid_request"
        | "invalid_client"
        | "invalid_grant"
        | "unauthorized_client"
        | "unsupported_grant_type"
        | "invalid_scope"
        | "authorization_pending"
        | "slow_down"
        | "access_denied"
        | "expired_token";
      readonly detail: string;
    }
  | {
      readonly code: "confirmation_rejected";
      readonly reason: "expired" | "invalid" | "foreign" | "mismatch" | "consumed";
    }
  /** `isRemembered`: an earlier refusal of the same body, repeated without another check. */
  | {
      readonly code: "moderated";
      readonly as: "prompt_nsfw" | "ip_detected";
      readonly isRemembered: boolean;
      readonly detail: string;
    }
  | { readonly code: "generation_failed"; readonly status: 422 | 502; readonly detail: string }
  | {
      readonly code: "approval_required";
      readonly creditsRequired: number;
      readonly runTotalCredits: number;
      readonly creditCeiling: number;
    }
  | { readonly code: "run_ended" }
  | { readonly code: "upload_incomplete"; readonly detail: string }
  | { readonly code: "concurrency"; readonly max: number; readonly active: number }
  | {
      readonly code: "quota";
      readonly quota: number;
      readonly used: number;
      readonly resetsAtMs: number;
    }
  | { readonly code: "rate_limit"; readonly retryAfterSeconds: number; readonly detail?: string }
  /** A host that is not ours failed. */
  | { readonly code: "upstream"; readonly detail: string }
  | { readonly code: "internal"; readonly onGeneration: boolean }
  | { readonly code: "unavailable"; readonly retryAfterSeconds: number; readonly detail?: string };

export interface Refused {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

export function createRefused(refusal: Refusal): Refused {
  return { kind: "refused", refusal };
}
