import { type Static, Type } from "../../config/schema.ts";
import { strict, Uuid } from "./common.ts";
import { Edge, Meta, Name, ProjectId } from "./composition.ts";
import { AudioMix } from "./render.ts";

const Seconds = Type.Optional(Type.Number({ minimum: 0, maximum: 3_600 }));
const Length = Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3_600 }));

export const Block = strict(
  {
    clip_asset_id: Uuid,
    narration_asset_id: Type.Optional(Uuid),
    start_seconds: Seconds,
    duration_seconds: Length,
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
