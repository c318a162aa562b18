/**
 * The form of a model, built from the model's own options, limits, capabilities and defaults.
 * Fields that the model does not have are left out.
 */
import type { Model } from "../../clients/typescript/src/generated/models.ts";
import { words } from "../format.ts";
import type { Kind } from "./kinds.ts";
import { membersField } from "./sets.ts";

export type Value = string | number | boolean | readonly string[];

interface Named {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly isRequired?: boolean;
  /** The service's default when the field is left empty. */
  readonly standard?: unknown;
}

export type FormField = Named &
  (
    | { readonly kind: "text" | "line"; readonly max: number }
    | { readonly kind: "choice"; readonly options: readonly (string | number)[] }
    | {
        readonly kind: "number";
        readonly min: number;
        readonly max: number;
        readonly step: number;
        readonly isSlider: boolean;
      }
    | { readonly kind: "switch" }
    | { readonly kind: "assets"; readonly accepts: Accepts; readonly max: number }
  );

/** The modality of assets that a field accepts. */
export type Accepts = Model["modality"];

interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

export function listFields(model: Model, kind: Kind): readonly FormField[] {
  switch (kind.name) {
    case "image":
      return imageFields(model);
    case "set":
      return setFields(model);
    case "video":
      return videoFields(model);
    case "audio":
      return audioFields(model);
    case "three_d":
      return modelFields(model);
    case "video_background_removal":
      return cutOutFields(model);
    case "video_restoration":
      return restoreFields(model);
  }
}

function imageFields(model: Model): FormField[] {
  return present([
    prompt(model),
    choice(model, "aspect_ratio", "Shape"),
    choice(model, "resolution", "Resolution"),
    choice(model, "quality", "Quality"),
    number(model, "num_images", "Pictures", rangeUpTo(model, "image.num_images_max"), 1),
    pictures(model, "reference_asset_ids", "Reference pictures", "image.reference_images_max"),
    ...when(model, "inpaint", [asset("mask_asset_id", "Mask", "image")]),
    ...when(model, "negative_prompt", [negative]),
    choice(model, "output_format", "Format"),
    ...when(model, "transparent_background", [
      { ...createNamed("background", "Background"), kind: "choice", options: backgrounds } as const,
    ]),
    ...when(model, "prompt_enhance", [enhance]),
    ...when(model, "seed", [seed]),
  ]);
}

function setFields(model: Model): FormField[] {
  const [first, ...others] = imageFields(model).filter(({ name }) => name !== "num_images");
  return present([
    first,
    {
      ...createNamed(
        membersField,
        "Its pictures",
        "One line per picture: its name, a colon, then what is special about it",
      ),
      kind: "text",
      max: membersMax,
      isRequired: true,
    },
    ...others,
  ]);
}

function videoFields(model: Model): FormField[] {
  return present([
    prompt(model),
    choice(model, "aspect_ratio", "Shape"),
    choice(model, "resolution", "Resolution"),
    duration(model, "video.duration_seconds"),
    choice(model, "quality", "Quality"),
    choice(model, "camera_motion", "Camera"),
    choice(model, "fps", "Frames a second"),
    ...when(model, "native_audio", [flag(model, "audio", "Sound")]),
    ...when(model, "first_frame", [asset("first_frame_asset_id", "First picture", "image")]),
    ...when(model, "last_frame", [asset("last_frame_asset_id", "Last picture", "image")]),
    pictures(model, "reference_asset_ids", "Reference pictures", "video.reference_images_max"),
    ...when(model, "video_to_video", [asset("source_video_asset_id", "Source video", "video")]),
    ...when(model, "negative_prompt", [negative]),
    ...when(model, "prompt_enhance", [enhance]),
    ...when(model, "seed", [seed]),
  ]);
}

function audioFields(model: Model): FormField[] {
  const tasks = model.options["tasks"] ?? [];
  const speaks = tasks.includes("speech");
  const plays = tasks.some((task) => task !== "speech");
  return present([
    tasks.length > 1
      ? { ...getStandard(model, "task", "What"), kind: "choice", options: tasks.map(String) }
      : undefined,
    speaks
      ? {
          ...createNamed("text", "Text to speak"),
          kind: "text",
          max: limit(model, "audio.text_max", 5000),
          isRequired: !plays,
        }
      : undefined,
    plays ? { ...prompt(model), isRequired: !speaks } : undefined,
    speaks ? choice(model, "voice", "Voice") : undefined,
    speaks ? choice(model, "language", "Language") : undefined,
    plays ? duration(model, "audio.duration_seconds") : undefined,
    ...when(model, "lyrics", [
      { ...createNamed("lyrics", "Lyrics"), kind: "text", max: 10_000 } as const,
    ]),
    speaks
      ? {
          ...getStandard(model, "speed", "Speed"),
          kind: "number",
          min: 0.5,
          max: 2,
          step: 0.05,
          isSlider: true,
        }
      : undefined,
    ...when(model, "voice_reference", [asset("reference_asset_id", "Voice to follow", "audio")]),
    choice(model, "output_format", "Format"),
    ...when(model, "seed", [seed]),
  ]);
}

