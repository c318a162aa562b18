import { omitUndefined } from "../../config/defined.ts";
import type { Fault } from "../../config/schema.ts";
import { RemoveBackgroundVideoRequest } from "../../contract/generation.ts";
import { computePrice } from "../pricing.ts";
import type { Refusal } from "../refusal.ts";
import { acceptBody } from "./accepted-body.ts";
import { createCanonicalizer } from "./canonical.ts";
import { optionFaults, References, toSource } from "./faults.ts";
import type { Generation, Sources } from "./generation.ts";
import { type Asking, chooseModel, findRefusal } from "./model-choice.ts";
import { inputFor } from "./provider-fields.ts";

const defaults = { background: "transparent" };
const canonical = createCanonicalizer(RemoveBackgroundVideoRequest.properties, defaults);
const accept = acceptBody(RemoveBackgroundVideoRequest.properties, defaults);

/** Resolves the removal of a video's background: what is made, held and deduplicated. */
export function resolveBackgroundRemoval(
  request: RemoveBackgroundVideoRequest,
  asking: Asking,
  sources: Sources,
): Generation | Refusal {
  const model = chooseModel(asking, request.model ?? "default", "video", "background_removal");
  if ("code" in model) return model;
  const { background = "transparent", background_color: color } = request;
  const format = request.output_format ?? (background === "transparent" ? "webm" : "mp4");
  const references = new References(sources);
  const source = references.one(request.source_asset_id, "/source_asset_id", "video");
  const faults = [...backgroundFaults(request), ...optionFaults(request, model, ["output_format"])];
  const refusal = findRefusal(model, asking.plan, faults, references.faults);
  if (refusal !== undefined || source === undefined) return refusal ?? { code: "not_found" };
  const seconds = Math.ceil(source.media.durationSeconds ?? 1);
  return {
    model,
    modality: "video",
    prompt: "",
    displayName: request.display_name,
    tags: request.tags ?? [],
    price: computePrice(model, { seconds }, { output_format: format, background }),
    count: 1,
    input: inputFor(
      {
        model,
        request,
        assets: { source: toSource(source) },
        made: { background, output_format: format },
      },
      () => ({ source: toSource(source), background, ...omitUndefined({ color }), format }),
    ),
    promptAs: undefined,
    canonical: canonical({ ...request, output_format: format }, model),
    accepted: accept(request, model, { output_format: format }),
    subject: source.displayName(),
    ...omitUndefined({ parent: source.job }),
    quoted: () => ({
      durationSeconds: seconds,
      settings: [
        ["Model", model.display_name],
        ["Duration", `${seconds} s`],
        ["Format", format],
      ],
    }),
  };
}

function backgroundFaults(request: RemoveBackgroundVideoRequest): Fault[] {
  const { background = "transparent", background_color, output_format } = request;
  const faults: Fault[] = [];
  if (background === "color" && background_color === undefined)
    faults.push({ pointer: "/background_color", detail: "is required with the background color" });
  if (background === "transparent" && background_color !== undefined)
    faults.push({ pointer: "/background_color", detail: "goes with the background color only" });
  if (background === "transparent" && output_format === "mp4")
    faults.push({ pointer: "/output_format", detail: "mp4 cannot be transparent" });
  return faults;
}
