import { type Static, Type } from "../../config/schema.ts";
import { nullable, Timestamp, Uuid } from "./common.ts";

/** What an editor opens: xmeml 5 for Premiere Pro and Resolve, a script for After Effects. */
export const exportFormats = ["fcpxml", "aejsx"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** `manifest.json` of an export. */
export const ExportManifest = Type.Object(
  {
    version: Type.Enum([1]),
    composition_id: Uuid,
    composition_revision: Type.Integer(),
    format: Type.Enum([...exportFormats]),
    name: Type.String(),
    frame_rate: Type.Integer(),
    width: Type.Integer(),
    height: Type.Integer(),
    duration_frames: Type.Integer(),
    created_at: Timestamp,
    media: Type.Array(
      Type.Object({
        ref: Type.String(),
        asset_id: nullable(Uuid),
        path: Type.String(),
        url: nullable(Type.String()),
        expires_at: nullable(Timestamp),
      }),
    ),
    texts: Type.Array(Type.Object({ id: Type.String(), path: Type.String() })),
    luts: Type.Array(Type.Object({ path: Type.String(), clips: Type.Array(Type.String()) })),
    warnings: Type.Array(Type.String()),
  },
  { title: "ExportManifest" },
);
export type ExportManifest = Static<typeof ExportManifest>;