function modelFields(model: Model): FormField[] {
  const photos = limit(model, "three_d.images_max", 1);
  return present([
    { ...asset("image_asset_ids", "Photos of the object", "image"), max: photos, isRequired: true },
    {
      ...createNamed("prompt", "What it is"),
      kind: "line",
      max: limit(model, "prompt_max", 10_000),
    },
    flag(model, "texture", "Texture"),
    {
      ...createNamed("target_polycount", "Polygons"),
      kind: "number",
      min: 100,
      max: 500_000,
      step: 100,
      isSlider: false,
    },
    choice(model, "output_format", "Format"),
    ...when(model, "seed", [seed]),
  ]);
}

function cutOutFields(model: Model): FormField[] {
  return present([
    { ...asset("source_asset_id", "Video", "video"), isRequired: true },
    {
      ...getStandard(model, "background", "Background"),
      kind: "choice",
      options: ["transparent", "color"],
    },
    {
      ...createNamed("background_color", "Colour", "For a background of one colour: #rrggbb"),
      kind: "line",
      max: 9,
    },
    choice(model, "output_format", "Format"),
  ]);
}

function restoreFields(model: Model): FormField[] {
  const share = { kind: "number", min: 0, max: 1, step: 0.05, isSlider: true } as const;
  return present([
    { ...asset("source_asset_id", "Video", "video"), isRequired: true },
    { ...getStandard(model, "scale", "Enlarge"), kind: "choice", options: [1, 2, 4] },
    { ...getStandard(model, "denoise", "Remove noise"), ...share },
    { ...getStandard(model, "sharpen", "Sharpen"), ...share },
  ]);
}

/** Maximum characters of all lines of a set together. */
const membersMax = 20_000;
const backgrounds = ["opaque", "transparent", "auto"] as const;
const seed: FormField = {
  ...createNamed("seed", "Seed", "The same seed with the same request gives the same result."),
  kind: "number",
  min: 0,
  max: 4_294_967_295,
  step: 1,
  isSlider: false,
};
const negative: FormField = {
  ...createNamed("negative_prompt", "Without"),
  kind: "line",
  max: 2_000,
};
const enhance: FormField = {
  ...createNamed("enhance_prompt", "Let the model extend the prompt"),
  kind: "switch",
  standard: false,
};

function createNamed(name: string, label: string, hint?: string): Named {
  return { name, label, hint };
}

function getStandard(model: Model, name: string, label: string): Named {
  return { name, label, standard: model.defaults[name] };
}

function prompt(model: Model): FormField {
  const max = limit(model, "prompt_max", 10_000);
  return {
    ...createNamed("prompt", "Prompt"),
    kind: "text",
    max,
    isRequired: model.prompt_required,
  };
}

function choice(model: Model, name: string, label: string): FormField | undefined {
  const options = model.options[name]?.map((one) => (typeof one === "number" ? one : String(one)));
  if (options === undefined || options.length === 0) return undefined;
  return { ...getStandard(model, name, label), kind: "choice", options };
}

function flag(model: Model, name: string, label: string): FormField {
  return { ...getStandard(model, name, label), kind: "switch" };
}

function asset(name: string, label: string, accepts: Accepts): FormField & { kind: "assets" } {
  return { ...createNamed(name, label), kind: "assets", accepts, max: 1 };
}

function pictures(model: Model, name: string, label: string, key: string): FormField | undefined {
  const max = limit(model, key, 0);
  return max > 0 && model.capabilities["reference_images"] === true
    ? { ...createNamed(name, label), kind: "assets", accepts: "image", max }
    : undefined;
}

function number(
  model: Model,
  name: string,
  label: string,
  range: Range | undefined,
  standard: unknown = model.defaults[name],
): FormField | undefined {
  if (range === undefined || range.max <= range.min) return undefined;
  return { ...createNamed(name, label), standard, kind: "number", ...range, isSlider: true };
}

/** For a model that takes only certain lengths, the field is a choice. */
function duration(model: Model, key: string): FormField | undefined {
  const allowed = model.limits[key];
  if (typeof allowed !== "object" || allowed === null) return undefined;
  const own = getStandard(model, "duration_seconds", "Seconds");
  if ("values" in allowed && Array.isArray(allowed.values))
    return { ...own, kind: "choice", options: allowed.values.map(Number) };
  const { min, max, step } = allowed as Range;
  return { ...own, kind: "number", min, max, step, isSlider: true };
}

function rangeUpTo(model: Model, key: string): Range {
  return { min: 1, max: limit(model, key, 1), step: 1 };
}

function limit(model: Model, key: string, otherwise: number): number {
  const value = model.limits[key];
  return typeof value === "number" ? value : otherwise;
}

function when(model: Model, capability: string, fields: readonly FormField[]) {
  return model.capabilities[capability] === true ? fields : [];
}

function present(fields: readonly (FormField | undefined)[]): FormField[] {
  return fields.filter((field) => field !== undefined);
}

/** Formats an option for display: `push_in` becomes `Push in`, `16:9` is unchanged. */
export function optionLabel(option: string | number): string {
  return typeof option === "string" && /^[a-z]+(_[a-z]+)+$/.test(option)
    ? words(option)
    : String(option);
}
