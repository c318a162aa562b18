/** Predictions, as Replicate's API and the servers that cog builds answer them. */
import { check, Type } from "../../config/schema.ts";
import type { CancelAnswer } from "../job/job.ts";
import type { ModerationRefusal } from "./moderation.ts";
import type { ProviderStatus } from "./provider.ts";
import { customerMessage, type Reply } from "./replies.ts";

export interface Prediction {
  readonly id: string;
  readonly status: "starting" | "processing" | "succeeded" | "failed" | "canceled" | "aborted";
  readonly output?: unknown;
  readonly error?: unknown;
  readonly logs?: string | null;
  readonly started_at?: string | null;
  /** In seconds. */
  readonly metrics?: { readonly predict_time?: number | null } | null;
  readonly data_removed?: boolean | null;
}

const states = ["starting", "processing", "succeeded", "failed", "canceled", "aborted"];
const nullable = (schema: Type.TSchema) => Type.Optional(Type.Union([schema, Type.Null()]));

export const predictionId = "[A-Za-z0-9_-]{1,128}";

export const isPrediction = check<Prediction>(
  Type.Object({
    id: Type.String({ pattern: `^${predictionId}$` }),
    status: Type.Union(states.map((state) => Type.Literal(state))),
    error: Type.Optional(Type.Unknown()),
    logs: nullable(Type.String()),
    started_at: nullable(Type.String()),
    metrics: nullable(Type.Object({ predict_time: nullable(Type.Number({ minimum: 0 })) })),
    data_removed: nullable(Type.Boolean()),
  }),
);

type FindModeration = (text: string) => ModerationRefusal | undefined;

/** `typicalSeconds` is how long the whole job takes, of which a canceled one took a share. */
export function predictionStatus(
  prediction: Prediction,
  typicalSeconds: number,
  findModeration: FindModeration,
): ProviderStatus {
  switch (prediction.status) {
    case "starting":
      return { state: "queued" };
    case "processing":
      return { state: "running" };
    case "succeeded":
      return { state: "succeeded" };
    case "failed": {
      const text = typeof prediction.error === "string" ? prediction.error : "";
      const refusal = findModeration(text) ?? findModeration(prediction.logs ?? "");
      const failure = refusal ?? { class: "upstream", message: customerMessage(text, broken) };
      return { state: "failed", ...failure, atOutput: hasStarted(prediction) };
    }
    case "canceled":
    case "aborted": {
      if (!hasStarted(prediction)) return { state: "canceled", billed: false };
      const billedFraction = ranFraction(prediction, typicalSeconds);
      if (billedFraction === undefined) return { state: "canceled" };
      return { state: "canceled", billed: billedFraction > 0, billedFraction };
    }
  }
}

const broken = "The model could not finish this generation.";

/**
 * What a cancel did, by the prediction as it is then; undefined while it does not show. A
 * prediction that started says how long it ran when it has stopped.
 */
export function cancelAnswer(
  prediction: Prediction,
  typicalSeconds: number,
): CancelAnswer | undefined {
  switch (prediction.status) {
    case "starting":
    case "processing":
      return undefined;
    case "succeeded":
    case "failed":
      return { kind: "refused" };
    case "canceled":
    case "aborted": {
      if (!hasStarted(prediction)) return { kind: "cancelled" };
      const billedFraction = ranFraction(prediction, typicalSeconds);
      return billedFraction === undefined ? undefined : { kind: "stopped_partway", billedFraction };
    }
  }
}

/** `aborted` is canceled before it started. */
function hasStarted({ status, started_at: startedAt, metrics }: Prediction): boolean {
  return status !== "aborted" && (startedAt != null || metrics?.predict_time != null);
}

function ranFraction({ metrics }: Prediction, typicalSeconds: number): number | undefined {
  const seconds = metrics?.predict_time;
  return seconds == null ? undefined : Math.min(1, seconds / typicalSeconds);
}

const isError = check<{ readonly detail: unknown }>(Type.Object({ detail: Type.Unknown() }));

/** Why a submit was refused that no plain status code explains. */
export function refusedInput(reply: Reply, findModeration: FindModeration) {
  const detail = isError(reply.json) ? reply.json.detail : undefined;
  const text = typeof detail === "string" ? detail : (JSON.stringify(detail) ?? "");
  const message = customerMessage(detail, "The model did not take this input.");
  return findModeration(text) ?? ({ class: "invalid_input", message } as const);
}
