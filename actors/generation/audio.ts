/** Resolves an audio request (speech, music or a sound effect) into its generation. */

import type { ModelEntry } from "../../config/catalogue.ts";
import { omitUndefined } from "../../config/defined.ts";
import type { Fault } from "../../config/schema.ts";
import { type AudioTask, audioTasks, GenerateAudioRequest } from "../../contract/generation.ts";
import { computePrice } from "../pricing.ts";
import type { Source } from "../protocol/farm-task.ts";
import type { TaskInput } from "../protocol/job.ts";
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
import { inputFor } from "./provider-fields.ts";

const defaults = { output_format: "mp3", speed: 1 };
const canonical = createCanonicalizer(GenerateAudioRequest.properties, defaults);
const accept = acceptBody(GenerateAudioRequest.properties, defaults);

export function resolveAudio(
  request: GenerateAudioRequest,
  asking: Asking,
  sources: Sources,
): Generation | Refusal {
  const model = chooseModel(asking, request.model, "audio", "generate");
  if ("code" in model) return model;
  const task = request.task ?? listTasks(model)[0] ?? "speech";
  const references = new References(sources);
  const { reference_asset_id: reference } = request;
  const voice = toSource(references.one(reference, "/reference_asset_id", "audio"));
  const faults = model.status === "preview" ? [] : findFaults(request, task, model);
  const refusal = findRefusal(model, asking.plan, faults, references.faults);
  return refusal ?? resolveRequest(request, task, model, voice);
}

function listTasks(model: ModelEntry): AudioTask[] {
  const offered = model.options["tasks"] ?? [];
  return audioTasks.filter((task) => offered.includes(task));
}

function findFaults(request: GenerateAudioRequest, task: AudioTask, model: ModelEntry): Fault[] {
  const tasks = listTasks(model);
  const faults = [
    ...optionFaults(request, model, ["voice", "output_format"]),
    ...capabilityFaults(request, model, {
      lyrics: "lyrics",
      reference_asset_id: "voice_reference",
      seed: "seed",
    }),
    ...(task === "speech" ? speechFaults(request, model) : soundFaults(request, task, model)),
  ];
  if (!tasks.includes(task))
    faults.push({ pointer: "/task", detail: `must be one of ${tasks.join(", ")} for ${model.id}` });
  return faults;
}

function speechFaults(request: GenerateAudioRequest, model: ModelEntry): Fault[] {
  const textMax = getLimit(model, "audio.text_max", 5_000);
  return [
    ...textFaults(request.text, "text", textMax, true),
    ...(request.prompt === undefined
      ? []
      : textFaults(request.prompt, "prompt", getPromptMax(model), false)),
    ...languageFaults(request.language, model),
    ...meaningless(request, "speech", ["duration_seconds", "lyrics"]),
  ];
}

/** A language is supported if the model lists its tag or a prefix of it (RFC 4647, section 3.4). */
function languageFaults(language: string | undefined, model: ModelEntry): Fault[] {
  const spoken = model.options["language"];
  if (language === undefined || spoken === undefined) return [];
  const parts = language.toLowerCase().split("-");
  const isSpoken = parts.some((_, end) => spoken.includes(parts.slice(0, end + 1).join("-")));
  if (isSpoken) return [];
  const detail = `is not spoken by ${model.id}; its languages are in options.language of the model`;
  return [{ pointer: "/language", detail }];
}

function soundFaults(request: GenerateAudioRequest, task: AudioTask, model: ModelEntry): Fault[] {
  return [
    ...textFaults(request.prompt, "prompt", getPromptMax(model), true),
    ...durationFaults(request.duration_seconds, model, "audio.duration_seconds"),
    ...meaningless(request, task, ["text", "voice", "language", "speed"]),
  ];
}

function meaningless(
  request: GenerateAudioRequest,
  task: AudioTask,
  fields: readonly (keyof GenerateAudioRequest)[],
): Fault[] {
  return fields
    .filter((field) => request[field] !== undefined)
    .map((field) => ({ pointer: `/${field}`, detail: `does not go with the task ${task}` }));
}

function resolveRequest(
  request: GenerateAudioRequest,
  task: AudioTask,
  model: ModelEntry,
  reference: Source | undefined,
): Generation {
  const { seed = 0, output_format: format = "mp3", provider_options } = request;
  const isSpeech = task === "speech";
  const prompt = (isSpeech ? request.text : request.prompt)?.trim() ?? "";
  const durationSeconds = isSpeech ? undefined : getDuration(request, task, model);
  const voice = isSpeech ? (request.voice ?? String(model.options["voice"]?.[0] ?? "")) : undefined;
  const sound = isSpeech ? speechInput(request, voice) : { durationSeconds };
  const units = {
    characters_1000: isSpeech ? [...prompt].length / 1_000 : 0,
    seconds: durationSeconds ?? 0,
  };
  const options = { task, voice, output_format: format };
  return {
    model,
    modality: "audio",
    prompt,
    displayName: request.display_name,
    tags: request.tags ?? [],
    price: computePrice(model, units, options),
    count: 1,
    input: inputFor(
      {
        model,
        request,
        otherwise: { output_format: format, ...(isSpeech ? { speed: 1 } : {}) },
        made: {
          ...selectMeaningful(request, task),
          task,
          voice,
          duration_seconds: durationSeconds,
        },
        assets: { reference },
      },
      () => ({
        seed,
        format,
        ...sound,
        ...omitUndefined({ lyrics: request.lyrics, reference, providerOptions: provider_options }),
      }),
    ),
    promptAs: isSpeech ? "text" : "prompt",
    canonical: canonical({ ...request, task, [isSpeech ? "text" : "prompt"]: prompt }, model),
    accepted: accept(request, model, {
      ...selectMeaningful(request, task),
      [isSpeech ? "text" : "prompt"]: undefined,
      task,
      voice,
      duration_seconds: durationSeconds,
    }),
    quoted: () => ({
      settings: listSettings(model, durationSeconds, options),
    }),
  };
}

/** Lists the settings that a quote shows; `options` are those that the price depends on. */
function listSettings(
  model: ModelEntry,
  durationSeconds: number | undefined,
  { voice, output_format }: Readonly<Record<string, string | undefined>>,
): Quoted["settings"] {
  return [
    ["Model", model.display_name],
    ...(durationSeconds === undefined ? [] : [["Duration", `${durationSeconds} s`] as const]),
    ...(voice === undefined ? [] : [["Voice", voice] as const]),
    ["Format", `${output_format}`],
  ];
}

/** Keeps the texts, and drops fields and model defaults that are meaningless for the task. */
function selectMeaningful(
  request: GenerateAudioRequest,
  task: AudioTask,
): Readonly<Record<string, unknown>> {
  const prompt = request.prompt?.trim();
  return task === "speech"
    ? { prompt, text: request.text?.trim(), lyrics: undefined }
    : { prompt, text: undefined, language: undefined, speed: undefined };
}

function speechInput(request: GenerateAudioRequest, voice: string | undefined): TaskInput {
  const direction = request.prompt?.trim() ?? "";
  return {
    voice,
    speed: request.speed ?? 1,
    ...(direction === "" ? {} : { direction }),
    ...omitUndefined({ language: request.language }),
  };
}

function getDuration(request: GenerateAudioRequest, task: AudioTask, model: ModelEntry): number {
  const otherwise = model.defaults["duration_seconds"];
  if (request.duration_seconds !== undefined) return request.duration_seconds;
  return typeof otherwise === "number" ? otherwise : task === "music" ? 30 : 5;
}
