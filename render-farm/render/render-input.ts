import { check, type Static, Type } from "../../config/schema.ts";
import { Source } from "../node/workspace.ts";

/** Task kind `render`: a film or a still of a composition whose files a manifest names. */
const decibels = Type.Number({ minimum: -60, maximum: 12 });
const fade = Type.Number({ minimum: 0, maximum: 30 });

const AudioMix = Type.Object({
  master_gain_db: Type.Optional(decibels),
  narration_gain_db: Type.Optional(decibels),
  music_gain_db: Type.Optional(decibels),
  sfx_gain_db: Type.Optional(decibels),
  clip_gain_db: Type.Optional(decibels),
  ducking: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Object({
        enabled: Type.Boolean(),
        amount_db: Type.Optional(Type.Number({ minimum: -40, maximum: 0 })),
        attack_ms: Type.Optional(Type.Number({ minimum: 1, maximum: 2_000 })),
        release_ms: Type.Optional(Type.Number({ minimum: 1, maximum: 5_000 })),
      }),
    ]),
  ),
  loudness_lufs: Type.Optional(
    Type.Union([Type.Null(), Type.Number({ minimum: -31, maximum: -10 })]),
  ),
  fade_in_seconds: Type.Optional(fade),
  fade_out_seconds: Type.Optional(fade),
  mute: Type.Optional(Type.Boolean()),
});
export type AudioMix = Static<typeof AudioMix>;

const Still = Type.Object(
  {
    atSeconds: Type.Optional(Type.Number({ minimum: 0 })),
    frame: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_592_000 })),
    background: Type.Optional(Type.Enum(["opaque", "transparent"])),
    maxDimension: Type.Optional(
      Type.Union([Type.Null(), Type.Integer({ minimum: 64, maximum: 3_840 })]),
    ),
  },
  { additionalProperties: false },
);
export type StillOptions = Static<typeof Still>;

export const RenderInput = Type.Object(
  {
    manifestKey: Type.String({ minLength: 1, maxLength: 1_024 }),
    target: Type.Enum(["video", "still"]),
    quality: Type.Optional(Type.Enum(["fast", "standard", "high"])),
    still: Type.Optional(Still),
    audioMix: Type.Optional(Type.Union([Type.Null(), AudioMix])),
    assets: Type.Record(Type.String(), Source),
  },
  { additionalProperties: false },
);
export type RenderInput = Static<typeof RenderInput>;
export type Quality = NonNullable<RenderInput["quality"]>;
export const isRenderInput = check<RenderInput>(RenderInput);

const Manifest = Type.Object({
  files: Type.Array(
    Type.Object({
      path: Type.String({ minLength: 1, maxLength: 512 }),
      objectKey: Type.String({ minLength: 1, maxLength: 1_024 }),
      mimeType: Type.String({ minLength: 1, maxLength: 128 }),
    }),
  ),
});
export type Manifest = Static<typeof Manifest>;
export const isManifest = check<Manifest>(Manifest);
