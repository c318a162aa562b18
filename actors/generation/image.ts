/** Resolves an image request: what is made, held and deduplicated. */

import type { ModelEntry } from "../../config/catalogue.ts";
import { omitUndefined } from "../../config/defined.ts";
import type { Fault } from "../../config/schema.ts";
import { GenerateImageRequest } from "../../contract/generation.ts";
import { computePrice } from "../pricing.ts";
import type { Source } from "../protocol/farm-task.ts";
import type { TaskInput } from "../protocol/job.ts";
import type { Refusal } from "../refusal.ts";
import { acceptBody } from "./accepted-body.ts";
import { createCanonicalizer } from "./canonical.ts";
import {
  capabilityFaults,
  getLimit,
  getPromptMax,
  optionFaults,
  References,
  textFaults,
  toSource,
} from "./faults.ts";
import type { Generation, Quoted, Sources } from "./generation.ts";
import { type Asking, chooseModel, findRefusal } from "./model-choice.ts";
import { rewriteForImage } from "./prompt-rewriter.ts";
import { inputFor } from "./provider-fields.ts";
import { imageSize, type Size } from "./sizes.ts";

export const imageDefaults = { num_images: 1, output_format: "png", enhance_prompt: false };

const canonical = createCanonicalizer(GenerateImageRequest.properties, imageDefaults);
const accept = acceptBody(GenerateImageRequest.properties, imageDefaults);

export function resolveImage(
  request: GenerateImageRequest,
  asking: Asking,
  sources: Sources,
  operation: "generate" | "set" = "generate",
): Generation | Refusal {
  const model = chooseModel(asking, request.model, "image", operation);
  if ("code" in model) return model;
  const references = new References(sources);
  const pictures = listPictures(request, model, references);
  const faults = model.status === "preview" ? [] : findFaults(request, model);
  const refusal = findRefusal(model, asking.plan, faults, references.faults);
  return refusal ?? resolveRequest(request, model, pictures);
}

/** Images that the request passes to the model besides the prompt. */
interface Pictures {
  readonly references?: readonly Source[];
  readonly mask?: Source;
}

function listPictures(
  { reference_asset_ids, mask_asset_id }: GenerateImageRequest,
  model: ModelEntry,
  references: References,
): Pictures {
  if (reference_asset_ids === undefined && mask_asset_id === undefined) return {};
  const max = getLimit(model, "image.reference_images_max", 0);
  const given = references.many(reference_asset_ids, "/reference_asset_ids", max);
  const mask = toSource(references.one(mask_asset_id, "/mask_asset_id", "image"));
  if (mask_asset_id !== undefined && reference_asset_ids?.length !== 1)
    references.faults.push({ pointer: "/mask_asset_id", detail: "needs exactly one reference" });
  return {
    ...(given.length === 0 ? {} : { references: given }),
    ...omitUndefined({ mask }),
  };
}

const capabilityByField = {
  negative_prompt: "negative_prompt",
  seed: "seed",
  width: "free_size",
  height: "free_size",
  reference_asset_ids: "reference_images",
  mask_asset_id: "inpaint",
  enhance_prompt: "prompt_enhance",
};

function findFaults(request: GenerateImageRequest, model: ModelEntry): Fault[] {
  const faults = [
    ...textFaults(request.prompt, "prompt", getPromptMax(model), model.prompt_required),
    ...optionFaults(request, model, ["aspect_ratio", "resolution", "quality", "output_format"]),
    ...capabilityFaults(request, model, capabilityByField),
    ...sizeFaults(request),
  ];
  const max = getLimit(model, "image.num_images_max", 1);
  if ((request.num_images ?? 1) > max)
    faults.push({ pointer: "/num_images", detail: `must be from 1 to ${max} for ${model.id}` });
  const isClear = request.background === "transparent";
  if (isClear && model.capabilities["transparent_background"] !== true)
    faults.push({ pointer: "/background", detail: `is not supported by ${model.id}` });
  return faults;
}

