/** One refusal of each problem type that the service gives, for the examples of the contract. */
import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import { parseId } from "../../engine/id.ts";
import { invariant } from "../../engine/invariant.ts";

const job = getId("0199c0de-7000-7000-8000-000000000001");
const resetsAtMs = Date.UTC(2026, 4, 1);
const { retryAfterSeconds } = limits.http;

function getId(text: string) {
  const id = parseId(text);
  invariant(id !== undefined, `${text} is an id`);
  return id;
}

/** Sample refusals, by slug of the problem type. */
export const sampleRefusals = {
  validation: {
    code: "validation",
    faults: [{ pointer: "/num_images", detail: "must be a whole number from 1 to 4" }],
  },
  "prompt-nsfw": createModerated("prompt_nsfw", "The content filter refused the prompt."),
  "ip-detected": createModerated("ip_detected", "The content filter detected a protected work."),
  unauthorized: { code: "unauthorized", presented: true },
  "out-of-credits": { code: "out_of_credits", creditsRequired: 40, balanceCredits: 12 },
  "member-budget": { code: "member_budget", budgetCredits: 500, usedCredits: 490, resetsAtMs },
  "plan-required": { code: "plan_required", plan: "pro" },
  "approval-needed": {
    code: "approval_required",
    creditsRequired: 40,
    runTotalCredits: 120,
    creditCeiling: 100,
  },
  forbidden: { code: "forbidden", requiredScope: "generate" },
  "not-found": { code: "not_found" },
  gone: { code: "gone", reason: "expired" },
  "share-password-required": { code: "share_password_required", isWrong: false },
  "method-not-allowed": { code: "method_not_allowed", allow: "GET" },
  "not-acceptable": { code: "not_acceptable" },
  "wait-timeout": { code: "wait_timeout", job, status: "running" },
  duplicate: { code: "duplicate", job },
  conflict: { code: "conflict", detail: "Only a job that has ended can be deleted." },
  "run-ended": { code: "run_ended" },
  "precondition-failed": { code: "precondition_failed" },
  "payload-too-large": { code: "payload_too_large", limitBytes: limits.http.jsonBodyMax },
  "uri-too-long": { code: "uri_too_long" },
  "unsupported-media-type": { code: "unsupported_media_type" },
  "upload-incomplete": { code: "upload_incomplete", detail: "Part 3 is missing." },
  unexportable: { code: "unexportable", detail: "The timeline has no clip and no added text." },
  "confirmation-rejected": { code: "confirmation_rejected", reason: "expired" },
  "job-failed": { code: "generation_failed", status: 502, detail: "The model provider failed." },
  concurrency: { code: "concurrency", max: 4, active: 4 },
  quota: { code: "quota", quota: 200, used: 200, resetsAtMs },
  "rate-limit": { code: "rate_limit", retryAfterSeconds: 17 },
  "headers-too-large": { code: "headers_too_large" },
  upstream: { code: "upstream", detail: "The design host answered 500." },
  internal: { code: "internal", onGeneration: false },
  unavailable: { code: "unavailable", retryAfterSeconds },
} as const satisfies Readonly<Record<string, Refusal>>;

export type Slug = keyof typeof sampleRefusals;

function createModerated(as: "prompt_nsfw" | "ip_detected", detail: string) {
  return { code: "moderated", as, isRemembered: false, detail } as const;
}
