/** What a fal queue answers: its shapes, failures, files and bills. */
import { check, type Static, Type } from "../../../config/schema.ts";
import { moderationBy } from "../moderation.ts";
import type { ProviderFailure, ResultFile } from "../provider.ts";
import { isUnpaid, unpaid } from "../provider-http.ts";
import { customerMessage, type Reply } from "../replies.ts";
import { resultFiles } from "../result-files.ts";

const submittedSchema = Type.Object({
  request_id: Type.String(),
  status_url: Type.Optional(Type.Unknown()),
  response_url: Type.Optional(Type.Unknown()),
  cancel_url: Type.Optional(Type.Unknown()),
});
export const isSubmitted = check<Static<typeof submittedSchema>>(submittedSchema);

const nullable = (schema: Type.TSchema) => Type.Optional(Type.Union([schema, Type.Null()]));

const statusSchema = Type.Object({
  status: Type.Union(["IN_QUEUE", "IN_PROGRESS", "COMPLETED"].map((name) => Type.Literal(name))),
  error: nullable(Type.Unknown()),
  error_type: nullable(Type.String()),
  metrics: nullable(Type.Object({ inference_time: nullable(Type.Number()) })),
});
export interface FalStatus {
  readonly status: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED";
  readonly error?: unknown;
  readonly error_type?: string | null;
  readonly metrics?: { readonly inference_time?: number | null } | null;
}
export const isStatus = check<FalStatus>(statusSchema);

const detailSchema = Type.Object({
  detail: Type.Array(
    Type.Object({
      loc: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()]))),
      msg: Type.String(),
      type: Type.String(),
    }),
    { minItems: 1 },
  ),
});
const hasDetails = check<Static<typeof detailSchema>>(detailSchema);

const sentenceSchema = Type.Object({ detail: Type.String() });
const hasSentence = check<Static<typeof sentenceSchema>>(sentenceSchema);

/** Whether an error is the model's own, and not the queue's. */
export function isOfModel({ json }: Reply): boolean {
  return hasDetails(json) || hasSentence(json);
}

type Failure = Pick<ProviderFailure, "class" | "message"> & {
  /** It names a field of the input, so nothing was made. */
  readonly isOfInput: boolean;
};

/** What a 4xx or 5xx says, of a submit or of a result. */
export function falFailure({ status, headers, json }: Reply, errorType?: string | null): Failure {
  const details = hasDetails(json) ? json.detail : [];
  const [first] = details;
  const text = first?.msg ?? (hasSentence(json) ? json.detail : "");
  const refusal = details.find(({ type }) => type === contentPolicy);
  const isOfInput =
    (refusal ?? first)?.loc?.[0] === "body" && isField((refusal ?? first)?.loc?.[1]);
  if (refusal !== undefined || errorType === contentPolicy)
    return { ...moderationBy(refusal?.msg ?? text), isOfInput };
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

function isField(name: string | number | undefined): boolean {
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

export function falFiles(output: unknown): readonly ResultFile[] {
  if (typeof output !== "object" || output === null) return resultFiles(undefined);
  const members = new Map<string, unknown>(Object.entries(output));
  const name = outputMembers.find((member) => members.get(member) != null);
  return resultFiles(name === undefined ? output : members.get(name));
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
