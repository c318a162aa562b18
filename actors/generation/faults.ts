/**
 * Checks a request against its model's catalogue entry; each fault names its field. Preview models
 * are not checked, since their provider decides.
 */

import type { ModelEntry } from "../../config/catalogue.ts";
import { limits } from "../../config/limits.ts";
import type { Fault } from "../../config/schema.ts";
import type { Source } from "../protocol/farm-task.ts";
import type { SourceAsset, Sources } from "./generation.ts";

/** Checks the length of a trimmed text, in characters as people count them. */
export function textFaults(
  text: string | undefined,
  field: string,
  max: number,
  isRequired: boolean,
): Fault[] {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "" && (isRequired || text !== undefined))
    return [{ pointer: `/${field}`, detail: "is required" }];
  const isLong = trimmed.length > max && [...trimmed].length > max;
  return isLong ? [{ pointer: `/${field}`, detail: `has more than ${max} characters` }] : [];
}

export function getPromptMax(model: ModelEntry): number {
  return getLimit(model, "prompt_max", 10_000);
}

export function getLimit(model: ModelEntry, name: string, otherwise: number): number {
  const value = model.limits[name];
  return typeof value === "number" ? value : otherwise;
}

type Fields = Readonly<Record<string, unknown>>;

/** Checks fields against the values that the model lists under `options`. */
export function optionFaults(
  request: Fields,
  model: ModelEntry,
  fields: readonly string[],
): Fault[] {
  const faults: Fault[] = [];
  for (const field of fields) {
    const value = request[field];
    const allowed = model.options[field] ?? [];
    if (value === undefined || allowed.includes(value)) continue;
    const detail =
      allowed.length === 0
        ? `is not supported by ${model.id}`
        : `must be one of ${allowed.join(", ")} for ${model.id}`;
    faults.push({ pointer: `/${field}`, detail });
  }
  return faults;
}

/** Checks fields that need a capability of the model; `false` needs none. */
export function capabilityFaults(
  request: Fields,
  model: ModelEntry,
  capabilityByField: Readonly<Record<string, string>>,
): Fault[] {
  const faults: Fault[] = [];
  for (const field in capabilityByField) {
    const value = request[field];
    if (value === undefined || value === false) continue;
    if (model.capabilities[capabilityByField[field] ?? ""] !== true)
      faults.push({ pointer: `/${field}`, detail: `is not supported by ${model.id}` });
  }
  if (request["provider_options"] !== undefined)
    faults.push(...providerOptionFaults(request["provider_options"], model));
  return faults;
}

function providerOptionFaults(options: unknown, model: ModelEntry): Fault[] {
  const pointer = "/provider_options";
  if (!model.provider_options) return [{ pointer, detail: `is not supported by ${model.id}` }];
  return JSON.stringify(options).length > limits.generation.providerOptionBytesMax
    ? [{ pointer, detail: "has more than 16 KiB" }]
    : [];
}

/** Checks a duration against the model's limit, `{values}` or `{min,max,step}`. */
export function durationFaults(
  value: number | undefined,
  model: ModelEntry,
  limit: string,
): Fault[] {
  const rule = model.limits[limit];
  if (value === undefined) return [];
  const fault = (detail: string) => [{ pointer: "/duration_seconds", detail }];
  if (typeof rule !== "object" || rule === null) return fault(`is not supported by ${model.id}`);
  const { values, min = 1, max = 1, step = 1 } = rule as DurationRule;
  if (values !== undefined)
    return values.includes(value)
      ? []
      : fault(`must be one of ${values.join(", ")} for ${model.id}`);
  if (value >= min && value <= max && (value - min) % step === 0) return [];
  const steps = step === 1 ? "" : ` in steps of ${step}`;
  return fault(`must be from ${min} to ${max}${steps} for ${model.id}`);
}

interface DurationRule {
  readonly values?: readonly number[];
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
}

/** Looks up the assets that a request refers to and collects the faults found. */
export class References {
  readonly faults: Fault[] = [];
  private readonly sources: Sources;

  constructor(sources: Sources) {
    this.sources = sources;
  }

  /** `kind` is the first part of the media type that the field requires. */
  one(id: string | undefined, pointer: string, kind: MediaKind): SourceAsset | undefined {
    if (id === undefined) return undefined;
    const asset = this.sources(id.toLowerCase());
    if (asset === undefined)
      this.faults.push({ pointer, detail: "is not a ready asset that you can see" });
    else if (!asset.media.mimeType.startsWith(`${kind}/`))
      this.faults.push({
        pointer,
        detail: `is not ${kind === "video" ? "a" : "an"} ${kind} asset`,
      });
    else return asset;
    return undefined;
  }

  many(ids: readonly string[] | undefined, pointer: string, max: number): Source[] {
    if (ids === undefined) return [];
    if (ids.length > max)
      this.faults.push({
        pointer,
        detail: max === 0 ? "is not supported" : `has more than ${max}`,
      });
    return ids.flatMap((id, at) => toSource(this.one(id, `${pointer}/${at}`, "image")) ?? []);
  }
}

type MediaKind = "image" | "video" | "audio";

export function toSource(asset: SourceAsset | undefined): Source | undefined {
  if (asset === undefined) return undefined;
  return { objectKey: asset.media.objectKey, mimeType: asset.media.mimeType };
}
