/** What a fal queue answers: its shapes, failures, files and bills. */
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

/** Whether the model ran, as far as the queue says how long. */
export function hasRun({ metrics }: FalStatus): boolean {
  return (readAmount(readMembers(metrics)["inference_time"]) ?? 0) > 0;
}

interface Detail {
  readonly type: unknown;
  readonly text: string;
  /** Where in the request or the output it is. */
  readonly place: readonly unknown[];
}

/** Some errors have several details, some a sentence. */
function readDetails({ json }: Pick<Reply, "json">): readonly Detail[] {
  const { detail } = readMembers(json);
  if (typeof detail === "string") return [{ type: undefined, text: detail, place: [] }];
  const list: readonly unknown[] = Array.isArray(detail) ? detail : [];
  return list.slice(0, 100).map((one) => {
    const { type, msg, loc } = readMembers(one);
    return { type, text: readText(msg) ?? "", place: Array.isArray(loc) ? loc : [] };
  });
}

/** Whether an error is the model's own, and not the queue's. */
export function isOfModel(reply: Reply): boolean {
  return readDetails(reply).length > 0;
}

type Failure = Pick<ProviderFailure, "class" | "message"> & {
  /** It names a field of the input, so nothing was made. */
  readonly isOfInput: boolean;
};

/** What a 4xx or 5xx says, of a submit or of a result. */
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
const refusedInput = "The model did not take this input.";
const notStarted = "The provider did not start this generation in time.";
const broken = "The model could not finish this generation.";

/** What models call their outputs, at which a filter looks too; all else is of the input. */
const isOfOutput = /^(?:output|outputs|generated|result|response)/;

function isField(name: unknown): boolean {
  return typeof name === "string" && !isOfOutput.test(name);
}

/**
 * The members in which models deliver, the rarer kind first: a mesh comes with a picture of it, a
 * video with its first frame.
 */
const outputMembers = [
  ...["model_glb", "model_mesh", "mesh", "glb"],
  ...["videos", "video", "audios", "audio", "audio_file", "audio_url", "images", "image"],
] as const;

/** What of an output is delivered, with what a filter flagged of it. */
export function getDeliveredOutput(output: unknown): unknown {
  const members = readMembers(output);
  const name = outputMembers.find((member) => members[member] != null);
  const flags = readFlags(output);
  const nsfw = flags === "all" ? true : flags;
  return name === undefined ? members : { nsfw, [name]: members[name] };
}

/** By the model's own units, which a header counts; `expected` is what the whole job costs. */
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
