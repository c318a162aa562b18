import type { Catalogue, ModelEntry } from "../../config/catalogue.ts";
import { limits } from "../../config/limits.ts";
import type { Modality } from "../../config/modalities.ts";
import { type PlanName, planNames } from "../../config/plans.ts";
import type { Fault } from "../../config/schema.ts";
import type { Refusal } from "../refusal.ts";

/** The caller, as far as it decides which models and options are possible. */
export interface Asking {
  readonly catalogue: Catalogue;
  readonly plan: PlanName;
}

export type Operation = ModelEntry["operations"][number];

const modalityNames: Readonly<Record<Modality, string>> = {
  image: "an image",
  video: "a video",
  audio: "an audio",
  three_d: "a 3D",
};

/** Finds a model by id, alias or `default`. A preview model's values are left to its provider. */
export function chooseModel(
  { catalogue }: Asking,
  name: string,
  modality: Modality,
  operation: Operation,
): ModelEntry | Refusal {
  const model =
    name === "default" && operation !== "generate" && operation !== "set"
      ? catalogue.models.find(({ operations }) => operations.includes(operation))
      : catalogue.find(name, modality);
  if (model === undefined || model.status === "disabled")
    return invalid([
      { pointer: "/model", detail: `${name} is not ${modalityNames[modality]} model` },
    ]);
  if (!model.operations.includes(operation))
    return invalid([{ pointer: "/model", detail: `${model.id} does not do ${operation}` }]);
  return model;
}

/** Faults come before the plan check, since no plan would allow them. Asset faults come last. */
export function findRefusal(
  model: ModelEntry,
  plan: PlanName,
  faults: readonly Fault[],
  assetFaults: readonly Fault[],
): Refusal | undefined {
  if (faults.length > 0) return invalid([...faults, ...assetFaults]);
  if (model.plans.length > 0 && !model.plans.includes(plan))
    return {
      code: "plan_required",
      plan: planNames.find((name) => model.plans.includes(name)) ?? "",
    };
  return assetFaults.length > 0 ? invalid(assetFaults) : undefined;
}

export function invalid(faults: readonly Fault[]): Refusal {
  return { code: "validation", faults: faults.slice(0, limits.generation.faultsMax) };
}
