/** What OpenAI's API and its dialects answer: errors, files, videos. */
import { defined } from "../../../config/defined.ts";
import { limits } from "../../../config/limits.ts";
import { check, type Static, Type } from "../../../config/schema.ts";
import { type ModerationRefusal, moderationBy } from "../moderation.ts";
import type { ProviderFailure, ProviderStatus, SubmitOutcome } from "../provider.ts";
import { plainOutcome, unpaid } from "../provider-http.ts";
import { customerMessage, type Reply } from "../replies.ts";

export type FindModeration = (text: string) => ModerationRefusal | undefined;

const nullable = (schema: Type.TSchema) => Type.Optional(Type.Union([schema, Type.Null()]));

interface Fault {
  readonly message?: string | null;
  readonly type?: string | null;
  readonly code?: string | number | null;
}
const faultSchema = Type.Object({
  message: nullable(Type.String()),
  type: nullable(Type.String()),
  code: nullable(Type.Union([Type.String(), Type.Number()])),
});
const hasFault = check<{ readonly error: Fault }>(Type.Object({ error: faultSchema }));
const hasText = check<{ readonly error?: string; readonly detail?: string }>(
  Type.Object({ error: Type.Optional(Type.String()), detail: Type.Optional(Type.String()) }),
);

const filterCodes: readonly unknown[] = ["moderation_blocked", "content_policy_violation"];
const unpaidCodes: readonly unknown[] = ["insufficient_quota", "billing_hard_limit_reached"];

/** Self-hosted servers say less: a text alone. */
function faultIn(json: unknown): Fault {
  if (hasFault(json)) return json.error;
  return hasText(json) ? defined({ message: json.error ?? json.detail }) : {};
}

function isOneOf(codes: readonly unknown[], { code, type }: Fault): boolean {
  return codes.includes(code) || codes.includes(type);
}

/** What an answer says that is no success. `down` for a 5xx, of which the caller knows more. */
export function refusalBy(
  reply: Reply,
  nowMs: number,
  findModeration: FindModeration,
): Exclude<SubmitOutcome, { kind: "accepted" }> {
  const fault = faultIn(reply.json);
  const { message } = fault;
  const refusal = isOneOf(filterCodes, fault)
    ? moderationBy(message ?? "")
    : findModeration(message ?? "");
  if (refusal !== undefined) return { kind: "refused", ...refusal };
  if (isOneOf(unpaidCodes, fault)) return { kind: "refused", class: "billing", message: unpaid };
  const plain = plainOutcome(reply, nowMs);
  if (plain !== undefined && plain.kind !== "accepted") return plain;
  if (reply.status < 400) return { kind: "unknown" };
  const text = customerMessage(message, "The provider did not take this input.");
  return { kind: "refused", class: "invalid_input", message: text };
}

const fileSchema = Type.Object({
  b64_json: nullable(Type.String({ minLength: 1 })),
  url: nullable(Type.String({ minLength: 1 })),
  revised_prompt: nullable(Type.String()),
});
export interface FileList {
  readonly data: readonly {
    readonly b64_json?: string | null;
    readonly url?: string | null;
    readonly revised_prompt?: string | null;
  }[];
}
export const isFileList = check<FileList>(
  Type.Object({
    data: Type.Array(fileSchema, { minItems: 1, maxItems: limits.fetch.filesMax }),
  }),
);

export const videoId = "[A-Za-z0-9_-]{1,128}";

const Video = Type.Object({
  id: Type.String({ pattern: `^${videoId}$` }),
  status: Type.String(),
  progress: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  error: Type.Optional(Type.Unknown()),
});
export type Video = Static<typeof Video>;
export const isVideo = check<Video>(Video);

/** States that are not known are read as running. */
export function videoStatus(
  { status, progress, error }: Video,
  findModeration: FindModeration,
): ProviderStatus {
  switch (status) {
    case "queued":
      return { state: "queued" };
    case "completed":
      return { state: "succeeded" };
    case "failed":
      return { state: "failed", ...videoFailure(error, findModeration), atOutput: true };
    default:
      return { state: "running", progress: Math.min(1, Math.max(0, (progress ?? 0) / 100)) };
  }
}

function videoFailure(error: unknown, findModeration: FindModeration): ProviderFailure {
  const fault = faultIn({ error });
  const text = fault.message ?? "";
  const refusal = isOneOf(filterCodes, fault) ? moderationBy(text) : findModeration(text);
  if (refusal !== undefined) return refusal;
  if (isOneOf(unpaidCodes, fault)) return { class: "billing", message: unpaid };
  return { class: "upstream", message: customerMessage(text, broken) };
}

export const broken = "The model could not finish this generation.";
