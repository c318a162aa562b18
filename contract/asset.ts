import { type Static, Type } from "../config/schema.ts";
import { Modality, nullable, Timestamp, Uuid } from "./common.ts";

export const assetStatuses = [
  "pending_upload",
  "processing",
  "ready",
  "failed",
  "trashed",
] as const;
export type AssetStatus = (typeof assetStatuses)[number];

export const Asset = Type.Object(
  {
    id: Uuid,
    signed_url: Type.String(),
    expires_at: Timestamp,
    mime_type: Type.String(),
    width: nullable(Type.Integer()),
    height: nullable(Type.Integer()),
    duration_seconds: nullable(Type.Number()),
    has_audio: nullable(Type.Boolean()),
    thumbnail_url: nullable(Type.String()),
    enhanced_prompt: nullable(Type.String()),
    created_at: Timestamp,
    display_name: Type.String(),
    favorite: Type.Boolean(),
    modality: Type.Optional(Modality),
    model: Type.String(),
    prompt: Type.String(),
    size_bytes: Type.Integer(),
    status: Type.Enum([...assetStatuses]),
    tags: Type.Array(Type.String()),
    user_id: Uuid,
    source: Type.Enum(["generation", "upload", "render", "import"]),
    job_id: nullable(Uuid),
    render_id: nullable(Uuid),
    checksum_sha256: nullable(Type.String()),
    frame_rate: nullable(Type.Number()),
    trashed_at: nullable(Timestamp),
    failure_reason: nullable(Type.String()),
  },
  { title: "Asset" },
);
export type Asset = Static<typeof Asset>;

export const AssetPage = Type.Object(
  {
    items: Type.Array(Asset),
    next_cursor: nullable(Type.String()),
    total: Type.Integer(),
  },
  { title: "AssetPage" },
);
