import { type Static, Type } from "../config/schema.ts";
import { nullable, OneLine, strict, Timestamp, Uuid } from "./common.ts";

const Path = Type.String({ minLength: 1, maxLength: 512 });

export const CompositionFile = Type.Object(
  {
    path: Path,
    size_bytes: Type.Integer(),
    mime_type: Type.String(),
    etag: Type.String(),
    updated_at: Timestamp,
    role: Type.Enum(["entry", "composition", "media", "edits", "other"]),
  },
  { title: "CompositionFile" },
);
export type CompositionFile = Static<typeof CompositionFile>;

export const Meta = Type.Record(Type.String(), Type.Unknown());

export const Composition = Type.Object(
  {
    id: Uuid,
    user_id: Uuid,
    organization_id: nullable(Uuid),
    name: Type.String(),
    description: nullable(Type.String()),
    project_id: nullable(Type.String()),
    meta: Meta,
    width: nullable(Type.Integer()),
    height: nullable(Type.Integer()),
    duration_seconds: nullable(Type.Number()),
    frame_rate: Type.Number(),
    revision: Type.Integer(),
    files: Type.Optional(Type.Array(CompositionFile)),
    total_bytes: Type.Integer(),
    created_at: Timestamp,
    updated_at: Timestamp,
    cloned_from: nullable(Uuid),
  },
  { title: "Composition" },
);
export type Composition = Static<typeof Composition>;

export const CompositionPage = Type.Object(
  {
    items: Type.Array(Composition),
    next_cursor: nullable(Type.String()),
    total: Type.Integer(),
  },
  { title: "CompositionPage" },
);

export const Name = OneLine(200);
const Description = Type.String({ maxLength: 4_000 });
export const ProjectId = Type.String({ minLength: 1, maxLength: 128 });
export const Edge = Type.Integer({ minimum: 16, maximum: 7_680 });

export const CreateCompositionRequest = strict(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    project_id: Type.Optional(ProjectId),
    meta: Type.Optional(Meta),
    width: Type.Optional(Edge),
    height: Type.Optional(Edge),
    template: Type.Optional(Type.Enum(["empty", "blank_html"])),
  },
  "CreateCompositionRequest",
);
export type CreateCompositionRequest = Static<typeof CreateCompositionRequest>;

export const PatchCompositionRequest = strict(
  {
    name: Type.Optional(Name),
    description: nullable(Description),
    project_id: nullable(ProjectId),
    meta: Type.Optional(Meta),
    meta_patch: Type.Optional(Meta),
  },
  "PatchCompositionRequest",
);
export type PatchCompositionRequest = Static<typeof PatchCompositionRequest>;

export const CloneCompositionRequest = strict(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    project_id: Type.Optional(ProjectId),
    meta_patch: Type.Optional(Meta),
  },
  "CloneCompositionRequest",
);
export type CloneCompositionRequest = Static<typeof CloneCompositionRequest>;

export const SignedUrlsRequest = strict(
  {
    paths: Type.Optional(Type.Array(Type.String({ maxLength: 2_048 }))),
    asset_ids: Type.Optional(Type.Array(Type.String({ maxLength: 128 }))),
  },
  "SignedUrlsRequest",
);
export type SignedUrlsRequest = Static<typeof SignedUrlsRequest>;

export const SignedUrls = Type.Object(
  {
    files: Type.Array(
      Type.Object({
        path: Type.String(),
        url: Type.String(),
        expires_at: Timestamp,
        mime_type: Type.String(),
        size_bytes: Type.Integer(),
      }),
    ),
    assets: Type.Array(
      Type.Object({
        asset_id: Uuid,
        url: Type.String(),
        expires_at: Timestamp,
        mime_type: Type.String(),
      }),
    ),
    missing: Type.Array(Type.String()),
  },
  { title: "SignedUrls" },
);
export type SignedUrls = Static<typeof SignedUrls>;

/** A link for a sandboxed frame; it shows only this revision. */
export const Preview = Type.Object(
  { url: Type.String(), revision: Type.Integer(), expires_at: Timestamp },
  { title: "Preview" },
);

const Seconds = nullable(Type.Number());

export const EffectiveClip = Type.Object(
  {
    key: Type.String(),
    id: Type.String(),
    kind: Type.Enum(["video", "audio", "image", "composition", "element", "text"]),
    start_seconds: Type.Number(),
    end_seconds: Seconds,
    track_index: Type.Integer(),
    is_shown: Type.Boolean(),
    is_audible: Type.Boolean(),
    composition_key: Type.String({
      description:
        "Key of the clip whose composition contains this clip; empty for clips of the film itself.",
    }),
    path: nullable(Type.String()),
    asset_id: nullable(Type.String()),
    media_start_seconds: Seconds,
    playback_rate: nullable(Type.Number()),
    volume: nullable(Type.Number()),
    audio_role: nullable(Type.String()),
    text: nullable(Type.String()),
  },
  { title: "EffectiveClip" },
);
export type EffectiveClip = Static<typeof EffectiveClip>;

export const EffectiveTimeline = Type.Object(
  {
    duration_seconds: Seconds,
    frame_rate: Type.Number(),
    width: nullable(Type.Integer()),
    height: nullable(Type.Integer()),
    clips: Type.Array(EffectiveClip),
    diagnostics: Type.Array(
      Type.Object({
        severity: Type.Enum(["error", "warning"]),
        code: Type.String(),
        message: Type.String(),
        path: Type.String(),
        element: nullable(Type.String()),
        attribute: nullable(Type.String()),
      }),
    ),
  },
  { title: "EffectiveTimeline" },
);
export type EffectiveTimeline = Static<typeof EffectiveTimeline>;

/** Formats that editors open: xmeml 5 for Premiere Pro and Resolve, a script for After Effects. */
export const exportFormats = ["fcpxml", "aejsx"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The `manifest.json` of an export. */
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
