/**
 * From an image request to what will be made, held and deduplicated: step 2 of the submit's checks,
 * after the schema. The catalogue's entry says what the model can do; each thing it cannot names
 * its field.
 */

import type { Catalogue, ModelEntry } from "../../config/catalogue.ts";
import { limits } from "../../config/limits.ts";
import { type PlanName, planNames } from "../../config/plans.ts";
import type { Fault } from "../../config/schema.ts";
import { GenerateImageRequest } from "../contract/generate-image.ts";
import type { JobInput } from "../job/job.ts";
import { priceOf } from "../pricing.ts";
import type { Refusal } from "../refusal.ts";
import { canonicalJson } from "./canonical.ts";

export interface ImageGeneration {
  readonly model: ModelEntry;
  readonly prompt: string;
  readonly displayName: string;
  readonly tags: readonly string[];
  readonly price: number;
  readonly input: JobInput;
  /** The canonical body without `confirmation_token`. */
  readonly canonical: string;
}

const longEdges: Readonly<Record<string, number>> = { "1k": 1024, "2k": 2048, "4k": 4096 };

export function resolveImage(
  request: GenerateImageRequest,
  catalogue: Catalogue,
  plan: PlanName,
): ImageGeneration | Refusal {
  const model = catalogue.find(request.model, "image");
  if (model === undefined || model.status === "disabled")
    return invalid([{ pointer: "/model", detail: `${request.model} is not an image model` }]);
  // A preview model takes what the schema takes; its provider decides.
  const faults = model.status === "preview" ? [] : faultsOf(request, model);
  if (faults.length > 0) return invalid(faults);
  if (model.plans.length > 0 && !model.plans.includes(plan))
    return { code: "plan_required", plan: lowest(model.plans) };
  return resolved(request, model);
}

function resolved(request: GenerateImageRequest, model: ModelEntry): ImageGeneration {
  const { seed = 0, num_images: images = 1, output_format: format = "png" } = request;
  const prompt = request.prompt?.trim() ?? "";
  const ratio = chosen(request, model, "aspect_ratio") ?? "1:1";
  const resolution = chosen(request, model, "resolution") ?? "1k";
  const quality = chosen(request, model, "quality");
  const { width, height } = sizeOf(ratio, longEdges[resolution] ?? 1024);
  return {
    model,
    prompt,
    displayName: request.display_name ?? nameOf(prompt),
    tags: request.tags ?? [],
    price: priceOf(model, { images }, { aspect_ratio: ratio, resolution, quality }),
    input: { seed, width, height, count: images, format },
    canonical: canonicalOf(request, model, prompt),
  };
}

type Option = "aspect_ratio" | "resolution" | "quality";

function chosen(
  request: GenerateImageRequest,
  model: ModelEntry,
  option: Option,
): string | undefined {
  const otherwise = model.defaults[option];
  return request[option] ?? (typeof otherwise === "string" ? otherwise : undefined);
}

/** In the order of their names, as a canonical body has them. */
const fieldNames = Object.keys(GenerateImageRequest.properties)
  .filter((name): name is keyof GenerateImageRequest => name !== "confirmation_token")
  .sort();

const fixedDefaults: Readonly<Record<string, unknown>> = {
  num_images: 1,
  output_format: "png",
  enhance_prompt: false,
};

function canonicalOf(request: GenerateImageRequest, model: ModelEntry, prompt: string): string {
  const resolved: GenerateImageRequest = { ...request, model: model.id, prompt };
  let members = "";
  for (const name of fieldNames) {
    const value = resolved[name];
    if (value === undefined || value === (model.defaults[name] ?? fixedDefaults[name])) continue;
    members += `${members === "" ? "" : ","}"${name}":${canonicalJson(value)}`;
  }
  return `{${members}}`;
}

function faultsOf(request: GenerateImageRequest, model: ModelEntry): Fault[] {
  return [...promptFaults(request, model), ...numberFaults(request, model)].concat(
    optionFaults(request, model),
    capabilityFaults(request, model),
  );
}

function promptFaults({ prompt }: GenerateImageRequest, model: ModelEntry): Fault[] {
  const text = prompt?.trim() ?? "";
  const max = Number(model.limits["prompt_max"] ?? 10_000);
  if (text === "" && (model.prompt_required || prompt !== undefined))
    return [{ pointer: "/prompt", detail: "is required" }];
  const isLong = text.length > max && [...text].length > max;
  return isLong ? [{ pointer: "/prompt", detail: `has more than ${max} characters` }] : [];
}

function numberFaults(request: GenerateImageRequest, model: ModelEntry): Fault[] {
  const max = Number(model.limits["image.num_images_max"] ?? 1);
  if ((request.num_images ?? 1) <= max) return [];
  return [{ pointer: "/num_images", detail: `must be from 1 to ${max} for ${model.id}` }];
}

function optionFaults(request: GenerateImageRequest, model: ModelEntry): Fault[] {
  const faults: Fault[] = [];
  for (const option of ["aspect_ratio", "resolution", "quality", "output_format"] as const) {
    const value = request[option];
    const allowed = model.options[option] ?? [];
    if (value === undefined || allowed.includes(value)) continue;
    const detail =
      allowed.length === 0
        ? `is not supported by ${model.id}`
        : `must be one of ${allowed.join(", ")} for ${model.id}`;
    faults.push({ pointer: `/${option}`, detail });
  }
  return faults;
}

/** A field, and the capability without which it means nothing. */
const capabilityOfField = [
  ["negative_prompt", "negative_prompt"],
  ["seed", "seed"],
  ["width", "free_size"],
  ["height", "free_size"],
  ["reference_asset_ids", "reference_images"],
  ["mask_asset_id", "inpaint"],
] as const;

function capabilityFaults(request: GenerateImageRequest, model: ModelEntry): Fault[] {
  const faults: Fault[] = [];
  const lacks = (name: string, field: string) => {
    if (model.capabilities[name] !== true)
      faults.push({ pointer: `/${field}`, detail: `is not supported by ${model.id}` });
  };
  for (const [field, capability] of capabilityOfField)
    if (request[field] !== undefined) lacks(capability, field);
  if (request.background === "transparent") lacks("transparent_background", "background");
  if (request.enhance_prompt === true) lacks("prompt_enhance", "enhance_prompt");
  if (request.provider_options !== undefined && !model.provider_options)
    faults.push({ pointer: "/provider_options", detail: `is not supported by ${model.id}` });
  return faults;
}

/** `longEdge` is the larger of the two; the other follows the ratio, rounded to even. */
function sizeOf(ratio: string, longEdge: number): { width: number; height: number } {
  const [across = 1, down = 1] = ratio.split(":").map(Number);
  const other = 2 * Math.round((longEdge * Math.min(across, down)) / Math.max(across, down) / 2);
  return across >= down ? { width: longEdge, height: other } : { width: other, height: longEdge };
}

function nameOf(prompt: string): string {
  const max = limits.jobs.displayNameMax;
  return prompt.length <= max ? prompt : [...prompt.slice(0, 2 * max)].slice(0, max).join("");
}

function lowest(plans: readonly string[]): string {
  return planNames.find((plan) => plans.includes(plan)) ?? "";
}

function invalid(faults: readonly Fault[]): Refusal {
  return { code: "validation", faults };
}
