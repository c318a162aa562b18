/**
 * The model catalogue. An entry has fields for clients (limits, options, capabilities, price) and
 * fields for the operator only (provider, its model, the mapping). `catalogue-files.ts` reads it.
 */
import type { Mapping } from "./mapping/mapping.ts";
import { type Modality, modalities } from "./modalities.ts";
import { planNames } from "./plans.ts";
import { check, type Static, Type } from "./schema.ts";

const Amounts = Type.Record(Type.String(), Type.Number({ minimum: 0 }));

export const PriceRule = Type.Object({
  base: Type.Number({ minimum: 0 }),
  per: Type.Object({
    images: Type.Optional(Type.Number({ minimum: 0 })),
    seconds: Type.Optional(Type.Number({ minimum: 0 })),
    characters_1000: Type.Optional(Type.Number({ minimum: 0 })),
    megapixels: Type.Optional(Type.Number({ minimum: 0 })),
  }),
  multipliers: Type.Record(Type.String(), Amounts),
  minimum: Type.Integer({ minimum: 0 }),
});

/** Pattern of an RFC 3339 time in UTC, to the second. */
const instant = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$";

/** Fields that `GET /models` returns, except the live `availability`. */
export const publicModelFields = {
  id: Type.String({ pattern: "^[a-z0-9][a-z0-9._-]{1,63}$" }),
  aliases: Type.Array(Type.String()),
  display_name: Type.String(),
  description: Type.String(),
  modality: Type.Enum([...modalities]),
  operations: Type.Array(Type.Enum(["generate", "set", "background_removal", "restoration"])),
  status: Type.Enum(["available", "preview", "deprecated", "disabled"]),
  /** When a deprecated model was deprecated (else when the catalogue changed), and its sunset. */
  deprecated_at: Type.Optional(Type.String({ pattern: instant })),
  sunset_at: Type.Optional(Type.String({ pattern: instant })),
  replacement: Type.Optional(Type.String()),
  plans: Type.Array(Type.Enum([...planNames])),
  defaults: Type.Record(Type.String(), Type.Unknown()),
  limits: Type.Record(Type.String(), Type.Unknown()),
  options: Type.Record(Type.String(), Type.Array(Type.Unknown())),
  capabilities: Type.Record(Type.String(), Type.Boolean()),
  prompt_required: Type.Boolean(),
  provider_options: Type.Boolean(),
  price: PriceRule,
  typical_seconds: Type.Number({ exclusiveMinimum: 0 }),
  deadline_seconds: Type.Integer({ minimum: 1 }),
};

const operatorFields = {
  /** Modalities for which `default` means this model. */
  default_for: Type.Array(Type.Enum([...modalities])),
  provider: Type.String({ minLength: 1 }),
  /** The provider's name of the model; absent where the mapping is enough. */
  provider_model: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  mapping: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /** Whether the provider sends a callback when a job has ended. */
  callback: Type.Optional(Type.Boolean()),
  max_in_flight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  inline_submit_ms: Type.Optional(Type.Integer({ minimum: 0 })),
  always_refund_moderation: Type.Optional(Type.Boolean()),
  /** Units of the provider's own billing that a whole job is expected to take. */
  expected_units: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
};

const Entry = Type.Object(
  { ...publicModelFields, ...operatorFields },
  { additionalProperties: false },
);
const CatalogueFile = Type.Object(
  {
    version: Type.String({ minLength: 1 }),
    updated_at: Type.String({ pattern: instant }),
    models: Type.Array(Entry),
  },
  { additionalProperties: false },
);

/** A catalogue entry as it is written in a file. */
export type FileEntry = Readonly<Static<typeof Entry>>;
export type CatalogueFile = Static<typeof CatalogueFile>;
export const isCatalogueFile = check<CatalogueFile>(CatalogueFile);

/** An entry with all defaults filled in; plain data that can be sent to another thread. */
export interface ModelEntry extends Omit<FileEntry, "mapping"> {
  /** The provider's name of the model; empty where the mapping is enough. */
  readonly provider_model: string;
  /** Present for models of configured providers, absent for the farm's and the simulated ones. */
  readonly mapping?: Mapping;
  readonly callback: boolean;
  readonly inline_submit_ms: number;
  readonly always_refund_moderation: boolean;
}

export interface Catalogue {
  /** Version of the catalogue; for several files, their versions joined by `+`. */
  readonly version: string;
  /** When a file was last changed, as RFC 3339. */
  readonly updatedAt: string;
  readonly models: readonly ModelEntry[];
  /** Finds a model by its id, an alias, or `default` for the modality. */
  find(name: string, modality: Modality): ModelEntry | undefined;
}
