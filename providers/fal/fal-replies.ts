/** Answers of a fal queue: their shapes, failures, files and billing. */
import { check, type Static, Type } from "../../config/schema.ts";
import { readAmount, readMembers, readText } from "../advice.ts";
import { readFlags } from "../flags.ts";
import { moderationBy } from "../moderation.ts";
import type { ProviderFailure } from "../provider.ts";
import { unpaid } from "../provider-http.ts";
import { customerMessage, isUnpaid, type Reply } from "../replies.ts";

const submittedSchema = Type.Object({
  request_id: Type.String(),
  status_url: Type.Optional(Type.Unknown()),
  response_url: Type.Optional(Type.Unknown()),
  cancel_url: Type.Optional(Type.Unknown()),
});
export const isSubmitted = check<Static<typeof submittedSchema>>(submittedSchema);

const statusSchema = Type.Object({
  status: Type.String(),
  error: Type.Optional(Type.Unknown()),
  error_type: Type.Optional(Type.Unknown()),
  metrics: Type.Optional(Type.Unknown()),
});
export type FalStatus = Static<typeof statusSchema>;
export const isStatus = check<FalStatus>(statusSchema);

/** Whether the model ran, judging by the inference time that the queue reports. */
export function hasRun({ metrics }: FalStatus): boolean {
  return (readAmount(readMembers(metrics)["inference_time"]) ?? 0) > 0;
}

interface Detail {
  readonly type: unknown;
  readonly text: string;
  /** Path to the fault in the request or in the output. */
  readonly place: readonly unknown[];
}

/** Some errors have a list of details, others one sentence. */
function readDetails({ json }: Pick<Reply, "json">): readonly Detail[] {
  const { detail } = readMembers(json);
  if (typeof detail === "string") return [{ type: undefined, text: detail, place: [] }];
  const list: readonly unknown[] = Array.isArray(detail) ? detail : [];
  return list.slice(0, 100).map((one) => {
    const { type, msg, loc } = readMembers(one);
    return { type, text: readText(msg) ?? "", place: Array.isArray(loc) ? loc : [] };
  });
}

/** Whether an error comes from the model rather than from the queue. */
export function isOfModel(reply: Reply): boolean {
  return readDetails(reply).length > 0;
}

type Failure = Pick<ProviderFailure, "class" | "message"> & {
  /** Whether the fault names a field of the input, so that nothing was generated. */
  readonly isOfInput: boolean;
};

/** Reads a failure from a 4xx or 5xx answer to a submit or a result. */
export function falFailure(reply: Reply, errorType?: unknown): Failure {
  const { status, headers } = reply;
  const details = readDetails(reply);
  const refusal = details.find(({ type }) => type === contentPolicy);
  const { text = "", place = [] } = refusal ?? details[0] ?? {};
  const isOfInput = place[0] === "body" && isField(place[1]);
  if (refusal !== undefined || errorType === contentPolicy)
    return { ...moderationBy(text), isOfInput };
  if (isUnpaid(status)) return { class: "billing", message: unpaid, isOfInput: false };
  if (status >= 400 && status < 500 && status !== 408)
    return { class: "invalid_input", message: customerMessage(text, refusedInput), isOfInput };
  const isLate = headers["x-fal-request-timeout-type"] === "user";
  const message = isLate ? notStarted : customerMessage(text, broken);
  return { class: "upstream", message, isOfInput: false };
}

const contentPolicy = "content_policy_violation";
const refusedInput = "The model rejected this input.";
const notStarted = "The provider did not start this generation in time.";
const broken = "The model could not finish this generation.";

/** Names that models give their outputs, which filters check too; others name inputs. */
const isOfOutput = /^(?:output|outputs|generated|result|response)/;

function isField(name: unknown): boolean {
  return typeof name === "string" && !isOfOutput.test(name);
}

/**
 * Members in which models deliver results, the rarer kind first: a mesh comes with a picture of it,
 * a video with its first frame.
 */
const outputMembers = [
  ...["model_glb", "model_mesh", "mesh", "glb"],
  ...["videos", "video", "audios", "audio", "audio_file", "audio_url", "images", "image"],
] as const;

/** The part of an output that is delivered, with the marks of filters in it. */
export function getDeliveredOutput(output: unknown): unknown {
  const members = readMembers(output);
  const name = outputMembers.find((member) => members[member] != null);
  const flags = readFlags(output);
  const nsfw = flags === "all" ? true : flags;
  return name === undefined ? members : { nsfw, [name]: members[name] };
}

/** Reads the model's own units from a header; `expected` is the number for the whole job. */
export function falBilling(
  { headers }: Reply,
  expected: number | undefined,
): Pick<ProviderFailure, "billed" | "billedFraction"> {
  const given = headers["x-fal-billable-units"];
  if (given === undefined || !/^\d{1,12}(?:\.\d{1,12})?$/.test(given)) return {};
  const units = Number(given);
  const share = expected === undefined ? {} : { billedFraction: Math.min(1, units / expected) };
  return { billed: units > 0, ...share };
}
