/** Resolves a video request: what is made, held and deduplicated. */

import type { ModelEntry } from "../../config/catalogue.ts";
import { omitUndefined } from "../../config/defined.ts";
import type { Fault } from "../../config/schema.ts";
import { GenerateVideoRequest } from "../../contract/generation.ts";
import { computePrice } from "../pricing.ts";
import type { Source } from "../protocol/farm-task.ts";
import type { Refusal } from "../refusal.ts";
import { acceptBody } from "./accepted-body.ts";
import { createCanonicalizer } from "./canonical.ts";
import {
  capabilityFaults,
  durationFaults,
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
import { videoSize } from "./sizes.ts";

const canonical = createCanonicalizer(GenerateVideoRequest.properties, { enhance_prompt: false });
const accept = acceptBody(GenerateVideoRequest.properties, { enhance_prompt: false });

export function resolveVideo(
  request: GenerateVideoRequest,
  asking: Asking,
  sources: Sources,
): Generation | Refusal {
  const model = chooseModel(asking, request.model, "video", "generate");
  if ("code" in model) return model;
  const references = new References(sources);
  const shown = listPictures(request, model, references);
  const faults = model.status === "preview" ? [] : findFaults(request, model);
  const refusal = findRefusal(model, asking.plan, faults, references.faults);
  return refusal ?? resolve(request, model, shown);
}

interface Pictures {
  readonly firstFrame?: Source;
  readonly lastFrame?: Source;
  readonly sourceVideo?: Source;
  readonly references?: readonly Source[];
}

function listPictures(
  request: GenerateVideoRequest,
  model: ModelEntry,
  references: References,
): Pictures {
  const max = getLimit(model, "video.reference_images_max", 0);
  const first = references.one(request.first_frame_asset_id, "/first_frame_asset_id", "image");
  const last = references.one(request.last_frame_asset_id, "/last_frame_asset_id", "image");
  const video = references.one(request.source_video_asset_id, "/source_video_asset_id", "video");
  const given = references.many(request.reference_asset_ids, "/reference_asset_ids", max);
  return {
    ...omitUndefined({
      firstFrame: first && toSource(first),
      lastFrame: last && toSource(last),
      sourceVideo: video && toSource(video),
    }),
    ...(given.length === 0 ? {} : { references: given }),
  };
}

const capabilityByField = {
  negative_prompt: "negative_prompt",
  seed: "seed",
  first_frame_asset_id: "first_frame",
  last_frame_asset_id: "last_frame",
  reference_asset_ids: "reference_images",
  source_video_asset_id: "video_to_video",
  audio: "native_audio",
  enhance_prompt: "prompt_enhance",
};

const optionFields = ["aspect_ratio", "resolution", "quality", "camera_motion", "fps"] as const;

function findFaults(request: GenerateVideoRequest, model: ModelEntry): Fault[] {
  const isShown =
    request.first_frame_asset_id !== undefined || request.source_video_asset_id !== undefined;
  return [
    ...textFaults(request.prompt, "prompt", getPromptMax(model), model.prompt_required && !isShown),
    ...durationFaults(request.duration_seconds, model, "video.duration_seconds"),
    ...optionFaults(request, model, optionFields),
    ...capabilityFaults(request, model, capabilityByField),
  ];
}

function resolve(request: GenerateVideoRequest, model: ModelEntry, shown: Pictures): Generation {
  const { seed = 0, negative_prompt, camera_motion, provider_options } = request;
  const prompt = request.prompt?.trim() ?? "";
  const durationSeconds = request.duration_seconds ?? getNumber(model, "duration_seconds", 4);
  const ratio = request.aspect_ratio ?? getText(model, "aspect_ratio") ?? "16:9";
  const resolution = request.resolution ?? getText(model, "resolution") ?? "720p";
  const quality = request.quality ?? getText(model, "quality");
  const fps = request.fps ?? getNumber(model, "fps", 24);
  const audio = request.audio ?? model.defaults["audio"] === true;
  const size = videoSize(ratio, resolution);
  const enhanced =
    request.enhance_prompt === true ? rewriteForImage(prompt, "video", seed) : prompt;
  const options = { aspect_ratio: ratio, resolution, quality, audio: String(audio), fps: `${fps}` };
  const units = { seconds: durationSeconds, megapixels: (size.width * size.height) / 1e6 };
  return {
    model,
    modality: "video",
    prompt,
    ...(enhanced === prompt ? {} : { enhancedPrompt: enhanced }),
    displayName: request.display_name,
    tags: request.tags ?? [],
    price: computePrice(model, units, options),
    count: 1,
    input: inputFor(
      {
        model,
        request,
        assets: listAssets(shown),
        made: { prompt: enhanced, duration_seconds: durationSeconds, audio, ...size },
      },
      () => ({
        seed,
        ...size,
        fps,
        durationSeconds,
        audio,
        ...omitUndefined({ cameraMotion: camera_motion, negativePrompt: negative_prompt }),
        ...(request.quality === undefined ? {} : { quality }),
        ...omitUndefined({ providerOptions: provider_options }),
        ...shown,
      }),
    ),
    promptAs: "prompt",
    canonical: canonical(request.prompt === undefined ? request : { ...request, prompt }, model),
    accepted: accept(request, model, {
      prompt: undefined,
      duration_seconds: durationSeconds,
      aspect_ratio: ratio,
      resolution,
      quality,
      fps,
      audio,
    }),
    quoted: () => ({
      durationSeconds,
      ...omitUndefined({ quality }),
      settings: listSettings(model, durationSeconds, options),
    }),
  };
}

/** Lists the settings that a quote shows; `options` are those that the price depends on. */
function listSettings(
  model: ModelEntry,
  durationSeconds: number,
  { resolution, aspect_ratio, quality, audio }: Readonly<Record<string, string | undefined>>,
): Quoted["settings"] {
  return [
    ["Model", model.display_name],
    ["Resolution", `${resolution}`],
    ["Aspect ratio", `${aspect_ratio}`],
    ["Duration", `${durationSeconds} s`],
    ...(quality === undefined ? [] : [["Quality", quality] as const]),
    ["Audio", audio === "true" ? "on" : "off"],
  ];
}

function listAssets({ firstFrame, lastFrame, sourceVideo, references }: Pictures) {
  return {
    first_frame: firstFrame,
    last_frame: lastFrame,
    reference: references,
    source_video: sourceVideo,
  };
}

function getText(model: ModelEntry, name: string): string | undefined {
  const value = model.defaults[name];
  return typeof value === "string" ? value : undefined;
}

function getNumber(model: ModelEntry, name: string, otherwise: number): number {
  const value = model.defaults[name];
  return typeof value === "number" ? value : otherwise;
}
