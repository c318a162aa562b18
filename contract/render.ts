import { type Static, Type } from "../config/schema.ts";
import { nullable, strict, Timestamp, Uuid } from "./common.ts";
import { Edge, Meta, Name, ProjectId } from "./composition.ts";

export const renderTargets = ["video", "still"] as const;
export type RenderTarget = (typeof renderTargets)[number];
export const qualities = ["fast", "standard", "high"] as const;
export type Quality = (typeof qualities)[number];
export const frameMax = 2_592_000;

const Decibels = Type.Optional(Type.Number({ minimum: -60, maximum: 12 }));
const Fade = Type.Optional(Type.Number({ minimum: 0, maximum: 30 }));

export const AudioMix = strict(
  {
    master_gain_db: Decibels,
    narration_gain_db: Decibels,
    music_gain_db: Decibels,
    sfx_gain_db: Decibels,
    clip_gain_db: Decibels,
    ducking: Type.Optional(
      strict({
        enabled: Type.Boolean(),
        amount_db: Type.Optional(Type.Number({ minimum: -40, maximum: 0 })),
        attack_ms: Type.Optional(Type.Number({ minimum: 1, maximum: 2_000 })),
        release_ms: Type.Optional(Type.Number({ minimum: 1, maximum: 5_000 })),
      }),
    ),
    loudness_lufs: Type.Optional(Type.Number({ minimum: -31, maximum: -10 })),
    fade_in_seconds: Fade,
    fade_out_seconds: Fade,
    mute: Type.Optional(Type.Boolean()),
  },
  "AudioMix",
);
export type AudioMix = Static<typeof AudioMix>;

export const RenderStillOptions = strict(
  {
    at_seconds: Type.Optional(Type.Number({ minimum: 0 })),
    frame: Type.Optional(Type.Integer()),
    background: Type.Optional(Type.Enum(["opaque", "transparent"])),
    max_dimension: Type.Optional(Type.Integer({ minimum: 64, maximum: 3_840 })),
  },
  "RenderStillOptions",
);
export type RenderStillOptions = Static<typeof RenderStillOptions>;

export const RenderRequest = strict(
  {
    target: Type.Optional(Type.Enum([...renderTargets])),
    quality: Type.Optional(Type.Enum([...qualities])),
    still: Type.Optional(RenderStillOptions),
    audio_mix: Type.Optional(AudioMix),
    params: Type.Optional(Type.Object({})),
  },
  "RenderRequest",
);
export type RenderRequest = Static<typeof RenderRequest>;

export const StillParams = Type.Object({
  mode: Type.Enum(["still"]),
  at_seconds: Type.Number(),
  frame: Type.Integer(),
  background: Type.Enum(["opaque", "transparent"]),
  max_dimension: Type.Union([Type.Integer(), Type.Null()]),
});
export type StillParams = Static<typeof StillParams>;

export const Render = Type.Object(
  {
    id: Uuid,
    composition_id: Uuid,
    user_id: Uuid,
    status: Type.Enum(["queued", "running", "succeeded", "failed"]),
    target: Type.Enum([...renderTargets]),
    composition_revision: Type.Integer(),
    params: Type.Union([StillParams, Type.Object({}, { additionalProperties: false })]),
    progress: nullable(Type.Number()),
    width: nullable(Type.Integer()),
    height: nullable(Type.Integer()),
    duration_seconds: nullable(Type.Number()),
    asset_id: nullable(Uuid),
    warnings: Type.Array(Type.String()),
    error: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
  },
  { title: "Render" },
);
export type Render = Static<typeof Render>;

export const RenderList = Type.Object({ items: Type.Array(Render) }, { title: "RenderList" });

const BlockSeconds = Type.Optional(Type.Number({ minimum: 0, maximum: 3_600 }));
const BlockLength = Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3_600 }));

export const Block = strict(
  {
    clip_asset_id: Uuid,
    narration_asset_id: Type.Optional(Uuid),
    start_seconds: BlockSeconds,
    duration_seconds: BlockLength,
    clip_volume: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    gap_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
  },
  "Block",
);
export type Block = Static<typeof Block>;

export const BlocksRequest = strict(
  {
    blocks: Type.Array(Block, { minItems: 1, maxItems: 100 }),
    name: Type.Optional(Name),
    width: Type.Optional(Edge),
    height: Type.Optional(Edge),
    frame_rate: Type.Optional(Type.Enum([24, 25, 30, 60])),
    fit: Type.Optional(Type.Enum(["contain", "cover"])),
    background_color: Type.Optional(Type.String({ pattern: "^#[0-9a-fA-F]{6}$" })),
    audio_mix: Type.Optional(AudioMix),
    project_id: Type.Optional(ProjectId),
    meta: Type.Optional(Meta),
  },
  "BlocksRequest",
);
export type BlocksRequest = Static<typeof BlocksRequest>;
