import type { Catalogue, ModelEntry } from "../../config/catalogue.ts";

/** A model that can do nothing special and costs nothing. */
export const plainModel: ModelEntry = {
  id: "plain",
  aliases: ["plain-alias"],
  display_name: "Plain",
  description: "",
  modality: "image",
  operations: ["generate"],
  status: "available",
  plans: [],
  defaults: { aspect_ratio: "1:1", resolution: "1k" },
  limits: { prompt_max: 100, "image.num_images_max": 2 },
  options: {
    aspect_ratio: ["1:1", "16:9", "9:16"],
    resolution: ["1k", "2k"],
    output_format: ["png"],
  },
  capabilities: {},
  prompt_required: true,
  provider_options: false,
  price: { base: 0, per: {}, multipliers: {}, minimum: 0 },
  typical_seconds: 1,
  deadline_seconds: 600,
  default_for: ["image"],
  provider: "sim",
  provider_model: "plain",
  callback: false,
  always_refund_moderation: false,
  inline_submit_ms: 0,
};

/** A catalogue of these models by id; the first one is the default. */
export function makeCatalogue(...models: readonly ModelEntry[]): Catalogue {
  return {
    version: "test",
    updatedAt: "2026-11-20T00:00:00Z",
    models,
    find: (name) =>
      models.find(({ id }) => id === name) ?? (name === "default" ? models[0] : undefined),
  };
}
