import type { Catalogue, ModelEntry } from "../catalogue.ts";
import { isFarm } from "./providers.ts";

/** What the thread that calls providers knows of a model; plain data. */
export type ProviderModel = Pick<
  ModelEntry,
  | "id"
  | "provider"
  | "provider_model"
  | "mapping"
  | "callback"
  | "max_in_flight"
  | "always_refund_moderation"
  | "expected_units"
  | "typical_seconds"
  | "deadline_seconds"
>;

/** Lists the models that are not run by the farm. */
export function listProviderModels({
  models,
}: Pick<Catalogue, "models">): readonly ProviderModel[] {
  return models
    .filter(({ provider }) => !isFarm(provider))
    .map((model) => {
      const { id, provider, provider_model, mapping, callback, max_in_flight } = model;
      const { always_refund_moderation, expected_units } = model;
      const { typical_seconds, deadline_seconds } = model;
      return {
        id,
        provider,
        provider_model,
        callback,
        always_refund_moderation,
        typical_seconds,
        deadline_seconds,
        ...(mapping === undefined ? {} : { mapping }),
        ...(max_in_flight === undefined ? {} : { max_in_flight }),
        ...(expected_units === undefined ? {} : { expected_units }),
      };
    });
}