function sizeFaults(request: GenerateImageRequest): Fault[] {
  const { width, height } = request;
  if (width === undefined && height === undefined) return [];
  if (width === undefined) return [{ pointer: "/width", detail: "is required with height" }];
  if (height === undefined) return [{ pointer: "/height", detail: "is required with width" }];
  return (["aspect_ratio", "resolution"] as const)
    .filter((field) => request[field] !== undefined)
    .map((field) => ({ pointer: `/${field}`, detail: "cannot accompany width and height" }));
}

function resolveRequest(
  request: GenerateImageRequest,
  model: ModelEntry,
  pictures: Pictures,
): Generation {
  const { seed = 0, num_images: count = 1, output_format: format = "png" } = request;
  const prompt = request.prompt?.trim() ?? "";
  const ratio = choose(request, model, "aspect_ratio") ?? "1:1";
  const resolution = choose(request, model, "resolution") ?? "1k";
  const quality = choose(request, model, "quality");
  const size = freeSize(request) ?? imageSize(ratio, resolution);
  const { width, height } = size;
  const enhanced =
    request.enhance_prompt === true ? rewriteForImage(prompt, "image", seed) : prompt;
  const units = { images: count, megapixels: (count * width * height) / 1e6 };
  return {
    model,
    modality: "image",
    prompt,
    displayName: request.display_name,
    tags: request.tags ?? [],
    price: computePrice(model, units, { aspect_ratio: ratio, resolution, quality }),
    count,
    input: inputFor(
      {
        model,
        request,
        otherwise: { output_format: format },
        made: { prompt: enhanced, num_images: count, ...size, ...withoutShape(request) },
        assets: { reference: pictures.references, mask: pictures.mask },
      },
      () => ({ seed, ...size, count, format, ...extras(request), ...pictures }),
    ),
    promptAs: "prompt",
    canonical: canonical(request.prompt === prompt ? request : { ...request, prompt }, model),
    accepted: accept(request, model, {
      prompt: undefined,
      aspect_ratio: ratio,
      resolution,
      ...withoutShape(request),
    }),
    quoted: () => quote(model, request, { width, height }, quality),
    ...(enhanced === prompt ? {} : { enhancedPrompt: enhanced }),
  };
}

function freeSize({ width, height }: GenerateImageRequest): Size | undefined {
  return width === undefined || height === undefined ? undefined : { width, height };
}

/** Drops aspect ratio and resolution when the request gives its own size in pixels. */
function withoutShape({ width }: GenerateImageRequest): object {
  return width === undefined ? {} : { aspect_ratio: undefined, resolution: undefined };
}

/** Returns only fields that the request has, so workers need not know what a model lacks. */
function extras(request: GenerateImageRequest): TaskInput {
  const { negative_prompt, quality, background, provider_options } = request;
  return {
    ...omitUndefined({
      negativePrompt: negative_prompt,
      quality,
      background,
      providerOptions: provider_options,
    }),
  };
}

function quote(
  model: ModelEntry,
  request: GenerateImageRequest,
  { width, height }: Size,
  quality: string | undefined,
): Quoted {
  const { num_images = 1, output_format = "png" } = request;
  const ratio = choose(request, model, "aspect_ratio");
  const isFree = request.width !== undefined;
  return {
    ...omitUndefined({ quality }),
    settings: [
      ["Model", model.display_name],
      ["Resolution", `${width} x ${height}`],
      ...(isFree || ratio === undefined ? [] : [["Aspect ratio", ratio] as const]),
      ...(quality === undefined ? [] : [["Quality", quality] as const]),
      ["Images", String(num_images)],
      ["Format", output_format],
    ],
  };
}

function choose(
  request: GenerateImageRequest,
  model: ModelEntry,
  option: "aspect_ratio" | "resolution" | "quality",
): string | undefined {
  const otherwise = model.defaults[option];
  return request[option] ?? (typeof otherwise === "string" ? otherwise : undefined);
}
