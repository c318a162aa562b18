/**
 * The model catalogue: one JSON file, checked when it is read. An entry says what clients see
 * (limits, options, capabilities, price) and what only the operator does (provider and its model).
 */
import { readFileSync } from "node:fs";
import shipped from "./models.json" with { type: "json" };
import { planNames } from "./plans.ts";
import { check, type Static, Type } from "./schema.ts";

export const modalities = ["image", "video", "audio", "three_d"] as const;
export type Modality = (typeof modalities)[number];

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

/** RFC 3339 in UTC, to the second. */
const instant = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$";

/** What `GET /models` shows, but for the live `availability`. */
export const publicModelFields = {
  id: Type.String({ pattern: "^[a-z0-9][a-z0-9._-]{1,63}$" }),
  aliases: Type.Array(Type.String()),
  display_name: Type.String(),
  description: Type.String(),
  modality: Type.Enum([...modalities]),
  operations: Type.Array(Type.Enum(["generate", "set", "background_removal", "restoration"])),
  status: Type.Enum(["available", "preview", "deprecated", "disabled"]),
  /** Of a deprecated model: since when (else since the catalogue changed), and until when. */
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
  /** Modalities whose `default` model this is. */
  default_for: Type.Array(Type.Enum([...modalities])),
  provider: Type.String({ minLength: 1 }),
  provider_model: Type.String({ minLength: 1 }),
  inline_submit_ms: Type.Integer({ minimum: 0 }),
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

export type ModelEntry = Readonly<Static<typeof Entry>>;
type CatalogueFile = Static<typeof CatalogueFile>;

export interface Catalogue {
  readonly version: string;
  /** RFC 3339; when the file was last changed. */
  readonly updatedAt: string;
  readonly models: readonly ModelEntry[];
  /** By id, alias, or `default` of the modality. */
  find(name: string, modality: Modality): ModelEntry | undefined;
}

/** The catalogue cannot be used; the message is one sentence for the operator. */
export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
}

const remedy = "correct it or unset KLIEG_MODELS.";

const isCatalogueFile = check<CatalogueFile>(CatalogueFile);

/**
 * Reads `file`, or of the shipped catalogue the models of `providers`, which are the configured
 * ones. Throws `CatalogueError`.
 */
export function readCatalogue(file: string | undefined, providers: readonly string[]): Catalogue {
  const value: unknown = file === undefined ? shipped : parsed(file);
  const name = file ?? "the shipped catalogue";
  if (!isCatalogueFile(value)) {
    const fault = isCatalogueFile.faults(value)[0];
    throw new CatalogueError(
      `${name}: ${fault?.pointer ?? ""} ${fault?.detail ?? "is wrong"}; ${remedy}`,
    );
  }
  for (const model of value.models) {
    const fault = deprecationFault(model, value.models);
    if (fault !== undefined) throw new CatalogueError(`${name}: ${model.id} ${fault}; ${remedy}`);
  }
  const models = value.models.filter(({ provider }) => providers.includes(provider));
  const other = value.models.find(({ provider }) => !providers.includes(provider));
  if (file !== undefined && other !== undefined)
    throw new CatalogueError(
      `${name}: ${other.id} has the provider ${other.provider}, which is not configured (${providers.join(", ")}); ${remedy}`,
    );
  const byName = new Map<string, ModelEntry>();
  for (const model of models)
    for (const key of namesOf(model)) {
      if (byName.has(key))
        throw new CatalogueError(`${name}: two models are named ${key}; ${remedy}`);
      byName.set(key, model);
    }
  return {
    version: value.version,
    updatedAt: value.updated_at,
    models,
    find: (wanted, modality) => byName.get(`${modality} ${wanted}`),
  };
}

/** A deprecated model must name its end, its replacement, and leave enough time between. */
function deprecationFault(model: ModelEntry, models: readonly ModelEntry[]): string | undefined {
  const { status, deprecated_at: since, sunset_at: until, replacement } = model;
  if (status !== "deprecated") return undefined;
  if (until === undefined || Number.isNaN(Date.parse(until)))
    return "is deprecated and needs a sunset_at";
  if (!models.some(({ id }) => id === replacement))
    return "is deprecated and needs a replacement that is in the catalogue";
  if (since === undefined || Date.parse(until) - Date.parse(since) >= sunsetMs) return undefined;
  return "has a sunset_at that is less than 180 days after its deprecated_at";
}

const sunsetMs = 180 * 86_400_000;

function namesOf(model: ModelEntry): string[] {
  const names = [model.id, ...model.aliases].map((name) => `${model.modality} ${name}`);
  return [...names, ...model.default_for.map((modality) => `${modality} default`)];
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CatalogueError(`KLIEG_MODELS names ${file}, which is no readable JSON; ${remedy}`, {
      cause: error,
    });
  }
}
