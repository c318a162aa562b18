import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { Fault } from "../../config/schema.ts";
import { RestoreVideoRequest } from "../../contract/generation.ts";
import { computePrice } from "../pricing.ts";
import type { Refusal } from "../refusal.ts";
import { acceptBody } from "./accepted-body.ts";
import { createCanonicalizer } from "./canonical.ts";
import { capabilityFaults, References, toSource } from "./faults.ts";
import type { Generation, SourceAsset, Sources } from "./generation.ts";
import { type Asking, chooseModel, findRefusal } from "./model-choice.ts";
import { inputFor } from "./provider-fields.ts";
import { even, type Size, shortEdge } from "./sizes.ts";

const defaults = { denoise: 0.3, sharpen: 0 };
const canonical = createCanonicalizer(RestoreVideoRequest.properties, defaults);
const accept = acceptBody(RestoreVideoRequest.properties, defaults);

/** Resolves restoration and upscaling of a video: what is made, held and deduplicated. */
export function resolveRestoration(
  request: RestoreVideoRequest,
  asking: Asking,
  sources: Sources,
): Generation | Refusal {
  const model = chooseModel(asking, request.model ?? "default", "video", "restoration");
  if ("code" in model) return model;
  const references = new References(sources);
  const source = references.one(request.source_asset_id, "/source_asset_id", "video");
  const size = getSize(request, source);
  const faults = [
    ...sizeFaults(request, size),
    ...capabilityFaults(request, model, { target_fps: "frame_interpolation" }),
  ];
  const refusal = findRefusal(model, asking.plan, faults, references.faults);
  if (refusal !== undefined || source === undefined) return refusal ?? { code: "not_found" };
  const { denoise = 0.3, sharpen = 0, scale = 2, target_fps: fps, target_resolution } = request;
  const seconds = Math.ceil(source.media.durationSeconds ?? 1);
  const options = { scale: String(scale), resolution: target_resolution };
  const units = { seconds, megapixels: (size.width * size.height) / 1e6 };
  return {
    model,
    modality: "video",
    prompt: "",
    displayName: request.display_name,
    tags: request.tags ?? [],
    price: computePrice(model, units, options),
    count: 1,
    input: inputFor(
      {
        model,
        request,
        assets: { source: toSource(source) },
        otherwise: { denoise, sharpen },
        made: { ...size, scale: target_resolution === undefined ? scale : undefined },
      },
      () => ({ source: toSource(source), ...size, denoise, sharpen, ...omitUndefined({ fps }) }),
    ),
    promptAs: undefined,
    canonical: canonical(target_resolution === undefined ? { ...request, scale } : request, model),
    accepted: accept(request, model, {
      scale: target_resolution === undefined ? scale : undefined,
    }),
    subject: source.displayName(),
    ...omitUndefined({ parent: source.job }),
    quoted: () => ({
      durationSeconds: seconds,
      settings: [
        ["Model", model.display_name],
        ["Resolution", `${size.width} x ${size.height}`],
        ["Duration", `${seconds} s`],
      ],
    }),
  };
}

/** Size of the output: the source times `scale`, or with the target as its short edge. */
function getSize(request: RestoreVideoRequest, source: SourceAsset | undefined): Size {
  const { width = 2, height = 2 } = source?.media ?? {};
  const { scale = 2, target_resolution: target } = request;
  const factor = target === undefined ? scale : shortEdge(target) / Math.min(width, height);
  return { width: even(width * factor), height: even(height * factor) };
}

function sizeFaults(request: RestoreVideoRequest, { width, height }: Size): Fault[] {
  const isBoth = request.scale !== undefined && request.target_resolution !== undefined;
  if (isBoth) return [{ pointer: "/target_resolution", detail: "cannot accompany scale" }];
  const long = Math.max(width, height);
  const short = Math.min(width, height);
  if (long <= limits.generation.restoredWidthMax && short <= limits.generation.restoredHeightMax)
    return [];
  const pointer = request.target_resolution === undefined ? "/scale" : "/target_resolution";
  return [{ pointer, detail: `would give ${width}x${height}; at most 3840x2160 is possible` }];
}
