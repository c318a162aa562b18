/** Predictions in the format of Replicate's API and of servers built with cog. */

import type { CancelAnswer } from "../actors/protocol/job.ts";
import { check, type Static, Type } from "../config/schema.ts";
import { readAmount, readMembers, readText } from "./advice.ts";
import { type ModerationRefusal, moderationBy } from "./moderation.ts";
import type { ProviderFailure, ProviderStatus } from "./provider.ts";
import { customerMessage, type Reply } from "./replies.ts";
import { isAllFlagged } from "./result-files.ts";
import { readState } from "./state-words.ts";

export const predictionId = "[A-Za-z0-9_-]{1,128}";

const Prediction = Type.Object({
  id: Type.String({ pattern: `^${predictionId}$` }),
  status: Type.String(),
  output: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
  logs: Type.Optional(Type.Unknown()),
  started_at: Type.Optional(Type.Unknown()),
  metrics: Type.Optional(Type.Unknown()),
  data_removed: Type.Optional(Type.Unknown()),
});
export type Prediction = Static<typeof Prediction>;
export const isPrediction = check<Prediction>(Prediction);

type FindModeration = (text: string) => ModerationRefusal | undefined;

/** `typicalSeconds` is the usual time of a whole job, of which a canceled one took a share. */
export function predictionStatus(
  prediction: Prediction,
  typicalSeconds: number,
  findModeration: FindModeration,
): ProviderStatus {
  const state = readState(prediction.status);
  switch (state) {
    case "queued":
    case "running":
      return { state };
    case "succeeded":
      if (!isAllFlagged(prediction.output)) return { state };
      return { state: "failed", ...moderationBy(""), atOutput: true };
    case "failed":
      return {
        state,
        ...describeFailure(prediction, findModeration),
        atOutput: hasStarted(prediction),
      };
    case "canceled": {
      if (!hasStarted(prediction)) return { state: "canceled", billed: false };
      const billedFraction = ranFraction(prediction, typicalSeconds);
      if (billedFraction === undefined) return { state };
      return { state, billed: billedFraction > 0, billedFraction };
    }
  }
}

function describeFailure(
  { error, logs }: Prediction,
  findModeration: FindModeration,
): ProviderFailure {
  const text = readText(error) ?? readText(readMembers(error)["message"]) ?? "";
  const refusal = findModeration(text) ?? findModeration(readText(logs) ?? "");
  return refusal ?? { class: "upstream", message: customerMessage(text, broken) };
}

const broken = "The model could not finish this generation.";

/**
 * Effect of a cancel, according to the prediction's present state; undefined while there is none
 * yet. A prediction that had started reports how long it ran once it has stopped.
 */
export function cancelAnswer(
  prediction: Prediction,
  typicalSeconds: number,
): CancelAnswer | undefined {
  switch (readState(prediction.status)) {
    case "queued":
    case "running":
      return undefined;
    case "succeeded":
    case "failed":
      return { kind: "refused" };
    case "canceled": {
      if (!hasStarted(prediction)) return { kind: "cancelled" };
      const billedFraction = ranFraction(prediction, typicalSeconds);
      return billedFraction === undefined ? undefined : { kind: "stopped_partway", billedFraction };
    }
  }
}

/** `aborted` means canceled before it started. */
function hasStarted(prediction: Prediction): boolean {
  const { status, started_at: startedAt } = prediction;
  return status !== "aborted" && (startedAt != null || ranSeconds(prediction) !== undefined);
}

function ranFraction(prediction: Prediction, typicalSeconds: number): number | undefined {
  const seconds = ranSeconds(prediction);
  return seconds === undefined ? undefined : Math.min(1, seconds / typicalSeconds);
}

function ranSeconds({ metrics }: Prediction): number | undefined {
  return readAmount(readMembers(metrics)["predict_time"]);
}

const isError = check<{ readonly detail: unknown }>(Type.Object({ detail: Type.Unknown() }));

/** Why a submit was refused that no plain status code explains. */
export function refuseInput(reply: Reply, findModeration: FindModeration) {
  const detail = isError(reply.json) ? reply.json.detail : undefined;
  const text = typeof detail === "string" ? detail : (JSON.stringify(detail) ?? "");
  const message = customerMessage(detail, "The model rejected this input.");
  return findModeration(text) ?? ({ class: "invalid_input", message } as const);
}
