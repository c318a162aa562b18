/** Resolves a 3D request, which makes a model from photos. */
import { omitUndefined } from "../../config/defined.ts";
import type { Fault } from "../../config/schema.ts";
import { Generate3DRequest } from "../../contract/generation.ts";
import { computePrice } from "../pricing.ts";
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
} from "./faults.ts";
import type { Generation, Sources } from "./generation.ts";
import { type Asking, chooseModel, findRefusal } from "./model-choice.ts";
import { inputFor } from "./provider-fields.ts";

const defaults = { texture: true, output_format: "glb" };
const polycountOtherwise = 30_000;
const canonical = createCanonicalizer(Generate3DRequest.properties, defaults);
const accept = acceptBody(Generate3DRequest.properties, {
  ...defaults,
  target_polycount: polycountOtherwise,
});

export function resolve3D(
  request: Generate3DRequest,
  asking: Asking,
  sources: Sources,
): Generation | Refusal {
  const model = chooseModel(asking, request.model, "three_d", "generate");
  if ("code" in model) return model;
  const max = getLimit(model, "three_d.images_max", 1);
  const references = new References(sources);
  const images = references.many(request.image_asset_ids, "/image_asset_ids", max);
  const faults: Fault[] = [
    ...optionFaults(request, model, ["output_format"]),
    ...capabilityFaults(request, model, { seed: "seed" }),
    ...textFaults(request.prompt, "prompt", getPromptMax(model), false),
  ];
  const known = model.status === "preview" ? [] : faults;
  const refusal = findRefusal(model, asking.plan, known, references.faults);
  if (refusal !== undefined) return refusal;
  const { seed = 0, texture = true, output_format: format = "glb" } = request;
  const prompt = request.prompt?.trim() ?? "";
  const options = { texture: String(texture), output_format: format };
  return {
    model,
    modality: "three_d",
    prompt,
    displayName: request.display_name,
    tags: request.tags ?? [],
    price: computePrice(model, { images: images.length }, options),
    count: 1,
    input: inputFor(
      {
        model,
        request,
        otherwise: { texture, output_format: format },
        made: { prompt },
        assets: { image: images },
      },
      () => ({
        seed,
        images,
        texture,
        targetPolycount: request.target_polycount ?? polycountOtherwise,
        format,
        ...omitUndefined({ providerOptions: request.provider_options }),
      }),
    ),
    promptAs: prompt === "" ? undefined : "prompt",
    canonical: canonical(request.prompt === undefined ? request : { ...request, prompt }, model),
    accepted: accept(request, model, { prompt: undefined }),
    quoted: () => ({
      settings: [
        ["Model", model.display_name],
        ["Images", String(images.length)],
        ["Format", format],
      ],
    }),
  };
}
