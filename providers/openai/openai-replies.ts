/** Answers of OpenAI's API and compatible servers: errors, files, videos. */
import { omitUndefined } from "../../config/defined.ts";
import { check, type Static, Type } from "../../config/schema.ts";
import { readAmount, readMembers, readText } from "../advice.ts";
import { type ModerationRefusal, moderationBy } from "../moderation.ts";
import type { ProviderFailure, ProviderStatus, SubmitOutcome } from "../provider.ts";
import { plainOutcome, unpaid } from "../provider-http.ts";
import { customerMessage, type Reply } from "../replies.ts";
import { readState } from "../state-words.ts";

export type FindModeration = (text: string) => ModerationRefusal | undefined;

interface Fault {
  readonly message?: string;
  readonly type?: unknown;
  readonly code?: unknown;
}

const filterCodes: readonly unknown[] = ["moderation_blocked", "content_policy_violation"];
const unpaidCodes: readonly unknown[] = ["insufficient_quota", "billing_hard_limit_reached"];

/** Self-hosted servers report less: only a text. */
function faultIn(json: unknown): Fault {
  const { error, detail } = readMembers(json);
  const { message, type, code } = readMembers(error);
  const text = readText(message) ?? readText(error) ?? readText(detail);
  return { ...omitUndefined({ message: text }), type, code };
}

function isOneAmong(codes: readonly unknown[], { code, type }: Fault): boolean {
  return codes.includes(code) || codes.includes(type);
}

/** Reads an unsuccessful answer. Gives `down` for a 5xx, about which the caller knows more. */
export function refusalBy(
  reply: Reply,
  nowMs: number,
  findModeration: FindModeration,
): Exclude<SubmitOutcome, { kind: "accepted" }> {
  const fault = faultIn(reply.json);
  const { message } = fault;
  const refusal = isOneAmong(filterCodes, fault)
    ? moderationBy(message ?? "")
    : findModeration(message ?? "");
  if (refusal !== undefined) return { kind: "refused", ...refusal };
  if (isOneAmong(unpaidCodes, fault)) return { kind: "refused", class: "billing", message: unpaid };
  const plain = plainOutcome(reply, nowMs);
  if (plain !== undefined && plain.kind !== "accepted") return plain;
  if (reply.status < 400) return { kind: "unknown" };
  const text = customerMessage(message, "The provider rejected this input.");
  return { kind: "refused", class: "invalid_input", message: text };
}

const FileList = Type.Object({ data: Type.Array(Type.Unknown()) });
export type FileList = Static<typeof FileList>;
export const isFileList = check<FileList>(FileList);

export const videoId = "[A-Za-z0-9_-]{1,128}";

const Video = Type.Object({
  id: Type.String({ pattern: `^${videoId}$` }),
  status: Type.String(),
  progress: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
});
export type Video = Static<typeof Video>;
export const isVideo = check<Video>(Video);

export function videoStatus(
  { status, progress, error }: Video,
  findModeration: FindModeration,
): ProviderStatus {
  const state = readState(status);
  switch (state) {
    case "queued":
    case "succeeded":
    case "canceled":
      return { state };
    case "failed":
      return { state, ...videoFailure(error, findModeration), atOutput: true };
    case "running": {
      const percent = readAmount(progress);
      return { state, ...omitUndefined({ progress: percent && Math.min(1, percent / 100) }) };
    }
  }
}

function videoFailure(error: unknown, findModeration: FindModeration): ProviderFailure {
  const fault = faultIn({ error });
  const text = fault.message ?? "";
  const refusal = isOneAmong(filterCodes, fault) ? moderationBy(text) : findModeration(text);
  if (refusal !== undefined) return refusal;
  if (isOneAmong(unpaidCodes, fault)) return { class: "billing", message: unpaid };
  return { class: "upstream", message: customerMessage(text, broken) };
}

export const broken = "The model could not finish this generation.";
