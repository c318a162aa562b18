/**
 * Reads the catalogue's files, the shipped one (`shipped`) and the operator's, as one catalogue,
 * and checks each model together with its provider.
 */
import { readFileSync } from "node:fs";
import {
  type Catalogue,
  type CatalogueFile,
  type FileEntry,
  isCatalogueFile,
  type ModelEntry,
} from "./catalogue.ts";
import { omitUndefined } from "./defined.ts";
import type { Mapping } from "./mapping/mapping.ts";
import { readMapping } from "./mapping/mapping-reader.ts";
import type { Modality } from "./modalities.ts";
import { remoteFault } from "./model-checks.ts";
import shipped from "./models.json" with { type: "json" };
import type { ProviderConfig } from "./providers/provider-config.ts";
import { isFarm, isRemote, ownProviders, shippedModels } from "./providers/providers.ts";

/** An unusable catalogue; the message is one sentence for the operator. */
export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
}

/** The runners of models that this service has. */
export interface Runners {
  readonly simulatedModels: boolean;
  readonly providers: readonly ProviderConfig[];
  /** Providers whose own faults have already been reported. */
  readonly faulty?: readonly string[];
}

interface Found {
  /** The file's name as used in messages. */
  readonly file: string;
  readonly entry: FileEntry;
}

interface Read {
  readonly file: string;
  readonly value: CatalogueFile;
}

const remedy = "correct it or unset KLIEG_MODELS.";

/** How long the answer to a submit waits for the first reply of a remote provider. */
const remoteInlineMs = 250;

/**
 * Reads `files`; of the shipped catalogue only the models that can run here. Throws
 * `CatalogueError`.
 */
export function readCatalogue(files: readonly string[], runners: Runners): Catalogue {
  const { catalogue, faults } = surveyCatalogue(files, runners);
  if (faults[0] !== undefined) throw faults[0];
  return catalogue;
}

export interface CatalogueSurvey {
  readonly catalogue: Catalogue;
  readonly faults: readonly CatalogueError[];
}

/** Returns the valid part of the catalogue together with all faults. */
export function surveyCatalogue(files: readonly string[], runners: Runners): CatalogueSurvey {
  const faults: CatalogueError[] = [];
  const read = files.flatMap((file): Read[] => {
    const value = readFile(file, faults);
    return value === undefined ? [] : [{ file, value }];
  });
  const all = read.flatMap(({ file, value }) => value.models.map((entry) => ({ file, entry })));
  const entries = all.map(({ entry }) => entry);
  const models = all.flatMap((found) => {
    const { model, wrongs } = buildModel(found, entries, runners);
    for (const what of wrongs) faults.push(wrong(found.file, `${found.entry.id} ${what}`));
    return model === undefined ? [] : [{ file: found.file, model }];
  });
  const byName = new Map<string, ModelEntry>();
  for (const { file, model } of models)
    for (const key of listNames(model)) {
      if (byName.has(key)) faults.push(wrong(file, `two models are named ${key}`));
      byName.set(key, model);
    }
  const dates = read.map(({ value }) => value.updated_at).sort();
  const catalogue = {
    version: read.map(({ value }) => value.version).join("+"),
    updatedAt: dates.at(-1) ?? "",
    models: models.map(({ model }) => model),
    find: (wanted: string, modality: Modality) => byName.get(`${modality} ${wanted}`),
  };
  return { catalogue, faults };
}

function wrong(file: string, what: string): CatalogueError {
  const name = file === shippedModels ? "the shipped catalogue" : file;
  return new CatalogueError(`${name}: ${what}; ${remedy}`);
}

/** Returns no model for an entry with faults, or for a shipped one that nothing here can run. */
function buildModel(
  { file, entry }: Found,
  entries: readonly FileEntry[],
  { simulatedModels, providers, faulty = [] }: Runners,
): { readonly model?: ModelEntry; readonly wrongs: readonly string[] } {
  const deprecation = deprecationFault(entry, entries);
  if (deprecation !== undefined) return { wrongs: [deprecation] };
  const names = [...ownProviders(simulatedModels), ...providers.map(({ name }) => name)];
  if (!names.includes(entry.provider)) {
    if (file === shippedModels || faulty.includes(entry.provider)) return { wrongs: [] };
    const configured = names.join(", ");
    return {
      wrongs: [`has the provider ${entry.provider}, which is not configured (${configured})`],
    };
  }
  const provider = providers.find(({ name }) => name === entry.provider);
  const fault = provider === undefined ? ownFault(entry) : remoteFault(entry, provider);
  if (fault !== undefined) return { wrongs: [fault] };
  if (provider === undefined || entry.mapping === undefined)
    return { model: complete(entry, undefined), wrongs: [] };
  const mapping = readMapping(entry.mapping, entry, provider.adapter === "comfyui", file);
  return "faults" in mapping
    ? { wrongs: mapping.faults.map((what) => `has a mapping that ${what}`) }
    : { model: complete(entry, mapping), wrongs: [] };
}

function ownFault({ provider, provider_model }: FileEntry): string | undefined {
  const what = isFarm(provider) ? "the name of a farm task" : "the simulated model";
  return provider_model === undefined ? `needs a provider_model: ${what}` : undefined;
}

function complete(entry: FileEntry, mapping: Mapping | undefined): ModelEntry {
  const { mapping: _, ...rest } = entry;
  return {
    ...rest,
    provider_model: entry.provider_model ?? "",
    callback: entry.callback ?? false,
    always_refund_moderation: entry.always_refund_moderation ?? false,
    inline_submit_ms: entry.inline_submit_ms ?? (isRemote(entry.provider) ? remoteInlineMs : 0),
    ...omitUndefined({ mapping }),
  };
}

/** Returns undefined when the file cannot be used. */
function readFile(file: string, faults: CatalogueError[]): CatalogueFile | undefined {
  const value: unknown = file === shippedModels ? shipped : parseFile(file);
  if (value instanceof CatalogueError) faults.push(value);
  else if (isCatalogueFile(value)) return value;
  else
    for (const { pointer, detail } of isCatalogueFile.faults(value))
      faults.push(wrong(file, `${pointer} ${detail}`));
  return undefined;
}

/** A deprecated model must name its sunset and its replacement, with enough time in between. */
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

function listNames(model: ModelEntry): string[] {
  const names = [model.id, ...model.aliases].map((name) => `${model.modality} ${name}`);
  return [...names, ...model.default_for.map((modality) => `${modality} default`)];
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const what = `KLIEG_MODELS names ${file}, which is not valid JSON; ${remedy}`;
    return new CatalogueError(what, { cause: error });
  }
}
