import { type Static, Type } from "../../config/schema.ts";
import { strict, Uuid } from "./common.ts";

/**
 * `POST /generate/image`. Optional members may also be null, with the same meaning as absent; they
 * are dropped before this schema is asked.
 */
export const GenerateImageRequest = strict({
  model: Type.String({ minLength: 1, maxLength: 64 }),
  prompt: Type.Optional(Type.String()),
  num_images: Type.Optional(Type.Integer({ minimum: 1 })),
  confirmation_token: Type.Optional(Type.String({ maxLength: 512 })),
  negative_prompt: Type.Optional(Type.String({ maxLength: 2000 })),
  aspect_ratio: Type.Optional(Type.String()),
  resolution: Type.Optional(Type.String()),
  width: Type.Optional(Type.Integer({ minimum: 256, maximum: 4096, multipleOf: 8 })),
  height: Type.Optional(Type.Integer({ minimum: 256, maximum: 4096, multipleOf: 8 })),
  quality: Type.Optional(Type.String()),
  reference_asset_ids: Type.Optional(Type.Array(Uuid)),
  mask_asset_id: Type.Optional(Uuid),
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 4294967295 })),
  output_format: Type.Optional(Type.Enum(["png", "jpeg", "webp"])),
  background: Type.Optional(Type.Enum(["opaque", "transparent", "auto"])),
  enhance_prompt: Type.Optional(Type.Boolean()),
  display_name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 32 })),
  provider_options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type GenerateImageRequest = Static<typeof GenerateImageRequest>;
