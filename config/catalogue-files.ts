/**
 * Reads the catalogue's files, ours (`shipped`) and the operator's, as one, and checks each model
 * together with its provider.
 */
import { readFileSync } from "node:fs";
import {
  type Catalogue,
  type CatalogueFile,
  type FileEntry,
  isCatalogueFile,
  type ModelEntry,
} from "./catalogue.ts";
import { MappingError, readMapping } from "./mapping/mapping-reader.ts";
import { remoteFault } from "./model-checks.ts";
import shipped from "./models.json" with { type: "json" };
import type { ProviderConfig } from "./provider-config.ts";
import { isFarm, isRemote, ownProviders, shippedModels } from "./providers.ts";

/** The catalogue cannot be used; the message is one sentence for the operator. */
export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
}

/** Who can run models. */
export interface Runners {
  readonly simulatedModels: boolean;
  readonly providers: readonly ProviderConfig[];
}

interface Found {
  /** The file as sentences name it. */
  readonly file: string;
  readonly entry: FileEntry;
}

const remedy = "correct it or unset KLIEG_MODELS.";

/** How long the answer to a submit waits for the first word of a provider over the network. */
const remoteInlineMs = 250;

/**
 * Reads `files`; of the shipped catalogue the models that can run. Throws `CatalogueError`.
 */
export function readCatalogue(files: readonly string[], runners: Runners): Catalogue {
  const read = files.map((file) => ({ file, value: readFile(file) }));
  const all = read.flatMap(({ file, value }) => value.models.map((entry) => ({ file, entry })));
  for (const { file, entry } of all) {
    const fault = deprecationFault(
      entry,
      all.map(({ entry }) => entry),
    );
    if (fault !== undefined) throw wrong(file, `${entry.id} ${fault}`);
  }
  const models = all.flatMap((found) => modelOf(found, runners) ?? []);
  const byName = new Map<string, ModelEntry>();
  for (const { file, model } of models)
    for (const key of namesOf(model)) {
      if (byName.has(key)) throw wrong(file, `two models are named ${key}`);
      byName.set(key, model);
    }
  const dates = read.map(({ value }) => value.updated_at).sort();
  return {
    version: read.map(({ value }) => value.version).join("+"),
    updatedAt: dates.at(-1) ?? "",
    models: models.map(({ model }) => model),
    find: (wanted, modality) => byName.get(`${modality} ${wanted}`),
  };
}

function wrong(file: string, what: string): CatalogueError {
  const name = file === shippedModels ? "the shipped catalogue" : file;
  return new CatalogueError(`${name}: ${what}; ${remedy}`);
}

/** Undefined for a model of the shipped catalogue that nothing here runs. */
function modelOf(
  { file, entry }: Found,
  runners: Runners,
): { readonly file: string; readonly model: ModelEntry } | undefined {
  const names = [
    ...ownProviders(runners.simulatedModels),
    ...runners.providers.map(({ name }) => name),
  ];
  if (!names.includes(entry.provider)) {
    if (file === shippedModels) return undefined;
    throw wrong(
      file,
      `${entry.id} has the provider ${entry.provider}, which is not configured (${names.join(", ")})`,
    );
  }
  const provider = runners.providers.find(({ name }) => name === entry.provider);
  const fault = provider === undefined ? ownFault(entry) : remoteFault(entry, provider);
  if (fault !== undefined) throw wrong(file, `${entry.id} ${fault}`);
  return { file, model: completed({ file, entry }, provider) };
}

function ownFault({ provider, provider_model }: FileEntry): string | undefined {
  const what = isFarm(provider) ? "its task on the farm" : "the simulated model";
  return provider_model === undefined ? `needs a provider_model: ${what}` : undefined;
}

function completed({ file, entry }: Found, provider: ProviderConfig | undefined): ModelEntry {
  const { mapping, ...rest } = entry;
  return {
    ...rest,
    provider_model: entry.provider_model ?? "",
    callback: entry.callback ?? false,
    always_refund_moderation: entry.always_refund_moderation ?? false,
    inline_submit_ms: entry.inline_submit_ms ?? (isRemote(entry.provider) ? remoteInlineMs : 0),
    ...(mapping === undefined || provider === undefined
      ? {}
      : { mapping: mappingOf({ file, entry }, mapping, provider) }),
  };
}

function mappingOf(
  { file, entry }: Found,
  given: Readonly<Record<string, unknown>>,
  { adapter }: ProviderConfig,
) {
  try {
    return readMapping(given, entry, adapter === "comfyui", file);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    throw wrong(file, `${entry.id} has a mapping that ${error.message}`);
  }
}

function readFile(file: string): CatalogueFile {
  const value: unknown = file === shippedModels ? shipped : parsed(file);
  if (isCatalogueFile(value)) return value;
  const { pointer, detail } = isCatalogueFile.faults(value)[0] ?? {
    pointer: "",
    detail: "is wrong",
  };
  throw wrong(file, `${pointer} ${detail}`);
}

/** A deprecated model must name its end, its replacement, and leave enough time between. */
function deprecationFault(model: FileEntry, models: readonly FileEntry[]): string | undefined {
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
