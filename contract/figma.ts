import { type Static, Type } from "../config/schema.ts";
import { strict, Uuid } from "./common.ts";

export const FigmaImportRequest = strict(
  {
    /** Access token used for this request only. */
    access_token: Type.String({ minLength: 1, maxLength: 1_024, pattern: "^[!-~]+$" }),
    url: Type.Optional(Type.String({ maxLength: 2_048 })),
    file_key: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9]{1,128}$" })),
    node_id: Type.Optional(Type.String({ maxLength: 256 })),
    scale: Type.Optional(Type.Number({ minimum: 0.5, maximum: 4 })),
    start: Type.Optional(Type.Number({ minimum: 0, maximum: 3_600 })),
    duration_seconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3_600 })),
    include_hidden: Type.Optional(Type.Boolean()),
    insert: Type.Optional(Type.Boolean()),
  },
  "FigmaImportRequest",
);
export type FigmaImportRequest = Static<typeof FigmaImportRequest>;

const place = {
  node_id: Type.String(),
  name: Type.String(),
  /** Position in pixels from the frame's corner. */
  x: Type.Number(),
  y: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
  opacity: Type.Number(),
};
const times = { start: Type.Number(), duration_seconds: Type.Number() };

export const FigmaTextLayer = Type.Object(
  {
    kind: Type.Enum(["text"]),
    ...place,
    text: Type.String(),
    /** Rotation in degrees, clockwise. */
    rotation: Type.Number(),
    font_family: Type.String(),
    font_postscript_name: Type.Union([Type.String(), Type.Null()]),
    font_weight: Type.Number(),
    italic: Type.Boolean(),
    font_size: Type.Number(),
    line_height_px: Type.Number(),
    letter_spacing: Type.Number(),
    text_align: Type.Enum(["left", "center", "right", "justified"]),
    text_align_vertical: Type.Enum(["top", "center", "bottom"]),
    text_case: Type.Enum([
      "original",
      "upper",
      "lower",
      "title",
      "small_caps",
      "small_caps_forced",
    ]),
    color: Type.String(),
    ...times,
  },
  { title: "FigmaTextLayer" },
);
export type FigmaTextLayer = Static<typeof FigmaTextLayer>;

export const FigmaImageLayer = Type.Object(
  { kind: Type.Enum(["image"]), ...place, asset_id: Uuid, ...times },
  { title: "FigmaImageLayer" },
);
export type FigmaImageLayer = Static<typeof FigmaImageLayer>;

export const FigmaImport = Type.Object(
  {
    frame: Type.Object({
      node_id: Type.String(),
      name: Type.String(),
      width: Type.Number(),
      height: Type.Number(),
      background_color: Type.Union([Type.String(), Type.Null()]),
    }),
    /** Layers from back to front. */
    layers: Type.Array(Type.Union([FigmaTextLayer, FigmaImageLayer])),
    warnings: Type.Array(Type.String()),
  },
  { title: "FigmaImport" },
);
export type FigmaImport = Static<typeof FigmaImport>;
