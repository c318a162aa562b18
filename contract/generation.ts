/**
 * The bodies of generation submits. Optional members may also be null, with the same meaning as
 * absent; they are dropped before these schemas are asked. What a model allows of it is checked
 * against its catalogue entry in `actors/generation/`.
 */
import { limits } from "../config/limits.ts";
import { type Static, Type } from "../config/schema.ts";
import { OneLine, strict, Uuid } from "./common.ts";

const { Optional } = Type;
const ModelName = Type.String({ minLength: 1, maxLength: 64 });
const Seed = Type.Integer({ minimum: 0, maximum: 4_294_967_295 });
const FreeEdge = Type.Integer({ minimum: 256, maximum: 4_096, multipleOf: 8 });
const ProviderOptions = Type.Record(Type.String(), Type.Unknown());
export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 32 });
export const DisplayName = OneLine(200);

/** Name and tags of the asset, and the token that confirms a quoted price. */
const naming = { display_name: Optional(DisplayName), tags: Optional(Tags) };
const confirmation = { confirmation_token: Optional(Type.String({ maxLength: 512 })) };

const imageFields = {
  prompt: Optional(Type.String()),
  negative_prompt: Optional(Type.String({ maxLength: 2_000 })),
  aspect_ratio: Optional(Type.String()),
  resolution: Optional(Type.String()),
  width: Optional(FreeEdge),
  height: Optional(FreeEdge),
  quality: Optional(Type.String()),
  reference_asset_ids: Optional(Type.Array(Uuid)),
  mask_asset_id: Optional(Uuid),
  seed: Optional(Seed),
  output_format: Optional(Type.Enum(["png", "jpeg", "webp"])),
  background: Optional(Type.Enum(["opaque", "transparent", "auto"])),
  enhance_prompt: Optional(Type.Boolean()),
  ...naming,
  provider_options: Optional(ProviderOptions),
};

export const GenerateImageRequest = strict(
  {
    model: ModelName,
    num_images: Optional(Type.Integer({ minimum: 1 })),
    ...imageFields,
    ...confirmation,
  },
  "GenerateImageRequest",
);
export type GenerateImageRequest = Static<typeof GenerateImageRequest>;

export const GenerateVideoRequest = strict(
  {
    model: ModelName,
    prompt: Optional(Type.String()),
    negative_prompt: Optional(Type.String({ maxLength: 2_000 })),
    duration_seconds: Optional(Type.Integer({ minimum: 1 })),
    aspect_ratio: Optional(Type.String()),
    resolution: Optional(Type.String()),
    quality: Optional(Type.String()),
    first_frame_asset_id: Optional(Uuid),
    last_frame_asset_id: Optional(Uuid),
    reference_asset_ids: Optional(Type.Array(Uuid)),
    source_video_asset_id: Optional(Uuid),
    audio: Optional(Type.Boolean()),
    camera_motion: Optional(Type.String()),
    fps: Optional(Type.Integer({ minimum: 1 })),
    seed: Optional(Seed),
    enhance_prompt: Optional(Type.Boolean()),
    ...naming,
    provider_options: Optional(ProviderOptions),
    ...confirmation,
  },
  "GenerateVideoRequest",
);
export type GenerateVideoRequest = Static<typeof GenerateVideoRequest>;

export const audioTasks = ["speech", "music", "sound_effect"] as const;
export type AudioTask = (typeof audioTasks)[number];

export const GenerateAudioRequest = strict(
  {
    model: ModelName,
    task: Optional(Type.Enum([...audioTasks])),
    text: Optional(Type.String()),
    prompt: Optional(Type.String()),
    voice: Optional(Type.String()),
    language: Optional(
      Type.String({ maxLength: 35, pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$" }),
    ),
    duration_seconds: Optional(Type.Integer({ minimum: 1 })),
    lyrics: Optional(Type.String({ maxLength: 10_000 })),
    speed: Optional(Type.Number({ minimum: 0.5, maximum: 2 })),
    reference_asset_id: Optional(Uuid),
    output_format: Optional(Type.Enum(["mp3", "wav", "flac", "ogg"])),
    seed: Optional(Seed),
    ...naming,
    provider_options: Optional(ProviderOptions),
    ...confirmation,
  },
  "GenerateAudioRequest",
);
export type GenerateAudioRequest = Static<typeof GenerateAudioRequest>;

export const Generate3DRequest = strict(
  {
    model: ModelName,
    image_asset_ids: Type.Array(Uuid, { minItems: 1 }),
    prompt: Optional(Type.String()),
    texture: Optional(Type.Boolean()),
    target_polycount: Optional(Type.Integer({ minimum: 1_000, maximum: 300_000 })),
    output_format: Optional(Type.Enum(["glb", "gltf"])),
    seed: Optional(Seed),
    ...naming,
    provider_options: Optional(ProviderOptions),
    ...confirmation,
  },
  "Generate3DRequest",
);
export type Generate3DRequest = Static<typeof Generate3DRequest>;

export const SetMember = strict(
  {
    label: OneLine(64),
    prompt: Optional(Type.String()),
    prompt_suffix: Optional(Type.String()),
    overrides: Optional(strict(imageFields)),
  },
  "SetMember",
);
export type SetMember = Static<typeof SetMember>;

export const GenerateSetRequest = strict(
  {
    name: Optional(OneLine(120)),
    base: strict({ model: ModelName, ...imageFields }),
    members: Type.Array(SetMember, { minItems: 1, maxItems: limits.sets.membersMax }),
    ...confirmation,
  },
  "GenerateSetRequest",
);
export type GenerateSetRequest = Static<typeof GenerateSetRequest>;

export const RemoveBackgroundVideoRequest = strict(
  {
    model: Optional(ModelName),
    source_asset_id: Uuid,
    background: Optional(Type.Enum(["transparent", "color"])),
    background_color: Optional(Type.String({ pattern: "^#[0-9a-fA-F]{6}$" })),
    output_format: Optional(Type.Enum(["webm", "mov", "mp4"])),
    ...naming,
    ...confirmation,
  },
  "RemoveBackgroundVideoRequest",
);
export type RemoveBackgroundVideoRequest = Static<typeof RemoveBackgroundVideoRequest>;

export const RestoreVideoRequest = strict(
  {
    model: Optional(ModelName),
    source_asset_id: Uuid,
    scale: Optional(Type.Enum([1, 2, 4])),
    target_resolution: Optional(Type.Enum(["720p", "1080p", "1440p", "4k"])),
    denoise: Optional(Type.Number({ minimum: 0, maximum: 1 })),
    sharpen: Optional(Type.Number({ minimum: 0, maximum: 1 })),
    target_fps: Optional(Type.Integer({ minimum: 24, maximum: 120 })),
    ...naming,
    ...confirmation,
  },
  "RestoreVideoRequest",
);
export type RestoreVideoRequest = Static<typeof RestoreVideoRequest>;

export const EnhancePromptRequest = strict(
  {
    prompt: Type.String(),
    model: ModelName,
    duration_seconds: Optional(Type.Integer({ minimum: 1 })),
    aspect_ratio: Optional(Type.String()),
    first_frame_asset_id: Optional(Uuid),
  },
  "EnhancePromptRequest",
);
export type EnhancePromptRequest = Static<typeof EnhancePromptRequest>;

export const EnhancedPrompt = Type.Object(
  {
    prompt: Type.String(),
    original_prompt: Type.String(),
    model: Type.String(),
    credits_charged: Type.Integer(),
    balance_credits: Optional(Type.Union([Type.Integer(), Type.Null()])),
  },
  { title: "EnhancedPrompt" },
);
